import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { callsOf } from './atlas-calls.js'
import { onEachDatabase, onServer } from './atlas-support.js'

onEachDatabase('the countries are loaded once; notes, users and tokens survive a restart', async (t, options) => {
  const first = await openDatabase(options)
  const app = await createApp(first)
  const { call, signUp, logIn } = callsOf(app)
  const ada = await signUp('ada')
  const over = (await logIn('ada@example.com')).body.accessToken
  await call('DELETE', '/authentication', undefined, over)
  const { id } = (await call('POST', '/countries/CHE/notes', { text: 'kept' }, ada.token)).body
  await first.knex('countries').where('cca3', 'CHE').update({ name: 'Not loaded again' })
  await app.close()
  await t.rejects(first.knex.raw('select 1'), 'it is closed with the app')

  const again = await createApp(await openDatabase(options))
  t.teardown(() => again.close())
  const next = callsOf(again)
  const get = async (url: string) => (await next.call('GET', url)).body
  t.match(await get(`/countries/CHE/notes/${id}`), { id, text: 'kept', author: ada.id })
  t.equal((await get('/countries?$limit=0')).total, 250)
  t.match(await get('/countries/CHE'), { name: 'Not loaded again' })
  t.match(await next.call('GET', `/users/${ada.id}`, undefined, ada.token), { status: 200 }, 'the token is still good')
  t.match(await next.call('GET', '/users', undefined, over), { status: 401 }, 'one that was logged out is not')
})

onServer('two that start at the same time load the countries once, and take the same secret', async (t, options) => {
  const databases = await Promise.all([openDatabase(options), openDatabase(options), openDatabase(options)])
  const apps = await Promise.all(databases.map((database) => createApp(database)))
  await Promise.all(apps.map((app) => app.ready()))
  t.match(await databases[0].knex('countries').count('*'), [{ count: '250' }])
  t.match(await databases[0].knex('users').count('*'), [{ count: '1' }])
  const [one, two] = apps.map(callsOf) as [ReturnType<typeof callsOf>, ReturnType<typeof callsOf>]
  const { token } = await one.signUp('ada')
  t.match(await two.call('GET', '/users', undefined, token), { status: 200 })
  await one.call('DELETE', '/authentication', undefined, token)
  t.match(await two.call('GET', '/users', undefined, token), { status: 401 })
  for (const app of apps) await app.close()
})
