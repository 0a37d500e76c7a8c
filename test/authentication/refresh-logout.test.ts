import type { AuthenticationResult } from 'fastify-services/authentication'
import t from 'tap'
import { createSessionsApp, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { ask, login } from '../support/users-app.js'

t.test('a logout ends the login: its refresh tokens are refused, those of others go on', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const [first, other] = [(await login(app)).body, (await login(app)).body]
  const second = (await refresh(app, first.refreshToken)).body
  t.match(await logout(app, second.accessToken), { status: 200, body: { accessToken: second.accessToken } })
  for (const { refreshToken } of [second, first]) {
    const { status, body } = await refresh(app, refreshToken)
    t.equal(status, 401)
    t.match(body, { name: 'NotAuthenticated', message: 'Invalid refresh token' })
  }
  t.equal((await ask(app, second.accessToken, '/me')).status, 200, 'the access tokens end with `revocation` alone')
  t.equal((await refresh(app, other.refreshToken)).status, 201)
})

t.test('any access token of the login ends it', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const first = (await login(app)).body
  const second = (await refresh(app, first.refreshToken)).body
  t.equal((await logout(app, first.accessToken)).status, 200)
  t.equal((await refresh(app, second.refreshToken)).status, 401)
})

t.test('with `revocation` a logout ends all access tokens of the login', async (t) => {
  const app = await createSessionsApp(t, { refresh: true, revocation: true })
  const [first, other] = [(await login(app)).body, (await login(app)).body]
  const second = (await refresh(app, first.refreshToken)).body
  await logout(app, first.accessToken)
  for (const { accessToken, refreshToken } of [first, second]) {
    t.strictSame(await waysIn(app, accessToken), [401, 401, 401])
    t.equal((await refresh(app, refreshToken)).status, 401)
  }
  t.strictSame(await waysIn(app, other.accessToken), [200, 200, 201])
})

t.test('a logout that is refused ends nothing', async (t) => {
  const app = await createSessionsApp(t, { refresh: true, revocation: true })
  const { accessToken, refreshToken } = (await login(app)).body
  t.equal((await logout(app, 'nonsense')).status, 401)
  t.equal((await logout(app, refreshToken)).status, 401, 'a refresh token is no access token')
  t.equal((await app.inject({ method: 'DELETE', url: '/authentication' })).statusCode, 401)
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201])
  t.equal((await refresh(app, refreshToken)).status, 201)
})

t.test('the result of a logout holds no refresh token', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const results: AuthenticationResult[] = []
  app.service('authentication').on('logout', (result: AuthenticationResult) => results.push(result))
  const { accessToken } = (await login(app)).body
  t.notOk('refreshToken' in (await logout(app, accessToken)).body)
  t.equal(results.length, 1)
  t.notOk('refreshToken' in (results[0] as AuthenticationResult))
})

t.test('a logout of the server by a refresh token ends the login', async (t) => {
  const app = await createSessionsApp(t, { refresh: true, revocation: true })
  const { accessToken, refreshToken } = (await login(app)).body
  const call = { authentication: { strategy: 'refresh', refreshToken } }
  t.match(await app.service('authentication').remove(null, call), { user: { id: 1 } })
  t.equal((await refresh(app, refreshToken)).status, 401)
  t.strictSame(await waysIn(app, accessToken), [401, 401, 401])
})
