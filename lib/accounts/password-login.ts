import type { FastifyInstance } from 'fastify'
import type { Params } from '../../types/service.js'
import { changeUser } from '../authentication/change-user.js'
import { authenticationOf } from '../authentication/lookup.js'
import { hashesByItself } from '../authentication/stored-credentials.js'
import { LocalStrategy } from '../authentication/strategies/local.js'
import type { UserRecord } from '../authentication/users.js'
import { toServiceError } from '../core/errors.js'

export type PasswordLogin = ReturnType<typeof findPasswordLogin>

/**
 * Finds the login by password whose users the services of this door change.
 * @param who the plugin that needs the login, for errors
 * @throws if there is no authentication, or it has no login by password
 */
export function findPasswordLogin(app: FastifyInstance, who: string) {
  const { users, tokens, strategies, authenticator } = authenticationOf(app, undefined, who)
  const { passwords } = authenticator
  const strategy = strategies.find((candidate) => candidate instanceof LocalStrategy)
  if (tokens === undefined || strategy === undefined)
    throw new Error(`${who} needs a login by password: an authentication with a \`secret\` and the strategy \`local\``)
  const passwordField = strategy.entityPasswordField

  /**
   * Changes a user, unless a field has changed since the user was read.
   * @returns whether it was changed
   */
  async function change(user: UserRecord, field: string, data: UserRecord, params: Params): Promise<boolean> {
    try {
      await changeUser(users, user, field, data, params)
      return true
    } catch (error) {
      if (toServiceError(error).code === 404) return false
      throw error
    }
  }

  return {
    who,
    users,
    tokens,
    /** The first strategy that logs in by a password. */
    strategy,
    strategies,
    change,

    /** @throws if the service of users leaves the hashing of passwords to the application */
    checkHashing(): void {
      if (!hashesByItself(users.service, passwordField))
        throw new Error(
          `${who} needs a service '${users.serviceName}' that hashes passwords by itself: one with \`hash: false\`, or of a mounted application, does not`
        )
    },

    /** Returns the user whose name is in the data of a client, `undefined` if there is none. */
    async findUser(data: unknown, params: Params): Promise<UserRecord | undefined> {
      const name = strategy.nameIn(data)
      return name === undefined ? undefined : strategy.findUser(name, params)
    },

    verify: (user: UserRecord, password: string): Promise<boolean> => passwords.verify(password, user[passwordField]),

    /**
     * Gives a user another password, unless the password has changed since the user was read.
     * @returns whether it has the password now
     * @throws {BadRequest} if the text can't be a password, {Unavailable} if too many are being hashed
     */
    async replacePassword(user: UserRecord, password: string, params: Params): Promise<boolean> {
      return change(user, passwordField, { [passwordField]: await passwords.hash(password) }, params)
    }
  }
}
