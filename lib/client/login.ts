import type { AuthenticationResult } from '../../types/authentication.js'
import { read } from '../core/errors.js'
import type { TokenStore } from './token-store.js'

/** What a login needs of an application. */
export interface LoginApp {
  get(name: 'authentication'): Promise<AuthenticationResult> | null | undefined
  set(name: string, value: unknown): unknown
  emit(event: string, ...args: unknown[]): boolean
}

export const is401 = (error: unknown) => read(error, 'code') === 401

/** The login of an application: `app.get('authentication')`, and its tokens. What was overtaken, by a later login or a logout, changes neither. */
export function loginOf(app: LoginApp, tokens: TokenStore) {
  return {
    /** Makes a login, which is under way, that of the application. */
    remember(login: Promise<AuthenticationResult>): Promise<AuthenticationResult> {
      const isCurrent = () => app.get('authentication') === authenticated
      const save = async (result: AuthenticationResult) => {
        if (isCurrent()) {
          await tokens.save(result)
          app.emit('login', result)
          app.emit('authenticated', result)
        }
        return result
      }
      const authenticated: Promise<AuthenticationResult> = login.then(save).catch(async (error) => {
        if (isCurrent()) {
          app.set('authentication', null)
          if (is401(error)) await tokens.drop()
        }
        throw error
      })
      app.set('authentication', authenticated)
      return authenticated
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
