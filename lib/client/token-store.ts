import type { AuthenticationResult } from '../../types/authentication.js'
import { memoryStorage, type Storage } from './storage.js'

export interface StorageOptions {
  /** Where tokens are kept. Default: in memory. */
  storage?: Storage
  /** The key of the access token in the storage; that of the refresh token has `-refresh` behind it. Default `'feathers-jwt'`. */
  storageKey?: string
}

/** The tokens of a login. They are read whenever they are needed: another tab may have renewed them. */
export class TokenStore {
  readonly #storage: Storage
  readonly key: string
  readonly #refreshKey: string

  constructor({ storage = memoryStorage(), storageKey = 'feathers-jwt' }: StorageOptions) {
    this.#storage = storage
    this.key = storageKey
    this.#refreshKey = `${storageKey}-refresh`
  }

  async access(): Promise<string | null | undefined> {
    return this.#storage.getItem(this.key)
  }

  async refresh(): Promise<string | null | undefined> {
    return this.#storage.getItem(this.#refreshKey)
  }

  /**
   * Keeps the tokens of a login. A refresh token goes with the access token that it came with.
   *
   * @param used the token that the login went on with: where another tab has renewed that since, its tokens stay
   */
  async save({ accessToken, refreshToken }: AuthenticationResult, used?: string): Promise<void> {
    const current = await this.access()
    if (used !== undefined && used !== current) return
    if (refreshToken !== undefined) await this.#storage.setItem(this.#refreshKey, refreshToken)
    else if (accessToken !== current) await this.#storage.removeItem(this.#refreshKey)
    if (accessToken !== undefined) await this.#storage.setItem(this.key, accessToken)
  }

  async drop(): Promise<void> {
    await this.#storage.removeItem(this.key)
    await this.#storage.removeItem(this.#refreshKey)
  }
}
