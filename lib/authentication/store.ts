/**
 * Where revoked tokens and refresh tokens are kept: any store of strings that deletes them after a time, Redis for example. Several
 * processes must share one.
 *
 * @example
 * const store: Store = {
 *   get: (key) => app.redis.get(key),
 *   set: (key, value, seconds) => app.redis.set(key, value, 'EX', seconds)
 * }
 */
export interface Store {
  /** The value of a key, `null` or `undefined` when there is none. */
  get(key: string): string | null | undefined | Promise<string | null | undefined>
  /** Keeps a value for so many seconds. */
  set(key: string, value: string, seconds: number): unknown
}

const interval = 60_000

/**
 * A store in the memory of this process, the default. Its content is lost on a restart.
 *
 * @example
 * // Two authentication services with one store.
 * const store = memoryStore()
 * await app.register(authentication, { secret, revocation: true, store })
 * await app.register(authentication, { secret, revocation: true, store, path: 'admin/authentication', service: 'admins' })
 */
export function memoryStore(): Store {
  const values = new Map<string, { value: string; until: number }>()
  let swept = Date.now()
  return {
    get(key) {
      const entry = values.get(key)
      return entry !== undefined && entry.until > Date.now() ? entry.value : undefined
    },
    set(key, value, seconds) {
      const now = Date.now()
      values.set(key, { value, until: now + seconds * 1000 })
      if (now - swept < interval) return
      swept = now
      for (const [key, { until }] of values) if (until <= now) values.delete(key)
    }
  }
}
