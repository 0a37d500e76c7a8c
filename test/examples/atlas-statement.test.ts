import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { callsOf } from './atlas-calls.js'
import { onEachDatabase } from './atlas-support.js'

onEachDatabase('what the database refuses is answered without the SQL statement', async (t, options) => {
  const database = await openDatabase(options)
  const app = await createApp(database)
  t.teardown(() => app.close())
  const { call, logIn, signUp } = callsOf(app)
  const { id, token } = await signUp('ada')
  const { body: note } = await call('POST', '/countries/CHE/notes', { text: 'x' }, token)

  const broken = async (table: string, column: string, calls: Record<string, () => ReturnType<typeof call>>) => {
    const rename = (from: string, to: string) =>
      database.knex.schema.alterTable(table, (builder) => void builder.renameColumn(from, to))
    await rename(column, 'renamed')
    for (const [title, send] of Object.entries(calls)) {
      const { status, text } = await send()
      t.ok(status === 500 || status === 422, `${table}: ${title}, ${status}`)
      t.notMatch(text, /select |insert |update |delete |where |scrypt|correct horse|ada@/)
      t.match(text, /column .+ does not exist/)
    }
    await rename('renamed', column)
  }
  await broken('users', 'name', {
    'sign up': () => call('POST', '/users', { email: 'bob@example.com', name: 'Bob', password: 'correct horse' }),
    patch: () => call('PATCH', `/users/${id}`, { name: 'Bob' }, token)
  })
  await broken('users', 'email', { 'log in': () => logIn('ada@example.com') })
  await broken('store', 'until', {
    guard: () => call('GET', '/users', undefined, token),
    'log out': () => call('DELETE', '/authentication', undefined, token)
  })
  await broken('notes', 'text', {
    create: () => call('POST', '/countries/CHE/notes', { text: 'y' }, token),
    patch: () => call('PATCH', `/countries/CHE/notes/${note.id}`, { text: 'y' }, token),
    'patch all': () => call('PATCH', '/countries/CHE/notes', { text: 'y' }, token)
  })
})
