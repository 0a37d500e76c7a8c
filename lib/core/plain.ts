/** Whether a value is a plain object: no list, nothing of a class. One of another realm is plain, too. */
export const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(Object.getPrototypeOf(value) ?? value) === null

/** Whether a value is an object and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
