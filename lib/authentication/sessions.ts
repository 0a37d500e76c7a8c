import { createHash, randomBytes } from 'node:crypto'
import { NotAuthenticated } from '../core/errors.js'
import type { Store } from './store.js'

/** A login that is kept alive by refresh tokens. */
export interface Session {
  readonly sid: string
  /** Claims of its access tokens: `sub`, `auth_time`, those of the strategy. */
  readonly claims: Record<string, unknown> & { sub: string }
  /** When it ends, in seconds since 1970. */
  readonly exp: number
  /** The hash of the one refresh token that is good. */
  readonly hash: string
}

/** A refresh token that was found good, and its login. */
export interface Presented {
  readonly refreshToken: string
  readonly session: Session
}

const presented = Symbol('presented')

/** What makes the login of a result found again by `sessionOf`. */
export const withSession = (of: Presented) => ({ [presented]: of })
export const sessionOf = (result: object) => (result as { [presented]?: Presented })[presented]

const form = /^[\w-]{22}\.[\w-]{43}$/
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')
const random = (bytes: number) => randomBytes(bytes).toString('base64url')
const now = () => Math.floor(Date.now() / 1000)
const ended = 'ended'

/** The id of the login that a refresh token belongs to. Access tokens show it, so it does not tell the beginning of the refresh token. */
export const loginOf = (refreshToken: string) => hashOf(refreshToken.slice(0, 22)).slice(0, 22)

/**
 * The logins with refresh tokens. A token is good for one use, which gives the next one. The second use of a token tells that two
 * have it: the login ends. The store holds hashes, no tokens.
 */
export class Sessions {
  readonly #store: Store
  readonly #prefix: string
  readonly #lifetime: number
  readonly #onEnd: (sid: string) => Promise<void>
  readonly #running = new Map<string, Promise<unknown>>()

  /** @param lifetime how long a login may be kept alive, in seconds */
  constructor(store: Store, path: string, lifetime: number, onEnd: (sid: string) => Promise<void>) {
    this.#store = store
    this.#prefix = `${path}:session:`
    this.#lifetime = lifetime
    this.#onEnd = onEnd
  }

  /**
   * The login of a refresh token.
   * @throws {NotAuthenticated} when the token is none, or was used before: then the login is over
   */
  async find(refreshToken: unknown): Promise<Presented> {
    if (typeof refreshToken !== 'string' || !form.test(refreshToken))
      throw new NotAuthenticated('Invalid refresh token')
    const sid = loginOf(refreshToken)
    return this.#alone(sid, () => this.#find(sid, refreshToken))
  }

  /** Gives the next refresh token of a login, or the first one of a new login. @throws {NotAuthenticated} as `find` does */
  async issue(current: Presented | undefined, claims: Session['claims']): Promise<string> {
    if (current === undefined) return this.#issue(random(16), claims, now() + this.#lifetime)
    const { refreshToken, session } = current
    return this.#alone(session.sid, async () => {
      await this.#find(session.sid, refreshToken)
      return this.#issue(refreshToken.slice(0, 22), session.claims, session.exp)
    })
  }

  /** Ends a login: its refresh tokens are good no more. */
  end(sid: string): Promise<void> {
    return this.#alone(sid, () => this.#end(sid))
  }

  async #find(sid: string, refreshToken: string): Promise<Presented> {
    const stored = await this.#store.get(this.#prefix + sid)
    // Once more, as what follows the end may have failed.
    if (stored === ended) await this.#onEnd(sid)
    if (!stored || stored === ended) throw new NotAuthenticated('Invalid refresh token')
    const session: Session = JSON.parse(stored)
    if (session.exp <= now()) throw new NotAuthenticated('Invalid refresh token: it has expired')
    if (session.hash === hashOf(refreshToken)) return { refreshToken, session }
    await this.#end(sid)
    throw new NotAuthenticated('Invalid refresh token: it was used before')
  }

  async #issue(family: string, claims: Session['claims'], exp: number): Promise<string> {
    const refreshToken = `${family}.${random(32)}`
    const session: Session = { sid: loginOf(refreshToken), claims, exp, hash: hashOf(refreshToken) }
    await this.#store.set(this.#prefix + session.sid, JSON.stringify(session), Math.max(1, exp - now()))
    return refreshToken
  }

  async #end(sid: string): Promise<void> {
    await this.#store.set(this.#prefix + sid, ended, this.#lifetime)
    await this.#onEnd(sid)
  }

  // What changes a login comes one after the other, so that of two uses of a token one is the second.
  async #alone<T>(sid: string, task: () => Promise<T>): Promise<T> {
    const before = this.#running.get(sid) ?? Promise.resolve()
    const running = before.catch(() => {}).then(task)
    this.#running.set(sid, running)
    try {
      return await running
    } finally {
      if (this.#running.get(sid) === running) this.#running.delete(sid)
    }
  }
}
