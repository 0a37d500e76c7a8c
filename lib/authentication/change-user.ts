import type { Params, Query } from '../../types/service.js'
import { readProperty } from '../core/errors.js'
import { metaOf } from '../core/service-meta.js'
import { onlyIf } from './stored-credentials.js'
import type { Authenticator } from './strategy.js'
import type { UserRecord } from './users.js'

/**
 * Changes a user, unless another write has changed one of its fields since it was read. The call is
 * one of the server, with the hooks of the service.
 *
 * @param user the user as it was read
 * @param field the field that must be unchanged
 * @param data a password in it is hashed already
 * @throws {NotFound} if the field has changed, or the user was removed
 */
export async function changeUser(
  users: Authenticator['entities'],
  user: UserRecord,
  field: string,
  data: UserRecord,
  params: Params
): Promise<void> {
  const condition = { [field]: user[field] ?? null }
  const { provider, authentication, ...rest } = params
  const patch = (query: Query) =>
    users.service.patch(users.idOf(user), data, { ...rest, query, [onlyIf]: () => condition })
  try {
    await patch(condition)
  } catch (error) {
    const isRefused = readProperty(error, 'code') === 400 && metaOf(users.service).preparedFor !== undefined
    if (!isRefused) throw error
    // Hooks of the application may refuse queries for passwords. The condition is also added after
    // them.
    await patch({})
  }
}
