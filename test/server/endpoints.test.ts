import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance } from 'fastify'
import services, { commonOperators, type ServicesOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import { createHost, request } from '../support/host.js'

/** A host with a service that tells what it was called with. */
async function create(t: Test, options: ServicesOptions = {}, prepare: (app: FastifyInstance) => unknown = () => {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  prepare(app)
  await app.register(services, options)
  app.service('echo', { find: async (params) => params, create: async (data, params) => ({ data, params }) })
  return app
}

const accept = { accept: 'application/json' }

t.test('Other params: what middleware sets on `request.feathers` becomes service params', async (t) => {
  const app = await create(t)
  app.addHook('onRequest', async (request) => {
    request.feathers.user = { id: 1 }
    request.feathers = { locale: 'de' }
  })
  t.match((await app.inject('/echo')).json(), { user: { id: 1 }, locale: 'de', provider: 'rest' })
})

t.test(
  'Client-to-server transfer: only `params.query` travels, other params are never accepted from the client',
  async (t) => {
    const app = await create(t)
    const sent = { user: 'root', provider: '', authenticated: 'true' }
    const echoed = (await app.inject({ url: '/echo', query: sent })).json()
    t.strictSame(Object.keys(echoed).sort(), ['headers', 'provider', 'query', 'route'])
    t.strictSame([echoed.provider, echoed.query], ['rest', sent])
    const created = (await app.inject({ method: 'POST', url: '/echo', payload: sent })).json()
    t.strictSame([created.params.provider, created.params.query, created.data], ['rest', {}, sent])
    t.strictSame(Object.keys(created.params).sort(), ['headers', 'provider', 'query', 'route'])
  }
)

t.test(
  'Body parsers not registered before services: the plugin brings both, also where the host has none',
  async (t) => {
    const app = await create(t, {}, (app) => app.removeAllContentTypeParsers())
    const post = async (type: string, payload: string) =>
      (await app.inject({ method: 'POST', url: '/echo', payload, headers: { ...accept, 'content-type': type } })).json()
    t.match(await post('application/json', '{"a":1}'), { data: { a: 1 } })
    t.match(await post('application/x-www-form-urlencoded', 'a[b]=1'), { data: { a: { b: '1' } } }, 'extended mode')
    const none = await app.inject({ method: 'POST', url: '/echo', headers: accept })
    t.match(none.json(), { name: 'BadRequest', message: 'No data provided' })
  }
)

t.test('No route matches: NotFound with status 404; with `verbose` the URL is included', async (t) => {
  const brief = await create(t, { notFound: true })
  t.match((await brief.inject({ url: '/nowhere', headers: accept })).json(), {
    name: 'NotFound',
    code: 404,
    message: 'Page not found'
  })
  const verbose = await create(t, { notFound: { verbose: true } })
  const response = await verbose.inject({ url: '/nowhere', headers: accept })
  t.match(
    [response.statusCode, response.json()],
    [404, { message: 'Page not found: /nowhere', data: { url: '/nowhere' } }]
  )
})

t.test(
  'Array size in a query string: 20 items, a longer array is an object with indices as keys; the limit can be raised',
  async (t) => {
    const url = (size: number) => `/echo?${Array.from({ length: size }, (_, index) => `a[]=${index}`).join('&')}`
    const app = await create(t)
    t.ok(Array.isArray((await app.inject(url(20))).json().query.a))
    const long = (await app.inject(url(21))).json().query.a
    t.strictSame([Array.isArray(long), Object.keys(long).length, long[20]], [false, 21, '20'])
    const raised = await create(t, { query: { arrayLimit: 1000 } })
    t.equal((await raised.inject(url(1000))).json().query.a.length, 1000)
  }
)

t.test('Query value type: always string, every query parameter', async (t) => {
  const app = await create(t)
  const { query } = (await app.inject('/echo?a=1&b=true&c=null&d[e]=1.5&f[]=2&g')).json()
  t.strictSame(query, { a: '1', b: 'true', c: 'null', d: { e: '1.5' }, f: ['2'], g: '' })
})

const data = { text: 'hello' }
const batch = [{ text: 'one' }, { text: 'two' }]

// docs/http.md#requests-and-calls: service method, HTTP method, path shape, request payload, and the arguments before the params.
type Row = readonly [
  name: string,
  verb: string,
  url: string,
  payload: object | undefined,
  method: string,
  args: unknown[]
]
const rows: Row[] = [
  ['find: `GET /path` is `find(params)`', 'GET', '/things', undefined, 'find', []],
  ['find: `GET /path/` is `find(params)`', 'GET', '/things/', undefined, 'find', []],
  ['get: `GET /path/id` is `get(id, params)`', 'GET', '/things/1', undefined, 'get', ['1']],
  ['create: `POST /path` is `create(data, params)`', 'POST', '/things', data, 'create', [data]],
  ['create: `POST /path/` is `create(data, params)`', 'POST', '/things/', data, 'create', [data]],
  ['create: JSON array of objects', 'POST', '/things', batch, 'create', [batch]],
  ['create: an empty JSON array', 'POST', '/things', [], 'create', [[]]],
  ['update: `PUT /path/id` is `update(id, data, params)`', 'PUT', '/things/1', data, 'update', ['1', data]],
  ['update (no id): `PUT /path` is `update(null, data, params)`', 'PUT', '/things', data, 'update', [null, data]],
  ['patch: `PATCH /path/id` is `patch(id, data, params)`', 'PATCH', '/things/1', data, 'patch', ['1', data]],
  ['patch (no id): `PATCH /path` is `patch(null, data, params)`', 'PATCH', '/things', data, 'patch', [null, data]],
  ['remove: `DELETE /path/id` is `remove(id, params)`', 'DELETE', '/things/1', undefined, 'remove', ['1']],
  ['remove (no id): `DELETE /path` is `remove(null, params)`', 'DELETE', '/things', undefined, 'remove', [null]]
]

t.test('Endpoints: each service method maps to one HTTP method and one path shape', async (t) => {
  const { app, calls } = await createHost(t)
  for (const [name, verb, url, payload, method, args] of rows) {
    await t.test(name, async (t) => {
      calls.length = 0
      const response = await request(app, verb, `${url}?a[b]=1`, payload && { payload })
      t.equal(response.status, method === 'create' ? 201 : 200)
      t.equal(calls.length, 1, 'one call')
      t.match(calls[0], { method, args, params: { query: { a: { b: '1' } } } })
      t.strictSame(calls[0]?.args, args)
    })
  }
})

t.test('`HEAD`: as `GET`, no body', async (t) => {
  const { app, calls } = await createHost(t)
  for (const url of ['/things?a=1', '/things/1?a=1']) {
    const [get, head] = [await app.inject({ url }), await app.inject({ method: 'HEAD', url })]
    t.equal(head.statusCode, 200)
    t.equal(head.body, '', 'no body')
    t.equal(head.headers['content-type'], get.headers['content-type'])
    t.equal(head.headers['content-length'], get.headers['content-length'])
  }
  t.strictSame(
    calls.map(({ method, args, params }) => [method, args, params.query]),
    [
      ['find', [], { a: '1' }],
      ['find', [], { a: '1' }],
      ['get', ['1'], { a: '1' }],
      ['get', ['1'], { a: '1' }]
    ]
  )
})

t.test('a body of a `GET` is not looked at, that of a `DELETE` is no argument', async (t) => {
  const { app, calls } = await createHost(t)
  await request(app, 'GET', '/things/1', { payload: { a: 1 } })
  await request(app, 'DELETE', '/things/1', { payload: { a: 1 } })
  t.strictSame(
    calls.map(({ method, args }) => [method, args]),
    [
      ['get', ['1']],
      ['remove', ['1']]
    ]
  )
})

t.test('services are registered with slashes or without', async (t) => {
  const { app } = await createHost(t, {
    after: (app) => {
      for (const path of ['/a', 'b/', '/c/', 'd/e']) app.service(path, { find: async () => path })
    }
  })
  for (const [url, path] of [
    ['/a', '/a'],
    ['/b', 'b/'],
    ['/c', '/c/'],
    ['/d/e', 'd/e']
  ] as const) {
    t.strictSame((await request(app, 'GET', url)).body, path)
  }
})

const people = [
  ['1', 'Ada', 'b', 36],
  ['2', 'Alan', 'b', 41],
  ['3', 'Grace', 'c', 85],
  ['4', 'Edsger', 'd', 72]
] as const

// The adapter compares values as they are: ages come as strings from a query, and stand as strings here.
async function createAdapterApp(t: Test, options: Record<string, unknown> = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const store = Object.fromEntries(people.map(([id, name, team, age]) => [id, { id, name, team, age: `${age}` }]))
  app.service('people', memory({ id: 'id', store, ...options }), {
    hooks: { before: { all: [commonOperators()] } }
  })
  const names = async (query: string) => {
    const { status, body } = await request(app, 'GET', `/people?${query}`)
    return status === 200 ? (body as { name: string }[]).map(({ name }) => name) : body
  }
  return { app, names }
}

t.test('For find, a query may carry the special keys', async (t) => {
  const { app, names } = await createAdapterApp(t)
  for (const [form, query, expected] of [
    ['`<field>=<value>`: equality filter', 'team=b', ['Ada', 'Alan']],
    ['two fields', 'team=b&name=Alan', ['Alan']],
    ['`<field>[$<operand>]=<value>`: `$le`', 'age[$le]=41', ['Ada', 'Alan']],
    ['`$lt`', 'age[$lt]=41', ['Ada']],
    ['`$ne`', 'team[$ne]=b', ['Grace', 'Edsger']],
    ['`$eq`', 'team[$eq]=c', ['Grace']],
    ['`$in`', 'name[$in][]=Ada&name[$in][]=Grace', ['Ada', 'Grace']],
    ['and others: `$gt`', 'age[$gt]=41', ['Grace', 'Edsger']],
    ['and others: `$or`', '$or[0][name]=Ada&$or[1][team]=d', ['Ada', 'Edsger']],
    ['`$limit=<integer>`: maximum number of records', '$limit=2', ['Ada', 'Alan']],
    ['`$skip=<integer>`: number of records to skip', '$skip=3', ['Edsger']],
    ['`$sort[<field>]=<direction>`: ordering', '$sort[age]=-1', ['Grace', 'Edsger', 'Alan', 'Ada']],
    ['`$sort[<field>]=1`', '$sort[name]=1&$limit=2', ['Ada', 'Alan']]
  ] as const)
    t.strictSame(await names(query), expected, form)
  const { body } = await request(app, 'GET', '/people?$select[]=name&$select[]=team&name=Ada')
  t.strictSame(body, [{ id: '1', name: 'Ada', team: 'b' }], '`$select[]=<field>`: fields to include')
})

t.test('a paginated result is an object with `data`', async (t) => {
  const { app } = await createAdapterApp(t, { paginate: { default: 2, max: 3 } })
  const { body } = await request(app, 'GET', '/people?$select[]=name&$skip=1')
  t.match(body, { total: 4, limit: 2, skip: 1, data: [{ name: 'Alan' }, { name: 'Grace' }] })
})

t.test('`update` replaces an entire record, `patch` is merged into the record', async (t) => {
  const { app } = await createAdapterApp(t)
  t.strictSame((await request(app, 'PATCH', '/people/1', { payload: { age: '37' } })).body, {
    id: '1',
    name: 'Ada',
    team: 'b',
    age: '37'
  })
  t.strictSame((await request(app, 'PUT', '/people/1', { payload: { name: 'Ada L.' } })).body, {
    id: '1',
    name: 'Ada L.'
  })
  t.strictSame((await request(app, 'GET', '/people/1')).body, { id: '1', name: 'Ada L.' })
  t.match(await request(app, 'GET', '/people/9'), {
    status: 404,
    body: { name: 'NotFound', code: 404, className: 'not-found' }
  })
})

t.test(
  'the `multi` option must be enabled to allow create with an array, and patch or remove without an id. Without it the adapter rejects the call',
  async (t) => {
    const { app, names } = await createAdapterApp(t)
    for (const [verb, payload] of [['POST', [{ name: 'x' }]], ['PATCH', { team: 'x' }], ['DELETE']] as const) {
      const { status, body } = await request(app, verb, '/people?team=b', payload && { payload: payload as object })
      t.match(
        { status, body },
        { status: 405, body: { name: 'MethodNotAllowed', code: 405, className: 'method-not-allowed' } },
        verb
      )
    }
    t.equal(((await names('')) as string[]).length, 4)
  }
)

t.test('with `multi` the query selects the records; multi-record changes only through patch', async (t) => {
  const { app, names } = await createAdapterApp(t, { multi: true })
  t.match(await request(app, 'PATCH', '/people?team=b', { payload: { team: 'x' } }), {
    status: 200,
    body: [
      { name: 'Ada', team: 'x' },
      { name: 'Alan', team: 'x' }
    ]
  })
  t.match(await request(app, 'DELETE', '/people?team=x'), { status: 200, body: [{ name: 'Ada' }, { name: 'Alan' }] })
  t.match(
    await request(app, 'POST', '/people', {
      payload: [
        { id: '5', name: 'Barbara' },
        { id: '6', name: 'Donald' }
      ]
    }),
    { status: 201, body: [{ id: '5' }, { id: '6' }] }
  )
  t.strictSame(await names(''), ['Grace', 'Edsger', 'Barbara', 'Donald'])
  t.match(
    await request(app, 'PUT', '/people', { payload: { name: 'x' } }),
    { status: 400, body: { name: 'BadRequest' } },
    'update(null) is no multi form'
  )
})
