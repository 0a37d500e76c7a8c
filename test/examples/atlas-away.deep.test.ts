import type { Test } from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { callsOf, password } from './atlas-calls.js'
import { lockTables } from './atlas-lock.js'
import { onServer } from './atlas-support.js'
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
  await direct.db.execute(sql)
  // One that was idle may not have been told yet.
  while ((await calls.countries?.())?.status === 503);
  await back()

  t.comment('it does not answer')
  way.freeze()
  await away()
  way.thaw()
  await back()

  t.comment('another one has locked its tables')
  const { release } = await lockTables(t as Test, url, 'atlas.countries, atlas.notes, atlas.users, atlas.store')
  await away()
  await release()
  await back()
})
