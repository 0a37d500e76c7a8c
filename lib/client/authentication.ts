import type { AuthenticationRequest, AuthenticationResult } from '../../types/authentication.js'
import type { ClientParams } from '../../types/client.js'
import { NotAuthenticated } from '../core/errors.js'
import { stripSlashes } from '../core/path.js'
import type { Connection } from './connection.js'
import { nameIn } from './headers.js'
import { is401, type LoginApp, loginOf } from './login.js'
import { isStream } from './message.js'
import { Renewal } from './renewal.js'
import { type StorageOptions, TokenStore } from './token-store.js'

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
}

interface LoginService {
  create(data: AuthenticationRequest, params?: ClientParams): Promise<AuthenticationResult>
  remove(id: null): Promise<AuthenticationResult>
}

/** What `authentication` needs of an application, and what it adds to it. */
export interface AuthenticationClient extends LoginApp {
  readonly connection?: Connection
  service(path: string): unknown
  authenticate(request?: AuthenticationRequest, params?: ClientParams): Promise<AuthenticationResult>
  reAuthenticate(force?: boolean): Promise<AuthenticationResult>
  logout(): Promise<AuthenticationResult | null>
}

/**
 * Login for a client: makes `authenticate`, `reAuthenticate` and `logout` work, and adds the token to every call of the default
 * connection (specification: "Authentication"). Where the server gives refresh tokens, a token that is refused is renewed, once for all
 * calls that wait, and the call is made again. The application emits `login` and `logout`, the latter with `null` when a renewal is refused.
 *
 * @returns a function for `app.configure`, which throws when no connection was configured before
 * @example
 * app.configure(authentication({ storage: localStorage }))
 * await app.authenticate({ strategy: 'local', email, password })
 */
export function authentication(options: ClientAuthenticationOptions = {}): (app: AuthenticationClient) => void {
  const { header = 'Authorization', scheme = 'Bearer', jwtStrategy = 'jwt' } = options
  const path = stripSlashes(options.path ?? 'authentication')
  const tokens = new TokenStore(options)
  return (app) => {
    const { connection } = app
    if (connection === undefined)
      throw new Error(
        'Authentication needs a connection: app.configure(rest(address).fetch(fetch)) before app.configure(authentication())'
      )
    const service = app.service(path) as LoginService
    const { remember, ending } = loginOf(app, tokens)
    let isLeaving = false
    const renewal = new Renewal(tokens, service, () => {
      const end = ending()
      return async () => {
        if ((await end()) && !isLeaving) app.emit('logout', null)
      }
    })

    async function goOn(): Promise<AuthenticationResult> {
      const accessToken = await tokens.access()
      if (!accessToken) throw new NotAuthenticated('No accessToken found in storage')
      const loginWith = (accessToken: string) => service.create({ strategy: jwtStrategy, accessToken })
      return loginWith(accessToken).catch(async (error) => {
        const renewed = is401(error) ? await renewal.renew(accessToken) : undefined
        if (renewed === undefined) throw error
        return loginWith(renewed)
      })
    }

    const reAuthenticate = (force = false) => (!force && app.get('authentication')) || remember(goOn())
    Object.assign(app, {
      reAuthenticate,
      authenticate: (request?: AuthenticationRequest, params?: ClientParams) =>
        request === undefined ? reAuthenticate() : remember(service.create(request, params)),
      async logout() {
        const end = ending()
        isLeaving = true
        const remove = service.remove(null).finally(() => {
          isLeaving = false
        })
        const result = await remove.catch((error) => {
          if (is401(error)) return null
          throw error
        })
        await end()
        app.emit('logout', result)
        return result
      }
    })

    // All calls of the connection, and none of those to other servers.
    const { send } = connection
    connection.send = async (request) => {
      const isLogin = request.service === path && request.call === 'create'
      if (isLogin || nameIn(request.headers, header)) return send(request)
      await Promise.resolve(app.get('authentication')).catch(() => {})
      const sendWith = (token: string) =>
        send({ ...request, headers: { ...request.headers, [header]: `${scheme} ${token}`.trim() } })
      const token = await tokens.access()
      if (!token) return send(request)
      const response = await sendWith(token)
      const renewed = response.status === 401 ? await renewal.renew(token) : undefined
      // A stream is read once.
      return renewed === undefined || isStream(request.body) ? response : sendWith(renewed)
    }
  }
}
