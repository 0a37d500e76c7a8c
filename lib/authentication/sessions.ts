import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { TokenPayload } from '../../types/authentication.js'
import { retry, SerialQueue } from '../core/async.js'
import { NotAuthenticated, Unavailable } from '../core/errors.js'
import { freeKey, freeOwnKey, type Store } from '../core/store.js'
import { endOfTime } from './token.js'

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

const refreshTokenPattern = /^[\w-]{22}\.[\w-]{43}$/
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')
const random = (bytes: number) => randomBytes(bytes).toString('base64url')
const now = () => Math.floor(Date.now() / 1000)
/** How long a process may hold the lock on a token, in seconds. */
const lockTime = 30
/** How long an exchange may take until it replaces the token, in ms: less than `lockTime`. */
const exchangeTime = 25_000
/** The pauses before retries of the store, in ms. */
const pauses = [100, 400, 1500]
const familyLength = 22

const familyOf = (refreshToken: string) => refreshToken.slice(0, familyLength)

/**
 * Derives the next refresh token from a used one and a random salt. The store holds the salt, never
 * a token: a reader of the store can derive nothing without the used token, and a thief of the used
 * token nothing without the salt.
 */
const successorOf = (refreshToken: string, salt: string) =>
  `${familyOf(refreshToken)}.${createHmac('sha256', refreshToken).update(salt).digest('base64url')}`

/** Creates the first part of the refresh tokens of a new login. */
export const createFamily = () => random(16)

/**
 * Returns the id of the login that a refresh token, or a family of them, belongs to. It is a hash,
 * because access tokens have it and must not reveal the beginning of the refresh token.
 */
export const loginOf = (refreshToken: string) => hashOf(familyOf(refreshToken)).slice(0, 22)

/**
 * The logins with refresh tokens. A refresh token is exchanged for the next one. An answer may get
 * lost, so during the grace the same token gets the same next one, until that is used. If a token
 * is used after that, two parties have it, and the login ends. The store has hashes and salts, not
 * tokens.
 *
 * If the store has `add`, one process at a time exchanges a token. A process may pause at any
 * moment and continue later, so the order of its store operations decides, not clocks. An ended
 * login has its own key, which no exchange overwrites. A process returns the next token only if it
 * has held the lock until the token was replaced.
 */
export class Sessions {
  readonly #store: Store
  readonly #prefix: string
  readonly #lifetime: number
  readonly #grace: number
  readonly #onEnd: (sid: string) => Promise<void>
  /**
   * Runs the changes to one login one after the other. Otherwise two simultaneous uses of a token
   * could both count as the first. Locks do the same between processes.
   */
  readonly #queue = new SerialQueue<string>()

  /**
   * @param times in seconds: how long a login can be renewed, and how long a used token gets the
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
   * Returns the login that a refresh token belongs to.
   * @throws {NotAuthenticated} if the token is not valid. If it was used before and its grace is
   * over, the login ends, too
   */
  async find(refreshToken: unknown): Promise<Session> {
    if (typeof refreshToken !== 'string' || !refreshTokenPattern.test(refreshToken))
      throw new NotAuthenticated('Invalid refresh token')
    const sid = loginOf(refreshToken)
    return this.#queue.run(sid, async () => (await this.#check(refreshToken, await this.#read(sid))).session)
  }

  /** Starts a login. @returns its first refresh token */
  async start(family: string, claims: Session['claims']): Promise<string> {
    const refreshToken = `${family}.${random(32)}`
    await this.#write(toSession(refreshToken, claims, now() + this.#lifetime))
    return refreshToken
  }

