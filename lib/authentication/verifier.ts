import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest, AuthenticationResult, TokenPayload } from '../../types/authentication.js'
import type { Params } from '../../types/service.js'
import { attempt, NotAuthenticated, toServiceError } from '../core/errors.js'
import { callerIn } from '../core/http-call.js'
import {
  type AcceptedLogin,
  type Called,
  isViewOf,
  type LoginVerifier,
  noteLogin,
  withoutOtherLogins
} from '../core/logins.js'
import { checkCookie, type TokenCookie } from './cookie.js'
import type { Entities } from './entities.js'
import type { Passwords } from './password.js'
import type { RevocationList } from './revocation.js'
import { JwtStrategy } from './strategies/jwt.js'
import type { Authenticator, Strategy, StrategyResult } from './strategy.js'
import type { Tokens } from './token.js'

export interface CredentialsParts {
  readonly entities: Entities
  readonly passwords: Passwords
  /** `undefined` where no strategy issues any. */
  readonly tokens: Tokens | undefined
  readonly cookie: TokenCookie | undefined
  readonly strategies: ReadonlyMap<string, Strategy>
  /** The names of the strategies that read requests, in order. */
  readonly parseStrategies: readonly string[]
  readonly revocation: RevocationList | undefined
  readonly isRevoked: ((payload: TokenPayload, request: FastifyRequest | undefined) => unknown) | undefined
  readonly log: Authenticator['log']
}

type AuthenticationParams = Params & { authentication?: AuthenticationRequest }

/** Credentials that were read from a request, before a service was called. */
interface ReadCredentials {
  readonly request: FastifyRequest
  readonly reader: Credentials
  readonly credentials: AuthenticationRequest
  /** The strategy that read them. */
  readonly strategy: Strategy | undefined
  /** The value of the header of that strategy. */
  readonly header: unknown
}

// For each `params.authentication` that was made here: who has verified it, or how it was read.
// Any other was set by the application.
const sources = new WeakMap<object, Credentials | ReadCredentials>()

/** What a guard stands before. */
export interface Guarded extends Called {
  /** The context or the request: further guards of the same call have the same. */
  readonly call: object
}

// The authentications whose guards a call has passed, also before its route. The user of each of
// them is known to all of them.
const passedGuards = new WeakMap<object, Set<object>>()

/** @param call the request, or the context of a call of the server */
function guardsPassedBy(call: object): Set<object> {
  let guards = passedGuards.get(call)
  if (guards === undefined) {
    guards = new Set()
    passedGuards.set(call, guards)
  }
  return guards
}

/**
 * Reads the credentials of calls, and asks the strategies of one authentication service who they
 * belong to.
 */
export class Credentials implements LoginVerifier {
  /** What the strategies may use. */
  readonly authenticator: Authenticator
  /**
   * The strategies by name, the names of those that read requests, and the cookie that is read
   * where they find nothing.
   */
  readonly strategies: Pick<CredentialsParts, 'strategies' | 'parseStrategies' | 'cookie'>
  readonly #parts: CredentialsParts
  #ready: Promise<void> | undefined

  constructor(parts: CredentialsParts) {
    const { entities, passwords, strategies, log } = parts
    this.#parts = parts
    this.strategies = parts
    this.authenticator = {
      entities,
      passwords,
      strategyNames: [...strategies.keys()],
      verifyAccessToken: (accessToken, params = {}) => this.#verifyAccessToken(accessToken, params),
      log
    }
  }

