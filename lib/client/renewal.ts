import { type ApplicationLogin, is401, type LoginService, type Session } from './login.js'
import { ofSameUser, type Token, type TokenStore } from './token-store.js'

interface Locks {
  request(name: string, run: () => Promise<void>): Promise<void>
}
declare const navigator: { locks?: Locks } | undefined

/** Makes what renews the access token of a session by the refresh token, once for any number of calls that wait for it. */
export function createRenewal(tokens: TokenStore, service: LoginService, { isCurrent, end }: ApplicationLogin) {
  // A refresh token is good for one use, and other tabs of the page have the same one.
  function alone<T>(run: () => Promise<T>): Promise<T> {
    const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
    const { shared } = tokens
    if (locks === undefined || shared === undefined) return run()
    return new Promise((resolve, reject) => {
      const runAndWait = async () => {
        await run().then(resolve, reject)
        // What is written to localStorage takes a while until other tabs see it.
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
      locks.request(shared, runAndWait).catch(reject)
    })
  }

  // A login, or a logout, may come between: what it has left stands.
  async function renewNow(refused: string, session: Session): Promise<Token> {
    // Both at one time: a login may be about to replace them.
    const [current, refreshToken] = await tokens.inTurn(async () => [await tokens.access(), await tokens.refresh()])
    if (current !== refused) return current
    if (!refreshToken) return undefined
    try {
      const result = await service.create({ strategy: 'refresh', refreshToken })
      await tokens.inTurn(() => tokens.save(result, refused))
    } catch (error) {
      if (!is401(error)) throw error
      if ((await tokens.refresh()) === refreshToken) await end(session, refused, null)
    }
    return tokens.access()
  }

  /**
   * The token that stands in for one that a call was refused with, `undefined` when there is none, or another user has logged in.
   * @throws what the server answers beside 401: nothing is known of the login then
   */
  return async (refused: string, session: Session): Promise<Token> => {
    if (!isCurrent(session)) return undefined
    session.renewal ??= alone(() => renewNow(refused, session)).finally(() => {
      session.renewal = undefined
    })
    const renewed = await session.renewal
    // Another tab may have logged in another user.
    return isCurrent(session) ? ofSameUser(renewed, refused) : undefined
  }
}
