import type { Test } from 'tap'
import { startChild } from './request-child.js'

export type Child = Awaited<ReturnType<typeof startChild>>

const json = { 'Content-Type': 'application/json' }
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
// What no header can hold as it is, is sent in the body alone.
const fits = (token: string) => !/^[ \t]|[\0\r\n]|[ \t]$/.test(token) && token.length < 15_000

/** The server for the strategies `local` and `jwt` with a secret, or the one for key pairs, in a process of its own. */
export const startAuth = (t: Test, script: 'auth-server.js' | 'auth-fault-server.js' = 'auth-server.js') =>
  startChild(t, script)

/** Where a token is asked for. */
export interface Places {
  guards: readonly string[]
  login: string
}

export const places: Places = { guards: ['/me', '/route'], login: '/authentication' }

/** The same for one of the services of the server for key pairs. */
export const placesOf = (path: string): Places => ({
  guards: [`/guarded/${path}`, `/route/${path}`],
  login: `/${path}`
})

/** A token that is not good: 401 before a service and a route, for a login and a logout; ignored where no guard asks. */
export async function refuses(t: Test, child: Child, row: string, token: string, { guards, login } = places) {
  const { request, alive } = child
  if (fits(token)) {
    for (const path of guards) {
      const answer = await request('GET', path, bearer(token))
      t.equal(answer.status, 401, `${row}: ${path}`)
      // A header without a token has no error code.
      t.match(answer.headers['www-authenticate'], /^Bearer( error="invalid_token")?$/)
    }
    t.equal((await request('DELETE', login, bearer(token))).status, 401, `${row}: a logout`)
    t.equal((await request('GET', '/things', bearer(token))).status, 200, `${row}: ignored where no guard asks`)
  }
  const data = JSON.stringify({ strategy: 'jwt', accessToken: token })
  const answer = await request('POST', login, json, data)
  const body = JSON.parse(answer.body)
  t.match(body, {
    name: 'NotAuthenticated',
    message: /^Invalid access token/,
    code: 401,
    className: 'not-authenticated'
  })
  t.same(Object.keys(body), ['name', 'message', 'code', 'className'])
  await alive(t, row)
}

/** A token that is good, in the same places. */
export async function accepts(
  t: Test,
  { request, alive }: Child,
  row: string,
  token: string,
  { guards, login } = places
) {
  for (const path of guards) t.equal((await request('GET', path, bearer(token))).status, 200, `${row}: ${path}`)
  const data = JSON.stringify({ strategy: 'jwt', accessToken: token })
  t.equal((await request('POST', login, json, data)).status, 201, `${row}: a login`)
  t.equal((await request('DELETE', login, bearer(token))).status, 200, `${row}: a logout`)
  await alive(t, row)
}
