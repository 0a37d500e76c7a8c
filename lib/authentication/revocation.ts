import type { TokenPayload } from '../../types/authentication.js'
import type { Store } from '../core/store.js'

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

  /** Revokes a token. The entry is kept until the token expires. */
  async revoke({ jti, exp }: TokenPayload): Promise<void> {
    // Rounded up: a store takes whole seconds.
    const seconds = Math.ceil(exp) - Math.floor(Date.now() / 1000)
    if (jti !== undefined && seconds > 0) await this.#store.set(this.#prefix + jti, 'revoked', seconds)
  }

  /** Revokes all tokens of a login. The entry is kept until the last of them has expired. */
  async revokeLogin(sid: string): Promise<void> {
    await this.#store.set(this.#prefix + sid, 'revoked', this.#lifetime)
  }
}
