import type { AuthenticationRequest, AuthenticationResult } from '../../types/authentication.js'
import type { ClientParams } from '../../types/client.js'
import { read } from '../core/errors.js'
import type { Token, TokenStore } from './token-store.js'

/** The part of an application that a login uses. */
export interface LoginApp {
  get(name: 'authentication'): Promise<AuthenticationResult<unknown>> | null | undefined
  set(name: string, value: unknown): unknown
  emit(event: string, ...args: unknown[]): boolean
}

/** The authentication service. */
export interface LoginService {
  create(data: AuthenticationRequest, params?: ClientParams): Promise<AuthenticationResult>
  remove(id: null, params?: ClientParams): Promise<AuthenticationResult>
}

/** The result of a login. `used` is the stored token that it continued, if it did. */
export interface Login {
  readonly result: AuthenticationResult
  readonly used?: string
}

/** One login, or the tokens that the storage has at the start. After its end, calls may still refer to it, and no longer change anything. */
export interface Session {
  /** The request that logs in, or continues with a token, while it is under way. */
  login?: Promise<AuthenticationResult> | undefined
  /** Its first token. */
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
}

/** The login of an application. */
export type ApplicationLogin = ReturnType<typeof loginOf>

export const is401 = (error: unknown) => read(error, 'code') === 401

/** Manages the login of an application: `app.get('authentication')`, its events and its tokens. They change after the storage has. */
export function loginOf(app: LoginApp, tokens: TokenStore) {
  // `current` is the session that new calls start with, `stored` the one whose tokens are in the storage. They differ while a user logs in.
  let current: Session = {}
  let stored = current
  // Announces the stored login. It is set while a later login, which may still fail, is under way.
  let tell: (() => void) | undefined

  const drop = async (token: Token) => {
    const isGone = await tokens.drop(token)
    tell = undefined
    return isGone
  }

  /** Follows a login that is under way, and makes it that of a session. */
  function remember(session: Session, login: Promise<Login>): Promise<AuthenticationResult> {
    const [before, token] = [stored, tokens.read()]
    const isCurrent = () => current === session
    const save = async ({ result, used }: Login) => {
      if (!isCurrent() && stored !== session) return result
      if (used === undefined) {
        await tokens.clear()
        tell = undefined
      }
      // An answer without a body is no token.
      const isKept = await tokens.save(result ?? {}, used)
      stored = session
      session.token = result?.accessToken
      tell = () => {
        tell = undefined
        app.set('authentication', isKept ? authenticated : null)
        if (!isKept) return
        app.emit('login', result)
        app.emit('authenticated', result)
      }
      if (isCurrent()) tell()
      return result
    }
    const onError = async (error: unknown) => {
      try {
        if (isCurrent() && is401(error)) await drop(stored === before ? await token : stored.token)
      } finally {
        if (isCurrent()) {
          session.before = current = stored
          app.set('authentication', null)
          tell?.()
        }
      }
      throw error
    }
    const authenticated: Promise<AuthenticationResult> = login
      .then((login) => tokens.inTurn(() => save(login)))
      .catch((error) => tokens.inTurn(() => onError(error)))
      .finally(() => {
        session.login = undefined
      })
    session.login = authenticated
    app.set('authentication', authenticated)
    return authenticated
  }

  return {
    /** Continues the current session by a stored token. If a login is under way, that one is returned instead. */
    rememberToken: (login: (session: Session) => Promise<Login>) => current.login ?? remember(current, login(current)),

    /** Starts a session for the login of a user, who may be another one than before. */
    rememberUser(login: Promise<AuthenticationResult>): Promise<AuthenticationResult> {
      current = {}
      return remember(
        current,
        login.then((result) => ({ result }))
      )
    },

    /** Whether the session is still the current one: nobody has logged in or out since. */
    isCurrent: (session: Session) => session === current,

    /** Returns the session and the token for a call. It waits for a login that is under way. */
    async hold(): Promise<Held> {
      const held = current
      if (held.login === undefined) return { session: held, token: await tokens.read() }
      const result = await held.login.catch(() => undefined)
      const session = held.before ?? held
      const token = await tokens.inTurn(async () => (session === stored ? tokens.access() : result?.accessToken))
      return { session, token }
    },

    /** Ends a session. It does nothing if that session has ended already. */
    end: (session: Session, token: Token, result: AuthenticationResult | null): Promise<void> =>
      tokens.inTurn(async () => {
        if (session !== stored) return
        const shown = app.get('authentication')
        const show = (value: unknown) => current === session && app.set('authentication', value)
        show(null)
        const isGone = await drop(token).catch((error) => {
          if (!app.get('authentication')) show(shown)
          throw error
        })
        show(null)
        if (isGone) stored = {}
        if (current === session) current = stored
        app.emit('logout', result)
      })
  }
}
