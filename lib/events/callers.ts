import { createHash } from 'node:crypto'

const digestOf = (text: string, length: number) =>
  createHash('sha256').update(text).digest('base64url').slice(0, length)

/** By what a user is known: the id, or an object that has it. */
export function userKey(user: unknown): string | undefined {
  const { id, _id = id } = Object(user) as { id?: unknown; _id?: unknown }
  const value = typeof user === 'object' ? (id ?? _id) : user
  return value === undefined || value === null ? undefined : `user ${String(value)}`
}

/** The texts by which the caller of a call is known again: the user, and a token in a header. */
export function callersOf(params: Readonly<Record<string, unknown>>, headers: unknown): readonly string[] {
  const { sub } = Object(Object(params.authentication).payload)
  const user = userKey(params.user) ?? userKey(sub)
  const { authorization } = Object(headers)
  const token = typeof authorization === 'string' ? `token ${digestOf(authorization, 22)}` : undefined
  return [user, token].filter((caller) => caller !== undefined)
}

/** Whether two lists of callers have one in common. Those who are not known are all the same. */
export const isSameCaller = (callers: readonly string[], others: readonly string[]): boolean =>
  callers.length === 0 ? others.length === 0 : callers.some((caller) => others.includes(caller))

/**
 * The hash of the id that a client has given to its call. `undefined` where it has given none, or
 * one that could be guessed.
 */
export function callHash(headers: unknown): string | undefined {
  const id: unknown = Object(headers)['x-events-call']
  return typeof id === 'string' && /^[\w-]{16,64}$/.test(id) ? digestOf(id, 22) : undefined
}
