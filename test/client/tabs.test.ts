import { type AuthenticationResult, NotAuthenticated } from 'fastify-services/client'
import t from 'tap'
import { createLoginClient, credentials } from '../support/client-login.js'
import { createRace, keys, other } from '../support/client-race.js'
import { claims, forge, now } from '../support/tokens.js'

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
