type Value<T> = T | Promise<T>

/**
 * Keeps the tokens of a login: `localStorage`, `sessionStorage`, or an object with the same three methods, which may be async. Logins and
 * logouts run one after the other: if a method never settles, those that come later wait for ever.
 *
 * @example
 * const storage: Storage = {
 *   getItem: (key) => cookies.get(key),
 *   setItem: (key, value) => cookies.set(key, value),
 *   removeItem: (key) => cookies.remove(key)
 * }
 */
export interface Storage {
  getItem(key: string): Value<string | null | undefined>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/**
 * Creates a storage in memory: a reload of the page forgets the tokens, and no other script can read them.
 *
 * @example
 * app.configure(authentication({ storage: memoryStorage() }))
 */
export function memoryStorage(): Storage {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key),
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key)
  }
}
