import { Unavailable } from 'fastify-services'
import type { AuthenticationResult, TokenPayload } from 'fastify-services/authentication'
import t from 'tap'
import { createSessionsApp, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { ask, login, user } from '../support/users-app.js'

const lifetime = ({ exp, iat }: { exp?: unknown; iat?: unknown }) => Number(exp) - Number(iat)

const app = await createSessionsApp(t, { refresh: true })

t.test('`refresh: true`: a log-in gives a refresh token, and an access token for 15 minutes', async (t) => {
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
  const payload = { strategy: 'refresh', refreshToken: (await login(app)).body.refreshToken }
  const response = await app.inject({ method: 'POST', url: '/authentication', payload })
  t.match(response.headers, { 'cache-control': 'no-store' })
})

const used = { name: 'NotAuthenticated', message: 'Invalid refresh token: it was used before', code: 401 }
const invalid = { name: 'NotAuthenticated', message: 'Invalid refresh token', code: 401 }

t.test("`{ strategy: 'refresh', refreshToken }` → 201 with a new pair, as often as needed", async (t) => {
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

// Reuse within the grace, which is another subject, has a file of its own.
const atOnce = { refresh: { grace: 0 }, revocation: true }

t.test('a refresh token is good for one use; its reuse ends the login, for the old and the new one', async (t) => {
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
  const app = await createSessionsApp(t, atOnce)
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
  const app = await createSessionsApp(t, atOnce)
  const { refreshToken } = (await login(app)).body
  const { body } = await refresh(app, refreshToken)
  const payload = { strategy: 'refresh', refreshToken }
  const response = await app.inject({ method: 'POST', url: '/authentication', payload })
  t.equal(response.statusCode, 401)
  t.equal(response.headers['www-authenticate'], 'Bearer')
  for (const token of [refreshToken, body.refreshToken]) t.notOk(response.body.includes(token))
})

t.test('a logout ends the login: its refresh tokens are refused, those of others go on', async (t) => {
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

t.test('the refresh token of a deleted user is 401', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const { refreshToken } = (await login(app)).body
  await app.service('users').remove(1)
  for (let i = 0; i < 2; i++) {
    const { status, body } = await refresh(app, refreshToken)
    t.equal(status, 401)
    t.match(body, { name: 'NotAuthenticated', message: 'Invalid refresh token' })
    t.notOk('accessToken' in body)
  }
})

t.test('the answer to a refresh shows the user as of now, and no password', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const { refreshToken } = (await login(app)).body
  await app.service('users').patch(1, { email: 'lovelace@example.com', role: 'admin' })
  const { body } = await refresh(app, refreshToken)
  t.strictSame(body.user, { email: 'lovelace@example.com', role: 'admin', id: 1 })
})

for (const [when, provider] of Object.entries({ 'looked up': undefined, 'shown to the client': 'rest' }))
  t.test(`when the user can not be ${when}, the refresh token is not used up`, async (t) => {
    let isDown = false
    const app = await createSessionsApp(t, { refresh: true }, (app) => {
      const fail = async (context: { params: { provider?: string } }) => {
        if (isDown && context.params.provider === provider) throw new Unavailable('The users are down')
      }
      app.service('users').hooks({ before: { get: [fail] } })
    })
    const { refreshToken } = (await login(app)).body
    isDown = true
    for (let i = 0; i < 3; i++)
      t.match(await refresh(app, refreshToken), { status: 503, body: { message: 'The users are down' } })
    isDown = false
    const next = await refresh(app, refreshToken)
    t.equal(next.status, 201)
    t.equal((await refresh(app, next.body.refreshToken)).status, 201)
  })

t.test('a user that a hook refuses gets no new tokens, and the refresh token is not used up', async (t) => {
  let isLocked = true
  const app = await createSessionsApp(t, {
    refresh: true,
    hooks: {
      before: {
        create: [
          async ({ data }) => {
            if (isLocked && (data as { strategy?: string }).strategy === 'refresh') throw new Unavailable('Locked')
          }
        ]
      }
    }
  })
  const { refreshToken } = (await login(app)).body
  t.equal((await refresh(app, refreshToken)).status, 503)
  isLocked = false
  t.equal((await refresh(app, refreshToken)).status, 201)
})

t.test('a login that `isRevoked` refuses is not renewed, and its refresh token is not used up', async (t) => {
  const asked: unknown[] = []
  let isOver = false
  const isRevoked = ({ sub, sid, auth_time: since }: TokenPayload) => asked.push([sub, sid, since]) > 0 && isOver
  const app = await createSessionsApp(t, { refresh: true, isRevoked })
  let logins = 0
  app.service('authentication').on('login', () => logins++)
  const { body } = await login(app)
  const { sid, auth_time: since } = body.authentication.payload
  isOver = true
  t.match(await refresh(app, body.refreshToken), {
    status: 401,
    body: { message: 'Invalid refresh token: it was revoked' }
  })
  t.strictSame(asked, [['1', sid, since]])
  t.equal(logins, 1)
  isOver = false
  t.equal((await refresh(app, body.refreshToken)).status, 201)
})
