import type { Params, Query } from '../../types/service.js'
import { readProperty } from '../core/errors.js'
import { metaOf } from '../core/service-meta.js'
import { rehash } from './stored-credentials.js'
import type { Authenticator } from './strategy.js'
import type { UserRecord } from './users.js'

/**
 * Stores the hash of a password of a user, if the stored hash is still the one that was read.
 * @param field the field of a user that holds the hash
 * @param user the user as it was read, with the hash
 * @param password any text: one that looks like a hash is hashed, too
 * @throws {NotFound} if the stored hash has changed, or the user was removed
 * @throws {BadRequest} if the text can't be a password, {Unavailable} if too many are being hashed
 */
export async function replaceHash(
  { entities: users, passwords }: Authenticator,
  field: string,
  user: UserRecord,
  password: string,
  params: Params
): Promise<void> {
  const data = { [field]: await passwords.hash(password) }
  const condition = { [field]: user[field] ?? null }
  const { provider, authentication, ...rest } = params
  const patch = (query: Query) =>
    users.service.patch(users.idOf(user), data, { ...rest, query, [rehash]: () => condition })
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
