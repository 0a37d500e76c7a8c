import { METHODS } from 'node:http'
import cors from '@fastify/cors'
import swagger from '@fastify/swagger'
import { MemoryService } from '@feathersjs/memory'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { type Params, resource, type ServicesOptions } from 'fastify-services'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'

const isKnown = METHODS.includes('QUERY') && (Fastify().supportedMethods as string[]).includes('QUERY')
const skip = isKnown ? false : 'Node or Fastify has no QUERY'

const records = [
  { id: 1, name: 'Ada', age: 36, isOpen: true, note: null, tags: ['a'] },
  { id: 2, name: 'Bob', age: 20, isOpen: false, note: '7', tags: ['a', 'b'] },
  { id: 3, name: '7', age: 7, isOpen: true, note: '', tags: [] }
]
const person = resource(
  {
    type: 'object',
    required: ['id', 'name'],
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      age: { type: 'integer' },
      isOpen: { type: 'boolean' },
      note: { type: ['string', 'null'] },
      tags: { type: 'array', items: { type: 'string' } },
      secret: { type: 'string' }
    }
  },
  { readOnly: ['id'], writeOnly: ['secret'] }
)

/** An application with people: as they are, and as a resource. `ask` sends a QUERY over a socket. */
async function create(
  t: Test,
  options: ServicesOptions & { server?: FastifyServerOptions } = {},
  add: (app: FastifyInstance) => unknown = () => {}
) {
  const { server, ...rest } = options
  const app: FastifyInstance = Fastify({ ...server })
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false }, ...rest })
  const people = () => {
    const service = new MemoryService({ paginate: { default: 10, max: 50 }, operators: ['$and'] })
    service.store = Object.fromEntries(records.map((record) => [record.id, { ...record }]))
    return service
  }
  app.service('people', people())
  app.service('persons', people(), { schema: person })
  app.service('echo', { find: async ({ query }: Params) => query }, { methods: ['find'] })
  await add(app)
  const address = await app.listen({ port: 0 })
  const ask = async (path: string, query?: unknown, init: RequestInit = {}) => {
    const response = await fetch(address + path, {
      method: 'QUERY',
      ...(query !== undefined && { body: JSON.stringify(query) }),
      ...init,
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) }
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  return { app, address, ask }
}

t.test('a QUERY is `find` with its query as JSON', { skip }, async (t) => {
  const { ask } = await create(t)
  for (const path of ['/people', '/people/', '/persons']) {
    const idsOf = async (query: object) => {
      const { status, body } = await ask(path, query)
      return status === 200 ? body.data.map(({ id }: { id: number }) => id) : body
    }
    t.strictSame(await idsOf({}), [1, 2, 3], path)
    t.strictSame(await idsOf({ name: '7' }), [3], 'a text stays a text')
    t.strictSame(await idsOf({ age: 7 }), [3])
    t.strictSame(await idsOf({ isOpen: true, $sort: { age: -1 } }), [1, 3])
    t.strictSame(await idsOf({ note: null }), [1], 'null is null')
    t.strictSame(await idsOf({ note: '' }), [3], 'an empty text is one')
    t.strictSame(await idsOf({ id: { $in: [] } }), [], 'an empty list selects nothing')
    t.strictSame(await idsOf({ id: { $in: [1, 3] }, $limit: 1, $skip: 1 }), [3])
    t.strictSame(await idsOf({ $or: [{ name: 'Bob' }, { $and: [{ age: { $gt: 30 } }] }] }), [1, 2])
  }
  const { body } = await ask('/persons', { $select: ['name'] })
  t.strictSame(body.data[0], { name: 'Ada', id: 1 })
  t.strictSame((await ask('/echo', { a: [1, null, true, 'x', []], b: {} })).body, {
    a: [1, null, true, 'x', []],
    b: {}
  })
})

t.test('a resource converts nothing, and tells all that is wrong', { skip }, async (t) => {
  const { ask } = await create(t)
  const { status, body } = await ask('/persons', {
    age: '36',
    name: 7,
    isOpen: 'true',
    $limit: '1',
    $sort: { age: '1' },
    $select: 'name',
    id: { $in: '1' },
    secret: 'x',
    other: 1
  })
  t.equal(status, 400)
  t.match(body.message, /^age must be integer \(and 8 more\)|^age must be an integer \(and 8 more\)/)
  const places = body.errors.map(({ instancePath }: { instancePath: string }) => instancePath.slice(1))
  t.strictSame(places, ['age', 'name', 'isOpen', '$limit', '$sort/age', '$select', 'id/$in', 'secret', 'other'])
})

t.test('with `depth: false` nothing nests', { skip }, async (t) => {
  const { ask } = await create(t, { query: { depth: false } })
  t.equal((await ask('/people', { name: 'Ada' })).status, 200)
  t.equal((await ask('/people', { name: { $in: ['Ada'] } })).status, 400)
})

