import { type ApplicationLogin, is401, type LoginService, type Session } from './login.js'
import { ofSameUser, type Token, type TokenStore } from './token-store.js'

interface Locks {
  request(name: string, options: { signal: AbortSignal }, run: () => Promise<void>): Promise<void>
}

// A frozen tab can hold the lock for ever. Shorter than the grace of the server, which gives both
// tabs the same refresh token.
const lockTimeout = 10_000

// A page has it; some lack the locks.
declare const navigator: { locks?: Locks }

/**
 * Creates the function that renews the access token of a session by its refresh token. Calls that
 * need it at the same time share one renewal.
 */
export function createRenewal(tokens: TokenStore, logIn: LoginService['create'], { isCurrent, end }: ApplicationLogin) {
  // Tabs share the refresh token. They take turns, so that one of them renews it.
  const alone = <T>(run: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const runNow = () => run().then(resolve, reject)
      const runAndWait = async () => {
        await runNow()
        // A change of localStorage gets to other tabs after a delay.
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
      const locks = tokens.shared && navigator.locks
      // A page without an origin of its own, or whose cookies are blocked, has locks that refuse.
      if (locks)
        locks.request(tokens.shared as string, { signal: AbortSignal.timeout(lockTimeout) }, runAndWait).catch(runNow)
      else runNow()
    })

  // A login or logout may have changed the tokens meanwhile. Then they stay as they are.
  async function renewNow(refused: string, session: Session): Promise<Token> {
    // The tokens of a login are read in one turn, so that no login replaces one of them in between.
    const [current, refreshToken] = await tokens.inTurn(async () => [await tokens.access(), await tokens.refresh()])
    if (current !== refused) return current
    if (!refreshToken) return undefined
    try {
      const result = await logIn({ strategy: 'refresh', refreshToken })
      await tokens.inTurn(() => tokens.save(result, refused))
    } catch (error) {
      if (!is401(error)) throw error
      if ((await tokens.refresh()) === refreshToken) await end({ session, token: refused }, null)
    }
    return tokens.access()
  }

  /**
   * Returns the token to use instead of one that was refused, or `undefined` if there is none or
   * another user has logged in.
   * @throws any error of the renewal but 401, which leaves open whether the login is still valid
   */
  return async (refused: string, session: Session): Promise<Token> => {
    if (!isCurrent(session)) return undefined
    session.renewal ??= alone(() => renewNow(refused, session)).finally(() => delete session.renewal)
    const renewed = await session.renewal
    // Meanwhile another user may have logged in in another tab.
    return isCurrent(session) ? ofSameUser(renewed, refused) : undefined
  }
}
