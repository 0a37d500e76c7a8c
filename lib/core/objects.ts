/** Creates an object of the named values that are not `undefined`. */
export function pick(names: readonly string[], get: (name: string) => unknown): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const name of names) {
    const value = get(name)
    if (value !== undefined) picked[name] = value
  }
  return picked
}

/**
 * Whether a value is a plain object, of this realm or another: neither a list nor an instance of a
 * class.
 */
export const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(Object.getPrototypeOf(value) ?? value) === null

/** Whether a value is an object, but no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Makes a value at the first call of the function that is returned, and returns it at each call. */
export function once<T>(create: () => T): () => T {
  let value: { readonly created: T } | undefined
  return () => {
    value ??= { created: create() }
    return value.created
  }
}

/** Whether a value can be awaited. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