  /**
   * Asks a strategy who calls. This is where the secrets of users are removed: nothing that a
   * strategy returns or throws has them.
   * @param allowed the names of the strategies that may be asked
   * @throws {NotAuthenticated} when the strategy is not among them, or refuses the credentials
   */
  async authenticate(
    request: AuthenticationRequest,
    params: Params,
    allowed: readonly string[]
  ): Promise<AuthenticationResult> {
    const { entities, strategies } = this.#parts
    const name = request.strategy
    if (!name) throw new NotAuthenticated('Invalid authentication information (no `strategy` set)')
    const strategy = allowed.includes(name) ? strategies.get(name) : undefined
    if (strategy === undefined)
      throw new NotAuthenticated('Invalid authentication information (strategy not allowed in authStrategies)')
    if (request.isByCookie === true) checkCookie(request, params)
    await this.setup()
    let strategyResult: StrategyResult
    try {
      strategyResult = await strategy.authenticate(request, params)
    } catch (error) {
      throw entities.errorWithoutSecrets(error)
    }
    if (typeof strategyResult !== 'object' || strategyResult === null) throw new NotAuthenticated('Not authenticated')
    const authentication = { ...strategyResult.authentication, strategy: name }
    const result = { ...strategyResult, authentication } as AuthenticationResult
    const entity = entities.name
    if (entity !== null && result[entity] !== undefined) result[entity] = entities.withoutSecrets(result[entity])
    sources.set(authentication, this)
    return result
  }

