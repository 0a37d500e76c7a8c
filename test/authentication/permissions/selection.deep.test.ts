import { Readable } from 'node:stream'
import { KnexService } from '@feathersjs/knex'
import type { AroundHook, Params } from 'fastify-services'
import { own, scope, within } from 'fastify-services/authentication'
import type { Knex } from 'knex'
import t, { type Test } from 'tap'
import { openPGlite } from '../../support/pglite.js'
import { createApp } from './callers.js'

const ada = { id: 1, organisationId: 7 }

/** A class that replaces a method of the adapter. */
class Replaced extends KnexService {
  override async create(data: never, params?: never) {
    return super.create(data, params)
  }
  async archive(id: string, _: object, params: object) {
    return super._remove(id, params)
  }
  async text() {
    return 'a text'
  }
  async exported() {
    return Readable.from([Buffer.from('a,b')], { objectMode: false })
  }
}

/** A class that loses the conditions of a list. */
class Careless extends KnexService {
  override find = (params?: object): Promise<never> =>
    this._find({ query: { $select: Object(params).query.$select } } as never) as never
}

const rows = [
  { title: 'of ada', userId: 1, organisationId: 7, projectId: 1, level: 7 },
  { title: 'of bob', userId: 2, organisationId: 9, projectId: 2, level: 1 }
]

async function openTable(t: Test): Promise<Knex> {
  const Model: Knex = await openPGlite(t)
  await Model.schema.createTable('notes', (table) => {
    table.increments('id')
    table.string('title')
    for (const column of ['userId', 'organisationId', 'projectId', 'level']) table.integer(column)
  })
  await Model('notes').insert(rows)
  return Model
}

const around = (hook: ReturnType<typeof own>) => ({ hooks: { around: { all: [hook] } } })
const aliases = (field: string) => [
  `$select[]=title&$select[]=${field}&$select[]=level as ${field}`,
  `$select[]=level as ${field}&$select[]=title`,
  `$select[]=title&$select[]=${field}&$select[]=num_nonnulls as ${field}`
]

t.test('a record of others is 404, whatever names a selection of the client has for its columns', async (t) => {
  const Model = await openTable(t)
  const notes = new KnexService({ Model, name: 'notes' })
  const { send } = await createApp(t, (app) => {
    const options = { Model, name: 'notes' }
    app.service('owned', new Replaced(options), around(own('userId')))
    app.service(
      'shared',
      new Replaced(options),
      around(scope(({ params: { user } }) => ({ organisationId: [user?.organisationId] })))
    )
    const handing = {
      get: (id: string, { query }: Params) => notes.get(id, { query } as never)
    }
    app.service('handing', handing, around(own('userId')))
    app.service('projects', { get: async (id: string) => ({ id }) })
    app.service('projects/:projectId/notes', new Replaced(options), around(within('projects')))
  })
  const places = { owned: 'userId', shared: 'organisationId', handing: 'userId', 'projects/1/notes': 'projectId' }
  await Model('notes').where({ id: 2 }).update({ level: 1 })
  for (const [path, field] of Object.entries(places)) {
    await Model('notes')
      .where({ id: 2 })
      .update({ level: rows[0]?.[field as 'userId'] })
    for (const query of aliases(field))
      t.equal((await send('GET', encodeURI(`/${path}/2?${query}`), { as: ada })).status, 404, `${path} ${query}`)
    t.strictSame((await send('GET', `/${path}/1?$select=title`, { as: ada })).body, { id: 1, title: 'of ada' }, path)
  }
})

t.test('a list that loses the conditions of the scope is 500, whatever names a selection has', async (t) => {
  const Model = await openTable(t)
  const { send } = await createApp(t, (app) =>
    app.service('notes', new Careless({ Model, name: 'notes' }), around(own('userId')))
  )
  await Model('notes').update({ level: 1 })
  for (const query of aliases('userId'))
    t.equal((await send('GET', encodeURI(`/notes?${query}`), { as: ada })).status, 500, query)
})

