import type { AuthenticationRequest, AuthenticationResult } from '../../types/authentication.js'
import type { AroundHook } from '../../types/fastify.js'
import type { Params } from '../../types/service.js'
import { NotAuthenticated } from '../core/errors.js'
import { withTraits } from '../core/hooks.js'
import { type MethodDocumentation, metaOf } from '../core/service-meta.js'
import type { TokenCookie } from './cookie.js'
import type { Credentials } from './credentials.js'
import { isShortText } from './password.js'
import { createFamily, loginOf, type RevocationList, type Sessions } from './sessions.js'
import type { Tokens } from './token.js'
import type { Users } from './users.js'

export interface TokenLogin {
  readonly tokens: Tokens
  readonly authStrategies: readonly string[]
  /** The names of the strategies that may log out: all but those that only read requests. */
  readonly logoutStrategies: readonly string[]
  readonly revocation: RevocationList | undefined
  readonly sessions: Sessions | undefined
  readonly cookie: TokenCookie | undefined
}

export interface ServiceParts extends TokenLogin {
  readonly credentials: Credentials
  readonly users: Users
}

/**
 * Logs clients in and out (docs/authentication.md#answers). The plugin creates
 * it.
 *
 * @example
 * const service = app.service<AuthenticationService>('authentication')
 * const { accessToken } = await service.create({ strategy: 'local', email, password })
 * await service.remove(null, { authentication: { strategy: 'jwt', accessToken } })
 */
export class AuthenticationService {
  readonly #parts: ServiceParts

  /** @internal */
  constructor(parts: ServiceParts) {
    this.#parts = parts
    // Caches must not keep tokens (RFC 6749, section 5.1), nor who was refused.
    metaOf(this).hasSecretAnswers = true
    metaOf(this).isForLogins = true
    metaOf(this).document = () => documentLogin(parts)
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
    // The user may change while the credentials are verified. A rule that ends logins from before
    // the change has to end this one, too.
    const begin = Math.floor(Date.now() / 1000)
    const result = await credentials.authenticate(data, params, authStrategies)
    const external = await this.#toExternal(result, params)
    if (result.accessToken !== undefined) return external
    // Tokens come last: a failure before this must not use up a refresh token.
    const { payload, ...tokens } = await this.#issueTokens(result, refreshTokenIn(data), begin, params)
    return { ...tokens, ...external, ...tokens, authentication: { ...result.authentication, payload } }
  }

  /**
   * Logs out. With `revocation` it revokes the token of the request; with `refresh` it ends the
   * login that the token comes from.
   * @param id `null`, or the token itself
   * @throws {NotAuthenticated} when there is no valid token
   */
  async remove(id: string | null, params: Params = {}): Promise<AuthenticationResult> {
    const { credentials, logoutStrategies, revocation, sessions } = this.#parts
    const { authentication }: Params & { authentication?: AuthenticationRequest } = params
    const loginRequest =
      (await credentials.of(params, logoutStrategies)) ?? (params.provider ? undefined : authentication)
    if (!loginRequest) throw new NotAuthenticated('Not authenticated')
    const result = await credentials.authenticate(loginRequest, params, logoutStrategies)
    if (id !== null && id !== result.accessToken) throw new NotAuthenticated('Invalid access token')
    const { payload } = result.authentication
    const refreshToken = refreshTokenIn(loginRequest)
    const sid = payload?.sid ?? (refreshToken && loginOf(refreshToken))
    // The token comes last: if ending the login fails, the client can try again with it.
    if (sid !== undefined) await sessions?.end(sid)
    if (payload?.exp !== undefined) await revocation?.revoke(payload)
    return this.#toExternal(result, params)
  }

