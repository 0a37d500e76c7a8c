import type { FastifyInstance } from 'fastify'
import authentication, {
  type AuthenticationOptions,
  authenticate,
  memoryStore,
  type Store
} from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createClock, createSessionsApp, createStore, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { claims, forge, forgeWithout, now, secret } from '../support/tokens.js'
import { addUsers, ask, createServicesApp, login, user } from '../support/users-app.js'

/** A store such as a database or Redis is: it takes whole seconds that end at a date, and text that is no longer than a column. */
function createStrictStore() {
  const inner = memoryStore()
  const lifetimes: number[] = []
  const check = (key: string) => {
    if (key.length > 1100 || key.includes('\0')) throw new Error('value too long')
  }
  const store: Store = {
    get(key) {
      check(key)
      return inner.get(key)
    },
    set(key, value, seconds) {
      check(key)
      if (!Number.isInteger(seconds) || seconds < 1) throw new Error('invalid expire time')
      lifetimes.push(Date.parse(new Date(Date.now() + seconds * 1000).toISOString()))
      return inner.set(key, value, seconds)
    }
  }
  return { store, lifetimes }
}

const strict = (options: Partial<AuthenticationOptions>) => ({
  revocation: true,
  store: createStrictStore().store,
  ...options
})

t.test('`revocation`: a token with a time that no date holds is 401 everywhere, a logout too', async (t) => {
  const app = await createSessionsApp(t, strict({}))
  for (const exp of [8.64e12, 8.64e12 - 0.5, 1e13, 1e15, 1e300]) {
    const token = forge(claims({ exp }))
    t.strictSame(await waysIn(app, token), [401, 401, 401], String(exp))
    t.match(await logout(app, token), { status: 401, body: { message: 'Invalid access token' } }, String(exp))
  }
})

t.test('`revocation`: a token without an id could not be ended, and is 401', async (t) => {
  const app = await createSessionsApp(t, strict({}))
  for (const token of [
    forgeWithout('jti'),
    ...['', null, 1, {}, ['a'], 'a\0', 'x'.repeat(1025)].map((jti) => forge(claims({ jti })))
  ]) {
    t.strictSame(await waysIn(app, token), [401, 401, 401])
    t.match(await logout(app, token), { status: 401, body: { message: 'Invalid access token' } })
  }
  const open = await createSessionsApp(t)
  t.strictSame(await waysIn(open, forgeWithout('jti')), [200, 200, 201], 'where nothing is revoked it needs none')
})

t.test('`revocation`: odd times and ids that are good are kept by any store, until the token ends', async (t) => {
  const { store, lifetimes } = createStrictStore()
  const app = await createSessionsApp(t, { revocation: true, refresh: true, store })
  for (const changes of [
    { exp: now() + 60.5 },
    { exp: 8.64e12 - 1 },
    { jti: 'x'.repeat(1024), sid: '💥'.repeat(500) }
  ]) {
    const token = forge(claims({ jti: JSON.stringify(changes).slice(0, 30), ...changes }))
    t.strictSame(await waysIn(app, token), [200, 200, 201])
    t.equal((await logout(app, token)).status, 200)
    t.strictSame(await waysIn(app, token), [401, 401, 401])
  }
  t.ok(lifetimes.length >= 4)
})

t.test('the longest times that the options take end at a date', async (t) => {
  const { store } = createStrictStore()
  const app = await createSessionsApp(t, {
    revocation: true,
    store,
    refresh: { expiresIn: 4.32e12 },
    jwt: { expiresIn: 4.32e12 }
  })
  const { body } = await login(app)
  const next = await refresh(app, body.refreshToken)
  t.equal(next.status, 201)
  t.strictSame(await waysIn(app, next.body.accessToken), [200, 200, 201])
  t.equal((await logout(app, next.body.accessToken)).status, 200)
  t.strictSame(await waysIn(app, next.body.accessToken), [401, 401, 401])
})

t.test('a login counts from when it began: what changes while its password is compared ends it', async (t) => {
  const clock = createClock(t)
  for (const isKept of [false, true]) {
    const app = await createSessionsApp(t, { refresh: isKept }, (app) => {
      app.service('users').hooks({ after: { find: [async () => clock.forward(5)] } })
    })
    const start = now()
    const { payload } = (await login(app)).body.authentication
    t.ok(now() >= start + 5)
    const { iat, auth_time: since } = payload
    t.ok(Number(iat) < start + 5, 'not from when it was signed')
    t.equal(since, isKept ? iat : undefined)
  }
})

