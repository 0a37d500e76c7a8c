import type { FastifyInstance } from 'fastify'
import type { Params } from '../../types/service.js'
import { changeUser } from '../authentication/change-user.js'
import type { Credentials } from '../authentication/credentials.js'
import { authenticationOf } from '../authentication/lookup.js'
import { hashesByItself } from '../authentication/stored-credentials.js'
import { LocalStrategy } from '../authentication/strategies/local.js'
import type { Strategy } from '../authentication/strategy.js'
import type { Tokens } from '../authentication/token.js'
import type { UserRecord, Users } from '../authentication/users.js'
import { toServiceError } from '../core/errors.js'

/** The login by password whose users the services of this door change. */
export class PasswordLogin {
  /** The plugin that needs the login, for errors. */
  readonly who: string
  readonly users: Users
  readonly tokens: Tokens
  /** The first strategy that logs in by a password. */
  readonly strategy: LocalStrategy
  readonly strategies: readonly Strategy[]
  readonly #credentials: Credentials

  /** @throws if there is no authentication, or it has no login by password */
  constructor(app: FastifyInstance, who: string) {
    this.who = who
    this.#credentials = authenticationOf(app, undefined, who)
    const { users, tokens, strategies } = this.#credentials
    const strategy = strategies.find((candidate) => candidate instanceof LocalStrategy)
    if (tokens === undefined || strategy === undefined)
      throw new Error(
        `${who} needs a login by password: an authentication with a \`secret\` and the strategy \`local\``
      )
    this.users = users
    this.tokens = tokens
    this.strategy = strategy
    this.strategies = strategies
  }

  /** @throws if the service of users leaves the hashing of passwords to the application */
  checkHashing(): void {
    const { users, strategy } = this
    if (!hashesByItself(users.service, strategy.entityPasswordField))
      throw new Error(
        `${this.who} needs a service '${users.serviceName}' that hashes passwords by itself: one with \`hash: false\`, or of a mounted application, does not`
      )
  }

  /** Returns the user whose name is in the data of a client, `undefined` if there is none. */
  async findUser(data: unknown, params: Params): Promise<UserRecord | undefined> {
    const name = this.strategy.nameIn(data)
    return name === undefined ? undefined : this.strategy.findUser(name, params)
  }

  verify(user: UserRecord, password: string): Promise<boolean> {
    return this.#credentials.authenticator.passwords.verify(password, user[this.strategy.entityPasswordField])
  }

  /**
   * Gives a user another password, unless the password has changed since the user was read.
   * @returns whether it has the password now
   * @throws {BadRequest} if the text can't be a password, {Unavailable} if too many are being hashed
   */
  async replacePassword(user: UserRecord, password: string, params: Params): Promise<boolean> {
    const field = this.strategy.entityPasswordField
    const hash = await this.#credentials.authenticator.passwords.hash(password)
    return this.change(user, field, { [field]: hash }, params)
  }

  /**
   * Changes a user, unless a field has changed since the user was read.
   * @returns whether it was changed
   */
  async change(user: UserRecord, field: string, data: UserRecord, params: Params): Promise<boolean> {
    try {
      await changeUser(this.users, user, field, data, params)
      return true
    } catch (error) {
      if (toServiceError(error).code === 404) return false
      throw error
    }
  }
}
