import type { FastifyInstance } from 'fastify'
import type { Params } from '../../types/service.js'
import type { Credentials } from '../authentication/credentials.js'
import { authenticationOf } from '../authentication/lookup.js'
import { replaceHash } from '../authentication/replace-hash.js'
import { hashesByItself } from '../authentication/stored-credentials.js'
import { LocalStrategy } from '../authentication/strategies/local.js'
import type { Tokens } from '../authentication/token.js'
import type { UserRecord, Users } from '../authentication/users.js'
import { toServiceError } from '../core/errors.js'

/** The login by password whose users the services of this door change. */
export class PasswordLogin {
  readonly users: Users
  readonly tokens: Tokens
  readonly strategy: LocalStrategy
  readonly #who: string
  readonly #credentials: Credentials

  /**
   * @param who the plugin that needs the login, for errors
   * @throws if there is no authentication, or it has no login by password
   */
  constructor(app: FastifyInstance, who: string) {
    this.#who = who
    this.#credentials = authenticationOf(app)
    const { users, tokens, strategies } = this.#credentials
    const strategy = strategies.find((candidate) => candidate instanceof LocalStrategy)
    if (tokens === undefined || strategy === undefined)
      throw new Error(
        `${who} needs a login by password: an authentication with a \`secret\` and the strategy \`local\``
      )
    this.users = users
    this.tokens = tokens
    this.strategy = strategy
  }

  /** @throws if the service of users leaves the hashing of passwords to the application */
  checkHashing(): void {
    const { users, strategy } = this
    if (!hashesByItself(users.service, strategy.entityPasswordField))
      throw new Error(
        `${this.#who} needs a service '${users.serviceName}' that hashes passwords by itself: one with \`hash: false\`, or of a mounted application, does not`
      )
  }

  /** Whether a password is the one that a user has. */
  verify(user: UserRecord, password: string): Promise<boolean> {
    return this.#credentials.authenticator.passwords.verify(password, user[this.strategy.entityPasswordField])
  }

  /**
   * Gives a user another password, unless the password has changed since the user was read.
   * @returns whether it has the password now
   * @throws {BadRequest} if the text can't be a password, {Unavailable} if too many are being hashed
   */
  async replacePassword(user: UserRecord, password: string, params: Params): Promise<boolean> {
    const { authenticator } = this.#credentials
    try {
      await replaceHash(authenticator, this.strategy.entityPasswordField, user, password, params)
      return true
    } catch (error) {
      if (toServiceError(error).code === 404) return false
      throw error
    }
  }
}
