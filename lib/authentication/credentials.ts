import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AuthenticationRequest, AuthenticationResult, TokenPayload } from '../../types/authentication.js'
import type { Params } from '../../types/service.js'
import { noteRefusedToken } from '../core/challenge.js'
import { attempt, NotAuthenticated, toServiceError } from '../core/errors.js'
import type { SecurityScheme } from '../core/hooks.js'
import { callerIn } from '../core/http-call.js'
import {
  type AcceptedLogin,
  type Called,
  isViewOf,
  type LoginVerifier,
  noteLogin,
  withoutOtherLogins
} from '../core/logins.js'
import { isPromise } from '../core/objects.js'
import { propertiesOf } from '../core/request-state.js'
import { checkCookie, type TokenCookie } from './cookie.js'
import type { Passwords } from './password.js'
import type { RevocationList } from './sessions.js'
import { bearer } from './strategies/jwt.js'
import type { Authenticator, Strategy, StrategyResult } from './strategy.js'
import type { Tokens } from './token.js'
import type { Users } from './users.js'

interface CredentialsParts {
  readonly app: FastifyInstance
  readonly users: Users
  readonly passwords: Passwords
  /** `undefined` if no strategy issues any. */
  readonly tokens: Tokens | undefined
  readonly cookie: TokenCookie | undefined
  readonly strategies: ReadonlyMap<string, Strategy>
  readonly parseStrategies: readonly string[]
  readonly revocation: RevocationList | undefined
  readonly isRevoked: ((payload: TokenPayload, request: FastifyRequest | undefined) => unknown) | undefined
  readonly log: Authenticator['log']
}

type AuthenticationParams = Params & { authentication?: AuthenticationRequest }

// Any other `params.authentication` was set by the application.
/** Which authentication has verified a `params.authentication`. */
const verifiers = new WeakMap<object, Credentials>()
/** Each `params.authentication` that was read from a request, before a service was called. */
const unverified = new WeakSet<object>()

interface GuardedCall extends Called {
  /** The context or the request: further guards of the same call have the same. */
  readonly call: object
}

// The authentications whose guards a call has passed, also before its route. All of them trust the
// users of each other for this call.
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

/** Reads the credentials of calls, and verifies them by the strategies of one authentication. */
export class Credentials implements LoginVerifier {
  /** The tools for strategies. */
  readonly authenticator: Authenticator
  readonly #parts: CredentialsParts
  #ready: Promise<void> | undefined

  constructor(parts: CredentialsParts) {
    const { app, users, passwords, strategies, log } = parts
    this.#parts = parts
    this.authenticator = {
      app,
      entities: users,
      passwords,
      strategyNames: [...strategies.keys()],
      verifyAccessToken: (accessToken, params = {}) => this.#verifyAccessToken(accessToken, params),
      log
    }
  }

  get users(): Users {
    return this.#parts.users
  }

  get strategies(): readonly Strategy[] {
    return [...this.#parts.strategies.values()]
  }

  /** Signs and verifies tokens. `undefined` if no strategy issues any. */
  get tokens(): Tokens | undefined {
    return this.#parts.tokens
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

  async #setup(): Promise<void> {
    const { users, strategies, tokens } = this.#parts
    users.setup(tokens !== undefined)
    for (const [name, strategy] of strategies) await strategy.setup?.(this.authenticator, name)
  }

  /**
   * Verifies credentials by their strategy. The secrets of users are redacted here, so that no
   * result and no error of a strategy has them.
   * @param allowed the names of the allowed strategies
   * @throws {NotAuthenticated} when the strategy is not allowed, or refuses the credentials
   */
  async authenticate(
    request: AuthenticationRequest,
    params: Params,
    allowed: readonly string[]
  ): Promise<AuthenticationResult> {
    const { users, strategies } = this.#parts
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
      throw users.redactError(error)
    }
    if (typeof strategyResult !== 'object' || strategyResult === null) throw new NotAuthenticated('Not authenticated')
    const authentication = { ...strategyResult.authentication, strategy: name }
    const { payload } = authentication
    // Tokens have texts as ids.
    if (Number.isFinite(payload?.sub)) authentication.payload = { ...payload, sub: String(payload?.sub) }
    const result = { ...strategyResult, authentication } as AuthenticationResult
    if (users.name !== null && result[users.name] !== undefined) result[users.name] = users.redact(result[users.name])
    verifiers.set(authentication, this)
    return result
  }

