import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import type { AuthenticationRequest, AuthenticationResult, TokenPayload } from '../../types/authentication.js'
import type { AroundHook, HookContext } from '../../types/fastify.js'
import type { Params } from '../../types/service.js'
import { attempt, Forbidden, toServiceError } from '../core/errors.js'
import { withTraits } from '../core/hooks.js'
import { callerIn } from '../core/http-call.js'
import { isObject } from '../core/objects.js'

/** The cookie that keeps the token of a browser (docs/login-cookies.md). */
export interface CookieOptions {
  /**
   * Default: the path of the authentication service, `'authentication'`. With a name as
   * `'__Host-token'`, it is always `Secure`.
   */
  name?: string
  /** Default `'lax'`. `'none'` is for pages of other sites, and makes it `Secure`. */
  sameSite?: 'strict' | 'lax' | 'none'
  /**
   * Whether it is sent by TLS alone. Default: where the page that logs in, or the request, came by
   * `https`.
   */
  secure?: boolean
  /**
   * The domain whose subdomains get it too: `'example.com'`. Default: the host that sets it alone.
   */
  domain?: string
  /**
   * The origins of other pages that may change something by it, and log in:
   * `['https://app.example.com']`. Default: none.
   */
  origins?: readonly string[]
}

// The methods of HTTP that change nothing (RFC 9110, section 9.2.1; RFC 10008).
const safeVerbs = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])

/**
 * Whether a request comes from a page of another origin, and may change something: a form or a
 * script there sends the cookies of this server along (docs/login-cookies.md#pages-of-other-sites).
 * A request of no browser is none.
 *
 * @param origins the origins of pages that may, as `'https://app.example.com'`
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
 * Whether a host, as a request names it, is that of an origin. A host may have the port that the
 * scheme has by itself.
 */
const isOriginOf = (origin: string, host: string): boolean =>
  attempt(() => new URL(`${new URL(origin).protocol}//${host}`).origin === origin) === true

/** Whether a page has sent a request: no script can leave these headers out. */
const isFromPage = ({ headers }: FastifyRequest) =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/** In bytes, with its name: browsers keep no longer one (RFC 6265, section 6.1). */
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
   * The token that a request carries; `isCrossSite` where it may not be used. `null` where there is
   * none.
   */
  parse(request: FastifyRequest): AuthenticationRequest | null {
    const { cookie } = request.headers
    const accessToken = cookie === undefined ? undefined : parseCookie(cookie)[this.name]
    if (!accessToken) return null
    return { accessToken, isByCookie: true, isCrossSite: isCrossSite(request, this.#options.origins) }
  }

  /**
   * A hook of the authentication service: a log-in stores the token, a log-out removes it, and no
   * page gets to see it.
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
        // A token that is no longer good would be refused at services that are open to all, too.
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

  /** The header that stores a token as long as it is good. @throws when no browser would keep it */
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

  // A proxy may have taken TLS away: the origin of the page tells it all the same.
  #isSecure({ protocol, headers }: FastifyRequest): boolean {
    if (this.#options.secure === false) return false
    return this.#isAlwaysSecure || protocol === 'https' || /^https:/i.test(headers.origin ?? '')
  }
}

/** Adds a cookie to those that other hooks have set. */
function addCookie({ http }: HookContext, cookie: string): void {
  const headers = Object.entries(Object(http.headers) as NonNullable<typeof http.headers>)
  const isCookie = ([name]: [string, unknown]) => name.toLowerCase() === 'set-cookie'
  const cookies = headers.filter(isCookie).flatMap(([, value]) => value)
  http.headers = {
    ...Object.fromEntries(headers.filter((header) => !isCookie(header))),
    'Set-Cookie': [...cookies, cookie]
  }
}

/** The result of a log-in or a log-out as a page sees it. */
function withoutToken(result: unknown): unknown {
  if (!isObject(result)) return result
  const { accessToken, authentication, ...rest } = result as Partial<AuthenticationResult>
  if (!isObject(authentication)) return rest
  const { accessToken: _, ...shown } = authentication as AuthenticationResult['authentication']
  return { ...rest, authentication: shown }
}

const crossSite = () =>
  new Forbidden('This request comes from a page of another origin: the option `cookie.origins` names those that may')

/**
 * What an accepted cookie asks of the answer: shared caches must not keep it, which they know of a
 * token in a header (RFC 9111, section 3.5).
 * @throws {Forbidden} when the cookie came with a request of a page that may not use it
 */
export function checkCookie(credentials: AuthenticationRequest, params: Params): void {
  if (credentials.isCrossSite === true) throw crossSite()
  callerIn(params)?.setHeader('cache-control', 'private')
}
