import { createHash } from 'node:crypto'
import type { Params } from '../../types/service.js'
import { toSeconds } from '../authentication/token.js'
import type { UserRecord } from '../authentication/users.js'
import { BadRequest } from '../core/errors.js'
import type { PasswordLogin } from './password-login.js'

/**
 * Creates and reads the tokens of links in mails. Nothing is stored: a token is signed, and valid
 * until some fields of its user change.
 */
export class Links {
  readonly #login: PasswordLogin
  readonly #purpose: string
  readonly #lifetime: number
  readonly #fields: readonly string[]

  /**
   * @param purpose the path of the only service that takes the tokens
   * @param expiresIn in seconds or as `'15m'`
   * @param fields a change of one of them ends the token
   */
  constructor(login: PasswordLogin, purpose: string, expiresIn: string | number, fields: readonly string[]) {
    this.#login = login
    this.#purpose = purpose
    this.#lifetime = toSeconds(expiresIn, 'expiresIn', login.who)
    this.#fields = fields
  }

  /** Returns a new token for a user, or for nobody. Both take the same time. */
  sign(user: UserRecord | undefined): string {
    const { tokens, users } = this.#login
    const claims = { user: user ? String(users.idOf(user)) : '', state: this.#stateOf(user ?? {}) }
    return tokens.signLink(this.#purpose, claims, this.#lifetime)
  }

  /** Returns the user of a token. @throws {BadRequest} if it is not valid (any more) */
  async userOf(token: string, params: Params): Promise<UserRecord> {
    const { tokens, users } = this.#login
    const claims = tokens.verifyLink(this.#purpose, token)
    const user = claims && (await users.get(claims.user, params))
    if (user === undefined || this.#stateOf(user) !== claims?.state) throw invalidLink()
    return user
  }

  // A digest, since everybody who has the token can read it. A password hash has a salt, which
  // can't be guessed.
  #stateOf(user: UserRecord): string {
    const values = this.#fields.map((field) => user[field] ?? null)
    return createHash('sha256').update(JSON.stringify(values)).digest('base64url')
  }
}

/** Creates the error for all links that can't be used, whatever the reason. */
export const invalidLink = (): BadRequest => new BadRequest('This link is not valid any more')
