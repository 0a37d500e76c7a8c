import type { HookContext } from '../../../types/fastify.js'
import type { Id } from '../../../types/service.js'
import { NotAuthenticated } from '../../core/errors.js'
import { loginsInParams } from '../../core/logins.js'
import { findAuthentication } from '../find.js'
import { Credentials } from '../verifier.js'

interface LoggedInUser {
  readonly user: Readonly<Record<string, unknown>>
  readonly id: Id
}

/**
 * The user who makes a call, as the guard has told that let the call in.
 * @throws {NotAuthenticated} where no guard has
 */
export function entityIn({ app, params, path, method }: HookContext): LoggedInUser {
  const maker = loginsInParams(params).at(-1)?.maker ?? findAuthentication(app)
  const entities = maker instanceof Credentials ? maker.authenticator.entities : undefined
  const user: unknown = params[entities?.name ?? 'user']
  if (typeof user !== 'object' || user === null)
    throw new NotAuthenticated(`'${method}' of '${path}' is for users who are logged in`)
  const id = entities?.name ? entities.idOf(user) : (user as Record<string, Id>).id
  if (id === undefined) throw new NotAuthenticated('The user has no id')
  return { user: user as LoggedInUser['user'], id }
}