t.test('what is refused, and how', { skip }, async (t) => {
  const { ask } = await create(t, { query: { depth: 2, parameterLimit: 5 } })
  const text = (body: string, type = 'application/json') => ({ body, headers: { 'content-type': type } })
  const rows: [string, RequestInit, number, RegExp?][] = [
    ['/people', text('a=1', 'application/x-www-form-urlencoded'), 415, /application\/json/],
    ['/people', text('{}', 'text/plain'), 415],
    ['/people', text('{}', 'application/vnd.api+json'), 415],
    ['/people', text('<a/>', 'application/xml'), 415],
    ['/people?name=Ada', text('{}'), 400, /leave it out of the URL/],
    ['/people', text(''), 400, /must be an object/],
    ['/people', text('[]'), 400, /must be an object/],
    ['/people', text('null'), 400, /must be an object/],
    ['/people', text('"a"'), 400, /must be an object/],
    ['/people', text('{'), 400],
    ['/people', text('{"__proto__":{"a":1}}'), 400],
    ['/people', text('{"constructor":1}'), 400, /a name that every object has/],
    ['/people', text('{"a":[{"toString":1}]}'), 400],
    ['/people', text('{"a":{"b":{"c":1}}}'), 200],
    ['/people', text('{"a":{"b":{"c":{"d":1}}}}'), 400, /more than 2 levels deep/],
    ['/people', text(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), 400],
    ['/people', text('{"id":{"$in":[1,2,3,4,5]}}'), 200],
    ['/people', text('{"id":{"$in":[1,2,3,4,5,6]}}'), 400, /more than 5 parameters/],
    ['/people', text('{"$or":[{},{},{},[],{},{}]}'), 400, /more than 5 parameters/],
    ['/people', text(`{"a":"${'x'.repeat(1 << 20)}"}`), 413],
    ['/people/1', text('{}'), 405, /`find` is not supported/],
    ['/people/', text('{}'), 200]
  ]
  for (const [path, init, status, message = /./] of rows) {
    const { status: actual, body } = await ask(path, undefined, init)
    const name = `${path} ${String(init.body).slice(0, 40)}`
    t.equal(actual, status, name)
    if (status !== 200) t.match(body.message, message, name)
  }
  const none = await ask('/people', undefined, { headers: { 'content-type': '' } })
  t.ok([400, 415].includes(none.status))
})

t.test('collections say that they take it, and what else they take', { skip }, async (t) => {
  const { ask, address } = await create(t, {}, (app) => {
    app.service('mail', { create: async (data: object) => data })
    const stats = { find: async () => [], stats: async ({ query }: Params) => ({ query }) }
    app.service('stats', stats, { methods: ['find', 'stats'], routes: { stats: 'GET /all' } })
  })
  const headersOf = async (path: string, method = 'GET') => (await fetch(address + path, { method })).headers
  t.equal((await headersOf('/people')).get('accept-query'), 'application/json')
  t.equal((await headersOf('/people', 'HEAD')).get('accept-query'), 'application/json')
  t.equal((await headersOf('/people/1')).get('accept-query'), null)
  t.equal(
    (await ask('/people', undefined, { body: 'x', headers: { 'content-type': 'text/csv' } })).headers.get(
      'accept-query'
    ),
    'application/json'
  )
  t.equal((await headersOf('/stats', 'DELETE')).get('allow'), 'GET, HEAD, POST, QUERY')
  const refused = await ask('/mail', {})
  t.match(refused, { status: 405, body: { message: /`find`/ } })
  t.equal(refused.headers.get('allow'), 'POST')
  t.strictSame((await ask('/stats/all', { a: 1 })).body, { query: { a: 1 } }, 'custom methods by GET take it too')
})

t.test('hooks, guards of the host, formatters and schemas of one’s own see a find', { skip }, async (t) => {
  const seen: unknown[] = []
  const { ask } = await create(
    t,
    {
      hooks: {
        before: { find: [async ({ method, params: { query, provider } }) => void seen.push([method, query, provider])] }
      }
    },
    (app) => {
      const querystring = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }
      app.service('schema', { find: async ({ query }: Params) => query }, { schema: { find: { querystring } } })
    }
  )
  await ask('/people', { age: 7 })
  t.strictSame(seen, [['find', { age: 7 }, 'rest']])
  t.strictSame((await ask('/schema', { age: 7 })).body, { age: 7 })
  t.match(await ask('/schema', { name: 'x' }), { status: 400, body: { message: /age/ } })
})

t.test('it is no route of documents, and a route of the application stays', { skip }, async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Test', version: '1.0.0' } }))
  await app.register(services)
  app.route({ method: 'QUERY' as 'GET', url: '/mine', handler: async () => 'of the application' })
  app.service('mine', { find: async () => [] })
  app.service('people', { find: async () => [] })
  await app.ready()
  t.strictSame(Object.keys((app.swagger() as { paths: Record<string, object> }).paths['/people'] ?? {}), ['get'])
  const headers = { 'content-type': 'application/json' }
  const answer = await app.inject({ method: 'QUERY' as 'GET', url: '/mine', headers, payload: '{}' })
  t.equal(answer.body, 'of the application')
})

t.test('pages of other origins ask first', { skip }, async (t) => {
  const { address } = await create(t, {}, () => {})
  const bare = await fetch(`${address}/people`, {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'QUERY' }
  })
  t.equal(bare.headers.get('access-control-allow-methods'), null)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(cors, { origin: 'https://a.example', methods: ['GET', 'QUERY'] })
  await app.register(services)
  app.service('people', { find: async () => [] })
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: '/people',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'QUERY' }
  })
  t.match(preflight.headers['access-control-allow-methods'], /QUERY/)
})
