import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import services, { type HookContext, resource } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'

// What is sent of each result, by each kind of schema.

const record = { type: 'object', properties: { id: { type: 'integer' }, text: { type: 'string' } } }
const just = (name: string) => ({ type: 'object', properties: { [name]: {} } })
const node = { type: 'object', properties: { id: {}, next: { $ref: '#/$defs/node' } } }
const responses: Record<string, object | undefined> = {
  none: undefined,
  alone: record,
  '2XX': { '2XX': record },
  several: { 200: just('id'), 201: just('text'), '2xx': just('total'), '4xx': just('code'), default: just('data') },
  default: { default: just('text') },
  'another status': { 404: just('id') },
  'definitions in both places': { ...node, $defs: { node }, definitions: { other: node } },
  definitions: { ...record, definitions: { one: record } },
  'its own kind': { type: 'object', properties: { id: {}, next: { $ref: '#' } } },
  'an id': { ...record, $id: 'urn:record' },
  required: { ...record, required: ['text'] },
  text: { type: 'string' }
}
const cycle: { own?: unknown } = {}
cycle.own = cycle
const sample = { id: 1, text: 'a', secret: 's', next: { id: 2, secret: 's' } }
const toJSON = () => {
  throw new TypeError('inside')
}
const results: Record<string, unknown> = {
  ...{
    one: sample,
    list: [sample, { id: 2 }],
    empty: [],
    page: { total: 2, skip: 0, data: [sample] },
    'a page alone': { data: [sample, sample] }
  },
  ...{
    'an empty page': { data: [], total: 0 },
    'no page': { data: sample },
    null: null,
    text: 'text',
    0: 0,
    lists: [[sample], null]
  },
  ...{
    bigint: { id: 1n },
    bigints: [1n],
    'a page of bigints': { data: [1n] },
    'a page with a bigint': { total: 1n, data: [] }
  },
  ...{ cycle, json: { toJSON }, 'json in a list': [{ toJSON }], 'json that is nothing': { toJSON: () => undefined } }
}

async function create(register: (app: FastifyInstance) => unknown) {
  const app = Fastify()
  await app.register(services, { errorHandler: { html: false, logger: false } })
  await register(app)
  return app
}
const names = ['find', 'get', 'create', 'stats', 'publish']
const toResult = async (context: HookContext) => {
  const { of, status } = context.params.query as { of: string; status?: string }
  context.result = results[of]
  if (status !== undefined) context.http.status = Number(status)
}
const object = Object.fromEntries(names.map((name) => [name, Object]))
const options = (response?: object): object => ({
  methods: names,
  routes: { stats: 'GET /stats', publish: 'POST /:id/publish' },
  hooks: { before: [toResult] },
  ...(response && { schema: Object.fromEntries(names.map((name) => [name, { response }])) })
})

async function ask(app: FastifyInstance, method: 'GET' | 'POST', url: string) {
  const { statusCode, body } = await app.inject({ method, url, ...(method === 'POST' && { payload: {} }) })
  const text = body.includes('"className"') ? JSON.parse(body).message : body
  return `${statusCode} ${text}`
}

t.test('results by the schemas of answers', async (t) => {
  const rows: Record<string, Record<string, string>> = {}
  for (const [name, response] of Object.entries(responses)) {
    const seen: Record<string, string> = {}
    const app = await create((app) => {
      app.addHook('onRoute', ({ method, url, schema }) => {
        if (method !== 'HEAD' && !url.endsWith('/')) seen[`${method} ${url}`] = JSON.stringify(schema)
      })
      app.service('in', object, options(response))
    })
    for (const of of Object.keys(results)) seen[`find ${of}`] = await ask(app, 'GET', `/in?of=${of}`)
    for (const of of ['one', 'list', 'page', 'bigint', 'json'])
      for (const [method, url] of [
        ['GET', '/in/1'],
        ['POST', '/in'],
        ['GET', '/in/stats'],
        ['POST', '/in/1/publish']
      ] as const)
        seen[`${method} ${url} ${of}`] = await ask(app, method, `${url}?of=${of}`)
    for (const status of [201, 203, 302, 404, 500])
      seen[`find page ${status}`] = await ask(app, 'GET', `/in?of=page&status=${status}`)
    // What is not told is as it is for the schema alone.
    rows[name] = Object.fromEntries(Object.entries(seen).filter(([row, answer]) => rows.alone?.[row] !== answer))
  }
  isKept(t, rows, 'test/server/whole-results.txt')
})

