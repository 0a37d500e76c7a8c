import type { AuthenticationResult } from '../../types/authentication.js'
import { attempt } from '../core/errors.js'
import { isPage } from './redirect.js'

type Value<T> = T | Promise<T>

/**
 * Keeps the tokens of a login: `localStorage`, `sessionStorage`, or an object with the same three
 * methods, which may be async. Logins and logouts run one after the other: if a method never
 * settles, later ones wait forever.
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
  /**
   * `false` where no other tab has the same tokens: then none waits while one renews them. Default
   * `true`.
   */
  readonly isShared?: boolean
}

/**
 * Creates a storage in memory: a reload of the page forgets the tokens, and no other script can
 * read them.
 *
 * @example
 * app.configure(authentication({ storage: memoryStorage() }))
 */
export function memoryStorage(): Storage {
  const items = new Map<string, string>()
  return {
    isShared: false,
    getItem: (key) => items.get(key),
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key)
  }
}

export interface StorageOptions {
  /** The storage that keeps the tokens. Default: `memoryStorage()`. */
  storage?: Storage
  /**
   * The key of the access token in the storage. The key of the refresh token ends in `-refresh`.
   * Default `'feathers-jwt'`.
   */
  storageKey?: string
}

export type Token = string | null | undefined

/** The tokens of a login, in a storage. */
export type TokenStore = ReturnType<typeof createTokenStore>

/**
 * Creates a store of the tokens of a login. It reads the storage each time, since another tab may
 * have renewed them.
 */
export function createTokenStore({ storage: storageOption, storageKey = 'feathers-jwt' }: StorageOptions) {
  const storage = storageOption ?? memoryStorage()
  const refreshKey = `${storageKey}-refresh`
  let last: Promise<unknown> = Promise.resolve()

  const access = async (): Promise<Token> => storage.getItem(storageKey)

  // The access token is removed last: as long as it is stored, its user is logged in.
  async function clear(): Promise<void> {
    for (const key of [refreshKey, storageKey]) if (await storage.getItem(key)) await storage.removeItem(key)
  }

  return {
    /**
     * A name for locks between tabs that share the storage, or `false`: on a server there are none,
     * and users have storages of their own.
     */
    shared: storage.isShared !== false && isPage() && storageKey,
    access,
    refresh: async (): Promise<Token> => storage.getItem(refreshKey),

    /**
     * Reads the access token. Later changes wait until it has been read. That also handles a
     * rejection that nobody awaits.
     */
    read(): Promise<Token> {
      const token = access()
      last = Promise.allSettled([last, token])
      return token
    },

    /**
     * Runs a function that changes the tokens, after all changes and reads that began before it.
     */
    inTurn<T>(run: () => Promise<T>): Promise<T> {
      const turn = last.then(run)
      last = turn.catch(() => {})
      return turn
    },

    /**
     * Stores the tokens of a login. A refresh token is removed together with the access token that
     * it came with.
     *
     * @param used the stored token that the login continued. If another tab has replaced it
     * meanwhile, the tokens of that tab stay.
     * @returns whether the storage now holds tokens of the user who logged in
     */
    async save({ accessToken, refreshToken }: AuthenticationResult, used?: string): Promise<unknown> {
      const current = await access()
      if (used && used !== current) return ofSameUser(current, used)
      if (!accessToken) return true
      try {
        if (refreshToken) await storage.setItem(refreshKey, refreshToken)
        else if (accessToken !== current) await storage.removeItem(refreshKey)
        await storage.setItem(storageKey, accessToken)
      } catch (error) {
        // A new login that is stored in part is removed. After a failed renewal the old tokens
        // stay, and it can be tried again.
        if (used === undefined) await clear().catch(() => {})
        throw error
      }
      return true
    },

    /**
     * Removes the tokens if they belong to the user of the given token, and not to one who has
     * logged in in another tab.
     *
     * @returns whether the storage holds no tokens now
     */
    async drop(token: Token): Promise<unknown> {
      const current = await access()
      const isOver = !current || (token && ofSameUser(current, token))
      if (isOver) await clear()
      return isOver
    },

    /** Removes the tokens of any user. */
    clear
  }
}

const userOf = (token: Token): unknown =>
  attempt(
    () => JSON.parse(atob((token as string).split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') as string)).sub
  )

/** Returns `token`, or `undefined` if it is known to belong to another user than `other`. */
export function ofSameUser(token: Token, other: Token): Token {
  const users = [token, other].map(userOf)
  return users.includes(undefined) || users[0] === users[1] ? token : undefined
}
