/** The way to a place of a value. */
export type Path = readonly (string | number)[]

/** One issue of a value. `must` is part of a sentence, as in `must be an integer`. */
export interface Fault {
  readonly path: Path
  readonly keyword: string
  readonly must: string
}

/**
 * The place of a value in another one; the outermost value has none. It is a linked list, because
 * only faults need a path: paths of all places of a deeply nested value take quadratic memory.
 */
export interface Place {
  readonly key: string | number
  readonly within: Place | undefined
}

/** Returns the path to a place, behind the path to the outermost value. */
export function pathOfPlace(place: Place | undefined, start: Path = []): Path {
  const keys: (string | number)[] = []
  for (let part = place; part !== undefined; part = part.within) keys.push(part.key)
  return [...start, ...keys.reverse()]
}

/** How many faults an error lists at most. */
export const maxFaults = 20
