import type { AuthenticationRequest, AuthenticationResult } from '../../types/authentication.js'
import type { AroundHook } from '../../types/fastify.js'
import type { Params } from '../../types/service.js'
import { NotAuthenticated } from '../core/errors.js'
import { withTraits } from '../core/hooks.js'
import { metaOf } from '../core/service-meta.js'
import type { TokenCookie } from './cookie.js'
import { documentLogin } from './documentation.js'
import type { Entities } from './entities.js'
import { isShortText } from './password.js'
import type { RevocationList } from './revocation.js'
import { createFamily, loginOf, type Sessions } from './sessions.js'
import type { Tokens } from './token.js'
import type { Credentials } from './verifier.js'

/** What a log-in by tokens needs. */
export interface TokenLogin {
  readonly tokens: Tokens
  /** The names of the strategies that may log in. */
  readonly authStrategies: readonly string[]
  readonly revocation: RevocationList | undefined
  readonly sessions: Sessions | undefined
  readonly cookie: TokenCookie | undefined
}

/** What the service works with. */
export interface ServiceParts extends TokenLogin {
  readonly credentials: Credentials
  readonly entities: Entities
}

/**
 * The service at which clients log in and out (docs/login-reference.md#answers). The plugin makes
 * it.
 *
 * @example
 * const service = app.service<AuthenticationService>('authentication')
 * const { accessToken } = await service.create({ strategy: 'local', email, password })
 * await service.remove(null, { authentication: { strategy: 'jwt', accessToken } })
 */
export class AuthenticationService {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
    const { credentials, authStrategies, entities } = parts
    // Caches must not keep tokens (RFC 6749, section 5.1), nor who was refused.
    metaOf(this).hasSecretAnswers = true
    metaOf(this).document = () => documentLogin(credentials, authStrategies, entities.paths)
  }

  /**
   * Sets the strategies up, before the server starts.
   * @throws when one of them can't work, or users are needed and have no service
   */
  setup(): Promise<void> {
    return this.#parts.credentials.setup()
  }

  /**
   * Logs in: `{ strategy, … }` → `{ accessToken, authentication, user }`. A hook may set
   * `params.payload`, claims for the token.
   * @throws {NotAuthenticated} when the strategy may not log in, or refuses the credentials
   */
  async create(data: AuthenticationRequest, params: Params = {}): Promise<AuthenticationResult> {
    const { credentials, authStrategies } = this.#parts
    // What the user is compared with may change while that is done: a rule that ends older logins
    // has to end this one, too.
    const begin = Math.floor(Date.now() / 1000)
    const result = await credentials.authenticate(data, params, authStrategies)
    const external = await this.#toExternal(result, params)
    if (result.accessToken !== undefined) return external
    // Tokens come last: a failure before this must not use up a refresh token.
    const { payload, ...tokens } = await this.#issue(result, refreshTokenIn(data), begin, params)
    return { ...tokens, ...external, ...tokens, authentication: { ...result.authentication, payload } }
  }

  /**
   * Logs out. With `revocation` it revokes the token of the request; with `refresh` it ends the
   * login that the token comes from.
   * @param id `null`, or the token itself
   * @throws {NotAuthenticated} when there is no valid token
   */
  async remove(id: string | null, params: Params = {}): Promise<AuthenticationResult> {
    const { credentials, revocation, sessions } = this.#parts
    const { authentication }: Params & { authentication?: AuthenticationRequest } = params
    const loginRequest = (await credentials.of(params)) ?? (params.provider ? undefined : authentication)
    if (!loginRequest) throw new NotAuthenticated('Not authenticated')
    const result = await credentials.authenticate(loginRequest, params, credentials.authenticator.strategyNames)
    if (id !== null && id !== result.accessToken) throw new NotAuthenticated('Invalid access token')
    const { payload } = result.authentication
    const refreshToken = refreshTokenIn(loginRequest)
    const sid = payload?.sid ?? (refreshToken && loginOf(refreshToken))
    // The token comes last: where ending the login fails, the client can try again with it.
    if (sid !== undefined) await sessions?.end(sid)
    if (payload?.exp !== undefined) await revocation?.revoke(payload)
    return this.#toExternal(result, params)
  }

  async #issue(result: AuthenticationResult, usedToken: string | undefined, begin: number, params: Params) {
    const { credentials, entities, tokens, sessions } = this.#parts
    const { authentication } = result
    const entity = this.#entityOf(result)
    const strategyClaims = withoutReserved(authentication.payload)
    const sub = entity === undefined ? strategyClaims.sub : String(entities.idOf(entity))
    if (!isShortText(sub))
      throw new Error(
        `The strategy '${authentication.strategy}' does not tell whom a token stands for: let it return the user, or authentication.payload.sub`
      )
    const claims = sessions && { auth_time: begin, ...strategyClaims, sub }
    const family = usedToken ?? createFamily()
    // Signed first: claims that make no token use up no refresh token, and a login that ends from
    // here on revokes it.
    const { accessToken, payload } = tokens.sign({
      ...withoutReserved(params.payload),
      ...strategyClaims,
      ...(claims && { ...claims, sid: loginOf(family) }),
      sub,
      iat: begin
    })
    // A rule of the application ends a login, and not its access tokens alone.
    if (usedToken !== undefined && (await credentials.isRefused(payload, params)))
      throw new NotAuthenticated('Invalid refresh token: it was revoked')
    const refreshToken = claims && (await (usedToken ? sessions.renew(usedToken) : sessions.start(family, claims)))
    return { accessToken, ...(refreshToken && { refreshToken }), payload }
  }

  #entityOf(result: AuthenticationResult): unknown {
    const { name } = this.#parts.entities
    return name === null ? undefined : result[name]
  }

  /** For a call from outside, the user as they see themselves over HTTP. */
  async #toExternal(result: AuthenticationResult, params: Params): Promise<AuthenticationResult> {
    const { entities, credentials } = this.#parts
    const entity = this.#entityOf(result)
    if (entity === undefined || !params.provider) return result
    return { ...result, [String(entities.name)]: await entities.getExternal(entity, params, credentials) }
  }
}

/** The refresh token of credentials that were accepted, if that is what they are. */
const refreshTokenIn = ({ strategy, refreshToken }: AuthenticationRequest) =>
  strategy === 'refresh' ? String(refreshToken) : undefined

/** Claims without those that only the service sets. */
function withoutReserved(claims: unknown): Record<string, unknown> {
  const { iss, aud, exp, nbf, iat, jti, sid, ...others }: Record<string, unknown> = Object(claims)
  return others
}

/** Emits an event of the authentication service once everything around the call has succeeded. */
function emitAfter(event: string): AroundHook {
  const hook: AroundHook = async (context, next) => {
    await next()
    context.service.emit(event, context.result, context)
  }
  return withTraits(hook, { isOutermost: true })
}

/** The hooks of every authentication service. */
export const loginHooks = (cookie: TokenCookie | undefined) => ({
  around: {
    all: cookie === undefined ? [] : [cookie.hook],
    create: [emitAfter('login')],
    remove: [emitAfter('logout')]
  }
})
