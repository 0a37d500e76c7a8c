import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest, TokenPayload } from '../../types/authentication.js'
import type { Params } from '../../types/service.js'
import type { SecurityScheme } from '../core/hooks.js'
import type { Entities } from './entities.js'
import type { Passwords } from './password.js'

/**
 * What a strategy found out about the caller. The user stands under the name of the entity, `user`
 * by default.
 */
export interface StrategyResult {
  authentication?: {
    /**
     * Claims for the access token of a login. Where there are no users, `sub` says whom the token
     * stands for.
     */
    payload?: Partial<TokenPayload>
    [key: string]: unknown
  }
  [key: string]: unknown
}

/**
 * What a strategy may use of its authentication service. It gets this in `setup`.
 *
 * @example
 * const link: Strategy = {
 *   setup(authentication) {
 *     this.authenticate = async ({ token }, params) => {
 *       const { sub } = await authentication.verifyAccessToken(token, params)
 *       return { user: await authentication.entities.get(sub, params) }
 *     }
 *   },
 *   authenticate: () => ({})
 * }
 */
export interface Authenticator {
  /** Finds users through their service, as the server sees them: with the hash of the password. */
  readonly entities: Pick<Entities, 'name' | 'service' | 'require' | 'find' | 'get' | 'idOf' | 'serviceName'>
  /** Hashes and verifies passwords, with a limit on how many at once. */
  readonly passwords: Passwords
  /** The names of all strategies of the service. */
  readonly strategyNames: readonly string[]
  /**
   * Verifies an access token: its signature, its claims, and that it was not revoked.
   * @param params the params of the call: `isRevoked` gets the request that they belong to
   * @throws {NotAuthenticated} when the token is not valid
   */
  verifyAccessToken(accessToken: unknown, params?: Params): Promise<TokenPayload>
  /** Writes an error to the log of the application. */
  log(message: string, error: unknown): void
}

/**
 * A way to prove who calls. `local` and `jwt` are strategies; write your own for an API key, a
 * cookie or a magic link (docs/login-strategies.md).
 *
 * @example
 * const apiKey: Strategy = {
 *   parse: ({ headers }) => (headers['x-api-key'] ? { apiKey: headers['x-api-key'] } : null),
 *   async authenticate({ apiKey }) { return { user: await ownerOf(apiKey) } },
 *   describe: () => ({ security: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } })
 * }
 */
export interface Strategy {
  /** Called once, before the server starts. @throws when the strategy can't work */
  setup?(authentication: Authenticator, name: string): unknown
  /**
   * Tells who calls, from what a client has sent or `parse` has found. The secrets of the user are
   * removed from what it returns.
   * @throws {NotAuthenticated} when that proves nothing
   */
  authenticate(request: AuthenticationRequest, params: Params): Promise<StrategyResult> | StrategyResult
  /**
   * Reads credentials from a request, from its headers or a cookie for example. `null` when there
   * are none. It need not check them.
   */
  parse?(request: FastifyRequest): AuthenticationRequest | null | Promise<AuthenticationRequest | null>
  /**
   * What OpenAPI documents say of it. Without it they say nothing of what a login sends beside
   * `strategy`.
   */
  describe?(): StrategyDescription
}

/** What OpenAPI documents say of a strategy. */
export interface StrategyDescription {
  /** JSON schemas of the fields that a login sends beside `strategy`. */
  readonly login?: Readonly<Record<string, object>>
  /**
   * How requests carry the credentials, as a "Security Scheme Object": `{ type: 'apiKey', in:
   * 'header', name: 'X-Api-Key' }`.
   */
  readonly security?: SecurityScheme
}
