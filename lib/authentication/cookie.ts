import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest, AuthenticationResult, TokenPayload } from '../../types/authentication.js'
import type { AroundHook, HookContext } from '../../types/fastify.js'
import type { Params } from '../../types/service.js'
import { attempt, Forbidden, toServiceError } from '../core/errors.js'
import { withTraits } from '../core/hooks.js'
import { callerIn } from '../core/http-call.js'
import { isObject } from '../core/objects.js'

/** Options of the cookie with the token of a browser (docs/sessions.md). */
export interface CookieOptions {
  /**
   * Default: the path of the authentication service, `'authentication'`. With a name as
   * `'__Host-token'`, it is always `Secure`.
   */
  name?: string
  /** Default `'lax'`. `'none'` is for pages of other sites, and makes it `Secure`. */
  sameSite?: 'strict' | 'lax' | 'none'
  /**
   * Whether it is sent over TLS only. Default: if the page that logs in, or the request, came over
   * `https`.
   */
  secure?: boolean
  /**
   * The domain whose subdomains get it, too: `'example.com'`. Default: only the host that sets it.
   */
  domain?: string
  /**
   * The origins of other pages that may log in and change data: `['https://app.example.com']`.
   * Default: none.
   */
  origins?: readonly string[]
}

// The safe methods of HTTP (RFC 9110, section 9.2.1; RFC 10008).
const safeVerbs = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])

/**
 * Returns whether a request comes from a page of another origin and may change data: forms and scripts
 * there send the cookies of this server along (docs/sessions.md#prevent-csrf). `false`
 * for clients that are not browsers.
 *
 * @param origins the allowed origins, such as `'https://app.example.com'`
 * @example
 * parse: (request) => (isCrossSite(request) ? null : { headers: request.headers })
 */
export function isCrossSite({ method, headers, host }: FastifyRequest, origins: readonly string[] = []): boolean {
  if (safeVerbs.has(method) && headers.upgrade === undefined) return false
  const { origin } = headers
  if (origin !== undefined && origins.includes(origin)) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return origin !== undefined && !isOriginOf(origin, host)
}

/**
 * Whether the host of a request belongs to an origin. It may have the default port of the scheme.
 */
const isOriginOf = (origin: string, host: string): boolean =>
  attempt(() => new URL(`${new URL(origin).protocol}//${host}`).origin === origin) === true

/** Whether a page has sent a request: no script can omit these headers. */
const isFromPage = ({ headers }: FastifyRequest) =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/** The longest cookie that browsers keep, in bytes, with its name (RFC 6265, section 6.1). */
const maxLength = 4096

/** Keeps the access token of a browser in a cookie that no script can read. */
export class TokenCookie {
  readonly name: string
  /** The names of the strategies that verify tokens. */
  readonly strategies: readonly string[]
  readonly #options: Omit<CookieOptions, 'name'>