  /**
   * Tells who a call comes from, for a guard: returns the params of the call with the result merged
   * into them. A call of the server itself needs no credentials. What the guards of other
   * authentications have set counts for nothing, and is taken out.
   * @param guarded the service that is called, and what the call is known by
   * @throws {NotAuthenticated} when the call comes from outside, without credentials that one of
   * the strategies accepts
   */
  async check<P extends Params>(callParams: P, strategies: readonly string[], guarded: Guarded): Promise<P> {
    if (isViewOf(callParams, guarded)) return callParams
    const caller = callerIn(callParams)
    const isOwnCall = caller !== undefined && caller.context === guarded.call
    const passed = guardsPassedBy(isOwnCall ? Object(caller.request) : guarded.call)
    const params: P & AuthenticationParams = withoutOtherLogins(callParams, this, passed)
    passed.add(this)
    const { authentication, authenticated, provider } = params
    // A call of the server itself, such as the look-up of a user, needs no credentials.
    if (!authentication && !provider) return params
    const isVerified =
      !authentication || (sources.get(authentication) === this && strategies.includes(String(authentication.strategy)))
    if (authenticated === true && isVerified) return params
    const credentials = await this.of(params, strategies)
    if (credentials === undefined && provider) throw new NotAuthenticated('Not authenticated')
    if (credentials === undefined) return params
    const { accessToken, refreshToken, ...result } = await this.authenticate(credentials, params, strategies)
    const values = { ...result, authenticated: true }
    const note = noteLogin(params, { maker: this, values, identity: this.#identityIn(values) })
    // A spread of params, which are of a class, is slower on Node 20.
    return Object.assign({}, params, values, note)
  }

  /** The unique key of a caller: the user, or else the subject of the token. */
  #identityIn(values: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
    const { entities } = this.#parts
    const { iss, aud, sub } = Object(Object(values.authentication).payload)
    if (entities.name === null) return sub === undefined ? undefined : [iss, aud, sub]
    const id = entities.idIn(values[entities.name]) ?? sub
    return id === undefined ? undefined : [entities.path, id]
  }

  /**
   * Whether a login by a token would be accepted now: tokens expire and are revoked, users are
   * deleted. Other logins are taken for good.
   */
  async isStillGood({ values }: AcceptedLogin): Promise<boolean> {
    const { authentication } = values as { authentication?: AuthenticationRequest }
    if (typeof authentication?.accessToken !== 'string') return true
    try {
      await this.authenticate(authentication, {}, [String(authentication.strategy)])
      return true
    } catch (error) {
      return toServiceError(error).code !== 401
    }
  }

  /** Whether the application refuses a token, or the next one of a login. */
  async isRefused(payload: TokenPayload, params: Params): Promise<boolean> {
    return Boolean(await this.#parts.isRevoked?.(payload, requestOf(params)))
  }

  /**
   * The credentials of a call: those that a hook or middleware has set (`null` is as if it were not
   * set), else those that one of the strategies reads from the request.
   */
  async of(params: Params, strategies = this.authenticator.strategyNames): Promise<AuthenticationRequest | undefined> {
    const { authentication }: AuthenticationParams = params
    const source = authentication && sources.get(authentication)
    if (authentication && source === undefined) return authentication
    const request = params.provider ? requestOf(params) : undefined
    if (request === undefined) return undefined
    if (source !== undefined && 'reader' in source && this.#isCurrent(source, request, strategies))
      return source.credentials
    return this.#parse(request, strategies)
  }

  /**
   * Puts the credentials of a request on `request.feathers`, unless middleware has put some there.
   */
  async read(request: FastifyRequest): Promise<void> {
    if ((request.feathers.authentication ?? null) !== null) return
    const credentials = await this.#parse(request, this.authenticator.strategyNames)
    if (credentials === undefined) return
    const strategy = this.#parts.strategies.get(String(credentials.strategy))
    const header = strategy instanceof JwtStrategy ? request.headers[strategy.header] : undefined
    // Hooks get a copy, which they may change.
    const authentication = { ...credentials }
    sources.set(authentication, { request, reader: this, credentials, strategy, header })
    request.feathers = { authentication }
  }

  /**
   * Whether a guard would read the same from a request again. Middleware and hooks may have changed
   * the headers, and only `jwt` is known to read nothing but one of them.
   */
  #isCurrent(
    { request, reader, credentials, strategy, header }: ReadCredentials,
    current: FastifyRequest,
    strategies: readonly string[]
  ): boolean {
    const [name] = strategies
    return (
      reader === this &&
      request === current &&
      strategies.length === 1 &&
      credentials.strategy === name &&
      strategy instanceof JwtStrategy &&
      credentials.isByCookie !== true &&
      current.headers[strategy.header] === header
    )
  }

  /**
   * Runs once, before the server starts or before a login that comes earlier.
   * @throws when a strategy can't work, or users are needed and have no service
   */
  setup(): Promise<void> {
    this.#ready ??= this.#setup().catch((error) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  /** Whether tokens of another authentication would be good here, for users of another table. */
  takesTokensOf(candidate: Credentials): boolean {
    const other = candidate.#parts
    const usersOf = ({ entities }: CredentialsParts) => (entities.name === null ? undefined : entities.service)
    const [tokens, foreign] = [this.#parts.tokens, other.tokens]
    if (tokens === undefined || foreign === undefined || usersOf(this.#parts) === usersOf(other)) return false
    return attempt(() => tokens.verify(foreign.sign({ sub: 'test' }).accessToken)) !== undefined
  }

  async #setup(): Promise<void> {
    const { entities, strategies, tokens } = this.#parts
    entities.setup(tokens !== undefined)
    for (const [name, strategy] of strategies) await strategy.setup?.(this.authenticator, name)
  }

  /** The credentials of a request, from the first of the strategies that finds some. */
  async #parse(request: FastifyRequest, among: readonly string[]): Promise<AuthenticationRequest | undefined> {
    const { parseStrategies, strategies, entities, cookie } = this.#parts
    try {
      for (const name of parseStrategies) {
        const parsed = among.includes(name) && (await strategies.get(name)?.parse?.(request))
        if (parsed) return { ...parsed, strategy: name }
      }
      // A browser adds cookies by itself: what the caller has chosen to send comes first.
      const name = cookie?.strategies.find((strategy) => parseStrategies.includes(strategy) && among.includes(strategy))
      const parsed = name !== undefined && cookie?.parse(request)
      return parsed ? { ...parsed, strategy: name } : undefined
    } catch (error) {
      throw entities.errorWithoutSecrets(error)
    }
  }

  async #verifyAccessToken(accessToken: unknown, params: Params): Promise<TokenPayload> {
    const { tokens, revocation } = this.#parts
    if (tokens === undefined)
      throw new Error('Access tokens need the option `secret` of authentication, which is not set')
    const payload = tokens.verify(accessToken)
    // Without an id it could never be revoked.
    if (revocation !== undefined && payload.jti === undefined) throw new NotAuthenticated('Invalid access token')
    const isRevoked =
      (revocation !== undefined && (await revocation.isRevoked(payload))) ||
      (this.#parts.isRevoked !== undefined && (await this.isRefused(payload, params)))
    if (isRevoked) throw new NotAuthenticated('Invalid access token: it was revoked')
    return payload
  }
}

/** The request that a call comes from, `undefined` for a call of the server. */
const requestOf = (params: Params) => callerIn(params)?.request as FastifyRequest | undefined
