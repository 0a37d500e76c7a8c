import t from 'tap'
import { credentials } from '../support/client-login.js'
import { breakLogins, createGate, createRace, keys, listen, other } from '../support/client-race.js'

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