t.test('what has expired needs no entry', async (t) => {
  const clock = createClock(t)
  const { store, sets } = createStore()
  let wait = 60
  // A token may expire between its verification and its end.
  const isRevoked = () => Boolean(clock.forward(wait))
  const app = await createSessionsApp(t, { revocation: true, store, isRevoked })
  const leave = async () => (await logout(app, forge(claims({ exp: now() + 60 })))).status
  t.equal(await leave(), 200)
  t.strictSame(sets, [])
  wait = 0
  t.equal(await leave(), 200)
  t.equal(sets.length, 1)
})

t.test(
  'a refresh in the last seconds of a login, while the clock goes on: the store gets a second or more',
  async (t) => {
    const { now } = Date
    t.teardown(() => {
      Date.now = now
    })
    const { store } = createStrictStore()
    // It forgets nothing by itself.
    const values = new Map<string, string>()
    const slow: Store = {
      get: (key) => values.get(key),
      set(key, value, seconds) {
        store.set(key, value, seconds)
        values.set(key, value)
      }
    }
    const app = await createSessionsApp(t, { refresh: { expiresIn: 60 }, store: slow })
    const seen = new Set<number>()
    for (let left = 1; left < 12; left++) {
      const { refreshToken } = (await login(app)).body
      let time = now() + (60 - left) * 1000
      Date.now = () => (time += 1000)
      const { status } = await refresh(app, refreshToken)
      Date.now = now
      t.ok([201, 401].includes(status), `${left}: ${status}`)
      seen.add(status)
    }
    t.equal(seen.size, 2)
  }
)

const paths = ['shop/authentication', 'office/authentication'] as const

/** Two authentication services under prefixes, the same user in both, and guards at the root, which has none: they name one. */
async function createTwo(t: Test): Promise<{ app: FastifyInstance; asked: (string | undefined)[] }> {
  const asked: (string | undefined)[] = []
  const app = await createServicesApp(t)
  for (const prefix of ['/shop', '/office'])
    await app.register(
      async (child) => {
        addUsers(child)
        const isRevoked = (_payload: object, request?: { ip: string; url: string }) => {
          asked.push(request && `${prefix} ${request.ip} ${request.url}`)
          return false
        }
        await child.register(authentication, { secret, revocation: true, isRevoked })
      },
      { prefix }
    )
  for (const service of paths) {
    const guard = authenticate({ service, strategies: ['jwt'] })
    const name = service.split('/')[0] as string
    app.service(`of-${name}`, { find: async () => ['hi'] }, { hooks: { around: { all: [guard] } } })
    app.get(`/route-${name}`, { preHandler: guard }, () => ['hi'])
  }
  await app.ready()
  for (const name of ['shop/users', 'office/users']) await app.service(name).create({ ...user })
  return { app, asked }
}

t.test(
  'a guard that names an authentication service works where the instance has none, as a hook and on a route',
  async (t) => {
    const { app, asked } = await createTwo(t)
    const [shop, office] = [(await login(app, {}, paths[0])).body, (await login(app, {}, paths[1])).body]
    for (const [name, good, bad] of [
      ['shop', shop, office],
      ['office', office, shop]
    ] as const)
      for (const url of [`/of-${name}`, `/route-${name}`]) {
        t.equal((await ask(app, good.accessToken, url)).status, 200, url)
        t.strictSame(asked.splice(0), [`/${name} 127.0.0.1 ${url}`], 'its own rule is asked, with the request')
        t.equal((await ask(app, bad.accessToken, url)).status, 401, `${url} with a token of the other one`)
        t.strictSame(asked.splice(0), [])
      }
  }
)

t.test('each authentication service has its own list', async (t) => {
  const { app } = await createTwo(t)
  const [shop, office] = [(await login(app, {}, paths[0])).body, (await login(app, {}, paths[1])).body]
  t.equal((await logout(app, shop.accessToken, paths[1])).status, 401, 'a logout at the other one is refused')
  t.equal((await ask(app, shop.accessToken, '/route-shop')).status, 200)
  t.equal((await logout(app, shop.accessToken, paths[0])).status, 200)
  t.equal((await ask(app, shop.accessToken, '/route-shop')).status, 401)
  t.equal((await ask(app, office.accessToken, '/route-office')).status, 200)
})
