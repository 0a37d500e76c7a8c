/** Makes an object of the named values that are not `undefined`. */
export const pick = (names: readonly string[], get: (name: string) => unknown): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, get(name)]).filter(([, value]) => value !== undefined))
