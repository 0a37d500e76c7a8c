/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 to below `end`. */
  below(end: number): number
  /** Whether something happens that happens once in so many times. */
  oneIn(times: number): boolean
  pick<T>(list: readonly T[]): T
  /** So many values, at most. */
  upTo<T>(most: number, make: () => T): T[]
}

/** The generator mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    upTo: (most, make) => Array.from({ length: below(most + 1) }, make)
  }
}
