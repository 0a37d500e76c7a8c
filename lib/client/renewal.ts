import { type ApplicationLogin, is401, type LoginService, type Session } from './login.js'
import { ofSameUser, type Token, type TokenStore } from './token-store.js'

interface Locks {
  request(name: string, run: () => Promise<void>): Promise<void>
}
declare const navigator: { locks?: Locks } | undefined

/** Renews the access token of a session by the refresh token, once for any number of calls that wait for it. */
export class Renewal {
  readonly #tokens: TokenStore
  readonly #service: LoginService
  readonly #login: ApplicationLogin

  constructor(tokens: TokenStore, service: LoginService, login: ApplicationLogin) {
    this.#tokens = tokens
    this.#service = service
    this.#login = login
  }

  /**
   * The token that stands in for one that a call was refused with, `undefined` when there is none, or another user has logged in.
   * @throws what the server answers beside 401: nothing is known of the login then
   */
  async renew(refused: string, session: Session): Promise<Token> {
    const { isCurrent } = this.#login
    if (!isCurrent(session)) return undefined
    session.renewal ??= this.#alone(() => this.#renew(refused, session)).finally(() => {
      session.renewal = undefined
    })
    const renewed = await session.renewal
    // Another tab may have logged in another user.
    return isCurrent(session) ? ofSameUser(renewed, refused) : undefined
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
  async #renew(refused: string, session: Session): Promise<Token> {
    const current = await this.#tokens.access()
    if (current !== refused) return current
    const refreshToken = await this.#tokens.refresh()
    if (!refreshToken) return undefined
    const isStored = async () => (await this.#tokens.refresh()) === refreshToken
    try {
      const result = await this.#service.create({ strategy: 'refresh', refreshToken })
      await this.#tokens.inTurn(async () => {
        if (await isStored()) await this.#tokens.save(result, refused)
      })
    } catch (error) {
      if (!is401(error)) throw error
      if (await isStored()) await this.#login.end(session, refused, null)
    }
    return this.#tokens.access()
  }
}
