import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest } from '../../../types/authentication.js'
import type { Params } from '../../../types/service.js'
import { NotAuthenticated } from '../../core/errors.js'
import type { Authenticator } from '../authenticator.js'
import { requestOf } from '../request.js'
import type { Strategy, StrategyResult } from '../strategy.js'

export interface JwtOptions {
  /** The header that carries the token. Default `'Authorization'`. */
  header?: string
  /** The words that may stand before the token, in any case. Default `['Bearer', 'JWT']`. A bare token is read too. */
  schemes?: readonly string[]
}

/** Tells who calls by an access token. The user is looked up on every call: one that was deleted is let in no more. */
export class JwtStrategy implements Strategy {
  readonly #header: string
  readonly #schemes: readonly string[]
  #authentication!: Authenticator

  constructor({ header = 'Authorization', schemes = ['Bearer', 'JWT'] }: JwtOptions = {}) {
    this.#header = header.toLowerCase()
    this.#schemes = schemes.map((scheme) => scheme.toLowerCase())
  }

  /** @throws when the service of the users has no `get` */
  setup(authentication: Authenticator, name: string): void {
    this.#authentication = authentication
    if (authentication.entities.name !== null) authentication.entities.require('get', name)
  }

  async authenticate({ accessToken }: AuthenticationRequest, params: Params): Promise<StrategyResult> {
    const payload = await this.#authentication.verifyAccessToken(accessToken, requestOf(params))
    const result = { accessToken, authentication: { accessToken, payload } }
    const { entities } = this.#authentication
    if (entities.name === null) return result
    const entity = await entities.get(payload.sub, params)
    if (entity === undefined) throw new NotAuthenticated('Invalid access token')
    return { ...result, [entities.name]: entity }
  }

  parse({ headers }: FastifyRequest): AuthenticationRequest | null {
    const header = headers[this.#header]
    if (typeof header !== 'string') return null
    const [first = '', second, ...more] = header.trim().split(/\s+/)
    const scheme = first.replace(/:$/, '').toLowerCase()
    if (first === '' || more.length > 0) return null
    if (second === undefined) return this.#schemes.includes(scheme) ? null : { accessToken: first }
    return this.#schemes.includes(scheme) ? { accessToken: second } : null
  }
}
