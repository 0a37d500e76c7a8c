import type { AuthenticationRequest, AuthenticationResult } from '../../types/authentication.js'
import { read } from '../core/errors.js'
import type { TokenStore } from './token-store.js'

declare const navigator: { locks?: { request<T>(name: string, run: () => Promise<T>): Promise<T> } } | undefined

/** Renews the access token by the refresh token, once for any number of calls that wait for it. */
export class Renewal {
  readonly #tokens: TokenStore
  readonly #service: { create(data: AuthenticationRequest): Promise<AuthenticationResult> }
  #running: Promise<string | undefined> | undefined

  constructor(tokens: TokenStore, service: { create(data: AuthenticationRequest): Promise<AuthenticationResult> }) {
    this.#tokens = tokens
    this.#service = service
  }

  /** The token that stands in for one that was refused, `undefined` when there is none. */
  renew(refused: string): Promise<string | undefined> {
    this.#running ??= this.#alone(() => this.#renew(refused)).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  // A refresh token is good for one use, and other tabs of the page have the same one.
  #alone<T>(run: () => Promise<T>): Promise<T> {
    const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
    return locks === undefined ? run() : locks.request(this.#tokens.key, run)
  }

  async #renew(refused: string): Promise<string | undefined> {
    const current = await this.#tokens.access()
    if (current && current !== refused) return current
    const refreshToken = await this.#tokens.refresh()
    if (!refreshToken) return undefined
    try {
      const result = await this.#service.create({ strategy: 'refresh', refreshToken })
      await this.#tokens.save(result)
      return result.accessToken
    } catch (error) {
      if (read(error, 'code') === 401) await this.#tokens.drop()
      return undefined
    }
  }
}
