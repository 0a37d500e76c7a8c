import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest, AuthenticationResult, TokenPayload } from '../../types/authentication.js'
import type { Params } from '../../types/service.js'
import { NotAuthenticated } from '../core/errors.js'
import type { Entities, Entity } from './entities.js'
import type { Passwords } from './password.js'
import { requestOf } from './request.js'
import type { RevocationList } from './revocation.js'
import type { Strategy } from './strategy.js'
import type { Tokens } from './token.js'

/** What tells who calls. */
export interface Parts {
  readonly entities: Entities
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly strategies: ReadonlyMap<string, Strategy>
  /** The names of those that read requests, in order. */
  readonly parseStrategies: readonly string[]
  readonly revocation: RevocationList | undefined
  readonly isRevoked: ((payload: TokenPayload, request: FastifyRequest | undefined) => unknown) | undefined
  log(message: string, error: unknown): void
}

// What a strategy has read of a request, and what was verified, and by whom: all else in `params.authentication` was set by somebody.
const parsed = new WeakSet<object>()
const verified = new WeakMap<object, Authenticator>()

/** Tells who calls, by the strategies of one authentication service. */
export class Authenticator {
  readonly entities: Entities
  readonly passwords: Passwords
  readonly log: Parts['log']
  readonly #parts: Parts
  #ready: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.entities = parts.entities
    this.passwords = parts.passwords
    this.log = parts.log
  }

  /** The names of all strategies. */
  get strategyNames(): readonly string[] {
    return [...this.#parts.strategies.keys()]
  }

  /**
   * Asks a strategy who calls. The password of the user is not in the result.
   * @param allowed the names of the strategies that may be asked
   * @throws {NotAuthenticated} when the strategy is not among them, or does not let in
   */
  async authenticate(
    request: AuthenticationRequest,
    params: Params,
    allowed: readonly string[]
  ): Promise<AuthenticationResult> {
    const name = request?.strategy
    if (!name) throw new NotAuthenticated('Invalid authentication information (no `strategy` set)')
    const strategy = allowed.includes(name) ? this.#parts.strategies.get(name) : undefined
    if (strategy === undefined)
      throw new NotAuthenticated('Invalid authentication information (strategy not allowed in authStrategies)')
    await this.setup()
    const found = await strategy.authenticate(request, params)
    if (typeof found !== 'object' || found === null) throw new NotAuthenticated('Not authenticated')
    const result = { ...found, authentication: { ...found.authentication, strategy: name } } as AuthenticationResult
    const entity = this.entities.name
    if (entity !== null && result[entity] !== undefined)
      result[entity] = this.entities.withoutSecrets(result[entity] as Entity)
    verified.set(result.authentication, this)
    return result
  }

  /**
   * Tells who a call comes from, for a guard: the params of the call with the result merged into them. A call of the server itself
   * needs no credentials.
   * @throws {NotAuthenticated} when it comes from outside without credentials that one of the strategies accepts
   */
  async check(params: Params, strategies: readonly string[]): Promise<Params> {
    const { authentication, authenticated } = params as Params & { authentication?: AuthenticationRequest }
    const isOurs = authentication === undefined || verified.get(authentication) === this
    const isAllowed = authentication === undefined || strategies.includes(String(authentication.strategy))
    if (authenticated === true && isOurs && isAllowed) return params
    const credentials = await this.credentialsOf(params, strategies)
    if (credentials === undefined) {
      if (params.provider) throw new NotAuthenticated('Not authenticated')
      return params
    }
    const { accessToken, refreshToken, ...result } = await this.authenticate(credentials, params, strategies)
    return { ...params, ...result, authenticated: true }
  }

  /** The credentials of a call: those that a hook or middleware has set, else what one of the strategies reads of the request. */
  async credentialsOf(params: Params, strategies: readonly string[]): Promise<AuthenticationRequest | undefined> {
    const { authentication } = params as { authentication?: AuthenticationRequest }
    if (authentication !== undefined && !parsed.has(authentication) && !verified.has(authentication))
      return authentication
    const request = params.provider ? requestOf(params) : undefined
    return request && this.parse(request, strategies)
  }

  /** Reads the credentials of a request, with the first of its strategies that finds some. */
  async parse(request: FastifyRequest, among = this.strategyNames): Promise<AuthenticationRequest | undefined> {
    for (const name of this.#parts.parseStrategies) {
      const found = among.includes(name) ? await this.#parts.strategies.get(name)?.parse?.(request) : undefined
      if (!found) continue
      const authentication = { ...found, strategy: name }
      parsed.add(authentication)
      return authentication
    }
    return undefined
  }

  /** Puts the credentials of a request on `request.feathers`, unless middleware has put some there. */
  async readCredentials(request: FastifyRequest): Promise<void> {
    const authentication = request.feathers.authentication ?? (await this.parse(request))
    if (authentication !== undefined) request.feathers = { authentication }
  }

  /**
   * Verifies an access token: its signature, its claims, and that it is not revoked. Where tokens are revoked, one without an id is
   * not good: nothing could end it.
   * @throws {NotAuthenticated} when it is not good
   */
  async verifyAccessToken(accessToken: unknown, request?: FastifyRequest): Promise<TokenPayload> {
    const { tokens, revocation, isRevoked } = this.#parts
    const payload = tokens.verify(accessToken)
    if (revocation !== undefined && payload.jti === undefined) throw new NotAuthenticated('Invalid access token')
    if ((await revocation?.isRevoked(payload)) || (await isRevoked?.(payload, request)))
      throw new NotAuthenticated('Invalid access token: it was revoked')
    return payload
  }

  /** Runs once, before the server starts or somebody logs in. @throws when there is no service of users, or a strategy can't work */
  setup(): Promise<void> {
    this.#ready ??= this.#setup().catch((error) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  async #setup(): Promise<void> {
    const { entities, strategies } = this.#parts
    entities.setup()
    for (const [name, strategy] of strategies) await strategy.setup?.(this, name)
  }
}
