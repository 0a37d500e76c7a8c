import { memory } from '@feathersjs/memory'
import authentication, { authenticate, hashPassword, memoryStore, type Store } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createClock, createSessionsApp, createStore, logout, refresh } from '../support/auth-sessions.js'
import { secret } from '../support/tokens.js'
import { ask, login, user } from '../support/users-app.js'

const all = { revocation: true, refresh: true }

t.test('a store of the application is used: keys begin with the path, and time is in seconds', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { ...all, store, jwt: { expiresIn: '10m' }, refresh: { expiresIn: '1h' } })
  const { body } = await login(app)
  const { sid, jti } = body.authentication.payload
  await logout(app, body.accessToken)
  const seconds = (key: string) => sets.filter((set) => set.key === key).map((set) => set.seconds)
  const isAbout = (found: number | undefined, expected: number) => Math.abs(Number(found) - expected) < 5
  t.ok(isAbout(seconds(`authentication:session:${sid}`)[0], 3600), 'the login, as long as it may be kept alive')
  t.ok(isAbout(seconds(`authentication:revoked:${jti}`)[0], 600), 'its access token, as long as it is good')
  for (const { key, value, seconds } of sets) {
    t.match(key, /^authentication:/)
    t.type(value, 'string')
    t.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 3600)
  }
})

t.test('a store may answer at once, or a promise; `null` or `undefined`', async (t) => {
  const values = new Map<string, string>()
  const stores: Record<string, Store> = {
    'a Map': { get: (key) => values.get(key), set: (key, value) => values.set(key, value) },
    'memoryStore()': memoryStore(),
    'an object with a prototype': new (class implements Store {
      readonly #values = new Map<string, string>()
      async get(key: string) {
        return this.#values.get(key) ?? null
      }
      async set(key: string, value: string) {
        this.#values.set(key, value)
        return 'OK'
      }
    })()
  }
  for (const [name, store] of Object.entries(stores)) {
    const app = await createSessionsApp(t, { ...all, store })
    const { accessToken, refreshToken } = (await login(app)).body
    const next = (await refresh(app, refreshToken)).body
    t.equal((await ask(app, next.accessToken, '/me')).status, 200, name)
    await logout(app, accessToken)
    t.equal((await ask(app, accessToken, '/me')).status, 401, name)
    t.equal((await ask(app, next.accessToken, '/me')).status, 401, name)
    t.equal((await refresh(app, next.refreshToken)).status, 401, name)
  }
})

t.test('by default it is the memory of the service: another application knows nothing of it', async (t) => {
  const [one, two] = [await createSessionsApp(t, all), await createSessionsApp(t, all)]
  const { accessToken, refreshToken } = (await login(one)).body
  t.equal((await refresh(two, refreshToken)).status, 401)
  await logout(one, accessToken)
  t.equal((await ask(one, accessToken, '/me')).status, 401)
  t.equal((await ask(two, accessToken, '/me')).status, 200)
})

t.test('the store in memory forgets', async (t) => {
  const clock = createClock(t)
  const store = memoryStore()
  await store.set('short', 'a', 10)
  await store.set('long', 'b', 1000)
  t.equal(await store.get('short'), 'a')
  clock.forward(10)
  t.equal(await store.get('short'), undefined, 'at its end')
  t.equal(await store.get('long'), 'b')
  t.equal(await store.get('toString'), undefined)
  clock.forward(100)
  await store.set('other', 'c', 1)
  clock.forward(-110)
  t.equal(await store.get('short'), undefined, 'it is not held any longer: it does not come back with the time')
  t.equal(await store.get('long'), 'b')
  await store.set('long', 'd', 1)
  clock.forward(2)
  t.equal(await store.get('long'), undefined, 'the last value counts, and its time')
})

async function createTwo(t: Test, store: Store) {
  return createSessionsApp(t, { ...all, store }, async (app) => {
    app.service('admins', memory({ startId: 1 }) as object, {
      hooks: { before: { create: [hashPassword('password')] } }
    })
    const options = { secret, ...all, store, path: 'admin/authentication', service: 'admins', entity: 'admin' }
    await app.register(authentication, options)
    const guard = authenticate({ service: 'admin/authentication', strategies: ['jwt'] })
    app.service('audit', { find: async () => [] }, { hooks: { around: { all: [guard] } } })
  })
}

t.test('several authentication services share a store, and each keeps to its own logins', async (t) => {
  const { store } = createStore()
  const app = await createTwo(t, store)
  await app.service('admins').create({ ...user })
  const path = 'admin/authentication'
  const [mine, theirs] = [(await login(app)).body, (await login(app, {}, path)).body]
  t.equal((await refresh(app, mine.refreshToken, path)).status, 401, 'a refresh token of the other one')
  t.equal((await refresh(app, theirs.refreshToken)).status, 401)
  const [one, two] = [await refresh(app, mine.refreshToken), await refresh(app, theirs.refreshToken, path)]
  t.strictSame([one.status, two.status], [201, 201], 'which did no harm to it')
  await logout(app, mine.accessToken)
  t.equal((await ask(app, one.body.accessToken, '/me')).status, 401)
  t.equal((await ask(app, two.body.accessToken, '/audit')).status, 200)
  t.equal((await refresh(app, two.body.refreshToken, path)).status, 201)
})
