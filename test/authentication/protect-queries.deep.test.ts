import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import services from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import { transaction } from 'fastify-services/database'
import createKnex, { type Knex } from 'knex'
import t, { type Test } from 'tap'
import { openPGlite } from '../support/pglite.js'

async function serve(t: Test, Model: Knex) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const hooks = { around: { all: [protect('code')] } }
  app.service('users', new KnexService({ Model, name: 'users' }), { methods: ['find', 'create'], hooks })
  app.service('owners', new KnexService({ Model, name: 'public.users' }), { methods: ['find'], hooks })
  app.service('places', new KnexService({ Model, name: 'places', schema: 'public' }), { methods: ['find'], hooks })
  const get = async (url: string) => {
    const { statusCode, body } = await app.inject(url)
    return [statusCode, JSON.parse(body)]
  }
  return { app, get }
}

t.test(
  'protect: a query gets no whole rows of a PostgreSQL, which calls a function for the name of a column',
  async (t) => {
    const Model = await openPGlite(t)
    await Model.raw('create table users (id serial primary key, email text, code text)')
    await Model.raw('create table places (id serial primary key, concat text, places int, code text)')
    await Model('users').insert({ email: 'ada', code: 'XK-7' })
    await Model('places').insert({ concat: 'x', places: 2, code: 'XK-8' })
    const { get } = await serve(t, Model)
    const refused = [
      '$select[]=quote_literal',
      '$select[]=record_out',
      '$select[]=to_json as email',
      '$select[]=id&$select[]=row_to_json',
      'users.quote_literal[$like]=%25XK-7%25',
      'email[$ne]=b&$or[0][users.quote_literal][$like]=%25XK-7%25',
      '$sort[users]=1',
      '$sort[users.hash_record]=1'
    ]
    for (const query of refused)
      t.match(await get(`/users?${query}`), [400, { message: "A query can't name these fields: code" }], query)
    t.match(await get('/owners?$sort[users]=1'), [400], 'a schema before the name of a table')
    const ada = { id: 1, email: 'ada' }
    for (const query of [
      '',
      'users.email=ada',
      'email[$ne]=users',
      'email[$in][]=ada&email[$in][]=to_json',
      '$sort[email]=1'
    ])
      t.strictSame(await get(`/users?${query}`), [200, [ada]], query)
    t.strictSame(await get('/users?$select[]=email&$select[]=code'), [200, [ada]])
    for (const query of ['concat=x', 'places=2', 'places.places=2', '$select[]=concat&$select[]=places'])
      t.strictSame(await get(`/places?${query}`), [200, [{ id: 1, concat: 'x', places: 2 }]], `a column: ${query}`)
    t.match(await get('/places?$select[]=to_json'), [400])
  }
)

t.test('protect: a query is not carried out where the functions of the database can not be read', async (t) => {
  const Model = createKnex({ client: 'pg', connection: { host: '127.0.0.1', port: 1 } })
  t.teardown(() => Model.destroy())
  const { get } = await serve(t, Model)
  t.match(await get('/users?$select[]=email'), [500])
})

t.test('protect: a query within a transaction asks by its connection', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table users (id serial primary key, email text, code text)')
  const { get, app } = await serve(t, Model)
  const rows = transaction(Model, (params) =>
    app.service('users').find({ ...params, provider: 'rest', query: { $select: ['to_json'] } })
  )
  await t.rejects(rows, { code: 400 })
  t.match(await get('/users?$select[]=email'), [200])
})

t.test('protect: of a database that is no PostgreSQL nothing is asked first', async (t) => {
  // The client of knex that knows no database refuses each query.
  const Model = createKnex({ client: createKnex.Client })
  const { get } = await serve(t, Model)
  t.match(await get('/users?$select[]=to_json'), [500])
})

t.test(
  'protect: a query does not name a field as the database does, where an adapter writes names otherwise',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { html: false } })
    const hooks = { around: { all: [protect('resetToken', '__v')] } }
    app.service('users', { find: async () => [] }, { hooks })
    for (const query of [
      '$select[]=reset_token as email',
      '$select[]=reset_token',
      'reset_token=X',
      '$sort[users.reset_token]=1'
    ])
      t.match(
        (await app.inject(`/users?${query}`)).json(),
        { message: /can't name these fields: resetToken, __v/ },
        query
      )
    t.strictSame((await app.inject('/users?reset=1&token=2&v=1&$select[]=resetToken')).json(), [])
  }
)

t.test('protect: a query can not name a field whose name is no word', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const fields = ['api-key', 'pin code', 'código']
  app.service('users', { find: async () => [] }, { hooks: { around: { all: [protect(...fields)] } } })
  const status = async (query: string) => (await app.inject(`/users?${query}`)).statusCode
  for (const name of [...fields, 'API-Key', 'users.api-key', 'codigo', 'co\u0301digo'].map(encodeURIComponent))
    for (const query of [`${name}[$gt]=a`, `$sort[${name}]=1`, `$select[]=${name} as id`])
      t.equal(await status(query), 400, decodeURIComponent(query))
  for (const query of ['api=1', 'key=1', 'pin=1', 'name=api-key']) t.equal(await status(query), 200, query)
  t.equal(await status('$select[]=api-key'), 200)
})
