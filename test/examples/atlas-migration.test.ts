import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { callsOf } from './atlas-calls.js'
import { createFirstVersion } from './atlas-first-version.js'
import { onEachDatabase, onServer } from './atlas-support.js'

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
  const own = await call('POST', '/countries/CHE/notes', { text: 'new' }, ada.token)
  t.match(own, { status: 201, body: { id: 2, author: ada.id } })
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
