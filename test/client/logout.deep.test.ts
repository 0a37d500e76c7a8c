import { memoryStorage } from 'fastify-services/client'
import t from 'tap'
import { createLoginClient, createLoginServer, credentials, user } from '../support/client-login.js'
import { breakLogins, createGate, createRace, keys, left, listen, other } from '../support/client-race.js'

const [ada, bob] = [credentials.email, other.email]

t.test('a logout ends the login though the user goes on with the token meanwhile', async (t) => {
  const { app, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  const events = listen(app)
  const { result: logout, letGo } = await hold(() => app.logout())
  await app.reAuthenticate(true)
  letGo()
  await logout
  t.same(events, [`login ${ada}`, `logout ${ada}`])
  t.equal(await storage.getItem('feathers-jwt'), undefined)
  t.equal(app.get('authentication'), null)
})

t.test('a logout without an access token, which someone has removed, leaves no refresh token', async (t) => {
  const { app, storage } = await createRace(t)
  await app.authenticate(credentials)
  await storage.removeItem('feathers-jwt')
  await app.logout().catch(() => {})
  for (const key of keys) t.equal(await storage.getItem(key), undefined, key)
})

t.test('a logout drops the tokens of its user though a login that began meanwhile fails', async (t) => {
  const { app, server, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  const events = listen(app)
  const { result: logout, letGo } = await hold(() => app.logout())
  breakLogins(server)
  const login = await hold(() => app.authenticate(other))
  letGo()
  await logout
  login.letGo()
  await t.rejects(login.result, { code: 503 })
  t.same(events, [`logout ${ada}`])
  t.equal(await storage.getItem('feathers-jwt'), undefined)
  t.equal(app.get('authentication'), null)
})

t.test(
  'a logout leaves the tokens of a user who has logged in meanwhile, also where that login can not go on',
  async (t) => {
    const { app, server, storage, hold } = await createRace(t)
    await app.authenticate(credentials)
    const { result: logout, letGo } = await hold(() => app.logout())
    const { accessToken } = await app.authenticate(other)
    const mend = breakLogins(server)
    await t.rejects(app.reAuthenticate(true), { code: 503 })
    const events = listen(app)
    letGo()
    await logout
    mend()
    t.same(events, [])
    t.equal(await storage.getItem('feathers-jwt'), accessToken)
    t.match(await app.service('me').find(), { email: bob })
  }
)

t.test('a logout that the storage refuses leaves the login that the user has begun meanwhile', async (t) => {
  const gate = createGate('removeItem')
  const { app } = await createRace(t, gate.storage)
  await app.authenticate(credentials)
  const isReached = gate.close()
  const logout = app.logout()
  await isReached
  const again = app.reAuthenticate(true)
  gate.fail(new Error('no'))
  await t.rejects(logout, { message: 'no' })
  t.equal(app.get('authentication'), again)
  t.match(await again, { user: { email: ada } })
})

t.test('two logouts at once are one', async (t) => {
  const { app } = await createRace(t)
  await app.authenticate(credentials)
  const events = listen(app)
  await Promise.all([app.logout(), app.logout()])
  t.same(events.length, 1)
})

t.test('each of two logouts is that of the user whom it began with', async (t) => {
  const { app, asked } = await createRace(t)
  const { accessToken } = await app.authenticate(credentials)
  const waits = [150, 300]
  const later = () => new Promise((resolve) => setTimeout(resolve, waits.shift()))
  app.service('authentication').hooks({ before: { remove: [later as never] } })
  const [first, second] = [app.logout(), app.logout()]
  await first
  await app.authenticate(other)
  await second
  t.same(left(asked), [`Bearer ${accessToken}`, `Bearer ${accessToken}`])
  t.match(await app.service('me').find(), { email: bob })
})

t.test('a refused renewal emits `logout` while the user goes on, or a logout is under way', async (t) => {
  for (const meanwhile of ['reAuthenticate', 'logout'] as const) {
    const { app, server, storage, hold } = await createRace(t)
    await app.authenticate(credentials)
    for (const key of keys) await storage.setItem(key, 'an.old.one')
    const events = listen(app)
    const { result: call, letGo } = await hold(() => app.service('me').find())
    if (meanwhile === 'logout') breakLogins(server, 'remove')
    const other = meanwhile === 'logout' ? app.logout() : app.reAuthenticate(true)
    other.catch(() => {})
    letGo()
    await t.rejects(call, { code: 401 })
    await t.rejects(other)
    t.same(events, ['logout null'], meanwhile)
    t.equal(app.get('authentication'), null, meanwhile)
  }
})

t.test('a logout that begins while another user logs in is that of the user who has logged in then', async (t) => {
  const { app, storage } = await createRace(t)
  await app.authenticate(credentials)
  const events = listen(app)
  const login = app.authenticate(other)
  await app.logout()
  await login
  t.same(events, [`login ${bob}`, `logout ${bob}`])
  t.equal(await storage.getItem('feathers-jwt'), undefined)
  await t.rejects(app.service('me').find(), { code: 401 })
})

t.test('a logout ends the login of a user who went on with the token after another one could not log in', async (t) => {
  for (const isLate of [false, true]) {
    const { app, server, storage, hold } = await createRace(t)
    await app.authenticate(credentials)
    const { result: logout, letGo } = await hold(() => app.logout())
    const mend = breakLogins(server)
    await t.rejects(app.authenticate(other), { code: 503 })
    mend()
    const again = await hold(() => app.reAuthenticate())
    if (!isLate) {
      again.letGo()
      await again.result
    }
    letGo()
    await logout
    again.letGo()
    await again.result
    t.equal(app.get('authentication'), null)
    t.equal(await storage.getItem('feathers-jwt'), undefined)
  }
})

t.test('a renewal that a newer login has overtaken changes nothing', async (t) => {
  const { app, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  await storage.setItem('feathers-jwt', 'an.old.one')
  const { result: call, letGo } = await hold(() => app.service('me').find())
  const { accessToken, refreshToken } = await app.authenticate(other)
  letGo()
  await t.rejects(call, { code: 401 }, 'it is not made again as the other user')
  t.same(await Promise.all(keys.map((key) => storage.getItem(key))), [accessToken, refreshToken])
  t.match(await app.service('me').find(), { email: other.email })
})

t.test('a renewal that a logout has overtaken does not log in again', async (t) => {
  const { app, storage, hold } = await createRace(t)
  const { accessToken = '' } = await app.authenticate(credentials)
  await storage.setItem('feathers-jwt', 'an.old.one')
  const { result: call, letGo } = await hold(() => app.service('me').find())
  // Another tab has renewed the token, so that the logout does not wait for the renewal.
  await storage.setItem('feathers-jwt', accessToken)
  await app.logout()
  letGo()
  await t.rejects(call, { code: 401 })
  t.same(await Promise.all(keys.map((key) => storage.getItem(key))), [undefined, undefined])
  t.equal(app.get('authentication'), null)
})

t.test('a renewal that is answered with 503 or 429 ends no login: the call rejects with it', async (t) => {
  const { app: server, address } = await createLoginServer(t, { refresh: true })
  const { app, storage } = createLoginClient(address)
  await app.authenticate(credentials)
  const good = await storage.getItem('feathers-jwt')
  await storage.setItem('feathers-jwt', 'an.old.one')
  let code = 503
  server.service('authentication').hooks({
    before: {
      create: [
        () => {
          if (code > 0) throw Object.assign(new Error('not now'), { code, className: 'x', name: 'x' })
        }
      ]
    }
  })
  for (code of [503, 429]) {
    await t.rejects(app.service('me').find(), { code })
    await t.rejects(app.reAuthenticate(true), { code })
  }
  t.type(await storage.getItem('feathers-jwt-refresh'), 'string')
  code = 0
  t.match(await app.service('me').find(), { email: user.email })
  t.not(await storage.getItem('feathers-jwt'), good)
})

t.test('a refresh token that is refused ends the login: `get(authentication)` is null', async (t) => {
  const { address } = await createLoginServer(t, { refresh: true })
  const { app, storage } = createLoginClient(address)
  await app.authenticate(credentials)
  for (const key of keys) await storage.setItem(key, 'an.old.one')
  const events: unknown[] = []
  app.on('logout', (result) => void events.push(result))
  await t.rejects(Promise.all([app.service('me').find(), app.service('me').find()]), { code: 401 })
  t.same(events, [null])
  for (const key of keys) await storage.setItem(key, 'an.old.one')
  t.equal(await app.logout(), null)
  t.same(events, [null, null], 'once for each end')
  t.equal(app.get('authentication'), null)
  t.same(await Promise.all(keys.map((key) => storage.getItem(key))), [undefined, undefined])
  await t.rejects(app.reAuthenticate(), { code: 401, message: 'There is no login: call authenticate() first' })
})

t.test('a renewal that is refused while a login is under way does not end that', async (t) => {
  const { app, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  for (const key of keys) await storage.setItem(key, 'an.old.one')
  const renewal = await hold(() => app.service('me').find())
  const login = await hold(() => app.authenticate(other))
  renewal.letGo()
  await t.rejects(renewal.result, { code: 401 })
  login.letGo()
  const { accessToken } = await login.result
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
  t.match(await app.service('me').find(), { email: other.email })
})

t.test('`reAuthenticate` that a newer login has overtaken neither saves nor drops', async (t) => {
  for (const stored of ['an.old.one', undefined]) {
    const { app, storage, hold } = await createRace(t)
    const { accessToken: first = '' } = await app.authenticate(credentials)
    await storage.removeItem('feathers-jwt-refresh')
    await storage.setItem('feathers-jwt', stored ?? first)
    const { result: again, letGo } = await hold(() => app.reAuthenticate(true))
    const events: unknown[] = []
    app.on('login', (result) => void events.push((result as { user: { email: string } }).user.email))
    const login = app.authenticate(other)
    const { accessToken } = await login
    letGo()
    await again.catch(() => {})
    t.equal(await storage.getItem('feathers-jwt'), accessToken)
    t.equal(app.get('authentication'), login)
    t.same(events, [other.email])
  }
})

t.test('a login that begins while a logout runs stays', async (t) => {
  const { app, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  const { result: logout, letGo } = await hold(() => app.logout())
  const { accessToken } = await app.authenticate(other)
  letGo()
  await logout
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
  t.match(await app.service('me').find(), { email: other.email })
})

t.test('a login without a refresh token forgets the one of another login', async (t) => {
  const { app: server, address } = await createLoginServer(t, { refresh: true })
  const { app, storage } = createLoginClient(address)
  await app.authenticate(credentials)
  const forget = ({ result }: { result?: unknown }) => {
    delete (result as { refreshToken?: string }).refreshToken
  }
  server.service('authentication').hooks({ after: { create: [forget] } })
  t.type(await storage.getItem('feathers-jwt-refresh'), 'string')
  await app.reAuthenticate(true)
  t.type(await storage.getItem('feathers-jwt-refresh'), 'string', 'the login is the same one')
  await app.authenticate(credentials)
  t.equal(await storage.getItem('feathers-jwt-refresh'), undefined)
})

t.test('an error of the storage is that of the call', async (t) => {
  const { address } = await createLoginServer(t)
  const full = new Error('the quota is exceeded')
  const broken = () => Promise.reject(full)
  const { app } = createLoginClient(address, { ...memoryStorage(), setItem: broken })
  await t.rejects(app.authenticate(credentials), full)
  const unreadable = createLoginClient(address, { ...memoryStorage(), getItem: broken })
  await t.rejects(unreadable.app.service('me').find(), full)
})
