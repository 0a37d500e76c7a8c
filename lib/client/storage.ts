type Value<T> = T | Promise<T>

/**
 * Where tokens are kept: `localStorage`, `sessionStorage`, or what has the same three methods, async too. Logins and logouts take turns: one
 * whose tokens are never stored, and a read that never ends, holds up those after it.
 */
export interface Storage {
  getItem(key: string): Value<string | null | undefined>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/** A storage in memory: a reload of the page forgets it, and no other script can read it. */
export function memoryStorage(): Storage {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key),
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key)
  }
}
