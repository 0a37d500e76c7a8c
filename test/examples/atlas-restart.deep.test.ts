import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { hasDemo } from '../../examples/atlas/demo.js'
import { callsOf } from './atlas-calls.js'
import { createFirstVersion } from './atlas-first-version.js'
import { onEachDatabase, onServer } from './atlas-support.js'

type Users = { remove(id: number | null): Promise<unknown> }

onEachDatabase('the countries are loaded once; notes, users and tokens survive a restart', async (t, options) => {
  const files = join(options.folder ?? '', 'postgres')
  const mode = () => statSync(files).mode & 0o777
  const first = await openDatabase(options)
  const app = await createApp(first)
  const { call, signUp, logIn } = callsOf(app)
  const ada = await signUp('ada')
  const over = (await logIn('ada@example.com')).body.accessToken
  await call('DELETE', '/authentication', undefined, over)
  const { id } = (await call('POST', '/countries/CHE/notes', { text: 'kept' }, ada.token)).body
  await first.knex('countries').where('cca3', 'CHE').update({ name: 'Not loaded again' })
  t.equal(await hasDemo(app), true, 'the demo user is created')
  await app.service<Users>('users').remove(1)
  t.equal(await hasDemo(app), false)
  await app.close()
  await t.rejects(first.knex.raw('select 1'), 'it is closed with the app')
  if (options.folder !== undefined) {
    t.equal(mode(), 0o700, 'what is in the data folder is for its owner alone')
    chmodSync(files, 0o755)
  }

  const database = await openDatabase(options)
  t.teardown(database.close)
  // An app that ends while others go on with its database.
  const start = async (secret?: string) => {
    const app = await createApp({ ...database, close: async () => {} }, { secret })
    await app.ready()
    return { app, ...callsOf(app) }
  }
  if (options.folder !== undefined) t.equal(mode(), 0o700, 'also where the first version of the atlas has made it')
  const next = await start()
  const get = async (url: string) => (await next.call('GET', url)).body
  t.match(await get(`/countries/CHE/notes/${id}`), { id, text: 'kept', author: ada.id })
  t.equal((await get('/countries?$limit=0')).total, 250)
  t.match(await get('/countries/CHE'), { name: 'Not loaded again' })
  t.match(await next.call('GET', `/users/${ada.id}`, undefined, ada.token), { status: 200 }, 'the token is still good')
  t.match(await next.call('GET', '/users', undefined, over), { status: 401 }, 'one that was logged out is not')
  t.equal(await hasDemo(next.app), false, 'the demo user stays away')

  t.comment('a secret that is given takes the place of the one that is kept')
  const secret = 'a secret of 32 bytes or of more than these'
  const started = await start(secret)
  const { token } = await started.signUp('bob')
  await started.app.close()
  t.match(await next.call('GET', '/users', undefined, token), { status: 401 })
  await next.app.close()
  const without = await start()
  t.match(await without.call('GET', '/users', undefined, token), { status: 401 })
  await without.app.close()
  const again = await start(secret)
  t.match(await again.call('GET', '/users', undefined, token), { status: 200 })
  await again.app.close()
})

onServer('two that start at the same time load the countries once, and take the same secret', async (t, options) => {
  const databases = await Promise.all([openDatabase(options), openDatabase(options), openDatabase(options)])
  const apps = await Promise.all(databases.map((database) => createApp(database)))
  await Promise.all(apps.map((app) => app.ready()))
  t.match(await databases[0].knex('countries').count('*'), [{ count: '250' }])
  t.match(await databases[0].knex('users').count('*'), [{ count: '1' }])
  const [first, second] = apps.map(callsOf) as [ReturnType<typeof callsOf>, ReturnType<typeof callsOf>]
  const { token } = await first.signUp('ada')
  t.match(await second.call('GET', '/users', undefined, token), { status: 200 })
  await first.call('DELETE', '/authentication', undefined, token)
  t.match(await second.call('GET', '/users', undefined, token), { status: 401 })
  for (const app of apps) await app.close()
})

onEachDatabase('a database of the first version, without users, is carried over once', async (t, options) => {
  await createFirstVersion(options)
  const app = await createApp(await openDatabase(options))
  const { call, signUp } = callsOf(app)
  const note = { id: 1, code: 'CHE', text: 'from the first version', pinned: true, author: null }

  const { body } = await call('GET', '/countries/CHE/notes')
  t.match(body, { total: 1, data: [note] }, 'the note is there, of no author')
  t.equal((await call('GET', '/countries')).body.total, 1, 'the countries are those that were there')

  const ada = await signUp('ada')
  for (const method of ['PUT', 'PATCH', 'DELETE'])
    t.match(await call(method, '/countries/CHE/notes/1', { text: 'x' }, ada.token), { status: 403 }, method)
  t.strictSame((await call('PATCH', '/countries/CHE/notes', { text: 'x' }, ada.token)).body, [])
  const created = await call('POST', '/countries/CHE/notes', { text: 'new' }, ada.token)
  t.match(created, { status: 201, body: { id: 2, author: ada.id } })
  await app.close()

  const again = await createApp(await openDatabase(options))
  t.teardown(() => again.close())
  const notes = await callsOf(again).call('GET', '/countries/CHE/notes')
  t.match(notes.body, { total: 2, data: [note, { id: 2, author: ada.id }] }, 'the next start finds all in place')
  t.match(await callsOf(again).logIn(ada.email), { status: 201 })
})

onServer('processes that start at the same time carry it over once', async (t, options) => {
  await createFirstVersion(options)
  const apps = await Promise.all(
    [1, 2, 3].map(async () => {
      const app = await createApp(await openDatabase(options))
      await app.ready()
      return app
    })
  )
  t.teardown(() => Promise.all(apps.map((app) => app.close())))
  for (const app of apps) t.match((await callsOf(app).call('GET', '/countries/CHE/notes')).body, { total: 1 })
})
