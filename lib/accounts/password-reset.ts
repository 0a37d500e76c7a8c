import type { FastifyInstance } from 'fastify'
import type { Params } from '../../types/service.js'
import type { RateLimitOptions } from '../authentication/rate-limit.js'
import { joinPath } from '../core/path.js'
import { checkAccountOptions, registerAccountService } from './account-service.js'
import { createLinks, invalidLink } from './links.js'
import { createMailer, type SendMail } from './mails.js'
import { findPasswordLogin } from './password-login.js'
import { accountSchemas, linkToken, newPassword, userName } from './schemas.js'

/** Options of the plugin `passwordReset`. */
export interface PasswordResetOptions {
  /** Sends the mail with the link. The server does not wait for it. */
  send: SendMail
  /** The path of the service. Default `'password-resets'`. */
  path?: string
  /** How long a link is valid, in seconds or as `'15m'`. Default `'1h'`. */
  expiresIn?: string | number
  /** The JSON schema of a new password. Default: a string of 8 to 1024 characters. */
  password?: object
  /**
   * The limits of mails, by `@fastify/rate-limit`. Default: in 15 minutes 3 for each client and
   * user name, 30 for each client.
   */
  rateLimit?: boolean | RateLimitOptions
}

/**
 * The service of `passwordReset`, for `Services`. `Name` is the field with the user name.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Services { 'password-resets': PasswordResets }
 * }
 */
export interface PasswordResets<Name extends string = 'email'> {
  create(data: { [N in Name]: string }, params?: Params): Promise<{ sent: boolean }>
  confirm(data: { token: string; password: string }, params?: Params): Promise<{ changed: boolean }>
}

/**
 * Registers a service that lets users who have forgotten their password set a new one by a link
 * (docs/accounts.md#reset-a-password). Register it after the authentication.
 *
 * @throws if an option can't be used, there is no login by password, or @fastify/rate-limit is
 * missing; when the server starts, if the service of users does not hash passwords
 * @example
 * await app.register(passwordReset, {
 *   send: ({ user, token }) => sendMail(user.email, `https://example.com/reset#${token}`)
 * })
 */
export async function passwordReset(app: FastifyInstance, options: PasswordResetOptions): Promise<void> {
  checkAccountOptions('passwordReset', options, ['send', 'path', 'expiresIn', 'password', 'rateLimit'])
  const { send, path = 'password-resets', expiresIn = '1h', password = newPassword, rateLimit = true } = options
  const login = findPasswordLogin(app, 'passwordReset')
  const { strategy } = login
  const fields = [strategy.entityPasswordField, strategy.entityUsernameField]
  const links = createLinks(login, joinPath(app.prefix, path), expiresIn, fields)
  const startMail = createMailer(app, login, links, send)
  const service: PasswordResets<string> = {
    async create(data, params = {}) {
      const user = await login.findUser(data, params)
      startMail(params, () => user)
      return { sent: true }
    },
    async confirm({ token, password }, params = {}) {
      const user = await links.userOf(token, params)
      // Two uses at the same moment read the same user, and only one of them finds the old hash.
      if (!(await login.replacePassword(user, password, params))) throw invalidLink()
      return { changed: true }
    }
  }
  await registerAccountService(app, login, service, {
    path,
    schema: accountSchemas(
      {
        summary: 'Send a link to reset the password',
        description: 'The answer is the same if nobody has this name.',
        body: { [strategy.usernameField]: userName },
        result: 'sent'
      },
      {
        summary: 'Reset the password',
        description: 'Sets a new password by the token of the link.',
        body: { token: linkToken, password: { format: 'password', ...password } },
        result: 'changed'
      }
    ),
    rateLimit
  })
}
