import { createHash } from 'node:crypto'
import { loginsInParams } from '../core/logins.js'

export const digestOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, length)

/**
 * Returns the key of a user, `undefined` if there is no id.
 * @param user the id, or an object that has it as `id` or `_id`
 */
export function userKey(user: unknown): string | undefined {
  // An id of MongoDB is an object that has an `id` itself.
  const { id, _id, toHexString } = Object(user) as { id?: unknown; _id?: unknown; toHexString?: unknown }
  const isRecord = typeof user === 'object' && typeof toHexString !== 'function'
  const value = isRecord ? (id ?? _id) : user
  return value === undefined || value === null ? undefined : `user ${String(value)}`
}

export const isUserKey = (key: string): boolean => key.startsWith('user ')

/**
 * Returns the keys by which a caller is recognized: for the user, and for the token in a header.
 */
export function callerKeysOf(params: Readonly<Record<string, unknown>>, headers: unknown): readonly string[] {
  const { sub } = Object(Object(params.authentication).payload)
  // The record of a user may have its id in another field.
  const loginId = loginsInParams(params).at(-1)?.identity?.at(-1)
  const user = userKey(params.user) ?? userKey(loginId) ?? userKey(sub)
  const { authorization } = Object(headers)
  const token = typeof authorization === 'string' ? `token ${digestOf(authorization, 22)}` : undefined
  return [user, token].filter((key) => key !== undefined)
}

/** Whether two lists of keys may belong to the same caller. Anonymous callers are all the same. */
export const haveCommonCaller = (keys: readonly string[], otherKeys: readonly string[]): boolean =>
  keys.length === 0 ? otherKeys.length === 0 : keys.some((key) => otherKeys.includes(key))

/**
 * Returns the hash of the id that a client has given to its call; `undefined` if there is none, or
 * if it could be guessed.
 */
export function callHash(headers: unknown): string | undefined {
  const id: unknown = Object(headers)['x-events-call']
  return typeof id === 'string' && /^[\w-]{16,64}$/.test(id) ? digestOf(id, 22) : undefined
}
