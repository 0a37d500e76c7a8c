/** Makes an object of the named values that are not `undefined`. */
export function pick(names: readonly string[], get: (name: string) => unknown): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const name of names) {
    const value = get(name)
    if (value !== undefined) picked[name] = value
  }
  return picked
}

const emptyObject = {}

/**
 * `{ ...first, ...second }`. Written so, on Node 20 each copy of what is no plain `{}` has a hidden
 * class of its own where properties are added: 5,000 instructions for each, and all that reads it
 * is slower. A copy that starts with `emptyObject` shares its class with others.
 */
export const merge = <A extends object, B extends object>(first: A, second: B): A & B => ({
  ...emptyObject,
  ...first,
  ...second
})

/**
 * Whether a value is a plain object, of this realm or another: neither a list nor an instance of a
 * class.
 */
export const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(Object.getPrototypeOf(value) ?? value) === null

/** Whether a value is an object, but no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value can be awaited. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