  /** @throws when an option can't be used */
  constructor({ name, ...options }: CookieOptions, path: string, strategies: readonly string[]) {
    this.strategies = strategies
    this.name = name ?? (path.replace(/[^\w-]+/g, '-') || 'authentication')
    this.#options = options
    const { secure, sameSite, domain, origins = [] } = options
    if (secure === false && this.#isAlwaysSecure)
      throw new Error(
        `The option \`cookie.secure\` of authentication can't be false: browsers take no such cookie by the name '${this.name}' with sameSite: '${sameSite ?? 'lax'}'`
      )
    if (domain !== undefined && /^__host-/i.test(this.name))
      throw new Error(`The option \`cookie.domain\` of authentication can't be set for a cookie named '${this.name}'`)
    for (const origin of origins)
      if (!URL.canParse(origin) || new URL(origin).origin !== origin)
        throw new Error(
          `The option \`cookie.origins\` of authentication has '${origin}', which is no origin, as in 'https://app.example.com'`
        )
    try {
      stringifySetCookie(this.name, '', { ...(domain !== undefined && { domain }) })
    } catch (cause) {
      throw new Error('The option `cookie` of authentication has a name or a domain that no cookie can have', { cause })
    }
  }

  /**
   * Returns the token of a request, `null` if it has none. With `isCrossSite`, it must not be used.
   */
  parse(request: FastifyRequest): AuthenticationRequest | null {
    const { cookie } = request.headers
    const accessToken = cookie === undefined ? undefined : parseCookie(cookie)[this.name]
    if (!accessToken) return null
    return { accessToken, isByCookie: true, isCrossSite: isCrossSite(request, this.#options.origins) }
  }

  /**
   * A hook of the authentication service. A login stores the token in the cookie, a logout removes
   * it, and pages never get it in the result.
   * @throws {Forbidden} when a page of another origin sends the request
   */
  readonly hook = withTraits<AroundHook>(
    async (context, next) => {
      const caller = callerIn(context.params)
      if (caller?.context !== context) return next()
      const request = caller.request as FastifyRequest
      if (isCrossSite(request, this.#options.origins)) throw crossSite()
      const sent = this.parse(request)?.accessToken
      const isLogin = context.method === 'create'
      if (isLogin && sent !== undefined && this.strategies.includes(context.data?.strategy))
        context.data = { ...context.data, accessToken: context.data.accessToken ?? sent }
      try {
        await next()
      } catch (error) {
        // An invalid token would be refused by public services, too.
        if (!isLogin && sent !== undefined && toServiceError(error).code === 401)
          caller.setHeader('set-cookie', this.#removal(request))
        throw error
      }
      const { accessToken, authentication }: Partial<AuthenticationResult> = Object(context.result)
      if (!isLogin) addCookie(context, this.#removal(request))
      else if (accessToken !== undefined && accessToken !== sent)
        addCookie(context, this.#storage(request, accessToken, authentication?.payload))
      if (isFromPage(request) || accessToken === sent)
        context.dispatch = withoutToken(context.dispatch === undefined ? context.result : context.dispatch)
    },
    { isOutermost: true }
  )

  /** The header that stores a token until it expires. @throws when no browser would keep it */
  #storage(request: FastifyRequest, accessToken: string, payload: TokenPayload | undefined): string {
    if (this.name.length + accessToken.length > maxLength)
      throw new Error(
        `The access token is too long for a cookie, which has at most ${maxLength} characters: give it fewer claims`
      )
    const maxAge = payload && { maxAge: payload.exp - Math.floor(Date.now() / 1000) }
    return stringifySetCookie(this.name, accessToken, { ...this.#attributes(request), ...maxAge })
  }

  /** The header that removes the cookie. */
  #removal(request: FastifyRequest): string {
    return stringifySetCookie(this.name, '', { ...this.#attributes(request), maxAge: 0 })
  }

  #attributes(request: FastifyRequest) {
    const { sameSite = 'lax', domain } = this.#options
    const secure = this.#isSecure(request)
    return { path: '/', httpOnly: true, sameSite, secure, ...(domain !== undefined && { domain }) }
  }

  get #isAlwaysSecure(): boolean {
    return this.#options.secure === true || this.#options.sameSite === 'none' || /^__(host|secure)-/i.test(this.name)
  }

  // A proxy may terminate TLS: the origin of the page has the scheme all the same.
  #isSecure({ protocol, headers }: FastifyRequest): boolean {
    if (this.#options.secure === false) return false
    return this.#isAlwaysSecure || protocol === 'https' || /^https:/i.test(headers.origin ?? '')
  }
}

/** Adds a cookie to the ones that other hooks have set. */
function addCookie({ http }: HookContext, cookie: string): void {
  const headers = Object.entries(Object(http.headers) as NonNullable<typeof http.headers>)
  const isCookie = ([name]: [string, unknown]) => name.toLowerCase() === 'set-cookie'
  const cookies = headers.filter(isCookie).flatMap(([, value]) => value)
  http.headers = {
    ...Object.fromEntries(headers.filter((header) => !isCookie(header))),
    'Set-Cookie': [...cookies, cookie]
  }
}

function withoutToken(result: unknown): unknown {
  if (!isObject(result)) return result
  const { accessToken, authentication, ...rest } = result as Partial<AuthenticationResult>
  if (!isObject(authentication)) return rest
  const { accessToken: _, ...withoutAccessToken } = authentication as AuthenticationResult['authentication']
  return { ...rest, authentication: withoutAccessToken }
}

const crossSite = () =>
  new Forbidden('This request comes from a page of another origin: the option `cookie.origins` names those that may')

/**
 * Checks the cookie of a call, and keeps its response out of shared caches. For a token in a
 * header, they do that by themselves (RFC 9111, section 3.5).
 * @throws {Forbidden} when the cookie came with a request of a page that may not use it
 */
export function checkCookie(credentials: AuthenticationRequest, params: Params): void {
  if (credentials.isCrossSite === true) throw crossSite()
  callerIn(params)?.setHeader('cache-control', 'private')
}
