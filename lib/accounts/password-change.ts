import type { FastifyInstance } from 'fastify'
import type { AroundHook } from '../../types/fastify.js'
import type { Params } from '../../types/service.js'
import { authenticate, type RateLimitOptions } from '../authentication/index.js'
import { restrictSentFields } from '../core/adapters/update.js'
import { BadRequest, NotAuthenticated } from '../core/errors.js'
import { joinPath } from '../core/path.js'
import { checkAccountOptions, registerAccountService } from './account-service.js'
import { findPasswordLogin } from './password-login.js'
import { accountSchemas, currentPassword, newPassword } from './schemas.js'

/** Options of the plugin `passwordChange`. */
export interface PasswordChangeOptions {
  /** The path of the service. Default `'password-changes'`. */
  path?: string
  /** The strategies one of which has to accept the caller. Default `['jwt']`. */
  strategies?: readonly string[]
  /** The JSON schema of a new password. Default: a string of 8 to 1024 characters. */
  password?: object
  /**
   * The limits of attempts, by `@fastify/rate-limit`. Default: in 15 minutes 10 for each client and
   * user, 100 for each client.
   */
  rateLimit?: boolean | RateLimitOptions
}

/**
 * The service of `passwordChange`, for `Services`.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Services { 'password-changes': PasswordChanges }
 * }
 */
export interface PasswordChanges {
  create(data: { currentPassword: string; password: string }, params?: Params): Promise<{ changed: boolean }>
}

/**
 * Registers a service that lets users change their password if they know the current one
 * (docs/accounts.md#change-a-password). From then on, clients can't change a password by
 * `update` or `patch` of the service of users. Register it after the authentication.
 *
 * @throws if an option can't be used, there is no login by password, or @fastify/rate-limit is
 * missing; when the server starts, if the service of users does not hash passwords, or there is no
 * such strategy
 * @example
 * await app.register(passwordChange)
 */
export async function passwordChange(app: FastifyInstance, options: PasswordChangeOptions): Promise<void> {
  checkAccountOptions('passwordChange', options, ['path', 'strategies', 'password', 'rateLimit'])
  const { path = 'password-changes', strategies = ['jwt'], password = newPassword, rateLimit = true } = options
  const login = findPasswordLogin(app, 'passwordChange')
  const { users, strategy } = login
  const service: PasswordChanges = {
    async create({ currentPassword, password }, params = {}) {
      const caller = params[String(users.name)]
      if (caller === undefined) throw new NotAuthenticated('Not authenticated')
      const user = await users.get(users.idOf(caller), params)
      // Of two changes at the same moment, the second one has an old `currentPassword`.
      const isChanged =
        user !== undefined &&
        (await login.verify(user, currentPassword)) &&
        (await login.replacePassword(user, password, params))
      if (!isChanged) throw invalidField('currentPassword', "'currentPassword' is wrong")
      return { changed: true }
    }
  }
  await registerAccountService(app, login, service, {
    path,
    schema: accountSchemas({
      summary: 'Change the password',
      body: { currentPassword, password: { format: 'password', ...password } },
      result: 'changed'
    }),
    guard: authenticate({ strategies }),
    rateLimit,
    defaults: { user: 10, client: 100, timeWindow: '15m' },
    userOf: ({ params }) => String(users.idIn(params[String(users.name)]))
  })
  const refuse = refuseField(strategy.entityPasswordField, `/${joinPath(app.prefix, path)}`)
  users.onService((service) => service.hooks({ around: { update: [refuse], patch: [refuse] } }))
}

/** Refuses data of clients with a field that has to go elsewhere. An `update` keeps its value. */
const refuseField =
  (field: string, url: string): AroundHook =>
  async (context, next) => {
    if (context.params.provider !== undefined) {
      if ([context.data].flat().some((record) => Object.hasOwn(Object(record), field)))
        throw invalidField(field, `'${field}' can't be changed here: send it to ${url}, with the current one`)
      restrictSentFields(context, (name) => name !== field)
    }
    await next()
  }

const invalidField = (field: string, message: string) => new BadRequest(message, { errors: { [field]: message } })
