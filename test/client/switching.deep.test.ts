import { Unavailable } from 'fastify-services'
import { authentication, createClient, memoryStorage, rest } from 'fastify-services/client'
import t, { type Test } from 'tap'
import { createLoginServer, credentials } from '../support/client-login.js'
import { breakLogins, createGate, createRace, keys, left, listen, other } from '../support/client-race.js'

t.test('a logout that a login overtakes is that of the user who leaves', async (t) => {
  const slow = () => new Promise((resolve) => setTimeout(resolve, 5))
  for (const hooks of [{}, { before: { remove: [slow] } }])
    for (const isRenewed of [false, true]) {
      const { app, asked, storage } = await createRace(t)
      app.service('authentication').hooks(hooks as object)
      await app.authenticate(credentials)
      if (isRenewed) {
        await storage.setItem('feathers-jwt', 'an.old.one')
        await app.service('me').find()
      }
      const token = await storage.getItem('feathers-jwt')
      const events: string[] = []
      for (const event of ['login', 'logout']) app.on(event, () => void events.push(event))
      const logout = app.logout()
      const login = app.authenticate(other)
      app.once('logout', () => t.equal(app.get('authentication'), login, 'which shows the one who comes'))
      const { accessToken } = await login
      t.match(await logout, { user: { email: credentials.email } })
      t.same(left(asked), [`Bearer ${token}`])
      t.equal(events.pop(), 'login', 'a user is logged in')
      t.equal(await storage.getItem('feathers-jwt'), accessToken)
      t.match(await app.service('me').find(), { email: other.email })
    }
})

t.test(
  'a logout, and a call, of a user whose login is under way: they are that user’s when another logs in',
  async (t) => {
    const { app, asked, hold } = await createRace(t)
    const { result: login, letGo } = await hold(() => app.authenticate(credentials))
    const logout = app.logout()
    const call = app.service('me').create({ text: 'mine' })
    await app.authenticate(other)
    letGo()
    const { accessToken } = await login
    t.match(await logout, { user: { email: credentials.email } })
    t.same(left(asked), [`Bearer ${accessToken}`])
    await call.catch(() => {})
    t.equal(asked.find(({ url }) => url === '/me')?.token, `Bearer ${accessToken}`)
    t.match(await app.service('me').find(), { email: other.email })
  }
)

t.test('a logout without a login is none of the user who logs in after it', async (t) => {
  const { app, asked } = await createRace(t)
  app.service('authentication').hooks({ before: { remove: [async () => {}] } })
  const logout = app.logout()
  await app.authenticate(other)
  t.equal(await logout, null)
  t.same(left(asked), [undefined])
})

