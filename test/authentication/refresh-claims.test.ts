import { type HookContext, NotAuthenticated } from 'fastify-services'
import { authenticate, type Strategy } from 'fastify-services/authentication'
import t from 'tap'
import { createClock, createSessionsApp, createStore, logout, refresh } from '../support/auth-sessions.js'
import { ask, login } from '../support/users-app.js'

const toHooks = (claims: () => object | undefined) => ({
  before: {
    create: [
      async ({ params }: HookContext) => {
        params.payload = claims()
      }
    ]
  }
})

t.test('`params.payload` that a hook has set is looked at again on each refresh', async (t) => {
  let role: string | undefined = 'author'
  const { store, sets } = createStore()
  const hooks = toHooks(() => (role === undefined ? undefined : { role }))
  const app = await createSessionsApp(t, { refresh: true, store, hooks })
  const { body } = await login(app)
  t.match(body.authentication.payload, { role: 'author' })
  role = 'editor'
  const second = (await refresh(app, body.refreshToken)).body
  t.match(second.authentication.payload, { role: 'editor' })
  t.match((await ask(app, second.accessToken, '/me')).body, { authentication: { payload: { role: 'editor' } } })
  role = undefined
  const third = (await refresh(app, second.refreshToken)).body
  t.notOk('role' in third.authentication.payload, 'it is not remembered')
  t.notMatch(JSON.stringify(sets), /author|editor/, 'nor does the store hold it')
})

const pass: Strategy = {
  async authenticate({ level }) {
    return { authentication: { payload: { level: String(level), amr: ['pass'] } }, user: { id: 1 } }
  }
}

t.test('claims of a strategy are kept: they belong to the log-in', async (t) => {
  const strategies = { jwt: true, local: true, pass }
  const app = await createSessionsApp(t, { refresh: true, strategies })
  let { body } = await login(app, { strategy: 'pass', level: 2 })
  for (let i = 0; i < 3; i++) {
    t.match(body.authentication.payload, { sub: '1', level: '2', amr: ['pass'] })
    body = (await refresh(app, body.refreshToken)).body
  }
  t.match(await ask(app, body.accessToken, '/me'), { body: { authentication: { payload: { level: '2' } } } })
})

t.test('claims of a strategy win over those of a hook, on each refresh', async (t) => {
  const hooks = toHooks(() => ({ level: '9', a: 1 }))
  const app = await createSessionsApp(t, { refresh: true, strategies: { jwt: true, local: true, pass }, hooks })
  const { body } = await login(app, { strategy: 'pass', level: 2 })
  t.match(body.authentication.payload, { level: '2', a: 1 })
  t.match((await refresh(app, body.refreshToken)).body.authentication.payload, { level: '2', a: 1 })
})

t.test('claims that are those of the service stay so, whatever a hook or a strategy says', async (t) => {
  const claims = { sub: '2', iss: 'x', aud: 'x', exp: 9, nbf: 9999999999, iat: 1, jti: 'x', sid: 'x' }
  const hooks = toHooks(() => ({ ...claims }))
  const rude: Strategy = { authenticate: () => ({ authentication: { payload: { ...claims } }, user: { id: 1 } }) }
  const app = await createSessionsApp(t, { refresh: true, strategies: { jwt: true, local: true, rude }, hooks })
  for (const strategy of ['local', 'rude']) {
    const { body } = await login(app, { strategy })
    const next = (await refresh(app, body.refreshToken)).body
    for (const { authentication, accessToken } of [body, next]) {
      const { payload } = authentication
      t.match(payload, { sub: '1', iss: 'fastify-services', aud: 'authentication' })
      for (const name of ['exp', 'iat', 'jti', 'sid'] as const) t.not(payload[name], claims[name], name)
      t.notOk('nbf' in payload)
      t.equal((await ask(app, accessToken, '/me')).status, 200)
    }
    t.equal(next.authentication.payload.sid, body.authentication.payload.sid)
  }
})

t.test('`auth_time` is that of the log-in, `iat` that of the token', async (t) => {
  const clock = createClock(t)
  const hooks = toHooks(() => ({ auth_time: 1 }))
  const app = await createSessionsApp(t, { refresh: true, hooks })
  const { body } = await login(app)
  const { iat, auth_time } = body.authentication.payload
  t.ok(Math.abs(Number(auth_time) - Number(iat)) < 5)
  clock.forward(100)
  const { payload } = (await refresh(app, body.refreshToken)).body.authentication
  t.equal(payload.auth_time, auth_time)
  t.ok(Number(payload.iat) >= Number(iat) + 100)
})

const card: Strategy = {
  authenticate({ number }) {
    if (number !== '4711') throw new NotAuthenticated('Invalid card')
    return { authentication: { payload: { sub: 'printer', floor: 3 } } }
  }
}

t.test('a refresh works in spite of lists that do not name it', async (t) => {
  for (const authStrategies of [['local'], ['jwt', 'local']]) {
    const app = await createSessionsApp(t, { refresh: true, authStrategies, parseStrategies: ['jwt'] })
    const { refreshToken } = (await login(app)).body
    const next = await refresh(app, refreshToken)
    t.equal(next.status, 201)
    t.equal((await ask(app, next.body.accessToken, '/me')).status, 200)
  }
})

t.test('nor does it change the lists: what they leave out stays out', async (t) => {
  const authStrategies = ['local']
  const app = await createSessionsApp(t, { refresh: true, authStrategies })
  const { accessToken } = (await login(app)).body
  t.equal((await login(app, { strategy: 'jwt', accessToken })).status, 401)
  t.strictSame(authStrategies, ['local'], 'the list of the application is not written to')
})

t.test('with a strategy of the application, and tokens without users', async (t) => {
  const app = await createSessionsApp(t, { refresh: true, entity: null, strategies: { jwt: true, card } })
  const { status, body } = await login(app, { strategy: 'card', number: '4711' })
  t.equal(status, 201)
  t.match(body.authentication.payload, { sub: 'printer', floor: 3, sid: String })
  const next = (await refresh(app, body.refreshToken)).body
  t.match(next.authentication, { strategy: 'refresh', payload: { sub: 'printer', floor: 3 } })
  t.notOk('user' in next)
  t.match((await ask(app, next.accessToken, '/me')).body, { authentication: { payload: { sub: 'printer' } } })
  t.equal((await logout(app, next.accessToken)).status, 200)
  t.equal((await refresh(app, next.refreshToken)).status, 401)
})

t.test('a guard that names it lets nobody in by a request', async (t) => {
  const app = await createSessionsApp(t, { refresh: true }, (app) => {
    app.get('/traded', { preHandler: authenticate('refresh') }, () => 'hi')
  })
  const { accessToken, refreshToken } = (await login(app)).body
  for (const token of [accessToken, refreshToken])
    t.equal((await ask(app, token, `/traded?refreshToken=${token}`)).status, 401)
  t.equal((await refresh(app, refreshToken)).status, 201)
})

t.test('its name is taken where the option is on, and free where it is not', async (t) => {
  const strategies = { jwt: true, local: true, refresh: card }
  await t.rejects(
    createSessionsApp(t, { refresh: true, strategies }),
    /'refresh' belongs to the strategy of the option `refresh`/
  )
  const app = await createSessionsApp(t, { strategies })
  t.equal((await login(app, { strategy: 'refresh', number: '1' })).body.message, 'Invalid card')
})

t.test('a list may name it', async (t) => {
  const app = await createSessionsApp(t, { refresh: true, authStrategies: ['local', 'refresh'] })
  t.equal((await refresh(app, (await login(app)).body.refreshToken)).status, 201)
})
