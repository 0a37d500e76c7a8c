import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { callsOf } from './atlas-calls.js'
import { onEachDatabase } from './atlas-support.js'

onEachDatabase('many notes at once', async (t, options) => {
  const database = await openDatabase(options)
  const app = await createApp(database, { rateLimit: 0 })
  t.teardown(() => app.close())
  const { call, signUp } = callsOf(app)
  const ada = await signUp('ada')
  const bob = await signUp('bob')
  const notes = (length: number) => Array.from({ length }, (_, index) => ({ text: `note ${index}` }))
  const create = (country: string, data: unknown, query = '') =>
    call('POST', `/countries/${country}/notes${query}`, data, ada.token)
  const total = async (country: string) => (await call('GET', `/countries/${country}/notes`)).body.total

  const statements: string[] = []
  database.knex.on('query', ({ sql }: { sql: string }) => statements.push(sql))
  const count = (verb: string) => statements.splice(0).filter((sql) => sql.startsWith(verb)).length

  t.test('a list is one statement, and answered in its order', async (t) => {
    statements.length = 0
    const { status, body } = await create('CHE', notes(100))
    t.equal(status, 201)
    t.equal(count('insert'), 1)
    t.strictSame(
      body.map(({ text }: { text: string }) => text),
      notes(100).map(({ text }) => text)
    )
    t.strictSame(Object.keys(body[0]).sort(), ['author', 'changedAt', 'code', 'id', 'pinned', 'text'])
    t.match(await create('CHE', notes(1), '?$select[]=text'), { body: [{ text: 'note 0', id: Number }] })
    t.strictSame((await create('CHE', notes(1), '?$select[]=text')).body.map(Object.keys), [['id', 'text']])
    t.strictSame((await create('CHE', [])).body, [])
    t.equal(await total('CHE'), 102)
  })

  t.test('a list that is too long is refused', async (t) => {
    const refused = { status: 400, body: { name: 'BadRequest', message: /may hold 100$/ } }
    t.match(await create('AUT', notes(101)), refused)
    t.match(await create('AUT', notes(20_000)), refused)
    t.equal(await total('AUT'), 0)
  })

  t.test('a list is written whole or not at all', async (t) => {
    const service = app.service<{ create(data: object, params: object): Promise<unknown> }>('countries/:code/notes')
    // Without the schema, as a bug would.
    const list = [...notes(50), { text: null }].map((note) => ({ pinned: false, ...note }))
    await t.rejects(service.create(list, { route: { code: 'DEU' } }), { code: 400 })
    t.equal(await total('DEU'), 0)
  })

  t.test('a patch without an id is one statement', async (t) => {
    await create('FRA', notes(100))
    await call('POST', '/countries/FRA/notes', { text: 'of bob' }, bob.token)
    const patch = (query = '') => call('PATCH', `/countries/FRA/notes${query}`, { pinned: true }, ada.token)
    statements.length = 0
    const { status, body } = await patch()
    t.equal(status, 200)
    t.equal(count('update'), 1)
    t.equal(body.length, 100)
    t.ok(body.every((note: object) => 'pinned' in note && note.pinned === true))
    t.strictSame((await patch('?text=note 7&$select[]=pinned')).body.map(Object.keys), [['id', 'pinned']])
    t.strictSame((await patch('?text=none')).body, [])

    await create('FRA', { text: 'one more' })
    t.match(await patch(), { status: 400, body: { message: /more than 100 records/ } })
    t.match((await call('GET', '/countries/FRA/notes?pinned=false')).body, { total: 2 }, 'nothing has changed')
    t.equal((await patch('?pinned=false')).body.length, 1)
    for (const query of ['?$limit=1', '?$skip=1', '?$sort[id]=1']) t.match(await patch(query), { status: 400 }, query)
  })
})