  async #issueTokens(result: AuthenticationResult, usedToken: string | undefined, begin: number, params: Params) {
    const { credentials, tokens, sessions } = this.#parts
    const strategyClaims = withoutReserved(result.authentication.payload)
    const sub = this.#subjectOf(result, strategyClaims)
    const claims = sessions && { auth_time: begin, ...strategyClaims, sub }
    const family = usedToken ?? createFamily()
    // Signed first: claims that can't be signed must not use up a refresh token, and a login that
    // ends from here on revokes the access token.
    const { accessToken, payload } = tokens.sign({
      ...withoutReserved(params.payload),
      ...strategyClaims,
      ...(claims && { ...claims, sid: loginOf(family) }),
      sub,
      iat: begin
    })
    // A rule of the application ends the whole login, not its access tokens alone.
    if (usedToken !== undefined && (await credentials.isRefused(payload, params)))
      throw new NotAuthenticated('Invalid refresh token: it was revoked')
    const refreshToken = claims && (await (usedToken ? sessions.renew(usedToken) : sessions.start(family, claims)))
    return { accessToken, ...(refreshToken && { refreshToken }), payload }
  }

  /** The claim `sub`: the id of the user, or a value of a strategy without users. */
  #subjectOf(result: AuthenticationResult, strategyClaims: Record<string, unknown>): string {
    const user = this.#userIn(result)
    const sub = user === undefined ? strategyClaims.sub : String(this.#parts.users.idOf(user))
    if (isShortText(sub)) return sub
    throw new Error(
      `The strategy '${result.authentication.strategy}' does not say whom a token belongs to: return the user, or authentication.payload.sub`
    )
  }

  #userIn(result: AuthenticationResult): unknown {
    const { name } = this.#parts.users
    return name === null ? undefined : result[name]
  }

  /** For a call from outside, the user as they see themselves over HTTP. */
  async #toExternal(result: AuthenticationResult, params: Params): Promise<AuthenticationResult> {
    const { users, credentials } = this.#parts
    const user = this.#userIn(result)
    if (user === undefined || !params.provider) return result
    return { ...result, [String(users.name)]: await users.getExternal(user, params, credentials) }
  }
}

/** The refresh token of accepted credentials of the strategy `refresh`. */
const refreshTokenIn = ({ strategy, refreshToken }: AuthenticationRequest) =>
  strategy === 'refresh' ? String(refreshToken) : undefined

/** Removes the claims that only the service sets. */
function withoutReserved(claims: unknown): Record<string, unknown> {
  const { iss, aud, exp, nbf, iat, jti, sid, ...rest }: Record<string, unknown> = Object(claims)
  return rest
}

/** Emits an event of the authentication service once everything around the call has succeeded. */
function emitAfter(event: string): AroundHook {
  const hook: AroundHook = async (context, next) => {
    await next()
    context.service.emit(event, context.result, context)
  }
  return withTraits(hook, { isOutermost: true })
}

/** Creates the hooks of an authentication service. */
export const createLoginHooks = (cookie: TokenCookie | undefined) => ({
  around: {
    all: cookie === undefined ? [] : [cookie.hook],
    create: [emitAfter('login')],
    remove: [emitAfter('logout')]
  }
})

const stringSchema = { type: 'string' }

function documentLogin(parts: ServiceParts): Record<string, MethodDocumentation> {
  const { credentials, authStrategies, logoutStrategies, cookie } = parts
  const bodies = authStrategies.map((name) => {
    const properties = { strategy: { type: 'string', const: name }, ...credentials.loginFieldsOf(name) }
    // The cookie may hold the token.
    const required = Object.keys(properties).filter((field) => cookie === undefined || field !== 'accessToken')
    return { type: 'object', required, properties }
  })
  const result = resultSchema(parts)
  const unauthorized = { 401: { $ref: 'error' } }
  const schemes = Object.entries(credentials.securitySchemes(logoutStrategies))
  return {
    create: {
      summary: 'Log in',
      description: 'Gives an access token, which later requests send to prove who calls.',
      body: bodies.length === 1 ? bodies[0] : { oneOf: bodies },
      response: { 201: result, ...unauthorized }
    },
    remove: {
      summary: 'Log out',
      description: 'Ends the log-in that the token of the request belongs to.',
      response: { 200: result, ...unauthorized },
      hasId: false,
      callers: schemes.map(([name, scheme]) => ({ [name]: scheme }))
    }
  }
}

function resultSchema({ users, authStrategies, cookie }: ServiceParts): object {
  const payload = { type: 'object', description: 'The claims of the token.' }
  const properties = {
    accessToken: {
      ...stringSchema,
      description: `Later requests send it as \`Authorization: Bearer …\`.${cookie === undefined ? '' : ` Pages get it in the cookie \`${cookie.name}\` alone.`}`
    },
    ...(authStrategies.includes('refresh') && {
      refreshToken: { ...stringSchema, description: 'It is good for one log-in by the strategy `refresh`.' }
    }),
    authentication: {
      type: 'object',
      required: ['strategy'],
      properties: { strategy: stringSchema, accessToken: stringSchema, payload }
    },
    ...(users.name !== null && { [users.name]: { $ref: `service:${users.paths.join(',')}` } })
  }
  return { type: 'object', required: [...(cookie === undefined ? ['accessToken'] : []), 'authentication'], properties }
}
