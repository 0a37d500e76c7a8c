import { type AuthenticationResult, memoryStorage, NotAuthenticated, type Storage } from 'fastify-services/client'
import t, { type Test } from 'tap'
import { createLoginClient, createLoginServer, credentials, user } from '../support/client-login.js'
import { createRace, keys, other } from '../support/client-race.js'
import { claims, forge, now } from '../support/tokens.js'

const options = { refresh: true }

/** A token of the user that has expired. */
const expired = forge(claims({ sub: '0', exp: now() - 1 }), {}, 's'.repeat(32))

t.test('a token that has expired is renewed, once for any number of calls that wait', async (t) => {
  const { address } = await createLoginServer(t, options)
  const { app, asked, storage } = createLoginClient(address)
  const { accessToken, refreshToken } = await app.authenticate(credentials)
  t.type(refreshToken, 'string')
  t.equal(await storage.getItem('feathers-jwt-refresh'), refreshToken)
  await storage.setItem('feathers-jwt', expired)
  asked.length = 0
  const me = app.service('me')
  const answers = await Promise.all([me.find(), me.create({ a: 1 }), me.find(), me.create({ b: 2 })])
  t.match(answers, [{ email: user.email }, { a: 1 }, { email: user.email }, { b: 2 }])
  t.equal(asked.filter(({ url }) => url === '/authentication').length, 1)
  t.not(await storage.getItem('feathers-jwt'), accessToken)
  t.not(await storage.getItem('feathers-jwt-refresh'), refreshToken)
})

t.test('a renewal that gives no refresh token leaves none, since the old one is used up', async (t) => {
  const { app: server, address } = await createLoginServer(t, options)
  const { app, storage } = createLoginClient(address)
  await app.authenticate(credentials)
  const forget = ({ result }: { result?: unknown }) => {
    delete (result as { refreshToken?: string }).refreshToken
  }
  server.service('authentication').hooks({ after: { create: [forget] } })
  await storage.setItem('feathers-jwt', expired)
  t.match(await app.service('me').find(), { email: user.email })
  t.equal(await storage.getItem('feathers-jwt-refresh'), undefined)
})

t.test('reAuthenticate renews too', async (t) => {
  const { address } = await createLoginServer(t, options)
  const { storage, app: first } = createLoginClient(address)
  const { accessToken } = await first.authenticate(credentials)
  await storage.setItem('feathers-jwt', expired)
  const { app } = createLoginClient(address, storage)
  const result = await app.reAuthenticate()
  t.match(result, { authentication: { strategy: 'jwt' }, user: { email: user.email } })
  t.not(result.accessToken, accessToken)
})

t.test('where the refresh token is refused, the call is answered with 401, and the tokens are dropped', async (t) => {
  const { address } = await createLoginServer(t, options)
  const { app, storage } = createLoginClient(address)
  await app.authenticate(credentials)
  const other = createLoginClient(address, storage)
  await storage.setItem('feathers-jwt', 'stolen.and.changed')
  await storage.setItem('feathers-jwt-refresh', 'no.good')
  await t.rejects(other.app.service('me').find(), { code: 401 })
  t.equal(await storage.getItem('feathers-jwt'), undefined)
  t.equal(await storage.getItem('feathers-jwt-refresh'), undefined)
})

t.test('another client that shares the storage has renewed: its token is used', async (t) => {
  const { address } = await createLoginServer(t, { refresh: true })
  const { storage, app: first } = createLoginClient(address)
  await first.authenticate(credentials)
  const good = await storage.getItem('feathers-jwt')
  await storage.setItem('feathers-jwt', 'an.old.one')
  const { app, asked } = createLoginClient(address, {
    ...storage,
    getItem: (key) => (key === 'feathers-jwt' && asked.length > 0 ? good : storage.getItem(key))
  })
  t.match(await app.service('me').find(), { email: user.email })
  t.same(
    asked.map(({ url, token }) => [url, token]),
    [
      ['/me', 'Bearer an.old.one'],
      ['/me', `Bearer ${good}`]
    ]
  )
})

/** Puts globals of a browser there until the test ends. */
function addGlobals(t: Test, globals: object) {
  for (const [name, value] of Object.entries(globals)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name)
    Object.defineProperty(globalThis, name, { configurable: true, value })
    t.teardown(() => {
      Reflect.deleteProperty(globalThis, name)
      if (before) Object.defineProperty(globalThis, name, before)
    })
  }
}

/** The names of the locks that the renewal of an expired token asks for. */
async function locksOf(
  t: Test,
  { storage, globals, refusal }: { storage: Storage; globals: object; refusal?: Error }
): Promise<string[]> {
  const names: string[] = []
  const request = async <T>(name: string, _options: object, run: () => Promise<T>) => {
    names.push(name)
    if (refusal) throw refusal
    return run()
  }
  addGlobals(t, { navigator: { locks: { request } }, ...globals })
  const { address } = await createLoginServer(t, { refresh: true })
  const { app } = createLoginClient(address, storage)
  await app.authenticate(credentials)
  await storage.setItem('feathers-jwt', expired)
  t.match(await app.service('me').find(), { email: user.email })
  return names
}

/** A storage that other tabs see too. */
const createShared = (): Storage => ({ ...memoryStorage(), isShared: true })
const page = { location: { origin: 'http://page.example' } }

t.test('in a page, where there are locks, other tabs are waited for', async (t) => {
  t.same(await locksOf(t, { storage: createShared(), globals: page }), ['feathers-jwt'])
})

