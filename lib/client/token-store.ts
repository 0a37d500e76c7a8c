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

/** The tokens of a login. They are read whenever they are needed: another tab may have renewed them. */
export class TokenStore {
  readonly #storage: Storage
  readonly #key: string
  readonly #refreshKey: string
  #last: Promise<unknown> = Promise.resolve()
  /** The name of the storage for other tabs, `undefined` where they do not see it. */
  readonly shared: string | undefined

  constructor({ storage, storageKey = 'feathers-jwt' }: StorageOptions) {
    this.#storage = storage ?? memoryStorage()
    this.shared = storage && storageKey
    this.#key = storageKey
    this.#refreshKey = `${storageKey}-refresh`
  }

  async access(): Promise<Token> {
    return this.#storage.getItem(this.#key)
  }

  async refresh(): Promise<Token> {
    return this.#storage.getItem(this.#refreshKey)
  }

  /** Runs what changes the tokens, after all that began before: a storage may be slow. */
  inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(run)
    this.#last = turn.catch(() => {})
    return turn
  }

  /** The access token that there is now: what changes it after waits until it has been read. */
  read(): Promise<Token> {
    const token = this.access()
    this.#last = Promise.allSettled([this.#last, token])
    return token
  }

  /**
   * Keeps the tokens of a login. A refresh token goes with the access token that it came with.
   *
   * @param used the token that the login went on with: where another tab has renewed that since, its tokens stay
   * @returns whether tokens of that login are kept
   */
  async save({ accessToken, refreshToken }: AuthenticationResult, used?: string): Promise<boolean> {
    const current = await this.access()
    if (used !== undefined && used !== current) return ofSameUser(current, used) !== undefined
    if (typeof accessToken !== 'string') return true
    try {
      if (typeof refreshToken === 'string') await this.#storage.setItem(this.#refreshKey, refreshToken)
      else if (accessToken !== current) await this.#storage.removeItem(this.#refreshKey)
      await this.#storage.setItem(this.#key, accessToken)
    } catch (error) {
      // Half of a new login is none. A renewal can be made again.
      if (used === undefined) await this.clear().catch(() => {})
      throw error
    }
    return true
  }

  /**
   * Drops the tokens of a user, told by a token, but not those of another user, whom another tab has logged in.
   *
   * @returns whether none are left
   */
  async drop(token: Token): Promise<boolean> {
    const current = await this.access()
    if (current && !(token && ofSameUser(current, token))) return false
    await this.clear()
    return true
  }

  /** Drops the tokens of any user: the access token at last, so that one who is told to be logged in is. */
  async clear(): Promise<void> {
    for (const key of [this.#refreshKey, this.#key])
      if (await this.#storage.getItem(key)) await this.#storage.removeItem(key)
  }
}

const userOf = (token: Token): unknown =>
  attempt(() => JSON.parse(atob(String(token?.split('.')[1]).replaceAll('-', '+').replaceAll('_', '/'))).sub)

/** A token, unless it tells that it is one of another user than `other`. */
export function ofSameUser(token: Token, other: Token): Token {
  const users = [userOf(token), userOf(other)]
  return token && (users.includes(undefined) || users[0] === users[1]) ? token : undefined
}
