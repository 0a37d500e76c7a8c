import authentication, { authenticate, memoryStore, type Store } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createClock, createSessionsApp, createStore, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { secret } from '../support/tokens.js'
import { addUsers, ask, login, user } from '../support/users-app.js'

const all = { revocation: true, refresh: true }

t.test('a store of the application is used: keys begin with the path, and time is in seconds', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { ...all, store, jwt: { expiresIn: '10m' }, refresh: { expiresIn: '1h' } })
  const { body } = await login(app)
  const { sid, jti } = body.authentication.payload
  await logout(app, body.accessToken)
  const seconds = (key: string) => sets.filter((set) => set.key === key).map((set) => set.seconds)
  const isAbout = (actual: number | undefined, expected: number) => Math.abs(Number(actual) - expected) < 5
  t.ok(isAbout(seconds(`authentication:session:${sid}`)[0], 3600), 'the login, as long as it may be kept alive')
  t.ok(
    isAbout(seconds(`authentication:revoked:${jti}`)[0], 900),
    'its access token, as long as it is good by any clock'
  )
  for (const { key, value, seconds } of sets) {
    t.match(key, /^authentication:/)
    t.type(value, 'string')
    t.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 3900)
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
  const [first, second] = [await createSessionsApp(t, all), await createSessionsApp(t, all)]
  const { accessToken, refreshToken } = (await login(first)).body
  t.equal((await refresh(second, refreshToken)).status, 401)
  await logout(first, accessToken)
  t.equal((await ask(first, accessToken, '/me')).status, 401)
  t.equal((await ask(second, accessToken, '/me')).status, 200)
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
    addUsers(app, 'admins')
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
  const [first, second] = [await refresh(app, mine.refreshToken), await refresh(app, theirs.refreshToken, path)]
  t.strictSame([first.status, second.status], [201, 201], 'which did no harm to it')
  await logout(app, mine.accessToken)
  t.equal((await ask(app, first.body.accessToken, '/me')).status, 401)
  t.equal((await ask(app, second.body.accessToken, '/audit')).status, 200)
  t.equal((await refresh(app, second.body.refreshToken, path)).status, 201)
})

async function createFailingApp(t: Test, refresh = false) {
  const { store, failing } = createStore()
  let called = 0
  const app = await createSessionsApp(t, { revocation: true, refresh, store }, (app) => {
    app.service('me').hooks({ before: { find: [async () => void called++] } })
    app.service('open', { find: async () => [] })
  })
  return { app, failing, calls: () => called, repair: () => Object.assign(failing, { get: no, set: no }) }
}

const yes = () => true
const no = () => false
const isList = (key: string) => key.includes(':revoked:')
const isSession = (key: string) => key.includes(':session:')

t.test('when the store can not be read, the calls that ask it fail with 500, and nobody is let in', async (t) => {
  const { app, failing, calls, repair } = await createFailingApp(t)
  const { accessToken } = (await login(app)).body
  failing.get = yes
  t.strictSame(await waysIn(app, accessToken), [500, 500, 500])
  t.match(await ask(app, accessToken, '/me'), { status: 500, body: { name: 'GeneralError' } })
  t.equal((await logout(app, accessToken)).status, 500)
  t.equal(calls(), 0)
  t.equal((await ask(app, 'nonsense', '/me')).status, 401, 'what is no token is refused without it')
  t.equal((await ask(app, accessToken, '/open')).status, 200, 'what is open stays open')
  t.equal((await login(app)).status, 201, 'a log-in needs no store')
  repair()
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201])
})

t.test('a logout that can not be written down is 500, not a success', async (t) => {
  const { app, failing, repair } = await createFailingApp(t)
  const { accessToken } = (await login(app)).body
  let logouts = 0
  app.service('authentication').on('logout', () => logouts++)
  failing.set = yes
  t.equal((await logout(app, accessToken)).status, 500)
  t.equal(logouts, 0)
  repair()
  t.equal((await logout(app, accessToken)).status, 200, 'it may be tried again')
  t.strictSame(await waysIn(app, accessToken), [401, 401, 401])
  t.equal(logouts, 1)
})

for (const [what, isBroken] of Object.entries({ 'the list': isList, 'the login': isSession }))
  t.test(`a logout that fails in the middle, at ${what}, can be tried again until all has ended`, async (t) => {
    const { app, failing, repair } = await createFailingApp(t, true)
    const { accessToken, refreshToken } = (await login(app)).body
    failing.set = isBroken
    await logout(app, accessToken)
    repair()
    await logout(app, accessToken)
    t.strictSame(await waysIn(app, accessToken), [401, 401, 401], 'the access token')
    t.equal((await refresh(app, refreshToken)).status, 401, 'the refresh token')
  })

t.test('when the store can not be read, a refresh is 500, and the token is not used up', async (t) => {
  const { store, failing } = createStore()
  const app = await createSessionsApp(t, { refresh: true, store })
  const { refreshToken } = (await login(app)).body
  failing.get = yes
  for (let i = 0; i < 2; i++) {
    const { status, body } = await refresh(app, refreshToken)
    t.equal(status, 500)
    t.notOk('accessToken' in body)
  }
  failing.get = no
  t.equal((await refresh(app, refreshToken)).status, 201)
})

t.test('when the store can not be written, neither a log-in nor a refresh gives tokens', async (t) => {
  const { store, failing } = createStore()
  const app = await createSessionsApp(t, { refresh: true, store })
  const { refreshToken } = (await login(app)).body
  failing.set = yes
  for (const answer of [await login(app), await refresh(app, refreshToken)]) {
    t.equal(answer.status, 500)
    t.notOk('accessToken' in answer.body)
    t.notOk('refreshToken' in answer.body)
  }
  failing.set = no
  t.equal((await refresh(app, refreshToken)).status, 201)
})

for (const [what, part] of Object.entries({ 'the login': ':session:', 'the list': ':revoked:' }))
  t.test(
    `a reuse that can not be written down, at ${what}, lets nobody in, and ends the login when it comes again`,
    async (t) => {
      const { store, failing } = createStore()
      const app = await createSessionsApp(t, { refresh: { grace: 0 }, revocation: true, store })
      const { refreshToken } = (await login(app)).body
      const next = (await refresh(app, refreshToken)).body
      failing.set = (key) => key.includes(part)
      const { status, body } = await refresh(app, refreshToken)
      t.ok([401, 500].includes(status))
      t.notOk('accessToken' in body)
      failing.set = no
      t.equal((await refresh(app, refreshToken)).status, 401)
      t.equal((await refresh(app, next.refreshToken)).status, 401)
      t.strictSame(await waysIn(app, next.accessToken), [401, 401, 401])
    }
  )

t.test('what the store holds may be broken: nobody is let in', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: true, store })
  for (const value of ['', 'revoked', 'null', '{}', '[]', '{', '1', '{"exp":9999999999}']) {
    const { refreshToken } = (await login(app)).body
    const { key = '' } = sets.at(-1) ?? {}
    await store.set(key, value, 60)
    const { status, body } = await refresh(app, refreshToken)
    t.ok(status === 401 || status === 500, value)
    t.notOk('accessToken' in body)
  }
})
