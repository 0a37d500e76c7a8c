import { parse } from '@lukeed/ms'
import { shownText } from '../core/shown.js'

/** In seconds: a date can hold no time from here on. */
export const endOfTime = 8.64e12

// Counted from now, it must still end at a time that a date can hold.
const max = endOfTime / 2

/**
 * A span of time in seconds: `'15m'` → 900, `60` → 60.
 * @throws when the value is not a span of at least a second
 */
export function toSeconds(value: string | number, option: string): number {
  const seconds = typeof value === 'string' ? Number(parse(value)) / 1000 : value
  if (typeof seconds === 'number' && seconds >= 1 && seconds <= max) return Math.floor(seconds)
  throw new Error(
    `The option \`${option}\` of authentication must be a number of seconds, or a string such as '15m' or '1d', got ${shownText(value)}`
  )
}
