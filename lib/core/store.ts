import { isObject } from './objects.js'
import { checkOptions, kinds, type OptionKind, type OptionTable } from './options.js'

/**
 * Where revoked tokens, refresh tokens and the answers of `idempotency` are kept: any store of
 * strings that deletes them after a time, Redis for example. Several processes must share one.
 *
 * @example
 * const store: Store = {
 *   get: (key) => app.redis.get(key),
 *   set: (key, value, seconds) => app.redis.set(key, value, 'EX', seconds),
 *   add: async (key, value, seconds) =>
 *     (await app.redis.set(key, value, 'EX', seconds, 'NX')) !== null,
 *   delete: (key) => app.redis.del(key)
 * }
 */
export interface Store {
  /** The value of a key, `null` or `undefined` when there is none. */
  get(key: string): string | null | undefined | Promise<string | null | undefined>
  /** Keeps a value for so many seconds. */
  set(key: string, value: string, seconds: number): unknown
  /**
   * Keeps a value, as `set` does, unless the key has one, and returns whether it did. It is one
   * step, so that only one of several processes succeeds. `idempotency` needs it, and so do refresh
   * tokens that are exchanged once whichever process they reach.
   */
  add?(key: string, value: string, seconds: number): boolean | Promise<boolean>
  /**
   * Forgets a key that `add` has taken for a moment. Without it, a key gets an empty value for a
   * second.
   */
  delete?(key: string): unknown
}

/** A store in the database of the application. */
export interface TransactionalStore extends Required<Store> {
  /**
   * Replaces a value in the transaction of a call, so that both are committed or none.
   *
   * @param transaction `params.transaction`
   * @returns whether the key had the value
   */
  replaceWithin?(transaction: object, key: string, value: string, newValue: string, seconds: number): Promise<boolean>
}

const isCollection = (value: object) =>
  [Map, WeakMap, URLSearchParams, Headers, FormData].some((type) => value instanceof type)

/** The kind of options that take a store. */
export const storeKind: OptionKind = [
  // A store without the seconds keeps everything for ever, as those of the platform do that take a
  // key and a value alone.
  'an object with the methods get(key) and set(key, value, seconds), which a Map is not',
  (value) =>
    isObject(value) && typeof value.get === 'function' && typeof value.set === 'function' && !isCollection(value)
]

/** The kind of options that take a store with `add`. */
export const sharedStoreKind: OptionKind = [
  'an object with the methods get, set and add, which keeps a value only if there is none',
  (value) => storeKind[1](value) && typeof (value as Store).add === 'function'
]

/**
 * Forgets a key before its time, such as that which `add` has taken. Where that fails, it ends by
 * its time.
 */
export async function freeKey(store: Store, key: string): Promise<void> {
  try {
    await (store.delete ? store.delete(key) : store.set(key, '', 1))
  } catch {}
}

/**
 * Forgets a key that was taken with a value of its holder, unless another one has it: also where
 * the answer to `add` was lost.
 *
 * @returns whether it was there, and is forgotten
 */
export async function freeOwnKey(store: Store, key: string, value: string): Promise<boolean> {
  try {
    if ((await store.get(key)) !== value) return false
    await (store.delete ? store.delete(key) : store.set(key, '', 1))
    return true
  } catch {
    return false
  }
}

/**
 * Renews a key that `add` has taken for so many seconds, so that it does not end while the call
 * runs that has taken it.
 *
 * @returns a function that ends the renewals. After its promise, none is on its way to the store
 */
export function renewKey(store: Store, key: string, value: string, seconds: number): () => Promise<void> {
  let renewal = Promise.resolve()
  const renew = async () => {
    try {
      await store.set(key, value, seconds)
    } catch {}
  }
  const timer = setInterval(
    () => {
      renewal = renewal.then(renew)
    },
    Math.min((seconds * 1000) / 3, 2 ** 31 - 1)
  ).unref()
  return () => {
    clearInterval(timer)
    return renewal
  }
}

/** Whether a store forgets values before their time: a `memoryStore` with a bound, or a copy of it. */
export const isBounded = (store: Store & { readonly isBounded?: boolean }): boolean => store.isBounded === true

const interval = 60_000

interface MemoryStoreOptions {
  /** How many values it keeps. */
  max?: number
  /** How much memory their texts may take, in bytes. */
  maxBytes?: number
}

const memoryStoreOptions: OptionTable<MemoryStoreOptions> = { max: kinds.positive, maxBytes: kinds.positive }

/**
 * Creates a store in the memory of this process, the default. It is empty after a restart.
 *
 * @param options `max`, how many values it keeps, and `maxBytes`, the memory of their texts. Beyond
 * that it removes the oldest. Default: no limit
 * @throws if an option is unknown, or no number above 0
 * @example
 * // Two authentication services with one store.
 * const store = memoryStore()
 * await app.register(authentication, { secret, revocation: true, store })
 * const admins = { path: 'admin/authentication', service: 'admins' }
 * await app.register(authentication, { secret, revocation: true, store, ...admins })
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions('memoryStore()', memoryStoreOptions, options)
  const { max = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = options
  const values = new Map<string, { value: string; until: number }>()
  let bytes = 0
  let swept = Date.now()
  const sizeOf = (key: string, value: string) => 2 * (key.length + value.length)
  function remove(key: string): void {
    const entry = values.get(key)
    if (entry !== undefined) bytes -= sizeOf(key, entry.value)
    values.delete(key)
  }
  const store = {
    get(key: string) {
      const entry = values.get(key)
      return entry !== undefined && entry.until > Date.now() ? entry.value : undefined
    },
    set(key: string, value: string, seconds: number) {
      const now = Date.now()
      remove(key)
      if (sizeOf(key, value) > maxBytes) return
      values.set(key, { value, until: now + seconds * 1000 })
      bytes += sizeOf(key, value)
      for (const oldest of values.keys()) {
        if (values.size <= max && bytes <= maxBytes) break
        remove(oldest)
      }
      if (now - swept < interval) return
      swept = now
      for (const [key, { until }] of values) if (until <= now) remove(key)
    },
    add(key: string, value: string, seconds: number) {
      if (store.get(key) !== undefined) return false
      store.set(key, value, seconds)
      return true
    },
    delete: remove,
    isBounded: Math.min(max, maxBytes) < Number.POSITIVE_INFINITY
  }
  return store
}
