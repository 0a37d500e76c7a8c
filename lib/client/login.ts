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

/** One login, or what a storage has at the start. One that is over may be held still: it changes nothing. */
export interface Session {
  /** A login, or one that goes on with a token, while it is under way. */
  login?: Promise<AuthenticationResult> | undefined
  /** The token that it began with. */
  token?: Token
  /** Where it could not begin: the one that stayed. */
  before?: Session
  /** A renewal of its token, while it is under way. */
  renewal?: Promise<Token> | undefined
}

/** What a call begins with: a session, and its token. They stay that when another user logs in. */
export interface Held {
  readonly session: Session
  readonly token: Token
}

/** The login of an application. */
export type ApplicationLogin = ReturnType<typeof loginOf>

export const is401 = (error: unknown) => read(error, 'code') === 401

/** The login of an application: `app.get('authentication')`, its events, and its tokens. They change when the storage has done its part. */
export function loginOf(app: LoginApp, tokens: TokenStore) {
  // What calls begin with, and whose tokens are in the storage. They differ while a user logs in.
  let current: Session = {}
  let stored = current
  // Tells of the tokens in the storage, where a login that began meanwhile has kept that back.
  let tell: (() => void) | undefined

  const drop = async (token: Token) => {
    const isGone = await tokens.drop(token)
    tell = undefined
    return isGone
  }

  /** Makes a login, which is under way, that of a session. */
  function remember(session: Session, login: Promise<Login>): Promise<AuthenticationResult> {
    const [before, token] = [stored, tokens.read()]
    // It may be looked at later, or never.
    token.catch(() => {})
    const isCurrent = () => current === session
    const save = async ({ result, used }: Login) => {
      if (!isCurrent() && stored !== session) return result
      if (used === undefined) {
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
    /** Makes a login that goes on with a token that of the application. One that is under way comes before. */
    rememberToken: (login: (session: Session) => Promise<Login>) => current.login ?? remember(current, login(current)),

    /** Makes the login of a user, who may be another one, that of the application. */
    rememberUser(login: Promise<AuthenticationResult>): Promise<AuthenticationResult> {
      current = {}
      return remember(
        current,
        login.then((result) => ({ result }))
      )
    },

    /** Whether no user has begun to log in since, and none has logged out. */
    isCurrent: (session: Session) => session === current,

    /** The session that there is now, for a call, after a login that is under way. */
    async hold(): Promise<Held> {
      const held = current
      if (held.login === undefined) return { session: held, token: await tokens.read() }
      const result = await held.login.catch(() => undefined)
      const session = held.before ?? held
      const token = await tokens.inTurn(async () => (session === stored ? tokens.access() : result?.accessToken))
      return { session, token }
    },

    /** Ends a session, once, and no other. */
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
