import { createHash, randomBytes, randomUUID } from 'node:crypto'
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

/** The id of the login that a refresh token belongs to. */
export const loginOf = (refreshToken: string) => refreshToken.split('.')[0]

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')
const now = () => Math.floor(Date.now() / 1000)
const ended = 'ended'

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

  /** Begins a login, and gives its first refresh token. */
  start(claims: Session['claims']): Promise<string> {
    return this.#issue({ sid: randomUUID(), claims, exp: now() + this.#lifetime })
  }

  /**
   * The login of a refresh token.
   * @throws {NotAuthenticated} when the token is none, or was used before: then the login is over
   */
  async find(refreshToken: unknown): Promise<Session> {
    const [sid = '', secret] = typeof refreshToken === 'string' ? refreshToken.split('.') : []
    const stored = secret === undefined ? undefined : await this.#store.get(this.#prefix + sid)
    if (!stored || stored === ended) throw new NotAuthenticated('Invalid refresh token')
    const session: Session = JSON.parse(stored)
    if (session.exp <= now()) throw new NotAuthenticated('Invalid refresh token: it has expired')
    if (session.hash === hashOf(String(refreshToken))) return session
    await this.end(sid)
    throw new NotAuthenticated('Invalid refresh token: it was used before')
  }

  /** Uses a refresh token up, and gives the next one. @throws {NotAuthenticated} as `find` does */
  async rotate(session: Session, refreshToken: unknown): Promise<string> {
    const { sid } = session
    // One after the other, so that of two that come at once one is the second.
    const before = this.#running.get(sid) ?? Promise.resolve()
    const rotation = before.catch(() => {}).then(async () => this.#issue(await this.find(refreshToken)))
    this.#running.set(sid, rotation)
    try {
      return await rotation
    } finally {
      if (this.#running.get(sid) === rotation) this.#running.delete(sid)
    }
  }

  /** Ends a login: its refresh tokens are good no more. */
  async end(sid: string): Promise<void> {
    await this.#store.set(this.#prefix + sid, ended, this.#lifetime)
    await this.#onEnd(sid)
  }

  async #issue({ sid, claims, exp }: Omit<Session, 'hash'>): Promise<string> {
    const refreshToken = `${sid}.${randomBytes(32).toString('base64url')}`
    const session: Session = { sid, claims, exp, hash: hashOf(refreshToken) }
    await this.#store.set(this.#prefix + sid, JSON.stringify(session), exp - now())
    return refreshToken
  }
}
