/** The keys that lead to a value within another one. */
export type Path = readonly (string | number)[]

/** One validation problem. `must` is part of a sentence, as in `must be an integer`. */
export interface Issue {
  readonly path: Path
  readonly keyword: string
  readonly must: string
}

/**
 * The path to a value as a linked list; the outermost value has none. Only issues need a `Path`:
 * the paths of all values in a deeply nested body would take quadratic memory.
 */
export interface PathNode {
  readonly key: string | number
  readonly within: PathNode | undefined
}

/** Returns the path of a node, with the path of the outermost value before it. */
export function toPath(last: PathNode | undefined, start: Path = []): Path {
  const keys: (string | number)[] = []
  for (let node = last; node !== undefined; node = node.within) keys.push(node.key)
  return [...start, ...keys.reverse()]
}

/** The most issues that an error lists. */
export const maxIssues = 20
