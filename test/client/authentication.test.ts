import { authentication, createClient, type FetchClient, rest } from 'fastify-services/client'
import t from 'tap'
import { createEcho } from '../support/client-app.js'
import { createLoginClient, createLoginServer, credentials, user } from '../support/client-login.js'

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
  await t.rejects(first.reAuthenticate(), { code: 401, message: 'No accessToken found in storage' })
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
