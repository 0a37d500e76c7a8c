import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { callsOf, password } from './atlas-calls.js'
import { addressOf, demoHeaders } from './atlas-commands.js'
import { lockNotes } from './atlas-lock.js'
import { Atlas, onServer } from './atlas-support.js'
import { Way } from './atlas-way.js'

onServer('a database that is away is 503, and well again when it is back', async (t, { url }) => {
  const way = await Way.to(t, url)
  const direct = await openDatabase({ url })
  t.teardown(() => direct.close())
  const app = await createApp(await openDatabase({ url: way.url, timeout: 2000 }), { rateLimit: 0 })
  t.teardown(() => app.close())
  const { call, logIn, signUp } = callsOf(app)
  const { id, token } = await signUp('ada')
  const { body: note } = await call('POST', '/countries/CHE/notes', { text: 'kept' }, token)

  const calls: Record<string, () => ReturnType<typeof call>> = {
    countries: () => call('GET', '/countries'),
    country: () => call('GET', '/countries/CHE'),
    notes: () => call('GET', '/countries/CHE/notes'),
    'write a note': () => call('POST', '/countries/CHE/notes', { text: 'x' }, token),
    'write notes': () => call('POST', '/countries/CHE/notes', [{ text: 'x' }, { text: 'y' }], token),
    'patch notes': () => call('PATCH', '/countries/CHE/notes', { pinned: true }, token),
    'replace a note': () => call('PUT', `/countries/CHE/notes/${note.id}`, { text: 'kept' }, token),
    'sign up': () => call('POST', '/users', { email: 'bob@example.com', name: 'Bob', password }),
    'patch a user': () => call('PATCH', `/users/${id}`, { name: 'Ada' }, token),
    'log in': () => logIn('ada@example.com'),
    'log out': () => call('DELETE', '/authentication', undefined, token)
  }
  const expected = {
    name: 'Unavailable',
    message: 'The database is not available',
    code: 503,
    className: 'unavailable',
    data: { retryAfter: 5 }
  }
  const away = async () => {
    const answers = await Promise.all(
      Object.entries(calls).map(async ([title, send]) => ({ title, ...(await send()) }))
    )
    for (const { title, status, body } of answers) t.strictSame([status, body], [503, expected], title)
  }
  const back = async () => {
    t.match(await calls.countries?.(), { status: 200, body: { total: 250 } })
    t.match(await calls['patch notes']?.(), { status: 200, body: [{ text: 'kept', author: id }] })
    t.match(await calls['log in']?.(), { status: 201 })
  }

  t.comment('it refuses connections')
  await way.cut()
  await away()
  await way.open()
  await back()

  t.comment('it has ended the connections')
  const sql =
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()'
  await direct.knex.raw(sql)
  // One that was idle may not have been told yet.
  while ((await calls.countries?.())?.status === 503);
  await back()

  t.comment('it does not answer')
  way.freeze()
  await away()
  way.thaw()
  await back()

  t.comment('another one has locked its tables')
  const lock = await direct.knex.transaction()
  await lock.raw('lock table countries, notes, users, store in access exclusive mode')
  await away()
  await lock.rollback()
  await back()

  t.comment('all connections are in use')
  const { knex, close } = await openDatabase({ url, timeout: 2000 })
  const busy = await createApp({ knex, close })
  await busy.ready()
  const taken = await Promise.all(Array.from({ length: 10 }, () => knex.transaction()))
  t.match(await callsOf(busy).call('GET', '/countries'), { status: 503, body: expected })
  // The server has ended those that did nothing for so long.
  await Promise.all(taken.map((trx) => trx.rollback().catch(() => {})))
  t.match(await callsOf(busy).call('GET', '/countries'), { status: 200 })
  await busy.close()
})

onServer('a statement for a client that has left keeps the process until the deadline', async (t, { url }) => {
  const atlas = new Atlas(t, { url }, { SHUTDOWN_TIMEOUT: '1000', DATABASE_TIMEOUT: '600000' })
  const address = addressOf(await atlas.commands())
  const { headers } = await demoHeaders(address)
  const { untilOneWaits } = await lockNotes(t, url)

  const client = new AbortController()
  const call = { method: 'POST', headers, body: '{"text":"left"}', signal: client.signal }
  const left = fetch(`${address}/countries/CHE/notes`, call).catch(({ name }) => name)
  await untilOneWaits()
  client.abort()
  t.equal(await left, 'AbortError')

  const { code, err } = await atlas.end('SIGTERM')
  t.equal(code, 1)
  t.equal(
    err,
    'The atlas has not stopped within 1000 ms: it ends while the database is still at work, and no call waits\n'
  )
})
