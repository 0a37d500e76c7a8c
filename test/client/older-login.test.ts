import { Unavailable } from 'fastify-services'
import t, { type Test } from 'tap'
import { credentials } from '../support/client-login.js'
import { createRace, listen, other } from '../support/client-race.js'

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
