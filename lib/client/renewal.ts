import { type CallLogin, is401, type LoginService } from './login.js'
import { areOfTwoUsers, type Token, type TokenStore } from './token-store.js'

interface Locks {
  request(name: string, run: () => Promise<void>): Promise<void>
}
declare const navigator: { locks?: Locks } | undefined

/** Renews the access token by the refresh token, once for any number of calls that wait for it. */
export class Renewal {
  readonly #tokens: TokenStore
  readonly #service: LoginService
  readonly #begin: () => () => Promise<void>
  #running: Promise<string | undefined> | undefined

  /** @param begin is called at the beginning; what it returns, when the server refuses the refresh token */
  constructor(tokens: TokenStore, service: LoginService, begin: () => () => Promise<void>) {
    this.#tokens = tokens
    this.#service = service
    this.#begin = begin
  }

  /**
   * The token that stands in for one that a call was refused with, `undefined` when there is none, or another user has logged in.
   * @throws what the server answers beside 401: nothing is known of the login then
   */
  async renew(refused: string, { isCurrent }: CallLogin): Promise<string | undefined> {
    if (!isCurrent()) return undefined
    this.#running ??= this.#start(refused).finally(() => {
      this.#running = undefined
    })
    const renewed = await this.#running
    return isCurrent() ? renewed : undefined
  }

  #start(refused: string): Promise<string | undefined> {
    const end = this.#begin()
    return this.#alone(() => this.#renew(refused, end))
  }

  // A refresh token is good for one use, and other tabs of the page have the same one.
  #alone<T>(run: () => Promise<T>): Promise<T> {
    const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
    const { shared } = this.#tokens
    if (locks === undefined || shared === undefined) return run()
    return new Promise((resolve, reject) => {
      const runAndWait = async () => {
        await run().then(resolve, reject)
        // What is written to localStorage takes a while until other tabs see it.
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
      locks.request(shared, runAndWait).catch(reject)
    })
  }

  // A login, or a logout, may come between: what it has left stands.
  async #renew(refused: string, end: () => Promise<void>): Promise<string | undefined> {
    const current = await this.#tokens.access()
    if (current && current !== refused) return ofSameUser(current, refused)
    const refreshToken = await this.#tokens.refresh()
    if (!refreshToken) return undefined
    const isStored = async () => (await this.#tokens.refresh()) === refreshToken
    try {
      const result = await this.#service.create({ strategy: 'refresh', refreshToken })
      await this.#tokens.inTurn(async () => {
        if (await isStored()) await this.#tokens.save(result)
      })
    } catch (error) {
      if (!is401(error)) throw error
      if (await isStored()) await end()
    }
    return ofSameUser(await this.#tokens.access(), refused)
  }
}

// Another tab may have logged in another user.
const ofSameUser = (token: Token, refused: string) => (token && !areOfTwoUsers(token, refused) ? token : undefined)
