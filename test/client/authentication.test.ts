import {
  authentication,
  type ClientAuthenticationOptions,
  createClient,
  type FetchClient,
  memoryStorage,
  rest
} from 'fastify-services/client'
import t from 'tap'
import { createEcho } from '../support/client-app.js'
import { createLoginClient, createLoginServer, credentials, user } from '../support/client-login.js'
import { createRace, keys, other } from '../support/client-race.js'

t.test('authenticate, a call, logout: the header is on every call while one is logged in', async (t) => {
  const { address } = await createLoginServer(t)
  const { app, asked, storage } = createLoginClient(address)
  const events: string[] = []
  app.on('login', (result) => void events.push(`login ${(result as { user: { email: string } }).user.email}`))
  app.on('authenticated', () => void events.push('authenticated'))
  app.on('logout', () => void events.push('logout'))
  await t.rejects(app.service('me').find(), { code: 401, name: 'NotAuthenticated' })
  const result = await app.authenticate(credentials)
  t.match(result, { accessToken: String, authentication: { strategy: 'local' }, user: { email: user.email } })
  t.equal(await app.get('authentication'), result)
  t.equal(await storage.getItem('feathers-jwt'), result.accessToken)
  t.match(await app.service('me').find(), { email: user.email })
  t.match(await app.logout(), { accessToken: result.accessToken })
  t.equal(app.get('authentication'), null)
  t.equal(await storage.getItem('feathers-jwt'), undefined)
  await t.rejects(app.service('me').find(), { code: 401 })
  t.same(events, [`login ${user.email}`, 'authenticated', 'logout'])
  const bearer = `Bearer ${result.accessToken}`
  t.same(
    asked.map(({ url, token }) => [url, token]),
    [
      ['/me', undefined],
      ['/authentication', undefined],
      ['/me', bearer],
      ['/authentication', bearer],
      ['/me', undefined]
    ]
  )
})

t.test('calls wait for a login that is under way, and go on without one that fails', async (t) => {
  const { address } = await createLoginServer(t)
  const { app } = createLoginClient(address)
  app.authenticate(credentials)
  t.match(await app.service('me').find(), { email: user.email })
  const failing = app.authenticate({ ...credentials, password: 'wrong' })
  await Promise.all([
    t.rejects(failing, { code: 401, message: 'Invalid login' }),
    t.rejects(app.service('me').find(), { code: 401 })
  ])
  t.equal(app.get('authentication'), null)
})

t.test('reAuthenticate: from storage, once; a token that the server refuses is dropped', async (t) => {
  const { address } = await createLoginServer(t)
  const { storage, app: first } = createLoginClient(address)
  await t.rejects(first.reAuthenticate(), { code: 401, message: 'There is no login: call authenticate() first' })
  const { accessToken } = await first.authenticate(credentials)
  const { app, asked } = createLoginClient(address, storage)
  t.match(await app.authenticate(), { accessToken, authentication: { strategy: 'jwt' }, user: { email: user.email } })
  await app.reAuthenticate()
  t.equal(asked.length, 1)
  await app.reAuthenticate(true)
  t.equal(asked.length, 2)
  await storage.setItem('feathers-jwt', 'no.good.token')
  await t.rejects(app.reAuthenticate(true), { code: 401 })
  t.equal(await storage.getItem('feathers-jwt'), undefined)
  t.equal(await app.logout(), null, 'a logout without a login')
})

t.test('the token is dropped only on 401', async (t) => {
  const { app: server, address } = await createLoginServer(t)
  const { app, storage } = createLoginClient(address)
  const { accessToken } = await app.authenticate(credentials)
  await server.close()
  await t.rejects(app.reAuthenticate(true), { code: 503 })
  await t.rejects(app.logout(), { code: 503 })
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
})

/** A client whose server gives this answer to all that it is asked, with the logins that it tells of. */
function createAnswered(options: ClientAuthenticationOptions, answer: () => Response) {
  const app = createClient()
    .configure(rest('http://server').fetch(async () => answer()))
    .configure(authentication(options))
  const heard: unknown[] = []
  app.on('login', (result) => heard.push(result))
  return { app, heard }
}

t.test('a login by a cookie has no token in its answer: none is stored, nor that of an earlier user', async (t) => {
  const storage = memoryStorage()
  for (const name of keys) await storage.setItem(name, 'earlier')
  const answer = { authentication: { strategy: 'local' }, user: { id: 1 } }
  const { app, heard } = createAnswered({ storage, cookie: true }, () => Response.json(answer))
  await app.authenticate(credentials)
  t.strictSame([await app.get('authentication'), heard], [answer, [answer]])
  for (const name of keys) t.equal(await storage.getItem(name), undefined)
})

t.test('an answer that is no login, such as the page of a network, is told, and changes no tokens', async (t) => {
  const page = '<!doctype html><title>Log in to this network</title>'
  for (const cookie of [false, true])
    for (const result of [page, null, { step: 2 }, { accessToken: '' }, { accessToken: { token: 'a' } }]) {
      const storage = memoryStorage()
      for (const name of keys) await storage.setItem(name, 'earlier')
      const isPage = result === page
      const answer = () =>
        isPage ? new Response(page, { headers: { 'content-type': 'text/html' } }) : Response.json(result)
      const { app, heard } = createAnswered({ storage, cookie }, answer)
      for (const logIn of [() => app.authenticate(credentials), () => app.reAuthenticate(true)])
        await t.rejects(logIn(), { name: 'GeneralError', message: 'The answer is not a login', data: { result } })
      t.same([app.get('authentication'), heard], [null, []])
      for (const name of keys) t.equal(await storage.getItem(name), 'earlier')
    }
})

