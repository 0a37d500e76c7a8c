import type { FastifyRequest } from 'fastify'
import { Unavailable } from 'fastify-services'
import type { TokenPayload } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createClock, createSessionsApp, createStore, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { claims, forge, now } from '../support/tokens.js'
import { ask, login } from '../support/users-app.js'

const revoked = { name: 'NotAuthenticated', message: 'Invalid access token: it was revoked', code: 401 }

t.test('`revocation: true`: a token that was logged out is refused, and others go on', async (t) => {
  const app = await createSessionsApp(t, { revocation: true })
  await app.service('users').create({ email: 'bob@example.com', password: 'a long secret' })
  const [first, second] = [(await login(app)).body, (await login(app)).body]
  const bob = (await login(app, { email: 'bob@example.com' })).body
  t.strictSame(await waysIn(app, first.accessToken), [200, 200, 201])

  const { status, body } = await logout(app, first.accessToken)
  t.equal(status, 200)
  t.match(body, { accessToken: first.accessToken, user: { id: 1 }, authentication: { strategy: 'jwt' } })
  t.strictSame(await waysIn(app, first.accessToken), [401, 401, 401])
  t.match((await ask(app, first.accessToken, '/me')).body, revoked)
  t.match((await logout(app, first.accessToken)).body, revoked, 'a second logout')
  const again = await login(app, { strategy: 'jwt', accessToken: first.accessToken })
  t.match(again.body, revoked, 'and a log-in with it')

  t.strictSame(await waysIn(app, second.accessToken), [200, 200, 201], 'another token of the user')
  t.strictSame(await waysIn(app, bob.accessToken), [200, 200, 201], 'a token of another user')
  t.equal((await login(app)).status, 201, 'and the user may log in again')
})

t.test('`revocation: true`: the token is refused in every form of the header', async (t) => {
  const app = await createSessionsApp(t, { revocation: true })
  const { accessToken } = (await login(app)).body
  await logout(app, accessToken)
  for (const authorization of [accessToken, `JWT ${accessToken}`, `bearer ${accessToken}`, `Bearer: ${accessToken}`]) {
    const response = await app.inject({ url: '/route', headers: { authorization } })
    t.equal(response.statusCode, 401)
    t.equal(response.headers['www-authenticate'], 'Bearer error="invalid_token"')
  }
})

t.test(
  '`revocation: true`: a token is kept on the list until it has expired by any clock, and no longer',
  async (t) => {
    const clock = createClock(t)
    const { store, sets } = createStore()
    const app = await createSessionsApp(t, { revocation: true, store, jwt: { expiresIn: '1h' } })
    const { accessToken, authentication } = (await login(app)).body
    clock.forward(1000)
    await logout(app, accessToken)
    t.match(sets, [{ key: `authentication:revoked:${authentication.payload.jti}` }])
    const left = Number(sets[0]?.seconds)
    t.ok(left <= 2900 && left > 2890, 'what is left of the hour, and five minutes: clocks differ')
    clock.forward(2580)
    t.match((await ask(app, accessToken, '/me')).body, revoked, 'shortly before the end')
    clock.forward(30)
    t.match((await ask(app, accessToken, '/me')).body, { message: 'Invalid access token: it has expired', code: 401 })
    t.equal((await logout(app, accessToken)).status, 401)
    t.equal(sets.length, 1, 'one that has expired is not put on the list')
  }
)

t.test('without `revocation` a logout is answered, and the token is good until it expires', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { store })
  const { accessToken } = (await login(app)).body
  t.equal((await logout(app, accessToken)).status, 200)
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201])
  t.strictSame(sets, [], 'the server keeps nothing')
})

t.test('a logout by the server itself revokes too', async (t) => {
  const app = await createSessionsApp(t, { revocation: true })
  const { accessToken } = (await login(app)).body
  const call = { authentication: { strategy: 'jwt', accessToken } }
  await t.rejects(app.service('authentication').remove('another', call), { code: 401, message: 'Invalid access token' })
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201], 'an id that is not the token')
  t.match(await app.service('authentication').remove(accessToken, call), { accessToken, user: { id: 1 } })
  t.strictSame(await waysIn(app, accessToken), [401, 401, 401])
  await t.rejects(app.service('authentication').remove(null, call), { code: 401, message: revoked.message })
  await t.rejects(app.service('authentication').remove(null), { code: 401, message: 'Not authenticated' })
})

