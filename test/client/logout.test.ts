import t from 'tap'
import { credentials } from '../support/client-login.js'
import { breakLogins, createRace, keys, left, listen, other } from '../support/client-race.js'

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
