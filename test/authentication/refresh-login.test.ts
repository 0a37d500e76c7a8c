import type { AuthenticationResult } from 'fastify-services/authentication'
import t from 'tap'
import { createSessionsApp, refresh } from '../support/auth-sessions.js'
import { ask, login, user } from '../support/users-app.js'

const lifetime = ({ exp, iat }: { exp?: unknown; iat?: unknown }) => Number(exp) - Number(iat)

t.test('`refresh: true`: a log-in gives a refresh token, and an access token for 15 minutes', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const { status, body } = await login(app)
  t.equal(status, 201)
  t.strictSame(Object.keys(body).sort(), ['accessToken', 'authentication', 'refreshToken', 'user'])
  t.match(body, { refreshToken: /^[\w.-]{40,}$/, user: { id: 1, email: user.email } })
  t.strictSame(Object.keys(body.authentication).sort(), ['payload', 'strategy'])
  const { payload } = body.authentication
  t.equal(lifetime(payload), 15 * 60)
  t.match(payload, { sub: '1', sid: /^[\w-]{20,}$/, jti: /^[\da-f-]{36}$/ })
  const sinceLogin = Number(payload.iat) - Number(payload.auth_time)
  t.ok(sinceLogin >= 0 && sinceLogin < 5)
  t.notMatch(JSON.stringify(body), user.password)
  t.equal((await ask(app, body.accessToken, '/me')).status, 200)
  const other = (await login(app)).body
  t.not(other.refreshToken, body.refreshToken)
  t.not(other.authentication.payload.sid, payload.sid, 'each login has an id of its own')
})

t.test('an explicit `jwt.expiresIn` wins', async (t) => {
  for (const [expiresIn, seconds] of [
    ['1h', 3600],
    [90, 90],
    ['1d', 86400]
  ] as const) {
    const app = await createSessionsApp(t, { refresh: true, jwt: { expiresIn } })
    const { body } = await login(app)
    t.equal(lifetime(body.authentication.payload), seconds)
    const next = await refresh(app, body.refreshToken)
    t.equal(lifetime(next.body.authentication.payload), seconds, 'also for those that follow')
  }
})

t.test('a log-in with an access token gives no refresh token: it is the same token', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const { accessToken } = (await login(app)).body
  const { status, body } = await login(app, { strategy: 'jwt', accessToken })
  t.equal(status, 201)
  t.equal(body.accessToken, accessToken)
  t.notOk('refreshToken' in body)
})

t.test('without `refresh` there is none, and the strategy is none', async (t) => {
  const app = await createSessionsApp(t, { refresh: false, revocation: true })
  const { body } = await login(app)
  t.notOk('refreshToken' in body)
  t.notOk('sid' in body.authentication.payload)
  t.notOk('auth_time' in body.authentication.payload)
  t.equal(lifetime(body.authentication.payload), 86400)
  t.match(await refresh(app, `${'a'.repeat(22)}.${'b'.repeat(43)}`), {
    status: 401,
    body: { message: 'Invalid authentication information (strategy not allowed in authStrategies)' }
  })
})

t.test('a log-in by the server itself gives a pair too, and events tell of it', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const seen: string[] = []
  app.service('authentication').on('login', ({ authentication }: AuthenticationResult) => {
    seen.push(authentication.strategy)
  })
  const create = (data: object) => app.service('authentication').create(data) as Promise<AuthenticationResult>
  const { refreshToken } = await create({ strategy: 'local', ...user })
  t.type(refreshToken, 'string')
  const next = await create({ strategy: 'refresh', refreshToken })
  t.match(next, { accessToken: String, refreshToken: String, authentication: { strategy: 'refresh' }, user: { id: 1 } })
  t.equal((await refresh(app, next.refreshToken)).status, 201)
  t.strictSame(seen, ['local', 'refresh', 'refresh'])
})

t.test('answers with tokens are not for caches', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const payload = { strategy: 'refresh', refreshToken: (await login(app)).body.refreshToken }
  const response = await app.inject({ method: 'POST', url: '/authentication', payload })
  t.match(response.headers, { 'cache-control': 'no-store' })
})
