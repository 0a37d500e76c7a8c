import type { AuthenticationRequest, AuthenticationResult, TokenPayload } from '../../types/authentication.js'
import type { Params } from '../../types/service.js'
import { NotAuthenticated } from '../core/errors.js'
import { Authenticator, type Parts } from './authenticator.js'
import type { Entity } from './entities.js'
import { isText } from './password.js'
import { loginOf, type Sessions, sessionOf } from './sessions.js'

/** What an authentication service is made of. */
export interface ServiceParts extends Parts {
  /** The names of the strategies that may log in. */
  readonly authStrategies: readonly string[]
  readonly sessions: Sessions | undefined
}

interface Issued {
  accessToken: string
  refreshToken?: string
  payload: TokenPayload
}

/** The service at which clients log in and out (specification: "Authentication"). It is made by the plugin. */
export class AuthenticationService extends Authenticator {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    super(parts)
    this.#parts = parts
  }

  /**
   * Logs in: `{ strategy, … }` → `{ accessToken, authentication, user }`. A hook may set `params.payload`, claims for the token.
   * @throws {NotAuthenticated} when the strategy is not enabled, or does not let in
   */
  async create(data: AuthenticationRequest, params: Params = {}): Promise<AuthenticationResult> {
    const result = await this.authenticate(data, params, this.#parts.authStrategies)
    // Tokens last: nothing that fails may use a refresh token up.
    const external = await this.#toExternal(result, params)
    if (result.accessToken !== undefined) return external
    const { payload, ...tokens } = await this.#issue(result, params)
    return { ...tokens, ...external, ...tokens, authentication: { ...result.authentication, payload } }
  }

  /**
   * Logs out: the token of the request, and the login that it comes from, are good no more where `revocation` or `refresh` is on.
   * @param id `null`, or the token itself
   * @throws {NotAuthenticated} when there is no valid token
   */
  async remove(id: string | null, params: Params = {}): Promise<AuthenticationResult> {
    const { revocation, sessions } = this.#parts
    const given = params.provider ? undefined : (params.authentication as AuthenticationRequest | undefined)
    const credentials = (await this.credentialsOf(params, this.strategyNames)) ?? given
    if (credentials === undefined) throw new NotAuthenticated('Not authenticated')
    const result = await this.authenticate(credentials, params, this.strategyNames)
    if (id !== null && id !== result.accessToken) throw new NotAuthenticated('Invalid access token')
    const { payload } = result.authentication
    const sid = payload?.sid ?? sessionOf(result)?.session.sid
    // The token last: one that is good may try again what has failed.
    if (sid !== undefined) await sessions?.end(sid)
    if (payload?.exp !== undefined) await revocation?.revoke(payload)
    return this.#toExternal(result, params)
  }

  async #issue(result: AuthenticationResult, params: Params): Promise<Issued> {
    const { tokens, sessions } = this.#parts
    const { authentication } = result
    const entity = this.#entityOf(result)
    const own = withoutReserved(authentication.payload)
    const sub = entity === undefined ? own.sub : String(this.entities.idOf(entity))
    if (!isText(sub))
      throw new Error(
        `The strategy '${authentication.strategy}' does not tell whom a token stands for: let it return the user, or authentication.payload.sub`
      )
    const claims = sessions && { auth_time: Math.floor(Date.now() / 1000), ...own, sub }
    const refreshToken = claims && (await sessions.issue(sessionOf(result), claims))
    const login = refreshToken === undefined ? {} : { ...claims, sid: loginOf(refreshToken) }
    const { accessToken, payload } = tokens.sign({ ...withoutReserved(params.payload), ...own, ...login, sub })
    return { accessToken, ...(refreshToken && { refreshToken }), payload }
  }

  #entityOf(result: AuthenticationResult): Entity | undefined {
    return this.entities.name === null ? undefined : (result[this.entities.name] as Entity | undefined)
  }

  async #toExternal(result: AuthenticationResult, params: Params): Promise<AuthenticationResult> {
    const entity = this.#entityOf(result)
    if (entity === undefined || !params.provider) return result
    const external = await this.entities.getExternal(entity, params)
    return { ...result, [String(this.entities.name)]: this.entities.withoutSecrets(external) }
  }
}

/** Claims without those that are ours to set. */
function withoutReserved(claims: unknown): Record<string, unknown> {
  const { iss, aud, exp, nbf, iat, jti, sid, ...others } = (claims ?? {}) as Record<string, unknown>
  return others
}
