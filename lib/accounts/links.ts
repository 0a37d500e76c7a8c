import { createHash } from 'node:crypto'
import type { Params } from '../../types/service.js'
import { toSeconds } from '../authentication/token.js'
import type { UserRecord } from '../authentication/users.js'
import { BadRequest } from '../core/errors.js'
import type { PasswordLogin } from './password-login.js'

export type Links = ReturnType<typeof createLinks>

/**
 * Creates and reads the tokens of links in mails. Nothing is stored: a token is signed, and valid
 * until some fields of its user change.
 *
 * @param purpose the path of the only service that takes the tokens
 * @param expiresIn in seconds or as `'15m'`
 * @param fields a change of one of them ends the token
 */
export function createLinks(
  { tokens, users, who }: PasswordLogin,
  purpose: string,
  expiresIn: string | number,
  fields: readonly string[]
) {
  const lifetime = toSeconds(expiresIn, 'expiresIn', who)
  // A digest, since everybody who has the token can read it. A password hash has a salt, which
  // can't be guessed.
  const stateOf = (user: UserRecord) =>
    createHash('sha256')
      .update(JSON.stringify(fields.map((field) => user[field] ?? null)))
      .digest('base64url')
  return {
    /** Returns a new token for a user, or for nobody. Both take the same time. */
    sign(user: UserRecord | undefined): string {
      const claims = { user: user ? String(users.idOf(user)) : '', state: stateOf(user ?? {}) }
      return tokens.signLink(purpose, claims, lifetime)
    },

    /** Returns the user of a token. @throws {BadRequest} if it is not valid (any more) */
    async userOf(token: string, params: Params): Promise<UserRecord> {
      const claims = tokens.verifyLink(purpose, token)
      const user = claims && (await users.get(claims.user, params))
      if (user === undefined || stateOf(user) !== claims?.state) throw invalidLink()
      return user
    }
  }
}

/** Creates the error for all links that can't be used, whatever the reason. */
export const invalidLink = (): BadRequest => new BadRequest('This link is not valid any more')