interface Asked {
  readonly payload: TokenPayload
  readonly url: string | undefined
  readonly ip: string | undefined
}

async function createAskingApp(t: Test) {
  const asked: Asked[] = []
  const isRevoked = (payload: TokenPayload, request: FastifyRequest | undefined) => {
    asked.push({ payload, url: request?.url, ip: request?.ip })
    return false
  }
  const app = await createSessionsApp(t, { isRevoked }, (app) => {
    app.service('open', { find: async () => [] })
    app.service('outer', { find: async ({ provider, ...params }) => app.service('me').find(params) })
  })
  return { app, asked, since: () => asked.splice(0) }
}

t.test('`isRevoked` is asked on every verification, with the claims and the request', async (t) => {
  const { app, since } = await createAskingApp(t)
  const { accessToken, authentication } = (await login(app)).body
  t.strictSame(since(), [], 'a log-in verifies no token')
  const { payload } = authentication
  const lineOf = (url: string) => [{ payload, url, ip: '192.0.2.7' }]
  const remoteAddress = '192.0.2.7'
  const headers = { authorization: `Bearer ${accessToken}` }

  for (const time of ['once', 'and each time again']) {
    await app.inject({ url: '/me', remoteAddress, headers })
    t.strictSame(since(), lineOf('/me'), `the guard of a service, ${time}`)
    await app.inject({ url: '/route', remoteAddress, headers })
    t.strictSame(since(), lineOf('/route'), `the guard of a route, ${time}`)
  }
  const again = { strategy: 'jwt', accessToken }
  await app.inject({ method: 'POST', url: '/authentication', remoteAddress, payload: again })
  t.strictSame(since(), lineOf('/authentication'), 'a log-in with the token')
  await app.inject({ method: 'DELETE', url: '/authentication', remoteAddress, headers })
  t.strictSame(since(), lineOf('/authentication'), 'a logout')
  t.match(payload, { sub: '1', jti: String, iat: Number, exp: Number, aud: 'authentication' })
})

t.test('`isRevoked` gets no request for a call of the server', async (t) => {
  const { app, since } = await createAskingApp(t)
  const { accessToken, authentication } = (await login(app)).body
  const call = { authentication: { strategy: 'jwt', accessToken } }
  const internal = [{ payload: authentication.payload, url: undefined, ip: undefined }]
  await app.service('me').find(call)
  t.strictSame(since(), internal, 'of a guarded service')
  await app.service('me').find({ ...call, provider: 'rest' })
  t.strictSame(since(), internal, 'of one that says it comes from outside')
  await app.service('authentication').create(call.authentication)
  t.strictSame(since(), internal, 'a log-in')
  await app.service('authentication').remove(null, call)
  t.strictSame(since(), internal, 'a logout')
  await app.service('me').find()
  t.strictSame(since(), [], 'without a token there is nothing to ask')
})

t.test('`isRevoked` is not asked where nothing is verified', async (t) => {
  const { app, since } = await createAskingApp(t)
  const { accessToken } = (await login(app)).body
  t.equal((await ask(app, accessToken, '/open')).status, 200)
  t.equal((await ask(app, accessToken, '/outer')).status, 200)
  t.strictSame(since(), [], 'no guard asks who calls')
  for (const token of ['nonsense', forge(claims({ exp: now() - 1 })), forge(claims(), {}, 'x'.repeat(32))]) {
    t.equal((await ask(app, token, '/me')).status, 401)
    t.equal((await logout(app, token)).status, 401)
  }
  t.strictSame(since(), [], 'tokens that are not good anyway')
})

const good = forge(claims({ jti: 'good' }))
const bad = forge(claims({ jti: 'bad' }))

