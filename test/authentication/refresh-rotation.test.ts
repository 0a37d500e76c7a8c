import t from 'tap'
import { createSessionsApp, refresh, waysIn } from '../support/auth-sessions.js'
import { ask, login } from '../support/users-app.js'

const used = { name: 'NotAuthenticated', message: 'Invalid refresh token: it was used before', code: 401 }
const invalid = { name: 'NotAuthenticated', message: 'Invalid refresh token', code: 401 }

t.test("`{ strategy: 'refresh', refreshToken }` → 201 with a new pair, as often as needed", async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  let { body } = await login(app)
  const [first, seen] = [body, new Set([body.refreshToken, body.accessToken])]
  for (let i = 1; i <= 3; i++) {
    const next = await refresh(app, body.refreshToken)
    t.equal(next.status, 201)
    body = next.body
    t.strictSame(Object.keys(body).sort(), ['accessToken', 'authentication', 'refreshToken', 'user'])
    t.match(body, { user: { id: 1, email: 'ada@example.com' }, authentication: { strategy: 'refresh' } })
    t.notOk('password' in body.user)
    const { sub, sid, auth_time, jti } = body.authentication.payload
    const { payload } = first.authentication
    t.match({ sub, sid, auth_time }, { sub: '1', sid: payload.sid, auth_time: payload.auth_time }, 'the same login')
    t.not(jti, payload.jti, 'another token')
    t.strictSame(await waysIn(app, body.accessToken), [200, 200, 201])
    seen.add(body.refreshToken).add(body.accessToken)
  }
  t.equal(seen.size, 8, 'each one is new')
  t.equal((await ask(app, first.accessToken, '/me')).status, 200, 'access tokens go on until they expire')
})

t.test('a refresh token is good for one use; its reuse ends the login, for the old and the new one', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const [first, other] = [(await login(app)).body, (await login(app)).body]
  const second = (await refresh(app, first.refreshToken)).body
  const third = (await refresh(app, second.refreshToken)).body
  t.match((await refresh(app, first.refreshToken)).body, used, 'the first one, two uses later')
  for (const { refreshToken } of [first, second, third]) {
    const { status, body } = await refresh(app, refreshToken)
    t.equal(status, 401)
    t.match(body, invalid)
  }
  t.equal((await ask(app, third.accessToken, '/me')).status, 200, 'access tokens end with `revocation` alone')
  t.equal((await refresh(app, other.refreshToken)).status, 201, 'another login of the user goes on')
  t.equal((await login(app)).status, 201, 'and the user may log in again')
})

t.test('with `revocation` the reuse ends the access tokens of the login as well', async (t) => {
  const app = await createSessionsApp(t, { refresh: true, revocation: true })
  const [first, other] = [(await login(app)).body, (await login(app)).body]
  const second = (await refresh(app, first.refreshToken)).body
  t.strictSame(await waysIn(app, first.accessToken), [200, 200, 201], 'a refresh revokes nothing')
  t.match((await refresh(app, first.refreshToken)).body, used)
  for (const { accessToken, refreshToken } of [first, second]) {
    t.strictSame(await waysIn(app, accessToken), [401, 401, 401])
    t.equal((await refresh(app, refreshToken)).status, 401)
  }
  t.strictSame(await waysIn(app, other.accessToken), [200, 200, 201])
})

t.test('a refusal carries `WWW-Authenticate: Bearer`, and tells nothing of the tokens', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const { refreshToken } = (await login(app)).body
  const { body } = await refresh(app, refreshToken)
  const payload = { strategy: 'refresh', refreshToken }
  const response = await app.inject({ method: 'POST', url: '/authentication', payload })
  t.equal(response.statusCode, 401)
  t.equal(response.headers['www-authenticate'], 'Bearer')
  for (const token of [refreshToken, body.refreshToken]) t.notOk(response.body.includes(token))
})
