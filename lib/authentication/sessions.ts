import { createHash, randomBytes } from 'node:crypto'
import { NotAuthenticated, Unavailable } from '../core/errors.js'
import { freeKey, type Store } from '../core/store.js'

/** A login that is kept alive by refresh tokens. */
export interface Session {
  readonly sid: string
  /** Claims of its access tokens: `sub`, `auth_time`, those of the strategy. */
  readonly claims: Record<string, unknown> & { sub: string }
  /** When it ends, in seconds since 1970. */
  readonly exp: number
  /** The hash of the only refresh token that is valid. */
  readonly hash: string
}

const form = /^[\w-]{22}\.[\w-]{43}$/
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')
const random = (bytes: number) => randomBytes(bytes).toString('base64url')
const now = () => Math.floor(Date.now() / 1000)
const ended = 'ended'
/** For how long processes tell each other that they change a login, in seconds: a change takes a few questions to the store. */
const changeTime = 30

/** The id of the login that a refresh token belongs to. It is a hash, since access tokens show it and must not tell the beginning of the refresh token. */
export const loginOf = (refreshToken: string) => hashOf(refreshToken.slice(0, 22)).slice(0, 22)

/**
 * The logins with refresh tokens. A refresh token can be used once, and is exchanged for the next one. When a token is used a second
 * time, two parties have it, and the login ends. The store holds hashes, not tokens. Of several processes one changes a login at a time, where
 * their store has `add`.
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
   * The login that a refresh token belongs to.
   * @throws {NotAuthenticated} when the token is not valid; when it was used before, which also ends the login
   */
  async find(refreshToken: unknown): Promise<Session> {
    if (typeof refreshToken !== 'string' || !form.test(refreshToken))
      throw new NotAuthenticated('Invalid refresh token')
    return this.#alone(loginOf(refreshToken), () => this.#find(refreshToken))
  }

  /** Starts a login. @returns its first refresh token */
  start(claims: Session['claims']): Promise<string> {
    return this.#issue(random(16), claims, now() + this.#lifetime)
  }

  /**
   * Exchanges a refresh token that `find` has accepted for the next one.
   * @throws {NotAuthenticated} as `find` does, {Unavailable} where another process exchanges it now
   */
  renew(refreshToken: string): Promise<string> {
    const sid = loginOf(refreshToken)
    return this.#alone(sid, async () => {
      // Before the login is read: where another process has replaced the token and given it free again, the login that is read has the next one.
      await this.#take(refreshToken)
      try {
        const { claims, exp } = await this.#find(refreshToken)
        const next = await this.#issue(refreshToken.slice(0, 22), claims, exp)
        if (await this.#isEnding(sid)) {
          // The next token may have been written over the end.
          await this.#end(sid)
          throw new NotAuthenticated('Invalid refresh token')
        }
        return next
      } finally {
        await this.#giveFree(refreshToken)
      }
    })
  }

  /** Ends a login and invalidates its refresh tokens. */
  end(sid: string): Promise<void> {
    return this.#alone(sid, () => this.#end(sid))
  }

  async #find(refreshToken: string): Promise<Session> {
    const sid = loginOf(refreshToken)
    const stored = await this.#store.get(this.#prefix + sid)
    // Called again, in case it failed when the login ended.
    if (stored === ended) await this.#onEnd(sid)
    if (!stored || stored === ended) throw new NotAuthenticated('Invalid refresh token')
    const session: Session = JSON.parse(stored)
    if (session.exp <= now()) throw new NotAuthenticated('Invalid refresh token: it has expired')
    if (session.hash === hashOf(refreshToken)) return session
    await this.#end(sid)
    throw new NotAuthenticated('Invalid refresh token: it was used before')
  }

  /** Keeps other processes from exchanging a token. @throws {Unavailable} where another process exchanges it now */
  async #take(refreshToken: string): Promise<void> {
    const store = this.#store
    if (store.add && !(await store.add(this.#takenKey(refreshToken), 'taken', changeTime)))
      throw new Unavailable('Another request with this refresh token is under way: try again', { retryAfter: 1 })
  }

  async #giveFree(refreshToken: string): Promise<void> {
    if (this.#store.add) await freeKey(this.#store, this.#takenKey(refreshToken))
  }

  #takenKey(refreshToken: string): string {
    return `${this.#prefix}${hashOf(refreshToken)}`
  }

  async #issue(family: string, claims: Session['claims'], exp: number): Promise<string> {
    const refreshToken = `${family}.${random(32)}`
    const session: Session = { sid: loginOf(refreshToken), claims, exp, hash: hashOf(refreshToken) }
    await this.#store.set(this.#prefix + session.sid, JSON.stringify(session), Math.max(1, exp - now()))
    return refreshToken
  }

  async #end(sid: string): Promise<void> {
    // First: another process that exchanges a token now looks for it after it has written the next one.
    if (this.#store.add) await this.#store.set(this.#endKey(sid), ended, changeTime)
    await this.#store.set(this.#prefix + sid, ended, this.#lifetime)
    await this.#onEnd(sid)
  }

  /** Whether another process ends a login now, or has just done so. */
  async #isEnding(sid: string): Promise<boolean> {
    return this.#store.add !== undefined && Boolean(await this.#store.get(this.#endKey(sid)))
  }

  #endKey(sid: string): string {
    return `${this.#prefix}${sid}:ended`
  }

  // Within a process, changes to one login run one after the other. Otherwise two uses of a token at the same moment could both count as the first.
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
