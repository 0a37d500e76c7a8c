import { createGenerator } from '../test/support/random.js'

/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 to below `end`. */
  below(end: number): number
  /** Whether something happens that happens once in so many times. */
  oneIn(times: number): boolean
  pick<T>(list: readonly T[]): T
  /** A list of at most `most` values. */
  upTo<T>(most: number, make: () => T): T[]
}

export function createRandom(seed: number): Random {
  const next = createGenerator(seed)
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    upTo: (most, make) => Array.from({ length: below(most + 1) }, make)
  }
}
