import type { AuthenticationRequest, AuthenticationResult } from '../../types/authentication.js'
import type { ClientParams } from '../../types/client.js'
import { read } from '../core/errors.js'
import type { Token, TokenStore } from './token-store.js'

/** What a login needs of an application. */
export interface LoginApp {
  get(name: 'authentication'): Promise<AuthenticationResult> | null | undefined
  set(name: string, value: unknown): unknown
  emit(event: string, ...args: unknown[]): boolean
}

/** The authentication service. */
export interface LoginService {
  create(data: AuthenticationRequest, params?: ClientParams): Promise<AuthenticationResult>
  remove(id: null, params?: ClientParams): Promise<AuthenticationResult>
}

/** The result of a login, and the token that it went on with where it did. */
export interface Login {
  readonly result: AuthenticationResult
  readonly used?: string
}

/** The login that a call begins with. */
export interface CallLogin {
  /** Whether no user has begun to log in since, and none has logged out. */
  isCurrent(): boolean
  /** Its token, after a login that is under way. It stays that of its user when another one logs in. */
  token(): Promise<Token>
}

export const is401 = (error: unknown) => read(error, 'code') === 401

/** The login of an application: `app.get('authentication')`, and its tokens. What was overtaken, by a later login or a logout, changes neither. */
export function loginOf(app: LoginApp, tokens: TokenStore) {
  // Users are numbered as they begin to log in. Tokens that are there at the start are those of the first.
  let user = 0
  let owner: number | undefined = 0
  let ownerToken: Token
  let pending: Promise<AuthenticationResult> | undefined
  let pendingUser: Promise<AuthenticationResult> | undefined

  // It may be looked at later, or never.
  const readToken = () => {
    const token = tokens.access()
    token.catch(() => {})
    return token
  }

  /** Makes a login, which is under way, that of the application. */
  function remember(login: Promise<Login>): Promise<AuthenticationResult> {
    const [own, stored] = [user, readToken()]
    const isCurrent = () => app.get('authentication') === authenticated
    const save = async ({ result, used }: Login) => {
      if (!isCurrent()) return result
      await tokens.save(result, used)
      if (used === undefined || owner === undefined) [owner, ownerToken] = [own, result.accessToken]
      if (isCurrent()) {
        app.emit('login', result)
        app.emit('authenticated', result)
      }
      return result
    }
    const onError = (error: unknown) =>
      tokens.inTurn(async () => {
        if (isCurrent()) {
          app.set('authentication', null)
          if (is401(error)) await tokens.drop(await stored)
        }
        throw error
      })
    const authenticated: Promise<AuthenticationResult> = login
      .then((login) => tokens.inTurn(() => save(login)))
      .catch(onError)
      .finally(() => {
        if (pending === authenticated) pending = undefined
        if (pendingUser === authenticated) pendingUser = undefined
      })
    pending = authenticated
    app.set('authentication', authenticated)
    return authenticated
  }

  return {
    /** Makes a login that goes on with a token that of the application, unless a user is about to log in. */
    rememberToken: (login: () => Promise<Login>) => pendingUser ?? remember(login()),

    /** Makes the login of a user, who may be another one, that of the application. */
    rememberUser(login: Promise<AuthenticationResult>): Promise<AuthenticationResult> {
      user++
      pendingUser = remember(login.then((result) => ({ result })))
      return pendingUser
    },

    /** The login that there is now, for a call. */
    forCall(): CallLogin {
      const [own, login, stored] = [user, pending, readToken()]
      const isCurrent = () => own === user
      return {
        isCurrent,
        async token() {
          if (login === undefined) return stored
          const result = await login.catch(() => undefined)
          return isCurrent() ? tokens.access() : result?.accessToken
        }
      }
    },

    /** Makes what ends the login of the user that there is now, once, and of none who has logged in since. It tells whether it did. */
    ending(): () => Promise<boolean> {
      const [own, stored] = [user, readToken()]
      return () =>
        tokens.inTurn(async () => {
          if (own !== user && own !== owner) return false
          const token = (own === owner && ownerToken) || (await stored)
          if (own === user || pendingUser === undefined) {
            app.set('authentication', null)
            user++
          }
          owner = undefined
          await tokens.drop(token)
          return true
        })
    }
  }
}
