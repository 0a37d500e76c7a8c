import type { AuthenticationResult } from '../../types/authentication.js'
import { attempt } from '../core/errors.js'
import { memoryStorage, type Storage } from './storage.js'

export interface StorageOptions {
  /** Where tokens are kept. Default: in memory. */
  storage?: Storage
  /** The key of the access token in the storage; that of the refresh token has `-refresh` behind it. Default `'feathers-jwt'`. */
  storageKey?: string
}

export type Token = string | null | undefined

/** The tokens of a login. */
export type TokenStore = ReturnType<typeof createTokenStore>

/** Keeps the tokens of a login. They are read whenever they are needed: another tab may have renewed them. */
export function createTokenStore({ storage: given, storageKey = 'feathers-jwt' }: StorageOptions) {
  const storage = given ?? memoryStorage()
  const refreshKey = `${storageKey}-refresh`
  let last: Promise<unknown> = Promise.resolve()

  const access = async (): Promise<Token> => storage.getItem(storageKey)

  // The access token goes at last: while it is there, its user is logged in.
  async function clear(): Promise<void> {
    for (const key of [refreshKey, storageKey]) if (await storage.getItem(key)) await storage.removeItem(key)
  }

  return {
    /** The name of the storage for other tabs, `undefined` where they do not see it. */
    shared: given && storageKey,
    access,
    refresh: async (): Promise<Token> => storage.getItem(refreshKey),

    /** The access token that there is now: what changes it after waits until it has been read. */
    read(): Promise<Token> {
      const token = access()
      last = Promise.allSettled([last, token])
      return token
    },

    /** Runs what changes the tokens, after all that began before: a storage may be slow. */
    inTurn<T>(run: () => Promise<T>): Promise<T> {
      const turn = last.then(run)
      last = turn.catch(() => {})
      return turn
    },

    /**
     * Keeps the tokens of a login. A refresh token goes with the access token that it came with.
     *
     * @param used the token that the login went on with: where another tab has renewed that since, its tokens stay
     * @returns whether tokens of that login are kept
     */
    async save({ accessToken, refreshToken }: AuthenticationResult, used?: string): Promise<boolean> {
      const current = await access()
      if (used !== undefined && used !== current) return ofSameUser(current, used) !== undefined
      if (typeof accessToken !== 'string') return true
      try {
        if (typeof refreshToken === 'string') await storage.setItem(refreshKey, refreshToken)
        else if (accessToken !== current) await storage.removeItem(refreshKey)
        await storage.setItem(storageKey, accessToken)
      } catch (error) {
        // Half of a new login is none. A renewal can be made again.
        if (used === undefined) await clear().catch(() => {})
        throw error
      }
      return true
    },

    /**
     * Drops the tokens of a user, told by a token, but not those of another user, whom another tab has logged in.
     *
     * @returns whether none are left
     */
    async drop(token: Token): Promise<boolean> {
      const current = await access()
      if (current && !(token && ofSameUser(current, token))) return false
      await clear()
      return true
    },

    /** Drops the tokens of any user. */
    clear
  }
}

const userOf = (token: Token): unknown =>
  attempt(() => JSON.parse(atob(String(token?.split('.')[1]).replaceAll('-', '+').replaceAll('_', '/'))).sub)

/** A token, unless it tells that it is one of another user than `other`. */
export function ofSameUser(token: Token, other: Token): Token {
  const users = [userOf(token), userOf(other)]
  return token && (users.includes(undefined) || users[0] === users[1]) ? token : undefined
}