t.test('locks that refuse, as in a page without an origin: the token is renewed without', async (t) => {
  const refusal = new Error('Access to the Locks API is denied in this context.')
  t.same(await locksOf(t, { storage: createShared(), globals: page, refusal }), ['feathers-jwt'])
})

t.test('no other client is waited for where there are no tabs, or the storage is in memory', async (t) => {
  t.same(await locksOf(t, { storage: createShared(), globals: {} }), [], 'as on a server, with a storage for each user')
  t.same(await locksOf(t, { storage: memoryStorage(), globals: page }), [])
})

t.test('a body that is a stream is not sent twice', async (t) => {
  const { address } = await createLoginServer(t, { refresh: true })
  const { app, asked, storage } = createLoginClient(address)
  await app.authenticate(credentials)
  await storage.setItem('feathers-jwt', 'an.old.one')
  const stream = () => new Blob(['{"a":1}']).stream() as unknown as Record<string, unknown>
  const headers = { 'Content-Type': 'application/json' }
  await t.rejects(app.service('me').create(stream(), { headers }), { code: 401 })
  t.match(await app.service('me').create(stream(), { headers }), { a: 1 }, 'the token was renewed for the next call')
  t.equal(asked.filter(({ url }) => url === '/me').length, 2)
})

/** Logs in, and puts a token of that user that has expired in the place of the good one. */
async function logInAndExpire({ app, storage }: ReturnType<typeof createLoginClient>) {
  const { user } = await app.authenticate(credentials)
  const sub = String((user as { id: number }).id)
  await storage.setItem('feathers-jwt', forge(claims({ sub, exp: now() - 1 }), {}, 's'.repeat(32)))
}

t.test('`reAuthenticate` leaves the tokens that another tab has renewed meanwhile', async (t) => {
  const { app, server, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  const { result: again, letGo } = await hold(() => app.reAuthenticate(true))
  const refreshToken = await storage.getItem('feathers-jwt-refresh')
  const login = server.service('authentication')
  const renewed = (await login.create({ strategy: 'refresh', refreshToken })) as AuthenticationResult
  const tokens = [String(renewed.accessToken), String(renewed.refreshToken)] as const
  await storage.setItem('feathers-jwt', tokens[0])
  await storage.setItem('feathers-jwt-refresh', tokens[1])
  letGo()
  await again
  t.same(await Promise.all(keys.map((key) => storage.getItem(key))), tokens)
})

t.test('a call that is refused is not made again as the user that another tab has logged in', async (t) => {
  const race = await createRace(t)
  const { app, asked, address, storage, hold } = race
  await logInAndExpire(race)
  const { result: call, letGo } = await hold(() => app.service('me').create({ text: 'mine' }), '/me')
  const tab = createLoginClient(address, storage)
  await tab.app.authenticate(other)
  letGo()
  await t.rejects(call, { code: 401 })
  t.equal(asked.filter(({ url }) => url === '/me').length, 1)
  t.match(await tab.app.service('me').find(), { email: other.email })
})

t.test('a logout leaves the tokens of the user that another tab has logged in', async (t) => {
  const { app, address, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  const { result: logout, letGo } = await hold(() => app.logout())
  const tab = createLoginClient(address, storage)
  const { accessToken } = await tab.app.authenticate(other)
  letGo()
  await logout
  t.equal(app.get('authentication'), null)
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
  t.match(await tab.app.service('me').find(), { email: other.email })
})

t.test(
  'neither a refused `reAuthenticate` nor a renewal touches the user whom another tab has logged in meanwhile',
  async (t) => {
    for (const call of ['reAuthenticate', 'find'] as const) {
      const race = await createRace(t)
      const { app, asked, address, storage, hold } = race
      await logInAndExpire(race)
      if (call === 'reAuthenticate') await storage.removeItem('feathers-jwt-refresh')
      const { result, letGo } = await hold<unknown>(() =>
        call === 'find' ? app.service('me').find() : app.reAuthenticate(true)
      )
      const tab = createLoginClient(address, storage)
      const { accessToken } = await tab.app.authenticate(other)
      letGo()
      await t.rejects(result, { code: 401 }, call)
      t.equal(asked.filter(({ url }) => url === '/me').length, call === 'find' ? 1 : 0)
      t.equal(await storage.getItem('feathers-jwt'), accessToken, call)
      t.match(await tab.app.service('me').find(), { email: other.email }, call)
    }
  }
)

t.test('a renewal that is refused because another tab has renewed goes on with the tokens of that tab', async (t) => {
  const race = await createRace(t)
  const { app, server, address, storage } = race
  await logInAndExpire(race)
  const tab = createLoginClient(address)
  const { accessToken, refreshToken } = await tab.app.authenticate(credentials)
  const tokens = [String(accessToken), String(refreshToken)]
  const overtake = async ({ data }: { data?: unknown }) => {
    if ((data as { strategy: string }).strategy !== 'refresh') return
    for (const [index, key] of keys.entries()) await storage.setItem(key, String(tokens[index]))
    throw new NotAuthenticated('It was used')
  }
  server.service('authentication').hooks({ before: { create: [overtake] } })
  const events: unknown[] = []
  app.on('logout', (result) => void events.push(result))
  t.match(await app.service('me').find(), { email: credentials.email })
  t.same(await Promise.all(keys.map((key) => storage.getItem(key))), tokens)
  t.same(events, [])
})
