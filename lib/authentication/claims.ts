import type { TokenPayload } from '../../types/authentication.js'
import { isText } from './password.js'

/** In seconds: no date can be told from here on. */
export const endOfTime = 8.64e12

const isTime = (value: unknown) => typeof value === 'number' && Math.abs(value) <= endOfTime - 1
const ifGiven = (is: (value: unknown) => boolean) => (value: unknown) => value === undefined || is(value)

// Stores are handed times and ids, and rules of the application too.
const kinds: Record<string, (value: unknown) => boolean> = {
  exp: isTime,
  iat: ifGiven(isTime),
  nbf: ifGiven(isTime),
  auth_time: ifGiven(isTime),
  sub: isText,
  jti: ifGiven(isText),
  sid: ifGiven(isText)
}

/** Whether the claims of a token, whoever has signed it, are what they are said to be: times that a date can hold, ids that are text. */
export const areSound = (payload: TokenPayload): boolean =>
  Object.entries(kinds).every(([name, is]) => is(payload[name]))
