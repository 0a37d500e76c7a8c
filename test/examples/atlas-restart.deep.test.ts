import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { hasDemo } from '../../examples/atlas/demo.js'
import { callsOf } from './atlas-calls.js'
import { onEachDatabase, onServer, rowsOf } from './atlas-support.js'

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
  await first.db.execute("update atlas.countries set name = 'Not loaded again' where cca3 = 'CHE'")
  t.equal(await hasDemo(app), true, 'the demo user is created')
  await app.service<Users>('users').remove(1)
  t.equal(await hasDemo(app), false)
  await app.close()
  await t.rejects(first.db.execute('select 1').execute(), 'it is closed with the app')
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
  if (options.folder !== undefined) t.equal(mode(), 0o700, 'also if somebody has opened it')
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
  const counts = 'select (select count(*) from atlas.countries) countries, (select count(*) from atlas.users) users'
  t.match(await rowsOf(databases[0].db, counts), [{ countries: '250', users: '1' }])
  const [first, second] = apps.map(callsOf) as [ReturnType<typeof callsOf>, ReturnType<typeof callsOf>]
  const { token } = await first.signUp('ada')
  t.match(await second.call('GET', '/users', undefined, token), { status: 200 })
  await first.call('DELETE', '/authentication', undefined, token)
  t.match(await second.call('GET', '/users', undefined, token), { status: 401 })
  for (const app of apps) await app.close()
})
