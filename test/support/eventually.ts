import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'

const patience = 20_000

type Pattern = string | RegExp
type Read<T> = () => Promise<T>

/**
 * Assertions on what a page shows, read again until they hold, or for 20 seconds: what was there before stays until an answer comes, and a text that a test has
 * waited for may be that of before.
 */
export const eventually = (t: Pick<Test, 'match' | 'equal' | 'strictSame'>) => ({
  match: async (read: Read<string | null>, pattern: Pattern, message = '') => {
    const matches = (text: string | null) =>
      typeof pattern === 'string' ? String(text).includes(pattern) : pattern.test(String(text))
    t.match(await readUntil(read, matches), pattern, ...named(message))
  },
  equal: async <T>(read: Read<T>, expected: T, message = '') => {
    t.equal(await readUntil(read, (value) => Object.is(value, expected)), expected, ...named(message))
  },
  strictSame: async <T>(read: Read<T>, expected: T, message = '') => {
    t.strictSame(await readUntil(read, (value) => isDeepStrictEqual(value, expected)), expected, ...named(message))
  }
})

const named = (message: string): [] | [string] => (message === '' ? [] : [message])

async function readUntil<T>(read: Read<T>, holds: (value: T) => boolean): Promise<T> {
  const end = Date.now() + patience
  let value = await read()
  while (!holds(value) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    value = await read()
  }
  return value
}
