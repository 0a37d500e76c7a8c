import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest, TokenPayload } from '../../types/authentication.js'
import type { Params } from '../../types/service.js'
import type { Authenticator } from './authenticator.js'

/** What a strategy found out. The entity stands under its name, `user` by default. */
export interface StrategyResult {
  authentication?: {
    /** Claims for the access token of a login. `sub` says whom it stands for, where there is no entity. */
    payload?: Partial<TokenPayload>
    [key: string]: unknown
  }
  [key: string]: unknown
}

/**
 * A way to prove who calls. `local` and `jwt` are such; write your own for an API key, a cookie, a magic link
 * (specification: "Authentication").
 *
 * @example
 * const apiKey: Strategy = {
 *   parse: ({ headers }) => (headers['x-api-key'] ? { apiKey: headers['x-api-key'] } : null),
 *   async authenticate({ apiKey }) { return { user: await ownerOf(apiKey) } }
 * }
 */
export interface Strategy {
  /** Called once, before the server starts. @throws when the strategy can't work */
  setup?(authentication: Authenticator, name: string): unknown
  /**
   * Tells who calls, from what a client has sent or `parse` has found.
   * @throws {NotAuthenticated} when that proves nothing
   */
  authenticate(request: AuthenticationRequest, params: Params): Promise<StrategyResult> | StrategyResult
  /** Reads credentials from a request: its headers, a cookie. `null` when there are none. It need not check them. */
  parse?(request: FastifyRequest): AuthenticationRequest | null | Promise<AuthenticationRequest | null>
}
