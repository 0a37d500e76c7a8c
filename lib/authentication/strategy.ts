import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AuthenticationRequest, TokenPayload } from '../../types/authentication.js'
import type { Id, Params } from '../../types/service.js'
import type { SecurityScheme } from '../core/hooks.js'
import type { Passwords } from './password.js'
import type { Users } from './users.js'

/** The result of a strategy, with the user under the name of the entity, `user` by default. */
export interface StrategyResult {
  authentication?: {
    /**
     * Claims for the access token of a login. Without users, `sub` is the id of the token's owner.
     */
    payload?: { sub?: Id; [claim: string]: unknown }
    /**
     * A secret that the caller sends with each request. With each heartbeat of a stream of events,
     * `authenticate` gets it again, and the stream ends if it throws NotAuthenticated.
     */
    accessToken?: unknown
    [key: string]: unknown
  }
  [key: string]: unknown
}

/**
 * The tools of an authentication service for its strategies, which get it in `setup`.
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
  /** The instance that the plugin is registered on. */
  readonly app: FastifyInstance
  /** Finds users through their service, as the server itself sees them: with the password hash. */
  readonly entities: Pick<Users, 'name' | 'service' | 'require' | 'find' | 'get' | 'idOf' | 'serviceName'>
  /** Hashes and verifies passwords, with a limit on how many at once. */
  readonly passwords: Passwords
  /** The names of all strategies of the service. */
  readonly strategyNames: readonly string[]
  /**
   * Verifies an access token: its signature, its claims, and that it was not revoked.
   * @param params the params of the call: `isRevoked` gets their request
   * @throws {NotAuthenticated} when the token is not valid
   */
  verifyAccessToken(accessToken: unknown, params?: Params): Promise<TokenPayload>
  log(message: string, error: unknown): void
}

/**
 * A way to verify callers. `local` and `jwt` are strategies. Write your own for an API key, a
 * cookie or a magic link (docs/authentication.md#write-a-strategy).
 *
 * @example
 * const apiKey: Strategy = {
 *   parse: ({ headers }) => (headers['x-api-key'] ? { apiKey: headers['x-api-key'] } : null),
 *   async authenticate({ apiKey }) { return { user: await ownerOf(apiKey) } },
 *   describe: () => ({ security: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } })
 * }
 */
export interface Strategy {
  /**
   * `false` if it only reads requests: nobody logs in or out by it. Default: the option
   * `authStrategies` decides who logs in.
   */
  readonly logsIn?: boolean
  /** Called once, before the server starts. @throws when the strategy can't work */
  setup?(authentication: Authenticator, name: string): unknown
  /**
   * Verifies credentials that a client has sent or `parse` has found. The secrets of the user are
   * removed from the result.
   * @throws {NotAuthenticated} when the credentials are not valid
   */
  authenticate(request: AuthenticationRequest, params: Params): Promise<StrategyResult> | StrategyResult
  /**
   * Reads credentials from a request, for example from its headers or a cookie. Returns `null` if
   * there are none. It need not verify them.
   */
  parse?(request: FastifyRequest): AuthenticationRequest | null | Promise<AuthenticationRequest | null>
  /**
   * Describes the strategy for OpenAPI documents. Without it, they have only the field `strategy`
   * of a login.
   */
  describe?(): StrategyDescription
}

/** The description of a strategy in OpenAPI documents. */
export interface StrategyDescription {
  /** JSON schemas of the fields that a login sends beside `strategy`. */
  readonly login?: Readonly<Record<string, object>>
  /**
   * The "Security Scheme Object" of the credentials in requests: `{ type: 'apiKey', in: 'header',
   * name: 'X-Api-Key' }`.
   */
  readonly security?: SecurityScheme
}
