import { createHash, createHmac, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { NotAuthenticated, Unavailable } from '../core/errors.js'
import { freeKey, freeOwnKey, type Store } from '../core/store.js'
import { clockSkew } from './revocation.js'

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

interface Stored {
  readonly session: string | null | undefined
  readonly isEnded: boolean
}

/**
 * A lock on a refresh token, so that one process at a time exchanges it. The holder is a random
 * value of that process. It is also the salt of the next token, so it stays in the store for the
 * grace.
 */
interface Lock {
  readonly key: string
  readonly holder: string
}

/**
 * The login of a refresh token. If the token was used within the grace, `successor` is the token
 * that replaced it.
 */
interface AcceptedToken {
  readonly session: Session
  readonly successor?: string
}

const form = /^[\w-]{22}\.[\w-]{43}$/
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')
const random = (bytes: number) => randomBytes(bytes).toString('base64url')
const now = () => Math.floor(Date.now() / 1000)
/**
 * How long a process keeps others from exchanging a token, in seconds: an exchange takes a few
 * questions to the store.
 */
const lockTime = 30
/** How long an exchange may take until it replaces the token, in ms: less than `lockTime`. */
const exchangeTime = 25_000
const familyLength = 22

const familyOf = (refreshToken: string) => refreshToken.slice(0, familyLength)

/**
 * Derives the next refresh token from a used one and a random salt. The store holds the salt, never
 * a token: whoever reads it can derive nothing without the used token, and whoever has the used
 * token can derive nothing without the salt.
 */
const successorOf = (refreshToken: string, salt: string) =>
  `${familyOf(refreshToken)}.${createHmac('sha256', refreshToken).update(salt).digest('base64url')}`

/** The first part of the refresh tokens of a new login. */
export const createFamily = () => random(16)

/**
 * The id of the login that a refresh token, or a family of them, belongs to. It is a hash, since
 * access tokens show it and must not tell the beginning of the refresh token.
 */
export const loginOf = (refreshToken: string) => hashOf(familyOf(refreshToken)).slice(0, 22)

/**
 * The logins with refresh tokens. A refresh token is exchanged for the next one. An answer may get
 * lost, so for the length of the grace, the same token gets the same next one, until that is used.
 * When a token is used after that, two parties have it, and the login ends. The store holds hashes
 * and salts, not tokens.
 *
 * Of several processes, where their store has `add`, one exchanges a token at a time. A process may
 * stand still at any moment and go on later, so the order of what it asks the store is what counts,
 * and no clock: that a login has ended has a key of its own, which no exchange writes; and who has
 * replaced a token gives the next one away only if the lock was its own until then.
 */
export class Sessions {
  readonly #store: Store
  readonly #prefix: string
  readonly #lifetime: number
  readonly #grace: number
  readonly #onEnd: (sid: string) => Promise<void>
  readonly #running = new Map<string, Promise<unknown>>()

  /**
   * @param times in seconds: how long a login may be kept alive, and how long a used token gets the
   * same answer again
   * @param onEnd called when a login ends
   */
  constructor(
    store: Store,
    path: string,
    { lifetime, grace }: { readonly lifetime: number; readonly grace: number },
    onEnd: (sid: string) => Promise<void>
  ) {
    this.#store = store
    this.#prefix = `${path}:session:`
    this.#lifetime = lifetime
    this.#grace = grace
    this.#onEnd = onEnd
  }

  /**
   * The login that a refresh token belongs to.
   * @throws {NotAuthenticated} when the token is not valid; when it was used before and its grace
   * is over, which also ends the login
   */
  async find(refreshToken: unknown): Promise<Session> {
    if (typeof refreshToken !== 'string' || !form.test(refreshToken))
      throw new NotAuthenticated('Invalid refresh token')
    const sid = loginOf(refreshToken)
    return this.#alone(sid, async () => (await this.#check(refreshToken, await this.#read(sid))).session)
  }

  /** Starts a login. @returns its first refresh token */
  async start(family: string, claims: Session['claims']): Promise<string> {
    const refreshToken = `${family}.${random(32)}`
    await this.#write(toSession(refreshToken, claims, now() + this.#lifetime))
    return refreshToken
  }

  /**
   * Exchanges a refresh token that `find` has accepted for the next one. An access token that goes
   * with it is signed before: a login that ends later revokes it.
   * @throws {NotAuthenticated} as `find` does, {Unavailable} where another process exchanges it
   * now, or the store was too slow
   */
  renew(refreshToken: string): Promise<string> {
    const sid = loginOf(refreshToken)
    return this.#alone(sid, async () => {
      const lock = { key: this.#lockKey(refreshToken), holder: random(16) }
      const begin = Date.now()
      const next = successorOf(refreshToken, lock.holder)
      let session: Session
      try {
        // Before the login is read: what is read then is what nobody else changes.
        const isTaken = await this.#take(lock)
        const stored = await this.#read(sid)
        // Another process may have exchanged the token meanwhile, for the same client: no reason to
        // end the login.
        if (Date.now() - begin > exchangeTime)
          throw new Unavailable('The exchange of the refresh token took too long: try again', { retryAfter: 1 })
        const accepted = await this.#check(refreshToken, stored)
        if (accepted.successor !== undefined) return accepted.successor
        if (!isTaken)
          throw new Unavailable('Another request with this refresh token is under way: try again', { retryAfter: 1 })
        session = toSession(next, accepted.session.claims, accepted.session.exp)
      } catch (error) {
        await this.#giveFree(lock)
        throw error
      }
      // From here on the lock stays: with it, a client that gets no answer can ask again.
      await this.#replace(session, lock)
      // A lock that was lost would let another process exchange the same token.
      if (await persist(() => this.#isUndisturbed(lock, sid))) {
        await this.#startGrace(lock)
        return next
      }
      await this.#end(sid)
      throw new NotAuthenticated('Invalid refresh token')
    })
  }

  /** Ends a login and invalidates its refresh tokens. */
  end(sid: string): Promise<void> {
    return this.#alone(sid, () => this.#end(sid))
  }

  async #read(sid: string): Promise<Stored> {
    const [session, end] = await Promise.all([this.#store.get(this.#prefix + sid), this.#store.get(this.#endKey(sid))])
    return { session, isEnded: Boolean(end) }
  }

  /**
   * Accepts the valid token of a login and, within the grace, the token before it. Any other token
   * of the login ends it.
   */
  async #check(refreshToken: string, stored: Stored): Promise<AcceptedToken> {
    const sid = loginOf(refreshToken)
    // Called again, in case it failed when the login ended.
    if (stored.isEnded) await this.#onEnd(sid)
    if (stored.isEnded || !stored.session) throw new NotAuthenticated('Invalid refresh token')
    const session: Session = JSON.parse(stored.session)
    if (session.exp <= now()) throw new NotAuthenticated('Invalid refresh token: it has expired')
    if (session.hash === hashOf(refreshToken)) return { session }
    const salt = this.#grace > 0 ? await this.#ask(this.#lockKey(refreshToken)) : undefined
    const successor = salt ? successorOf(refreshToken, salt) : undefined
    if (successor !== undefined && session.hash === hashOf(successor)) return { session, successor }
    await this.#end(sid)
    throw new NotAuthenticated('Invalid refresh token: it was used before')
  }

  /** Keeps other processes from exchanging a token, unless one of them does so. */
  async #take({ key, holder }: Lock): Promise<boolean> {
    if (this.#store.add === undefined || (await this.#store.add(key, holder, lockTime))) return true
    // A client of the store that asks again where it got no answer is told that the key has a
    // value: its own.
    return (await this.#ask(key)) === holder
  }

  /**
   * Gives a token free that was not exchanged, unless another process has it: also where the answer
   * to `add` was lost.
   */
  async #giveFree({ key, holder }: Lock): Promise<void> {
    if (this.#store.add) await freeOwnKey(this.#store, key, holder)
  }

  /**
   * Keeps the lock of an exchanged token for the grace. If that fails, the lock stays until
   * `lockTime` is over.
   */
  async #startGrace({ key, holder }: Lock): Promise<void> {
    try {
      if (this.#grace > 0) await this.#store.set(key, holder, this.#grace)
    } catch {}
  }

  /** Whether a lock is still that of its holder, and the login has not ended. */
  async #isUndisturbed({ key, holder }: Lock, sid: string): Promise<boolean> {
    const [value, end] = await Promise.all([this.#store.add ? this.#ask(key) : holder, this.#ask(this.#endKey(sid))])
    return value === holder && !end
  }

  async #write(session: Session): Promise<void> {
    await this.#store.set(this.#prefix + session.sid, JSON.stringify(session), Math.max(1, session.exp - now()))
  }

  /**
   * Writes a login with its next token. Where the answer is lost, the login is read. Written twice,
   * a late copy could bring a token back that was used since.
   */
  async #replace(session: Session, lock: Lock): Promise<void> {
    try {
      await this.#write(session)
    } catch (error) {
      const stored = await persist(() => this.#ask(this.#prefix + session.sid))
      if (stored === JSON.stringify(session)) return
      await this.#giveFree(lock)
      throw error
    }
  }

  async #end(sid: string): Promise<void> {
    await this.#store.set(this.#endKey(sid), 'ended', this.#lifetime + clockSkew)
    await freeKey(this.#store, this.#prefix + sid)
    await this.#onEnd(sid)
  }

  async #ask(key: string) {
    return this.#store.get(key)
  }

  #lockKey(refreshToken: string): string {
    return `${this.#prefix}${hashOf(refreshToken)}`
  }

  #endKey(sid: string): string {
    return `${this.#prefix}${sid}:ended`
  }

  // Within a process, changes to one login run one after the other. Otherwise two uses of a token
  // at the same moment could both count as the first.
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

/** The login whose valid refresh token is the given one. */
const toSession = (refreshToken: string, claims: Session['claims'], exp: number): Session => ({
  sid: loginOf(refreshToken),
  claims,
  exp,
  hash: hashOf(refreshToken)
})

/** Reads from the store, and again after so many ms where that fails. */
async function persist<T>(read: () => Promise<T>, pauses: readonly number[] = [100, 400, 1500]): Promise<T> {
  const [pause, ...rest] = pauses
  try {
    return await read()
  } catch (error) {
    if (pause === undefined) throw error
    await setTimeout(pause)
    return persist(read, rest)
  }
}