  /**
   * Exchanges a refresh token that `find` has accepted for the next one. Sign the access token
   * before, so that it is revoked if the login ends later.
   * @throws {NotAuthenticated} as `find` does, {Unavailable} if another process exchanges the token
   * now, or the store was too slow
   */
  renew(refreshToken: string): Promise<string> {
    const sid = loginOf(refreshToken)
    return this.#queue.run(sid, async () => {
      const lock = { key: this.#lockKey(refreshToken), holder: random(16) }
      const begin = Date.now()
      const next = successorOf(refreshToken, lock.holder)
      let session: Session
      try {
        // The lock comes first: nobody else changes the login that is read then.
        const isTaken = await this.#acquire(lock)
        const stored = await this.#read(sid)
        // Another process may have exchanged the token meanwhile, for the same client. That must
        // not end the login.
        if (Date.now() - begin > exchangeTime)
          throw new Unavailable('The exchange of the refresh token took too long: try again', { retryAfter: 1 })
        const accepted = await this.#check(refreshToken, stored)
        if (accepted.successor !== undefined) return accepted.successor
        if (!isTaken)
          throw new Unavailable('Another request with this refresh token is under way: try again', { retryAfter: 1 })
        session = toSession(next, accepted.session.claims, accepted.session.exp)
      } catch (error) {
        await this.#release(lock)
        throw error
      }
      // The lock stays from here on: its salt lets a client that got no answer ask again.
      await this.#replace(session, lock)
      // A lock that was lost would let another process exchange the same token.
      if (await retry(() => this.#isUndisturbed(lock, sid), pauses)) {
        await this.#startGrace(lock)
        return next
      }
      await this.#end(sid)
      throw new NotAuthenticated('Invalid refresh token')
    })
  }

  /** Ends a login and invalidates its refresh tokens. */
  end(sid: string): Promise<void> {
    return this.#queue.run(sid, () => this.#end(sid))
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

  /** Locks a token. @returns `false` if another process has locked it */
  async #acquire({ key, holder }: Lock): Promise<boolean> {
    if (this.#store.add === undefined || (await this.#store.add(key, holder, lockTime))) return true
    // A store client that has repeated a lost request finds the key taken, by its own value.
    return (await this.#ask(key)) === holder
  }

  /** Unlocks a token that was not exchanged, also if the answer to `add` was lost. */
  async #release({ key, holder }: Lock): Promise<void> {
    if (this.#store.add) await freeOwnKey(this.#store, key, holder)
  }

  /** Keeps the lock of an exchanged token for the grace, or for `lockTime` if that fails. */
  async #startGrace({ key, holder }: Lock): Promise<void> {
    try {
      if (this.#grace > 0) await this.#store.set(key, holder, this.#grace)
    } catch {}
  }

  async #isUndisturbed({ key, holder }: Lock, sid: string): Promise<boolean> {
    const [value, end] = await Promise.all([this.#store.add ? this.#ask(key) : holder, this.#ask(this.#endKey(sid))])
    return value === holder && !end
  }

  async #write(session: Session): Promise<void> {
    await this.#store.set(this.#prefix + session.sid, JSON.stringify(session), Math.max(1, session.exp - now()))
  }

  /**
   * Writes a login with its next token. If the answer is lost, it reads the login instead of
   * writing again: a late copy could bring back a token that was used since.
   */
  async #replace(session: Session, lock: Lock): Promise<void> {
    try {
      await this.#write(session)
    } catch (error) {
      const stored = await retry(() => this.#ask(this.#prefix + session.sid), pauses)
      if (stored === JSON.stringify(session)) return
      await this.#release(lock)
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
}

const toSession = (refreshToken: string, claims: Session['claims'], exp: number): Session => ({
  sid: loginOf(refreshToken),
  claims,
  exp,
  hash: hashOf(refreshToken)
})

/**
 * How far the clocks of processes may be apart, in seconds. Revocations are kept that much longer,
 * because another process may have signed the token, or verifies it.
 */
const clockSkew = 300

export type RevocationList = ReturnType<typeof createRevocationList>

/**
 * Creates the list of the revoked access tokens and logins.
 * @param lifetime how long an access token is valid, in seconds
 */
export function createRevocationList(store: Store, path: string, lifetime: number) {
  const prefix = `${path}:revoked:`
  return {
    /** Whether a token was revoked, or the login that it comes from. */
    async isRevoked({ jti, sid }: TokenPayload): Promise<boolean> {
      for (const id of [jti, sid]) if (id !== undefined && (await store.get(prefix + id))) return true
      return false
    },

    /** Revokes a token. The entry is kept until the token has expired on all clocks. */
    async revoke({ jti, exp }: TokenPayload): Promise<void> {
      const time = now()
      // Rounded up: a store takes whole seconds, and a time that a date can hold.
      const until = Math.min(Math.ceil(exp) + clockSkew, endOfTime - 1)
      if (jti !== undefined && Math.ceil(exp) > time) await store.set(prefix + jti, 'revoked', until - time)
    },

    /**
     * Revokes all tokens of a login that were signed so far. The entry is kept until the last of
     * them has expired on all clocks.
     */
    async revokeLogin(sid: string): Promise<void> {
      await store.set(prefix + sid, 'revoked', lifetime + clockSkew)
    }
  }
}
