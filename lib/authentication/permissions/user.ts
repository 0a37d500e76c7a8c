import type { HookContext } from '../../../types/hooks.js'
import type { Id } from '../../../types/service.js'
import { attempt, NotAuthenticated } from '../../core/errors.js'
import { findAuthentication } from '../find.js'

interface LoggedInUser {
  readonly user: Readonly<Record<string, unknown>>
  readonly id: Id
}

/** The user who makes a call, as a guard has told. @throws {NotAuthenticated} where no guard has */
export function entityIn({ app, params, path, method }: HookContext): LoggedInUser {
  const entities = findAuthentication(app)?.authenticator.entities
  const user: unknown = params[entities?.name ?? 'user']
  if (typeof user !== 'object' || user === null)
    throw new NotAuthenticated(`'${method}' of '${path}' is for users who are logged in`)
  const { id, _id } = user as Record<string, Id>
  const hasUsers = entities !== undefined && entities.name !== null
  const ownId = (hasUsers ? attempt(() => entities.idOf(user)) : undefined) ?? id ?? _id
  if (ownId === undefined) throw new NotAuthenticated('The user has no id')
  return { user: user as LoggedInUser['user'], id: ownId }
}
