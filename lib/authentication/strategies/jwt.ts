import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest } from '../../../types/authentication.js'
import type { Params } from '../../../types/service.js'
import { NotAuthenticated } from '../../core/errors.js'
import type { Authenticator, Strategy, StrategyDescription, StrategyResult } from '../strategy.js'

/** Options of `JwtStrategy`. */
export interface JwtOptions {
  /** The header with the token. Default `'Authorization'`. */
  header?: string
  /**
   * The schemes that may precede the token, in any case. Default `['Bearer', 'JWT']`. A token alone
   * is accepted, too.
   */
  schemes?: readonly string[]
}

// The value of the header: a token, or a scheme and a token.
const headerPattern = /^\s*(\S+)(?:\s+(\S+))?\s*$/

/** The security scheme of OpenAPI for a token in the header `Authorization`. */
export const bearer = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } as const

/**
 * Accepts callers by an access token. It looks the user up on every call, so the token of a deleted
 * user is refused.
 *
 * @example
 * const fromProxy = new JwtStrategy({ header: 'X-Access-Token' })
 * await app.register(authentication, { secret, strategies: { jwt: true, local: true, fromProxy } })
 */
export class JwtStrategy implements Strategy {
  /** The header with the token, in lower case. */
  readonly header: string
  readonly #schemes: readonly string[]
  #authentication!: Authenticator

  constructor({ header = 'Authorization', schemes = ['Bearer', 'JWT'] }: JwtOptions = {}) {
    this.header = header.toLowerCase()
    this.#schemes = schemes.map((scheme) => scheme.toLowerCase())
  }

  /** @throws when the service of the users has no `get` */
  setup(authentication: Authenticator, name: string): void {
    this.#authentication = authentication
    if (authentication.entities.name !== null) authentication.entities.require('get', name)
  }

  async authenticate({ accessToken }: AuthenticationRequest, params: Params): Promise<StrategyResult> {
    const payload = await this.#authentication.verifyAccessToken(accessToken, params)
    const result: StrategyResult = { accessToken, authentication: { accessToken, payload } }
    const { entities: users } = this.#authentication
    if (users.name === null) return result
    const user = await users.get(payload.sub, params)
    if (user === undefined) throw new NotAuthenticated('Invalid access token')
    result[users.name] = user
    return result
  }

  parse({ headers }: FastifyRequest): AuthenticationRequest | null {
    const header = headers[this.header]
    if (typeof header !== 'string') return null
    // As clients send it. The expression below would read each character of the token.
    const [scheme = '', token = '', ...more] = header.split(' ')
    const isUsual = more.length === 0 && token !== '' && !token.includes('\t')
    if (isUsual && this.#schemes.includes(scheme.toLowerCase())) return { accessToken: token }
    const [, first, second] = headerPattern.exec(header) ?? []
    if (first === undefined) return null
    const hasScheme = this.#schemes.includes(first.replace(/:$/, '').toLowerCase())
    if (second === undefined) return hasScheme ? null : { accessToken: first }
    return hasScheme ? { accessToken: second } : null
  }

  describe(): StrategyDescription {
    const isStandard = this.header === 'authorization'
    return {
      login: { accessToken: { type: 'string' } },
      security: isStandard ? bearer : { type: 'apiKey', in: 'header', name: this.header }
    }
  }
}
