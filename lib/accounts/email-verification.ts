import type { FastifyInstance } from 'fastify'
import type { Params } from '../../types/service.js'
import { LocalStrategy, type RateLimitOptions } from '../authentication/index.js'
import { Forbidden } from '../core/errors.js'
import { joinPath } from '../core/path.js'
import { checkAccountOptions, registerAccountService } from './account-service.js'
import { createLinks, invalidLink } from './links.js'
import { createMailer, type SendMail } from './mails.js'
import { findPasswordLogin } from './password-login.js'
import { accountSchemas, linkToken, userName } from './schemas.js'
import { trackAddress } from './verified-address.js'

/** Options of the plugin `emailVerification`. */
export interface EmailVerificationOptions {
  /** Sends the mail with the link. The server does not wait for it. */
  send: SendMail
  /** The path of the service. Default `'email-verifications'`. */
  path?: string
  /** The field of a user that says whether the address is verified. Default `'isVerified'`. */
  field?: string
  /** Whether a log-in by password needs a verified address. Default `true`. */
  required?: boolean
  /** How long a link is valid, in seconds or as `'15m'`. Default `'1d'`. */
  expiresIn?: string | number
  /**
   * The limits of mails that clients ask for, by `@fastify/rate-limit`. Default: in 15 minutes 3 for
   * each client and user name, 30 for each client.
   */
  rateLimit?: boolean | RateLimitOptions
}

/**
 * The service of `emailVerification`, for `Services`. `Name` is the field with the address.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Services { 'email-verifications': EmailVerifications }
 * }
 */
export interface EmailVerifications<Name extends string = 'email'> {
  create(data: { [N in Name]: string }, params?: Params): Promise<{ sent: boolean }>
  confirm(data: { token: string }, params?: Params): Promise<{ verified: boolean }>
}

/**
 * Verifies the addresses of new users, and of users who change it, by a link in a mail
 * (docs/accounts.md#verify-an-e-mail-address). The user name is the address. Register it after the
 * authentication.
 *
 * @throws if an option can't be used, there is no login by password, or @fastify/rate-limit is
 * missing; when the server starts, if a mounted application has the service of users
 * @example
 * await app.register(emailVerification, {
 *   send: ({ user, token }) => sendMail(user.email, `https://example.com/verify#${token}`)
 * })
 */
export async function emailVerification(app: FastifyInstance, options: EmailVerificationOptions): Promise<void> {
  checkAccountOptions('emailVerification', options, ['send', 'path', 'field', 'required', 'expiresIn', 'rateLimit'])
  const { send, path = 'email-verifications', field = 'isVerified', required = true } = options
  const { expiresIn = '1d', rateLimit = true } = options
  const login = findPasswordLogin(app, 'emailVerification')
  const { strategy } = login
  const links = createLinks(login, joinPath(app.prefix, path), expiresIn, [strategy.entityUsernameField, field])
  const address = trackAddress(login, field, createMailer(app, login, links, send))
  const service: EmailVerifications<string> = {
    async create(data, params = {}) {
      const user = await login.findUser(data, params)
      address.sendLink(params, () => user)
      return { sent: true }
    },
    async confirm({ token }, params = {}) {
      const user = await links.userOf(token, params)
      // The address may be changed at this moment.
      if (!(await login.change(user, strategy.entityUsernameField, { [field]: true }, params))) throw invalidLink()
      return { verified: true }
    }
  }
  await registerAccountService(app, login, service, {
    path,
    schema: accountSchemas(
      {
        summary: 'Send the link to verify an address again',
        description: 'The answer is the same if nobody has this address, or it is verified.',
        body: { [strategy.usernameField]: userName },
        result: 'sent'
      },
      {
        summary: 'Verify an address',
        description: 'Takes the token of the link.',
        body: { token: linkToken },
        result: 'verified'
      }
    ),
    rateLimit
  })
  if (!required) return
  for (const strategy of login.strategies)
    if (strategy instanceof LocalStrategy)
      strategy.userChecks.push((user) => {
        // The password was right, so the caller may know it.
        if (!address.isVerified(user)) throw new Forbidden('Verify your e-mail address first')
      })
}