t.test('a renewal whose answer is no login rejects, and the login stays', async (t) => {
  const { app: server, address } = await createLoginServer(t, { refresh: true })
  const { app, storage } = createLoginClient(address)
  await app.authenticate(credentials)
  const refreshToken = await storage.getItem('feathers-jwt-refresh')
  await storage.setItem('feathers-jwt', 'an.old.one')
  server.service('authentication').hooks({ after: { create: [() => ({ result: 'Back soon' }) as never] } })
  await t.rejects(app.service('me').find(), { code: 500, data: { result: 'Back soon' } })
  t.equal(await storage.getItem('feathers-jwt-refresh'), refreshToken)
})

t.test('options: path, header, scheme, storage key and strategy; another server does not get the token', async (t) => {
  const { address, asked } = await createEcho(t, () => ({ accessToken: 'abc' }))
  const other = await createEcho(t)
  const options = { path: '/v1/login/', header: 'X-Token', scheme: '', storageKey: 'token', jwtStrategy: 'own' }
  const app = createClient().configure(rest(address).fetch(fetch)).configure(authentication(options))
  app.use('other', rest(other.address).fetch(fetch).service('things') as FetchClient)
  await app.authenticate({ strategy: 'local' })
  await app.reAuthenticate(true)
  await app.service('things').find()
  await app.service('things').find({ headers: { 'x-token': 'mine' } })
  await app.service('other').find()
  t.same(
    asked.map(({ url, headers, body }) => [url, headers['x-token'], body]),
    [
      ['/v1/login', undefined, '{"strategy":"local"}'],
      ['/v1/login', undefined, '{"strategy":"own","accessToken":"abc"}'],
      ['/things', 'abc', ''],
      ['/things', 'mine', '']
    ]
  )
  t.same(
    other.asked.map(({ headers }) => [headers['x-token'], headers.authorization]),
    [[undefined, undefined]]
  )
})

t.test('a storage that is slow: what is stored is that of the user who logged in last', async (t) => {
  const items = new Map<string, string>()
  let isSlow = false
  let onSlow = () => {}
  const later = async <T>(run: () => T) => {
    if (isSlow) {
      onSlow()
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    return run()
  }
  const { app, storage } = await createRace(t, {
    getItem: async (key) => items.get(key),
    setItem: (key, value) => later(() => items.set(key, value)),
    removeItem: (key) => later(() => items.delete(key))
  })
  const events: unknown[] = []
  app.on('login', (result) => void events.push((result as { user: { email: string } }).user.email))
  isSlow = true
  const begun = new Promise<void>((resolve) => {
    onSlow = resolve
  })
  const first = app.authenticate(credentials)
  await begun
  isSlow = false
  const { accessToken, refreshToken } = await app.authenticate(other)
  await first
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
  t.equal(await storage.getItem('feathers-jwt-refresh'), refreshToken)
  t.same(events, [other.email])
})

t.test('a storage that fails midway keeps no half of a login', async (t) => {
  const storage = memoryStorage()
  let [isFull, isLocked] = [false, false]
  const { app } = await createRace(t, {
    ...storage,
    setItem(key, value) {
      if (isFull && key === 'feathers-jwt') throw new Error('the quota is exceeded')
      storage.setItem(key, value)
    },
    removeItem(key) {
      if (isLocked) throw new Error('nothing can be removed')
      storage.removeItem(key)
    }
  })
  await app.authenticate(credentials)
  isFull = true
  await t.rejects(app.authenticate(other), { message: 'the quota is exceeded' })
  t.equal(await storage.getItem('feathers-jwt'), undefined)
  t.equal(await storage.getItem('feathers-jwt-refresh'), undefined)
  isLocked = true
  await t.rejects(app.authenticate(other), { message: 'the quota is exceeded' }, 'the first error is told')
})

t.test('a refused renewal ends the login that it began with, though the storage takes its time', async (t) => {
  const storage = memoryStorage()
  let begun: (() => void) | undefined
  let goOn = () => {}
  const { app, hold } = await createRace(t, {
    ...storage,
    async getItem(key) {
      if (begun !== undefined && key === 'feathers-jwt-refresh') {
        begun()
        begun = undefined
        await new Promise<void>((resolve) => {
          goOn = resolve
        })
      }
      return storage.getItem(key)
    }
  })
  await app.authenticate(credentials)
  for (const key of keys) await storage.setItem(key, 'an.old.one')
  const asked = new Promise<void>((resolve) => {
    begun = resolve
  })
  const call = app.service('me').find()
  call.catch(() => {})
  await asked
  const { result: login, letGo } = await hold(() => app.authenticate(other))
  goOn()
  await t.rejects(call, { code: 401 })
  letGo()
  const { accessToken } = await login
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
  t.match(await app.service('me').find(), { email: other.email })
})

t.test('`reAuthenticate` while a slow storage drops the tokens of a logout finds none', async (t) => {
  const storage = memoryStorage()
  let dropping = () => {}
  const { app } = await createRace(t, {
    ...storage,
    async removeItem(key) {
      dropping()
      await new Promise((resolve) => setTimeout(resolve, 20))
      storage.removeItem(key)
    }
  })
  await app.authenticate(credentials)
  const begun = new Promise<void>((resolve) => {
    dropping = resolve
  })
  const logout = app.logout()
  await begun
  await t.rejects(app.reAuthenticate(), { code: 401 })
  await logout
  t.notOk(app.get('authentication'))
})