t.test('a call that is refused after another user has logged in is not made again as that user', async (t) => {
  const { app, asked, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  await storage.setItem('feathers-jwt', 'an.old.one')
  const { result: call, letGo } = await hold(() => app.service('me').create({ text: 'mine' }), '/me')
  await app.logout()
  await app.authenticate(other)
  letGo()
  await t.rejects(call, { code: 401 })
  t.equal(asked.filter(({ url }) => url === '/me').length, 1)
})

t.test('`reAuthenticate` that is refused after another user has logged in gives no login of that user', async (t) => {
  const { app, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  await storage.setItem('feathers-jwt', 'an.old.one')
  const { result: again, letGo } = await hold(() => app.reAuthenticate(true))
  await app.authenticate(other)
  letGo()
  await t.rejects(again, { code: 401 })
  t.match(await app.service('me').find(), { email: other.email })
})

t.test('an abort ends a call that waits for a renewal, and not the renewal', async (t) => {
  const { app, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  await storage.setItem('feathers-jwt', 'an.old.one')
  const controller = new AbortController()
  const { signal } = controller
  const { result: call, letGo } = await hold(() => app.service('me').find({ connection: { signal } }))
  const other = app.service('me').find()
  controller.abort(new Error('no longer needed'))
  await t.rejects(call, { message: 'no longer needed' })
  letGo()
  t.match(await other, { email: credentials.email })
})

t.test('a call that began while a login was under way that failed is not made as an earlier user', async (t) => {
  const { app, asked, hold } = await createRace(t)
  await app.authenticate(credentials)
  const { result: wrong, letGo } = await hold(() => app.authenticate({ ...other, password: 'wrong' }))
  const call = app.service('me').create({ text: 'mine' })
  await app.authenticate(other)
  letGo()
  await t.rejects(wrong, { code: 401 })
  await t.rejects(call, { code: 401 })
  t.equal(asked.find(({ url }) => url === '/me')?.token, undefined)
})

t.test('`reAuthenticate(true)` while a user logs in is the login of that user', async (t) => {
  const { app, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  const { result: login, letGo } = await hold(() => app.authenticate(other))
  const again = app.reAuthenticate(true)
  letGo()
  t.equal(await again, await login)
  t.equal(await storage.getItem('feathers-jwt'), (await login).accessToken)
  t.match(await app.service('me').find(), { email: other.email })
})

t.test('one `authentication()` on two applications: each has a login of its own', async (t) => {
  const { address } = await createLoginServer(t)
  const setup = authentication()
  const create = () => createClient().configure(rest(address).fetch(fetch)).configure(setup)
  const [first, second] = [create(), create()]
  await first.authenticate(credentials)
  await t.rejects(second.service('me').find(), { code: 401 })
})

t.test('the last of three logins is refused while the second is being stored: nobody is logged in', async (t) => {
  const gate = createGate('setItem')
  const { app, storage, hold } = await createRace(t, gate.storage)
  await app.authenticate(credentials)
  const events = listen(app)
  const reached = gate.close()
  const second = app.authenticate(other)
  await reached
  const third = await hold(() => app.authenticate({ ...credentials, password: 'wrong' }))
  gate.goOn()
  await second
  third.letGo()
  await t.rejects(third.result, { code: 401 })
  t.same(await Promise.all(keys.map((key) => storage.getItem(key))), [undefined, undefined])
  t.equal(app.get('authentication'), null)
  t.same(events, [])
  await t.rejects(app.service('me').find(), { code: 401 })
})

t.test('the last of three logins fails by 503: the second is logged in, and its event comes', async (t) => {
  const gate = createGate('setItem')
  const { app, server, storage, hold } = await createRace(t, gate.storage)
  await app.authenticate(credentials)
  const events = listen(app)
  const reached = gate.close()
  const second = app.authenticate(other)
  await reached
  breakLogins(server)
  const third = await hold(() => app.authenticate(credentials))
  const waiting = app.service('me').find()
  gate.goOn()
  const { accessToken } = await second
  t.same(events, [], 'not while a login is under way')
  third.letGo()
  await t.rejects(third.result, { code: 503 })
  t.same(events, [`login ${other.email}`])
  t.equal(app.get('authentication'), second)
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
  t.match(await Promise.all([waiting, app.service('me').find()]), [{ email: other.email }, { email: other.email }])
})

t.test('a read of the storage that fails while a renewal ends the login: `logout` leaves no tokens', async (t) => {
  const gate = createGate('getItem')
  const { app, storage, hold } = await createRace(t, gate.storage)
  await app.authenticate(credentials)
  for (const key of keys) await storage.setItem(key, 'an.old.one')
  const events = listen(app)
  const call = await hold(() => app.service('me').find())
  const logout = await hold(() => app.logout())
  const reached = gate.close()
  call.letGo()
  await reached
  gate.fail(new Error('the storage has failed'))
  await t.rejects(call.result, { message: 'the storage has failed' })
  t.same(events, [], 'the tokens are still there')
  logout.letGo()
  await logout.result
  t.same(await Promise.all(keys.map((key) => storage.getItem(key))), [undefined, undefined])
  t.same(events, ['logout null'])
  t.equal(app.get('authentication'), null)
})

t.test('a logout whose tokens can not be removed rejects, and changes nothing: the next one logs out', async (t) => {
  const gate = createGate('removeItem')
  const { app, storage } = await createRace(t, gate.storage)
  const { accessToken } = await app.authenticate(credentials)
  const shown = app.get('authentication')
  const events = listen(app)
  const reached = gate.close()
  const logout = app.logout()
  await reached
  gate.fail(new Error('the storage has failed'))
  await t.rejects(logout, { message: 'the storage has failed' })
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
  t.equal(app.get('authentication'), shown)
  t.same(events, [])
  await app.logout()
  t.equal(await storage.getItem('feathers-jwt'), undefined)
  t.same(events, [`logout ${credentials.email}`])
})

t.test('a logout that began while a login was under way that failed logs out who stayed logged in', async (t) => {
  const { app, server, storage, hold } = await createRace(t)
  await app.authenticate(credentials)
  const mend = breakLogins(server)
  const failing = await hold(() => app.authenticate(other))
  const logout = app.logout()
  failing.letGo()
  await t.rejects(failing.result, { code: 503 })
  mend()
  const login = await hold(() => app.authenticate(other))
  t.match(await logout, { user: { email: credentials.email } })
  t.equal(await storage.getItem('feathers-jwt'), undefined)
  login.letGo()
  await login.result
  t.match(await app.service('me').find(), { email: other.email })
})

/** `reAuthenticate` of a user who is logged in, and a login of another user that began after it; neither is answered. */
async function createBoth(t: Test, failure?: Error) {
  const race = await createRace(t)
  const { app, server, hold } = race
  const fail = ({ data }: { data?: unknown }) => {
    if (failure !== undefined && (data as { email?: string }).email === other.email) throw failure
  }
  server.service('authentication').hooks({ before: { create: [fail] } })
  await app.authenticate(credentials)
  const older = await hold(() => app.reAuthenticate(true))
  const events = listen(app)
  return { ...race, older, newer: await hold(() => app.authenticate(other)), events }
}

t.test('an older login that settles while a newer one is under way: the application shows the newer one', async (t) => {
  const { app, older, newer, events } = await createBoth(t)
  older.letGo()
  await older.result
  t.equal(app.get('authentication'), newer.result)
  t.same(events, [], 'nobody is told of it')
  newer.letGo()
  await newer.result
  t.equal(app.get('authentication'), newer.result)
  t.same(events, [`login ${other.email}`])
  t.match(await app.service('me').find(), { email: other.email })
})

t.test('an older login that settles while a newer one is under way: it stands where the newer one fails', async (t) => {
  const { app, older, newer, events } = await createBoth(t, new Unavailable('not now'))
  older.letGo()
  await older.result
  newer.letGo()
  await t.rejects(newer.result, { code: 503 })
  t.equal(app.get('authentication'), older.result)
  t.same(events, [`login ${credentials.email}`])
  t.match(await app.service('me').find(), { email: credentials.email })
})

t.test('an older login that settles after a newer one changes nothing', async (t) => {
  const { app, storage, older, newer, events } = await createBoth(t)
  newer.letGo()
  const { accessToken } = await newer.result
  older.letGo()
  await older.result
  t.equal(app.get('authentication'), newer.result)
  t.equal(await storage.getItem('feathers-jwt'), accessToken)
  t.same(events, [`login ${other.email}`])
})

t.test('users of tokens are compared, whatever letters base64url makes of them', async (t) => {
  const tokenOf = (sub: string, iat = 0) =>
    `e30.${Buffer.from(JSON.stringify({ sub, iat })).toString('base64url')}.c2ln`
  const [first, last] = [tokenOf('a?>~~'), tokenOf('??>>??')]
  t.match(first, /-/)
  t.match(last, /_/)
  for (const [stored, replaced, isSame] of [
    [first, tokenOf('a?>~~', 1), true],
    [first, tokenOf('b?>~~'), false],
    [first, last, false],
    [last, tokenOf('??>>??', 1), true],
    [first, 'no token', true]
  ] as const) {
    const storage = memoryStorage()
    await storage.setItem('feathers-jwt', stored)
    const sent: unknown[] = []
    // Another tab logs in while the call is under way, and its token is refused.
    const library = async (_url: string, { headers }: RequestInit) => {
      sent.push(new Headers(headers).get('authorization'))
      await storage.setItem('feathers-jwt', replaced)
      return new Response('{}', { status: sent.length === 1 ? 401 : 200 })
    }
    const app = createClient().configure(rest('http://a').fetch(library as typeof fetch))
    const call = app.configure(authentication({ storage })).service('things').find()
    await (isSame ? t.resolves(call) : t.rejects(call, { code: 401 }))
    t.same(sent, isSame ? [`Bearer ${stored}`, `Bearer ${replaced}`] : [`Bearer ${stored}`])
  }
})
