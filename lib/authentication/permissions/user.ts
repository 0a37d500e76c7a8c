import type { HookContext } from '../../../types/fastify.js'
import type { Id } from '../../../types/service.js'
import { NotAuthenticated } from '../../core/errors.js'
import { loginsInParams } from '../../core/logins.js'
import { Credentials } from '../credentials.js'
import { findAuthentication } from '../lookup.js'

/** The user who makes a call. */
interface CallingUser {
  readonly user: Readonly<Record<string, unknown>>
  readonly id: Id
}

/**
 * Returns the user whom the guard of a call has let in.
 * @throws {NotAuthenticated} if there was no guard
 */
export function requireUser(context: HookContext): CallingUser {
  const { app, params } = context
  const maker = loginsInParams(params).at(-1)?.maker ?? findAuthentication(app)
  const users = maker instanceof Credentials ? maker.authenticator.entities : undefined
  const user: unknown = params[users?.name ?? 'user']
  if (typeof user !== 'object' || user === null)
    throw new NotAuthenticated(`'${context.method}' of '${context.path}' is for users who are logged in`)
  const id = users?.name ? users.idOf(user) : (user as Record<string, Id>).id
  if (id === undefined) throw new NotAuthenticated('The user has no id')
  return { user: user as CallingUser['user'], id }
}
