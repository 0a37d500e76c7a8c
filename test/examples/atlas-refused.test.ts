import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { onEachDatabase } from './atlas-support.js'

type Service = Record<'find' | 'get' | 'create' | 'patch', (...args: unknown[]) => Promise<unknown>>

// Calls of the server itself pass no schema.
onEachDatabase('a value that the database refuses is 400, without the SQL statement', async (t, options) => {
  const database = await openDatabase(options)
  const app = await createApp(database)
  t.teardown(() => app.close())
  await app.ready()
  const countries = app.service<Service>('countries')
  const notes = app.service<Service>('countries/:code/notes')
  const route = { code: 'CHE' }
  const note = { text: 'x', pinned: false }

  const calls: Record<string, () => Promise<unknown>> = {
    'an offset': () => countries.find({ query: { $skip: 2 ** 63 } }),
    'a pattern': () => countries.find({ query: { name: { $like: '\\' } } }),
    'a number with a dash': () => countries.find({ query: { area: 'a - b' } }),
    'a number': () => countries.find({ query: { area: 'large' } }),
    'an integer': () => notes.find({ query: { author: '99999999999' }, route }),
    'a date': () => notes.find({ query: { changedAt: '2020-99-99' }, route }),
    'an array': () => countries.find({ query: { borders: 'x' } }),
    JSON: () => countries.find({ query: { languages: '{' } }),
    text: () => countries.find({ query: { name: '\0' } }),
    'the id of a note': () => notes.patch(null, note, { query: { id: 1e300 }, route }),
    'a note': () => notes.create({ ...note, author: 999999 }, { route, user: { id: 999999 } }),
    'a note without text': () => notes.create({ ...note, text: null }, { route }),
    'a list of notes': () => notes.create([note, { ...note, text: 'a\0' }], { route }),
    'a patch': () => notes.patch(null, { text: null }, { route })
  }
  await notes.create(note, { route })
  for (const [title, send] of Object.entries(calls)) {
    const error = await send().catch((error: unknown) => error)
    t.match(error, { name: 'BadRequest', code: 400, className: 'bad-request' }, title)
    t.notMatch((error as Error).message, /select "|insert into|update "|where "|offset /, title)
    t.match((error as Error).message, /\w+ \w+/, title)
  }
})