  /**
   * Finds out who makes a call, for a guard. A call of the server itself needs no credentials. The
   * users of other authentications are removed, unless their guards protect the same call.
   * @returns the params of the call, with the user and `authenticated: true`
   * @throws {NotAuthenticated} when the call comes from outside, without credentials that one of
   * the strategies accepts
   */
  async check<P extends Params>(callParams: P, strategies: readonly string[], guarded: GuardedCall): Promise<P> {
    if (isViewOf(callParams, guarded)) return callParams
    const caller = callerIn(callParams)
    const isOwnCall = caller !== undefined && caller.context === guarded.call
    const passed = guardsPassedBy(isOwnCall ? Object(caller.request) : guarded.call)
    const params: P & AuthenticationParams = withoutOtherLogins(callParams, this, passed)
    passed.add(this)
    const { authentication, authenticated, provider } = params
    // A call of the server itself, such as the look-up of a user.
    if (!authentication && !provider) return params
    const isVerified =
      !authentication ||
      (verifiers.get(authentication) === this && strategies.includes(String(authentication.strategy)))
    if (authenticated === true && isVerified) return params
    const credentials = await this.of(params, strategies)
    if (credentials === undefined && provider) throw new NotAuthenticated('Not authenticated')
    if (credentials === undefined) return params
    const result = await this.authenticate(credentials, params, strategies).catch((error) => {
      const isByToken = this.#securityOf(String(credentials.strategy))?.scheme === 'bearer'
      throw isByToken && toServiceError(error).code === 401 ? noteRefusedToken(error) : error
    })
    const values: Record<string, unknown> = {}
    for (const name of Object.keys(result)) if (!tokenNames.includes(name)) values[name] = result[name]
    values.authenticated = true
    const note = noteLogin(params, { maker: this, values, identity: this.#identityOf(values) })
    // A spread of params, which are of a class, is slower on Node 20.
    return Object.assign({}, params, values, note)
  }

  /**
   * The unique key of a caller: the user, or else the subject of the token. The id of a user that a
   * strategy returns may be a getter that throws.
   */
  #identityOf(values: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
    const { users } = this.#parts
    const { iss, aud, sub } = Object(Object(values.authentication).payload)
    if (users.name === null) return sub === undefined ? undefined : [iss, aud, sub]
    const user = values[users.name]
    const id = attempt(() => users.idIn(user)) ?? sub
    return id === undefined ? undefined : [users.path, id]
  }

  /**
   * Whether a login by a token would be accepted now: tokens expire and are revoked, users are
   * deleted. Other logins are accepted for good.
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
   * Returns the credentials of a call. A hook or middleware may have set them. If not, or if they
   * are `null`, a strategy reads them from the request.
   */
  async of(params: Params, strategies = this.authenticator.strategyNames): Promise<AuthenticationRequest | undefined> {
    const { authentication }: AuthenticationParams = params
    // A hook may have set `null`, or another value that is no object.
    if (authentication && !verifiers.has(authentication) && !unverified.has(authentication)) return authentication
    // Read again, since hooks may have changed the request or the credentials.
    const request = params.provider ? requestOf(params) : undefined
    return request && this.#parse(request, strategies)
  }

  /**
   * Puts the credentials of a request on `request.feathers`, unless middleware has put some there.
   * @returns a promise only if a strategy is asynchronous: most wait for nothing
   */
  read(request: FastifyRequest): Promise<void> | undefined {
    // The getter of `feathers` would make an object for each request.
    if ((propertiesOf(request)?.authentication ?? null) !== null) return undefined
    const parsed = this.#parse(request, this.authenticator.strategyNames)
    if (isPromise(parsed)) return parsed.then((credentials) => this.#keep(request, credentials))
    this.#keep(request, parsed)
    return undefined
  }

  #keep(request: FastifyRequest, authentication: AuthenticationRequest | undefined): void {
    if (authentication === undefined) return
    unverified.add(authentication)
    request.feathers = { authentication }
  }

  /**
   * Returns the credentials of a request, from the first of the strategies that finds some.
   * @returns a promise only if a strategy is asynchronous
   */
  #parse(request: FastifyRequest, allowed: readonly string[]): MaybePromise<AuthenticationRequest | undefined> {
    const redact = (error: unknown): never => {
      throw this.#parts.users.redactError(error)
    }
    try {
      const parsed = this.#parseFrom(0, request, allowed)
      return isPromise(parsed) ? parsed.then(undefined, redact) : parsed
    } catch (error) {
      return redact(error)
    }
  }