t.test('a removal takes the record of its id, and none whose id a selection names', async (t) => {
  const Model = await openTable(t)
  const { send } = await createApp(t, (app) => {
    const options = { Model, name: 'notes' }
    app.service('replaced', new Replaced(options), {
      ...around(own('userId')),
      methods: ['remove', 'archive'],
      routes: { archive: 'POST /:id/archive' }
    })
    app.service('users', new KnexService(options), around(own('id')))
  })
  await Model('notes').where({ id: 1 }).update({ level: 2 })
  const query = encodeURI('$select[]=id&$select[]=title&$select[]=level as id')
  const restore = () => Model('notes').insert({ ...rows[0], id: 1, level: 2 })
  for (const [verb, url] of [
    ['DELETE', '/replaced/1'],
    ['POST', '/replaced/1/archive'],
    ['DELETE', '/users/1']
  ] as const) {
    const { status, body } = await send(verb, `${url}?${query}`, { as: ada })
    t.match([status, body], [200, { id: 1, title: 'of ada' }], `${verb} ${url}`)
    t.strictSame(await Model('notes').pluck('title'), ['of bob'], `${verb} ${url} leaves the records of others`)
    await restore()
  }
})

t.test('within a scope, answers have the fields that are selected', async (t) => {
  const Model = await openTable(t)
  const { send } = await createApp(t, (app) =>
    app.service('notes', new Replaced({ Model, name: 'notes' }), {
      ...around(own('userId')),
      methods: ['get', 'create', 'patch', 'update', 'text', 'exported'],
      routes: { text: 'POST /:id/text', exported: 'GET /:id/exported' }
    })
  )
  const selected = { id: 1, title: 'of ada' }
  for (const query of [
    '$select[]=title',
    '$select[]=notes.title',
    '$select[]=title.first',
    '$select[0]=title&$select[1][a]=b'
  ])
    t.strictSame((await send('GET', `/notes/1?${query}`, { as: ada })).body, selected, query)
  const body = { title: 'of ada' }
  for (const verb of ['PATCH', 'PUT'])
    t.strictSame((await send(verb, '/notes/1?$select[]=title', { as: ada, body })).body, selected, verb)
  t.strictSame((await send('POST', '/notes?$select[]=title', { as: ada, body })).body, { ...selected, id: 3 })
  t.equal((await send('POST', '/notes/1/text?$select[]=title', { as: ada })).body, 'a text', 'what has no fields stays')
})

t.test('within a scope, a method of a service of ones own reads the names that are selected', async (t) => {
  const get = async (_id: string, { query }: Params) => ({ userId: 1, names: query?.$select })
  const { send } = await createApp(t, (app) =>
    app.service(
      'notes',
      {
        get,
        patch: async () => 'a text',
        csv: async (_id: string, _data: object, { query }: Params) => ({ names: query?.$select, rows: [1] })
      },
      { ...around(own('userId')), methods: ['get', 'patch', 'csv'], routes: { csv: 'POST /:id/csv' } }
    )
  )
  t.strictSame((await send('GET', '/notes/1?$select[]=names', { as: ada })).body, { names: ['names', 'userId'] })
  t.strictSame((await send('GET', '/notes/1?$select[]=names&$select[]=userId', { as: ada })).body, {
    userId: 1,
    names: ['names', 'userId']
  })
  const csv = await send('POST', '/notes/1/csv?$select[]=title', { as: ada })
  t.strictSame(csv.body, { names: ['title'], rows: [1] })
  const patched = await send('PATCH', `/notes/1?${encodeURI('$select[]=level as names')}`, {
    as: ada,
    body: { level: 1 }
  })
  t.equal(patched.body, 'a text')
  const whole = await send('GET', '/notes/1?$select[a]=b', { as: ada })
  t.strictSame(whole.body, { userId: 1 }, 'what is no name selects all')
})

t.test('a call that a hook gives up, and that goes on, keeps the conditions of scopes within', async (t) => {
  const Model = await openTable(t)
  await Model('notes').insert({ title: 'elsewhere', userId: 1, organisationId: 9 })
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const rest: Promise<unknown>[] = []
  const giveUp: AroundHook = async (_context, next) => {
    rest.push(next().catch(({ code }: { code: number }) => code))
    throw new Error('It takes too long')
  }
  const all = [own('userId'), giveUp, scope(({ params: { user } }) => ({ organisationId: user?.organisationId }))]
  const { send } = await createApp(t, (app) => {
    const hooks = { around: { all }, before: { patch: [() => held] } }
    app.service('notes', new KnexService({ Model, name: 'notes' }), { hooks })
  })
  const { status } = await send('PATCH', '/notes/3?$select[]=level as title', { as: ada, body: { title: 'changed' } })
  t.equal(status, 500)
  goOn()
  t.same(await Promise.all(rest), [404])
  t.same(await Model('notes').where({ id: 3 }).select('title'), [{ title: 'elsewhere' }])
})
