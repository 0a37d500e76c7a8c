import type { TokenPayload } from '../../types/authentication.js'
import type { Store } from './store.js'

/** A list of tokens and logins that are good no more. */
export class RevocationList {
  readonly #store: Store
  readonly #prefix: string
  readonly #lifetime: number

  /** @param lifetime how long an access token is good for, in seconds */
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

  /** Revokes a token until it expires. */
  async revoke({ jti, exp }: TokenPayload): Promise<void> {
    // A store takes whole seconds.
    const seconds = Math.ceil(exp) - Math.floor(Date.now() / 1000)
    if (jti !== undefined && seconds > 0) await this.#store.set(this.#prefix + jti, 'revoked', seconds)
  }

  /** Revokes every token of a login, for as long as one may be good. */
  async revokeLogin(sid: string): Promise<void> {
    await this.#store.set(this.#prefix + sid, 'revoked', this.#lifetime)
  }
}