  /** Asks the strategies from an index on, and then the cookie. */
  #parseFrom(
    index: number,
    request: FastifyRequest,
    allowed: readonly string[]
  ): MaybePromise<AuthenticationRequest | undefined> {
    const { parseStrategies, strategies } = this.#parts
    const name = parseStrategies[index]
    if (name === undefined) return this.#parseCookie(request, allowed)
    const useOrAskNext = (parsed: AuthenticationRequest | null | undefined) =>
      parsed ? { ...parsed, strategy: name } : this.#parseFrom(index + 1, request, allowed)
    const parsed = allowed.includes(name) ? strategies.get(name)?.parse?.(request) : undefined
    return isPromise(parsed) ? Promise.resolve(parsed).then(useOrAskNext) : useOrAskNext(parsed)
  }

  // Browsers add cookies by themselves, so the credentials that the caller has chosen to send come
  // first.
  #parseCookie(request: FastifyRequest, allowed: readonly string[]): AuthenticationRequest | undefined {
    const { parseStrategies, cookie } = this.#parts
    const name = cookie?.strategies.find((strategy) => parseStrategies.includes(strategy) && allowed.includes(strategy))
    const parsed = name !== undefined && cookie?.parse(request)
    return parsed ? { ...parsed, strategy: name } : undefined
  }

  /**
   * Whether tokens of another authentication would be accepted here, for users of another table.
   */
  takesTokensOf(candidate: Credentials): boolean {
    const foreign = candidate.#parts
    const usersOf = ({ users }: CredentialsParts) => (users.name === null ? undefined : users.service)
    const [tokens, foreignTokens] = [this.#parts.tokens, foreign.tokens]
    if (tokens === undefined || foreignTokens === undefined || usersOf(this.#parts) === usersOf(foreign)) return false
    return attempt(() => tokens.verify(foreignTokens.sign({ sub: 'test' }).accessToken)) !== undefined
  }

  async #verifyAccessToken(accessToken: unknown, params: Params): Promise<TokenPayload> {
    const { tokens, revocation, isRevoked } = this.#parts
    if (tokens === undefined)
      throw new Error('Access tokens need the option `secret` of authentication, which is not set')
    const payload = tokens.verify(accessToken)
    // Without an id it could never be revoked.
    if (revocation !== undefined && payload.jti === undefined) throw new NotAuthenticated('Invalid access token')
    const isRefused =
      (revocation !== undefined && (await revocation.isRevoked(payload))) ||
      (isRevoked !== undefined && (await this.isRefused(payload, params)))
    if (isRefused) throw new NotAuthenticated('Invalid access token: it was revoked')
    return payload
  }

  /** The security schemes of OpenAPI for these strategies, by the names that they have there. */
  securitySchemes(names: readonly string[]): Record<string, SecurityScheme> {
    const { parseStrategies, cookie } = this.#parts
    const schemes = parseStrategies.flatMap((name) => {
      const scheme = names.includes(name) ? this.#securityOf(name) : undefined
      return scheme === undefined ? [] : [[scheme.scheme === 'bearer' ? 'Bearer' : name, scheme] as const]
    })
    if (cookie?.strategies.some((name) => names.includes(name)))
      schemes.push(['Cookie', { type: 'apiKey', in: 'cookie', name: cookie.name }])
    return schemes.length === 0 ? { Bearer: bearer } : Object.fromEntries(schemes)
  }

  readonly #securityOf = (strategy: string) => this.#parts.strategies.get(strategy)?.describe?.().security

  loginFieldsOf(strategy: string): Readonly<Record<string, object>> {
    return this.#parts.strategies.get(strategy)?.describe?.().login ?? {}
  }
}

// A login returns these, and no call needs them.
const tokenNames = ['accessToken', 'refreshToken']

type MaybePromise<T> = T | Promise<T>

const requestOf = (params: Params) => callerIn(params)?.request as FastifyRequest | undefined
