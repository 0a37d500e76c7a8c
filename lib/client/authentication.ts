import type { AuthenticationRequest, AuthenticationResult } from '../../types/authentication.js'
import type { ClientParams } from '../../types/client.js'
import { streamOf } from '../core/content.js'
import { GeneralError, NotAuthenticated } from '../core/errors.js'
import { stripSlashes } from '../core/path.js'
import { type Held, is401, type Login, type LoginApp, type LoginService, loginOf, type Session } from './login.js'
import { nameIn } from './message.js'
import { asSecret } from './redirect.js'
import { createRenewal } from './renewal.js'
import type { Connection } from './rest.js'
import { createTokenStore, type StorageOptions, type Token } from './token-store.js'
import { abortable } from './transports/abortable.js'

/** Options of `authentication`. */
export interface ClientAuthenticationOptions extends StorageOptions {
  /** Default `'Authorization'`. */
  header?: string
  /** The word before the token. Default `'Bearer'`. */
  scheme?: string
  /** The path of the authentication service. Default `'authentication'`. */
  path?: string
  /** The name of the strategy for tokens. Default `'jwt'`. */
  jwtStrategy?: string
  /**
   * Whether the server keeps the token in a cookie (docs/sessions.md): nothing is stored here.
   * Default `false`.
   */
  cookie?: boolean
}

/** The part of an application that `authentication` uses and extends. */
export interface AuthenticationClient extends LoginApp {
  readonly connection?: Connection
  service(path: string): unknown
  authenticate(request?: AuthenticationRequest, params?: ClientParams): Promise<AuthenticationResult<unknown>>
  reAuthenticate(force?: boolean): Promise<AuthenticationResult<unknown>>
  logout(): Promise<AuthenticationResult<unknown> | null>
}

/**
 * Adds login to a client: `authenticate`, `reAuthenticate` and `logout`, and the token on every
 * call of the default connection (docs/client.md#login). If the server issues refresh tokens, a
 * call that gets 401 renews the token and is sent again. The application emits `login` and
 * `logout`. If the server refuses a renewal, `logout` gets `null`.
 *
 * @returns a function for `app.configure`
 * @throws in `app.configure`, if no connection is configured
 * @example
 * app.configure(authentication({ storage: localStorage }))
 * await app.authenticate({ strategy: 'local', email, password })
 */
export function authentication(options: ClientAuthenticationOptions = {}): (app: AuthenticationClient) => void {
  const { header = 'Authorization', scheme = 'Bearer', jwtStrategy = 'jwt' } = options
  const path = stripSlashes(options.path ?? 'authentication')
  return (app) => {
    const tokens = createTokenStore(options)
    const service = app.service(path) as LoginService
    const login = loginOf(app, tokens)
    // A response that is no login may be a page of a captive portal.
    const logIn: LoginService['create'] = async (request, params) => {
      const result = await service.create(request, params)
      // Only a text has `trim`. An object would be sent as `Bearer [object Object]`.
      if (options.cookie ? result?.authentication : result?.accessToken?.trim?.()) return result
      throw new GeneralError('The answer is not a login', { result })
    }
    const renew = createRenewal(tokens, logIn, login)

    async function resume(session: Session): Promise<Login> {
      // Without one, the server may have it in a cookie.
      const accessToken = (await tokens.inTurn(tokens.access)) as string
      if (!(accessToken || options.cookie)) throw new NotAuthenticated('There is no login: call authenticate() first')
      const loginWith = async (used: string) => ({
        result: await logIn({ strategy: jwtStrategy, accessToken: used }),
        used
      })
      return loginWith(accessToken).catch(async (error) => {
        const renewed = is401(error) && (await renew(accessToken, session))
        if (!renewed) throw error
        return loginWith(renewed)
      })
    }

    const reAuthenticate = (force?: boolean) => (!force && app.get('authentication')) || login.rememberToken(resume)
    Object.assign(app, {
      reAuthenticate,
      authenticate: (request?: AuthenticationRequest, params?: ClientParams) =>
        request === undefined ? reAuthenticate() : login.rememberUser(logIn(request, params)),
      async logout() {
        const held = login.hold(true)
        // The call is awaited after hooks, which may take long: until then a rejection must not
        // count as unhandled.
        held.catch(() => {})
        const result = await service.remove(null, { connection: { '~client': { held } } }).catch((error) => {
          if (is401(error)) return null
          throw error
        })
        await login.end(await held, result)
        return result
      }
    })

    // Only calls of this connection get the token, so that it is not sent to other servers.
    const { connection } = app
    if (!connection) return
    const { send } = connection
    connection.send = async (sent) => {
      // Libraries take only a header of the usual name off when they follow a redirect.
      const request = sent.service === path || options.header ? asSecret(sent) : sent
      const { call, headers, body, signal } = request
      if ((request.service === path && call === 'create') || nameIn(headers, header)) return send(request)
      const held = () => (request.options['~client']?.held as Promise<Held> | undefined) ?? login.hold()
      const { session, token } = await unlessAborted(signal, held)
      if (!token) return send(request)
      const sendWith = (used: Token) =>
        send({ ...request, headers: { ...headers, [header]: `${scheme} ${used}`.trim() } })
      const response = await sendWith(token)
      if (response.status !== 401) return response
      const renewed = await unlessAborted(signal, () => renew(token, session))
      // A stream can't be sent a second time.
      return !renewed || streamOf(body) ? response : sendWith(renewed)
    }
  }
}

// An abort ends only this wait. The login or renewal continues, since other calls may wait for it.
const unlessAborted = <T>(signal: AbortSignal | undefined, wait: () => Promise<T>) =>
  abortable<T>(signal, (resolve, reject) => {
    wait().then(resolve, reject)
    return undefined
  })