const answers: Record<string, (payload: TokenPayload) => unknown> = {
  true: () => true,
  'a promise of true': async () => true,
  'a promise of true, later': () => new Promise((resolve) => setTimeout(resolve, 5, true))
}

for (const [name, answer] of Object.entries(answers))
  t.test(`\`isRevoked\` that gives ${name} refuses the token, and no other`, async (t) => {
    const isRevoked = (payload: TokenPayload) => (payload.jti === 'bad' ? answer(payload) : false) as boolean
    const app = await createSessionsApp(t, { isRevoked })
    t.strictSame(await waysIn(app, bad), [401, 401, 401])
    t.match((await ask(app, bad, '/me')).body, { message: 'Invalid access token: it was revoked', code: 401 })
    t.equal((await logout(app, bad)).status, 401)
    t.strictSame(await waysIn(app, good), [200, 200, 201])
    t.equal((await logout(app, good)).status, 200)
    const call = { authentication: { strategy: 'jwt', accessToken: bad } }
    await t.rejects(app.service('me').find(call), { code: 401 }, 'also for a call of the server')
  })

const failures: Record<string, () => unknown> = {
  throws: () => {
    throw new Error('No connection')
  },
  rejects: () => Promise.reject(new Error('No connection')),
  'throws a number': () => {
    throw 404
  },
  'throws with a status of its own': () => {
    throw Object.assign(new Error('No connection'), { statusCode: 200, code: 'ENOENT' })
  },
  'throws undefined': () => {
    throw undefined
  }
}

for (const [name, fail] of Object.entries(failures))
  t.test(`\`isRevoked\` that ${name}: the call is refused with 500, and not let through`, async (t) => {
    const isRevoked = (payload: TokenPayload) => (payload.jti === 'bad' ? fail() : false) as boolean
    let called = 0
    const app = await createSessionsApp(t, { isRevoked }, (app) => {
      app.service('me').hooks({ before: { find: [async () => void called++] } })
    })
    t.strictSame(await waysIn(app, bad), [500, 500, 500])
    t.equal((await logout(app, bad)).status, 500)
    t.equal(called, 0, 'nothing behind the guard has run')
    t.strictSame(await waysIn(app, good), [200, 200, 201], 'others go on')
  })

t.test('`isRevoked` that throws an error of a service: its status is answered', async (t) => {
  const app = await createSessionsApp(t, {
    isRevoked: () => Promise.reject(new Unavailable('Back soon'))
  })
  t.strictSame(await waysIn(app, good), [503, 503, 503])
})

t.test('`isRevoked` stands beside the list of `revocation`', async (t) => {
  const ended = new Map<string, number>()
  const isRevoked = ({ sub, iat }: TokenPayload) => iat <= (ended.get(sub) ?? 0)
  const app = await createSessionsApp(t, { revocation: true, isRevoked })
  t.strictSame(await waysIn(app, bad), [200, 200, 201])
  await logout(app, bad)
  t.strictSame(await waysIn(app, bad), [401, 401, 401], 'on the list')
  t.strictSame(await waysIn(app, good), [200, 200, 201])
  ended.set('1', now() + 1)
  t.strictSame(await waysIn(app, good), [401, 401, 401], 'by the rule')
})

t.test('a rule by `auth_time` refuses what a refresh gives too, and lets in who logs in again', async (t) => {
  const clock = createClock(t)
  const changed = new Map<string, number>()
  const isRevoked = ({ sub, auth_time = 0 }: TokenPayload) => auth_time <= (changed.get(sub) ?? 0)
  const app = await createSessionsApp(t, { refresh: true, isRevoked })
  const { refreshToken, accessToken } = (await login(app)).body
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201])
  changed.set('1', now())
  clock.forward(10)
  const next = (await refresh(app, refreshToken)).body
  for (const token of [accessToken, next.accessToken]) t.strictSame(await waysIn(app, token), [401, 401, 401])
  t.strictSame(await waysIn(app, (await login(app)).body.accessToken), [200, 200, 201])
})
