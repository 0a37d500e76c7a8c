import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest, AuthenticationResult, TokenPayload } from '../../types/authentication.js'
import type { Params } from '../../types/service.js'
import { attempt, NotAuthenticated, toServiceError } from '../core/errors.js'
import { createHiddenProperty } from '../core/hidden-property.js'
import { callerIn } from '../core/http-call.js'
import {
  type AcceptedLogin,
  type Called,
  isViewOf,
  type LoginVerifier,
  noteLogin,
  withoutOtherLogins
} from '../core/logins.js'
import { merge } from '../core/objects.js'
import { checkCookie, type TokenCookie } from './cookie.js'
import type { Entities } from './entities.js'
import type { Passwords } from './password.js'
import type { RevocationList } from './revocation.js'
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

// Each `params.authentication` that was made here, and who has verified it: nobody where it was
// only read. Any other was set by others.
const verifiers = createHiddenProperty<Credentials | 'nobody'>()

/** What a guard stands before. */
export interface Guarded extends Called {
  /** The context or the request: further guards of the same call have the same. */
  readonly call: object
}

// The guards of one call may be those of several authentications, who is known to each of them
// then.
const accepting = createHiddenProperty<Set<object>>()

/** The authentications whose guards a call has passed, also before its route. */
function acceptedIn(params: Params, call: object): Set<object> {
  const caller = callerIn(params)
  const key = caller !== undefined && caller.context === call ? Object(caller.request) : call
  const earlierServices = accepting.get(key)
  if (earlierServices !== undefined) return earlierServices
  const acceptingServices = new Set<object>()
  accepting.set(key, acceptingServices)
  return acceptingServices
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
    checkCookie(request, params)
    await this.setup()
    let strategyResult: StrategyResult
    try {
      strategyResult = await strategy.authenticate(request, params)
    } catch (error) {
      throw entities.errorWithoutSecrets(error)
    }
    if (typeof strategyResult !== 'object' || strategyResult === null) throw new NotAuthenticated('Not authenticated')
    const authentication = merge(strategyResult.authentication ?? {}, { strategy: name })
    const result = merge(strategyResult, { authentication }) as AuthenticationResult
    const entity = entities.name
    if (entity !== null && result[entity] !== undefined) result[entity] = entities.withoutSecrets(result[entity])
    verifiers.set(authentication, this)
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
    const accepted = acceptedIn(callParams, guarded.call)
    const params: P & AuthenticationParams = withoutOtherLogins(callParams, this, accepted)
    accepted.add(this)
    const { authentication, authenticated } = params
    const isOurs = !authentication || verifiers.get(authentication) === this
    const isAllowed = !authentication || strategies.includes(String(authentication.strategy))
    if (authenticated === true && isOurs && isAllowed) return params
    const credentials = await this.of(params, strategies)
    if (credentials === undefined && params.provider) throw new NotAuthenticated('Not authenticated')
    if (credentials === undefined) return params
    const { accessToken, refreshToken, ...result } = await this.authenticate(credentials, params, strategies)
    const values = merge(result, { authenticated: true })
    const note = noteLogin(params, { maker: this, values, identity: this.#identityIn(values) })
    return Object.assign(merge(params, values), note)
  }

  /** What tells a caller from all others: the user, or else the subject of the token. */
  #identityIn(values: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
    const { entities } = this.#parts
    const user = values[String(entities.name)]
    const { iss, aud, sub } = Object(Object(values.authentication).payload)
    const id = attempt(() => entities.idOf(user)) ?? sub
    return id === undefined ? undefined : entities.name === null ? [iss, aud, id] : [entities.paths[0], id]
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
    if (authentication && verifiers.get(authentication) === undefined) return authentication
    const request = params.provider ? requestOf(params) : undefined
    return request && this.#parse(request, strategies)
  }

  /**
   * Puts the credentials of a request on `request.feathers`, unless middleware has put some there.
   */
  async read(request: FastifyRequest): Promise<void> {
    if ((request.feathers.authentication ?? null) !== null) return
    const parsedRequest = await this.#parse(request, this.authenticator.strategyNames)
    if (parsedRequest === undefined) return
    verifiers.set(parsedRequest, 'nobody')
    request.feathers = { authentication: parsedRequest }
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
        if (parsed) return merge(parsed, { strategy: name })
      }
      // A browser adds cookies by itself: what the caller has chosen to send comes first.
      const name = cookie?.strategies.find((strategy) => parseStrategies.includes(strategy) && among.includes(strategy))
      const parsed = name !== undefined && cookie?.parse(request)
      return parsed ? merge(parsed, { strategy: name }) : undefined
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
    if ((await revocation?.isRevoked(payload)) || (await this.isRefused(payload, params)))
      throw new NotAuthenticated('Invalid access token: it was revoked')
    return payload
  }
}

/** The request that a call comes from, `undefined` for a call of the server. */
const requestOf = (params: Params) => callerIn(params)?.request as FastifyRequest | undefined
