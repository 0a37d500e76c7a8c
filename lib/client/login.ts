import type { AuthenticationRequest, AuthenticationResult } from '../../types/authentication.js'
import type { ClientParams } from '../../types/client.js'
import { readProperty } from '../core/errors.js'
import type { Token, TokenStore } from './token-store.js'

/** The part of an application that a login uses. */
export interface LoginApp {
  get(name: 'authentication'): Promise<AuthenticationResult<unknown>> | null | undefined
  set(name: string, value: unknown): unknown
  emit(event: string, ...args: unknown[]): boolean
}

export interface LoginService {
  create(data: AuthenticationRequest, params?: ClientParams): Promise<AuthenticationResult>
  remove(id: null, params?: ClientParams): Promise<AuthenticationResult>
}

/** The result of a login. `used` is the stored token that it continued, if it did. */
export interface Login {
  readonly result: AuthenticationResult
  readonly used?: string
}

/**
 * A login, or the tokens that the storage has at the start. After its end, calls may still refer to
 * it, and no longer change anything.
 */
export interface Session {
  /** The number of the login, in the order in which logins began. */
  readonly number: number
  /** The request that logs in, or continues with a token, while it is under way. */
  login?: Promise<AuthenticationResult> | undefined
  /** A token of its user. */
  token?: Token
  /** The session that stayed, if this one failed to log in. */
  before?: Session
  /** The renewal of its token, while it is under way. */
  renewal?: Promise<Token> | undefined
}

/** The session and the token that a call starts with. It keeps them when another user logs in. */
export interface Held {
  readonly session: Session
  readonly token: Token
  /** Of a logout: the number of the last session that had begun. */
  readonly last?: number
}

export type ApplicationLogin = ReturnType<typeof loginOf>

export const is401 = (error: unknown) => readProperty(error, 'code') === 401

/**
 * Manages the login of an application: `app.get('authentication')`, its events and its tokens. They
 * change after the storage has.
 */
export function loginOf(app: LoginApp, tokens: TokenStore) {
  // `current` is the session that new calls start with, `stored` the one whose tokens are in the
  // storage. They differ while a user logs in.
  let count = 0
  const begin = (): Session => ({ number: ++count })
  let current = begin()
  let stored = current
  // Announces the stored login. It is set while a later login, which may still fail, is under way.
  let tell: (() => void) | undefined

  /** Whether a session is still the current one: nobody has logged in or out since. */
  const isCurrent = (session: Session) => session === current

  const drop = async (token: Token) => {
    if (await tokens.drop(token)) stored = begin()
    tell = undefined
  }

  /** Waits for a login, and makes it the login of a session. */
  function remember(session: Session, login: Promise<Login>): Promise<AuthenticationResult> {
    const [before, token] = [stored, tokens.read()]
    const save = async ({ result, used }: Login) => {
      if (!isCurrent(session) && stored !== session) return result
      if (!used) {
        await tokens.clear()
        tell = undefined
      }
      const isKept = await tokens.save(result, used)
      stored = session
      session.token = result.accessToken
      tell = () => {
        tell = undefined
        app.set('authentication', isKept ? authenticated : null)
        if (!isKept) return
        app.emit('login', result)
        app.emit('authenticated', result)
      }
      if (isCurrent(session)) tell()
      return result
    }
    const onError = async (error: unknown) => {
      if (isCurrent(session) && is401(error)) {
        // A refused login matters more than that the storage has failed.
        const dropped = token.then((read) => drop(stored === before ? read : stored.token))
        await dropped.catch((cause) => {
          ;(error as Error).cause = cause
        })
      }
      if (isCurrent(session)) {
        session.before = current = stored
        app.set('authentication', null)
        tell?.()
      }
      throw error
    }
    const authenticated: Promise<AuthenticationResult> = login
      .then((login) => tokens.inTurn(() => save(login)))
      .catch((error) => tokens.inTurn(() => onError(error)))
      .finally(() => delete session.login)
    session.login = authenticated
    app.set('authentication', authenticated)
    return authenticated
  }

  return {
    /**
     * Continues the current session by a stored token. If a login is under way, that one is
     * returned instead.
     */
    rememberToken: (login: (session: Session) => Promise<Login>): Promise<AuthenticationResult> =>
      current.login ?? remember(current, login(current)),

    /** Starts a session for the login of a user, who may be another one than before. */
    rememberUser(login: Promise<AuthenticationResult>): Promise<AuthenticationResult> {
      current = begin()
      return remember(
        current,
        login.then((result) => ({ result }))
      )
    },

    isCurrent,

    /**
     * Returns the session and the token for a call. It waits for a login that is under way. A
     * logout also ends a login that is still stored then: if the one under way fails, it would go
     * on.
     */
    async hold(isLogout?: boolean): Promise<Held> {
      const [held, atCall, last] = [current, stored, isLogout ? count : 0]
      const login = held.login
      if (isLogout || !login) atCall.token = await tokens.read()
      const result = await login?.catch(() => undefined)
      const session = held.before ?? held
      const stay = async () => (session === stored ? tokens.access() : result?.accessToken)
      return { session, token: login ? await tokens.inTurn(stay) : atCall.token, last }
    },

    /**
     * Ends a session, for a logout all that had begun when it was called. It does nothing if they
     * have ended already.
     */
    end: ({ session, token, last = 0 }: Held, result: AuthenticationResult | null): Promise<void> =>
      tokens.inTurn(async () => {
        const isOver = (other: Session) => other === session || other.number <= last
        if (!isOver(stored)) return
        const previous = app.get('authentication')
        const show = (value: unknown) => isOver(current) && app.set('authentication', value)
        show(null)
        await drop(session === stored ? token : stored.token).catch((error) => {
          if (!app.get('authentication')) show(previous)
          throw error
        })
        show(null)
        if (isOver(current)) current = stored
        app.emit('logout', result)
      })
  }
}
