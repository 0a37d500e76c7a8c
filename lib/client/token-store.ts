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

  /**
   * Keeps the tokens of a login. A refresh token goes with the access token that it came with.
   *
   * @param used the token that the login went on with: where another tab has renewed that since, its tokens stay
   */
  async save({ accessToken, refreshToken }: AuthenticationResult, used?: string): Promise<void> {
    const current = await this.access()
    if (used !== undefined && used !== current) return
    try {
      if (typeof refreshToken === 'string') await this.#storage.setItem(this.#refreshKey, refreshToken)
      else if (accessToken !== current) await this.#storage.removeItem(this.#refreshKey)
      if (typeof accessToken === 'string') await this.#storage.setItem(this.#key, accessToken)
      else if (used === undefined) await this.#storage.removeItem(this.#key)
    } catch (error) {
      // Half of a login is none.
      await this.drop(undefined).catch(() => {})
      throw error
    }
  }

  /** Drops the tokens of a user, told by a token, but not those of another user, whom another tab has logged in. */
  async drop(token: Token): Promise<void> {
    if (areOfTwoUsers(token, await this.access())) return
    await this.#storage.removeItem(this.#key)
    await this.#storage.removeItem(this.#refreshKey)
  }
}

const userOf = (token: Token): unknown =>
  attempt(() => JSON.parse(atob(String(token?.split('.')[1]).replaceAll('-', '+').replaceAll('_', '/'))).sub)

/** Whether tokens tell that they are those of two users. */
export function areOfTwoUsers(one: Token, other: Token): boolean {
  const users = [userOf(one), userOf(other)]
  return !users.includes(undefined) && users[0] !== users[1]
}
