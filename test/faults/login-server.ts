import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Test } from 'tap'

const unauthorized = { name: 'NotAuthenticated', message: 'no', code: 401, className: 'not-authenticated' }

/** Whose a token is. */
export const ownerOf = (token: unknown) => String(token).split('.')[1]

/** A server with logins, without the work of real ones: a token names its user. Closed when the test ends. */
export async function createLogins(t: Test): Promise<string> {
  let count = 0
  const ended = new Set<string>()
  const login = (user: unknown) => ({
    accessToken: `access.${user}.${++count}`,
    refreshToken: `refresh.${user}.${++count}`,
    authentication: { strategy: 'local' },
    user: { name: user }
  })
  const isGood = (token: string | undefined) => token !== undefined && !token.endsWith('.old') && !ended.has(token)
  const server = createServer(async (request, response) => {
    const token = request.headers.authorization?.slice('Bearer '.length)
    const answer = async () => {
      if (request.method === 'GET') return isGood(token) ? { name: ownerOf(token) } : undefined
      if (request.method === 'DELETE') return isGood(token) && ended.add(String(token)) ? {} : undefined
      const { strategy, user, accessToken, refreshToken } = (await json(request)) as Record<string, string>
      if (strategy === 'local') return user === 'nobody' ? undefined : login(user)
      if (strategy === 'jwt') return isGood(accessToken) ? { ...login(ownerOf(accessToken)), accessToken } : undefined
      // A refresh token is good for one use.
      if (!isGood(refreshToken)) return undefined
      ended.add(String(refreshToken))
      return login(ownerOf(refreshToken))
    }
    const body = await answer()
    const status = body === undefined ? 401 : request.method === 'POST' ? 201 : 200
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? unauthorized))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
