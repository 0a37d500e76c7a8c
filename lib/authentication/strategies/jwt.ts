import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest } from '../../../types/authentication.js'
import type { Params } from '../../../types/service.js'
import { NotAuthenticated } from '../../core/errors.js'
import type { Authenticator, Strategy, StrategyDescription, StrategyResult } from '../strategy.js'

export interface JwtOptions {
  /** The header that carries the token. Default `'Authorization'`. */
  header?: string
  /**
   * The words that may stand before the token, in any case. Default `['Bearer', 'JWT']`. A token
   * alone is read too.
   */
  schemes?: readonly string[]
}

// The value of the header: a token, or a word and a token.
const words = /^\s*(\S+)(?:\s+(\S+))?\s*$/

/** The scheme of an access token in the header `Authorization`. */
export const bearer = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } as const

/**
 * Tells who calls by an access token. It looks the user up on every call, so a token of a user who
 * was deleted is refused.
 *
 * @example
 * const fromProxy = new JwtStrategy({ header: 'X-Access-Token' })
 * await app.register(authentication, { secret, strategies: { jwt: true, local: true, fromProxy } })
 */
export class JwtStrategy implements Strategy {
  /** The name of the header that carries the token, in lower case. */
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
    const { entities } = this.#authentication
    if (entities.name === null) return result
    const entity = await entities.get(payload.sub, params)
    if (entity === undefined) throw new NotAuthenticated('Invalid access token')
    result[entities.name] = entity
    return result
  }

  parse({ headers }: FastifyRequest): AuthenticationRequest | null {
    const header = headers[this.header]
    if (typeof header !== 'string') return null
    const [, first, second] = words.exec(header) ?? []
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
