import type { TokenPayload } from '../../types/authentication.js'
import type { Store } from '../core/store.js'
import { endOfTime } from './token.js'

/**
 * How far the clocks of processes may be apart, in seconds: what is revoked is kept for so much
 * longer, since another process may have signed it, and may verify it.
 */
export const clockSkew = 300

/** The access tokens and logins that were revoked. */
export class RevocationList {
  readonly #store: Store
  readonly #prefix: string
  readonly #lifetime: number

  /** @param lifetime how long an access token is valid, in seconds */
  constructor(store: Store, path: string, lifetime: number) {
    this.#store = store
    this.#prefix = `${path}:revoked:`
    this.#lifetime = lifetime
  }

  /** Whether a token, or the login that it comes from, was revoked. */
  async isRevoked({ jti, sid }: TokenPayload): Promise<boolean> {
    for (const id of [jti, sid]) if (id !== undefined && (await this.#store.get(this.#prefix + id))) return true
    return false
  }

  /** Revokes a token. The entry is kept until the token has expired by all clocks. */
  async revoke({ jti, exp }: TokenPayload): Promise<void> {
    const now = Math.floor(Date.now() / 1000)
    // Rounded up: a store takes whole seconds, and a time that a date can hold.
    const until = Math.min(Math.ceil(exp) + clockSkew, endOfTime - 1)
    if (jti !== undefined && Math.ceil(exp) > now) await this.#store.set(this.#prefix + jti, 'revoked', until - now)
  }

  /**
   * Revokes all tokens of a login that were signed until now. The entry is kept until the last of
   * them has expired by all clocks.
   */
  async revokeLogin(sid: string): Promise<void> {
    await this.#store.set(this.#prefix + sid, 'revoked', this.#lifetime + clockSkew)
  }
}
