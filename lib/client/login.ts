import type { AuthenticationRequest, AuthenticationResult } from '../../types/authentication.js'
import type { ClientParams } from '../../types/client.js'
import { read } from '../core/errors.js'
import type { TokenStore } from './token-store.js'

/** What a login needs of an application. */
export interface LoginApp {
  get(name: 'authentication'): Promise<AuthenticationResult> | null | undefined
  set(name: string, value: unknown): unknown
  emit(event: string, ...args: unknown[]): boolean
}

/** The authentication service. */
export interface LoginService {
  create(data: AuthenticationRequest, params?: ClientParams): Promise<AuthenticationResult>
  remove(id: null): Promise<AuthenticationResult>
}

/** The result of a login, and the token that it went on with where it did. */
export interface Login {
  readonly result: AuthenticationResult
  readonly used?: string
}

/** The login that a call begins with. */
export interface CallLogin {
  /** Whether no user has begun to log in since. */
  isCurrent(): boolean
  /** Its token, after a login that is under way. It stays that of its user when another one logs in. */
  token(): Promise<string | null | undefined>
}

export const is401 = (error: unknown) => read(error, 'code') === 401

/** The login of an application: `app.get('authentication')`, and its tokens. What was overtaken, by a later login or a logout, changes neither. */
export function loginOf(app: LoginApp, tokens: TokenStore) {
  let users = 0
  let pending: Promise<AuthenticationResult> | undefined

  /** Makes a login, which is under way, that of the application. */
  function remember(login: Promise<Login>): Promise<AuthenticationResult> {
    const isCurrent = () => app.get('authentication') === authenticated
    const save = async ({ result, used }: Login) => {
      if (isCurrent()) {
        await tokens.save(result, used)
        app.emit('login', result)
        app.emit('authenticated', result)
      }
      return result
    }
    const onError = async (error: unknown) => {
      if (isCurrent()) {
        app.set('authentication', null)
        if (is401(error)) await tokens.drop()
      }
      throw error
    }
    const authenticated: Promise<AuthenticationResult> = login
      .then(save)
      .catch(onError)
      .finally(() => {
        if (pending === authenticated) pending = undefined
      })
    pending = authenticated
    app.set('authentication', authenticated)
    return authenticated
  }

  return {
    remember,

    /** The same, of a user who may be another one. */
    rememberUser(login: Promise<AuthenticationResult>): Promise<AuthenticationResult> {
      users++
      return remember(login.then((result) => ({ result })))
    },

    /** The login that there is now, for a call. */
    forCall(): CallLogin {
      const [user, login, stored] = [users, pending, tokens.access()]
      stored.catch(() => {})
      const isCurrent = () => user === users
      return {
        isCurrent,
        async token() {
          const own = await login?.catch(() => undefined)
          return isCurrent() ? tokens.access() : (own?.accessToken ?? stored)
        }
      }
    },

    /** Makes what ends the login that there is now, and none that has begun since. It tells whether it did. */
    ending(): () => Promise<boolean> {
      const login = app.get('authentication')
      return async () => {
        const isOver = [login, null].includes(app.get('authentication'))
        if (!isOver) return false
        app.set('authentication', null)
        await tokens.drop()
        return true
      }
    }
  }
}
