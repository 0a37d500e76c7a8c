import { parse } from '@lukeed/ms'
import { endOfTime } from './claims.js'

// From now on it must end at a date.
const max = endOfTime / 2

/**
 * A span of time in seconds: `'15m'` → 900, `60` → 60.
 * @throws when it is no span of a second or more
 */
export function toSeconds(value: string | number, option: string): number {
  const seconds = typeof value === 'string' ? (parse(value) ?? Number.NaN) / 1000 : value
  if (typeof seconds === 'number' && seconds >= 1 && seconds <= max) return Math.floor(seconds)
  throw new Error(
    `The option ${option} is a number of seconds, or a string such as '15m' or '1d', not ${JSON.stringify(value)}`
  )
}
