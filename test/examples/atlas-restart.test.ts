import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { onEachDatabase, onServer } from './atlas-support.js'

onEachDatabase('the countries are loaded once, and notes survive a restart', async (t, options) => {
  const first = await openDatabase(options)
  const app = await createApp(first)
  const { id } = (await app.inject({ method: 'POST', url: '/countries/CHE/notes', payload: { text: 'kept' } })).json()
  await first.knex('countries').where('cca3', 'CHE').update({ name: 'Not loaded again' })
  await app.close()
  await t.rejects(first.knex.raw('select 1'), 'it is closed with the app')

  const again = await createApp(await openDatabase(options))
  t.teardown(() => again.close())
  const get = async (url: string) => (await again.inject({ url })).json()
  t.match(await get(`/countries/CHE/notes/${id}`), { id, text: 'kept' })
  t.equal((await get('/countries?$limit=0')).total, 250)
  t.match(await get('/countries/CHE'), { name: 'Not loaded again' })
})

onServer('two that start at the same time load the countries once', async (t, options) => {
  const databases = await Promise.all([openDatabase(options), openDatabase(options), openDatabase(options)])
  t.match(await databases[0].knex('countries').count('*'), [{ count: '250' }])
  for (const { close } of databases) await close()
})