t.test('results of resources, and of applications with a serializer of their own', async (t) => {
  const rows: Record<string, unknown> = {}
  const add = async (name: string, register: (app: FastifyInstance) => unknown) => {
    const row: Record<string, string> = {}
    const app = await create((app) => {
      app.addHook('onRoute', ({ method, url, schema, serializerCompiler, validatorCompiler }) => {
        const compilers = [serializerCompiler, validatorCompiler].map((compiler) => typeof compiler)
        if (!url.endsWith('/')) row[`${method} ${url}`] = `${compilers.join(' ')} ${JSON.stringify(schema)}`
      })
      return register(app)
    })
    for (const of of ['one', 'list', 'empty', 'page', 'no page', 'null', 'text', 'lists', 'bigint', 'bigints', 'json'])
      for (const [method, url] of [
        ['GET', '/in'],
        ['GET', '/in/1'],
        ['POST', '/in']
      ] as const)
        row[`${method} ${url} ${of}`] = await ask(app, method, `${url}?of=${of}`)
    for (const status of [203, 302, 404]) row[`${status}`] = await ask(app, 'GET', `/in/1?of=one&status=${status}`)
    rows[name] = row
  }
  const querystring = { type: 'object' }
  const copy = Object.entries(resource(record)).map(([name, schema]) => [name, { ...schema, querystring }])
  const schemas = Object.fromEntries(copy.filter(([name]) => ['find', 'get', 'create'].includes(name as string)))
  const withHook = { hooks: { before: [toResult] } as never, methods: ['find', 'get', 'create'] }
  const compile =
    ({ schema }: { schema: unknown }) =>
    (data: unknown) =>
      `own ${JSON.stringify(schema)} ${typeof data}`
  const response = { '2xx': record }
  const byHand = { find: { response }, get: { response }, create: { response } }
  await add('a resource', (app) => app.service('in', object, { ...withHook, schema: schemas as never }))
  for (const [name, schema] of Object.entries({ 'a resource': schemas, 'by hand': byHand }))
    await add(`${name}, a serializer of the application`, (app) => {
      app.setSerializerCompiler(compile as never)
      app.service('in', object, { ...withHook, schema: schema as never })
    })
  isKept(t, rows, 'test/server/whole-results-compilers.txt')
})

t.test('streams of records', async (t) => {
  const rows: Record<string, string> = {}
  const schemas = {
    none: {},
    resource: resource(record),
    'by hand': { find: { response: record }, get: { response: record } }
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const app = await create((app) => {
      const find = async () => Readable.from([sample, { id: 2 }, [sample], 'text', 0])
      const get = async (id: string) =>
        Readable.from(id === 'empty' ? [] : ['some ', 'text'], { objectMode: id !== 'bytes' })
      app.service('in', { find, get, create: find }, { schema: schema as never })
    })
    for (const url of ['/in', '/in/empty', '/in/texts', '/in/bytes']) {
      const { statusCode, headers, body } = await app.inject({ url })
      rows[`${name}, ${url}`] = `${statusCode} ${headers['content-type']} ${body}`
    }
    const made = await app.inject({ method: 'POST', url: '/in', payload: {} })
    rows[`${name}, made`] = `${made.statusCode} ${made.headers['content-type']} ${made.body}`
  }
  isKept(t, rows, 'test/server/whole-results-streams.txt')
})
