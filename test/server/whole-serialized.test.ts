import { Readable } from 'node:stream'
import Fastify from 'fastify'
import services, { type HookContext, resource, type ServiceOptions } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'

const record = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } }
const strict = { ...record, required: ['id', 'name'] }
const other = { type: 'object', properties: { secret: { type: 'string' } } }
const refs = {
  ...record,
  $defs: { part: { type: 'object', properties: { id: { type: 'string' } } } },
  properties: { ...record.properties, next: { $ref: '#/$defs/part' } }
}
const loop = { type: 'object', properties: { id: { type: 'integer' }, next: { $ref: '#' } } }
const named = { $id: 'named', ...record }

/** The schemas of answers, by what they say. */
const schemas: Record<string, (name: string) => object> = {
  none: () => ({}),
  'without a status': () => record,
  200: () => ({ 200: record }),
  '2xx': () => ({ '2xx': record }),
  '2XX': () => ({ '2XX': record }),
  '200 and 2xx': () => ({ 200: record, '2xx': other }),
  '200 and default': () => ({ 200: record, default: other }),
  201: () => ({ 201: record }),
  '4xx': () => ({ '4xx': other }),
  default: () => ({ default: record }),
  required: () => ({ '2xx': strict }),
  definitions: () => ({ '2xx': refs }),
  'older definitions': () => ({
    '2xx': {
      ...record,
      definitions: { part: { type: 'string' } },
      properties: { part: { $ref: '#/definitions/part' } }
    }
  }),
  'refers to itself': () => ({ '2xx': loop }),
  'has an id': (name) => ({ '2xx': { ...named, $id: name } }),
  text: () => ({ '2xx': { type: 'string' } }),
  list: () => ({ '2xx': { type: 'array', items: record } })
}

const full = { id: 1, name: 'a', secret: 'b', next: { id: 2, secret: 'c' } }
const results: Record<string, unknown> = {
  record: full,
  list: [full, { id: '2' }, {}],
  'empty list': [],
  page: { total: 1, limit: 10, skip: 0, data: [full], more: 'm' },
  'data alone': { data: [full] },
  'data that is none': { data: 'text', id: 3 },
  text: 'text',
  number: 7,
  bigint: { id: 1n },
  'a list with a bigint': [full, { id: 1, name: 2n }],
  'a page with a bigint': { data: [full], total: 1n },
  'a name that is no text': { id: 1, name: { a: 1 } },
  'an id that is none': { id: 'x', name: 'a' },
  toJSON: { toJSON: () => full },
  'a page with toJSON': { total: 1, data: [full], toJSON: () => 'json' },
  'a page with toJSON of itself': { total: 1, data: [full], toJSON: () => ({ total: 2, data: [full] }) },
  'toJSON that fails': {
    toJSON() {
      throw new Error('It fails')
    }
  }
}

t.test('what leaves by the schemas of answers', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  let result: unknown
  const give = async () => result
  const service = { find: give, get: give, create: give, remove: give, publish: give }
  const methods = ['find', 'get', 'create', 'remove', 'publish'] as const
  const setStatus = (context: HookContext) => {
    const { status } = Object(context.params.query)
    if (status !== undefined) context.http.status = Number(status)
  }
  const names = Object.keys(schemas)
  for (const [index, name] of names.entries()) {
    const schema = Object.fromEntries(
      methods.map((method) => [method, { response: schemas[name]?.(`${method}${index}`) }])
    )
    if (name === 'none') for (const method of methods) delete schema[method]
    app.service(`s${index}`, service, {
      methods,
      schema,
      hooks: { after: { all: [setStatus] } }
    } as ServiceOptions as never)
  }
  app.service('records', service, {
    schema: resource(strict),
    methods,
    hooks: { after: { all: [setStatus] } }
  } as never)
  const requests = {
    find: ['GET', ''],
    get: ['GET', '/1'],
    create: ['POST', ''],
    remove: ['DELETE', '/1'],
    publish: ['POST', '']
  } as const
  const ask = async (path: string, name: keyof typeof requests, query = '') => {
    const [method, end] = requests[name]
    const headers = name === 'publish' ? { 'x-service-method': 'publish' } : {}
    const payload = method === 'POST' ? { payload: { id: 1, name: 'a' } } : {}
    const { statusCode, body } = await app.inject({ method, url: `${path}${end}${query}`, headers, ...payload })
    const shown = statusCode === 500 ? (JSON.parse(body).message ?? body) : body
    return [200, 201].includes(statusCode) ? shown : [statusCode, shown]
  }
  const rows: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(results)) {
    result = value
    for (const [index, schema] of [...names, 'resource'].entries()) {
      const path = schema === 'resource' ? '/records' : `/s${index}`
      const isMost = /^(none|2xx|resource|required|refers)/.test(schema)
      const isPlain = /^(record|list|page)$/.test(name)
      if (!isMost && !isPlain) continue
      const row: Record<string, unknown> = {}
      for (const method of isMost ? methods : (['find', 'get', 'create'] as const))
        row[method] = await ask(path, method)
      if (name === 'record' && schema !== 'resource')
        for (const status of [202, 303, 404, 500]) row[`get as ${status}`] = await ask(path, 'get', `?status=${status}`)
      const [first] = Object.values(row)
      const isOne = Object.values(row).every((item) => JSON.stringify(item) === JSON.stringify(first))
      rows[`${name}, by ${schema}`] = isOne ? first : row
    }
  }
  result = undefined
  const streams = [
    [full, { id: 2 }],
    [{ id: 2, name: 'b' }, 'text', 5],
    [{ name: 'c' }, { id: 1n, name: 'd' }]
  ]
  for (const [index, items] of streams.entries()) {
    result = Readable.from(items)
    rows[`stream ${index}, by resource`] = (await app.inject('/records')).body
  }
  isKept(t, rows, 'test/server/whole-serialized.txt')
})

t.test('what of a resource leaves with a status that its schemas do not name', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const setStatus = (context: HookContext) => {
    context.http.status = Number((context.params.headers as Record<string, string>)['x-status'])
  }
  const give = async () => full
  const options = { schema: resource(strict), hooks: { after: { all: [setStatus] } } }
  app.service('records', { find: async () => [full], get: give, create: give }, options as never)
  const rows: Record<string, unknown> = {}
  for (const status of ['200', '299', '303', '404', '500'])
    for (const [method, url] of [
      ['GET', '/records'],
      ['GET', '/records/1'],
      ['POST', '/records']
    ] as const) {
      const headers = { 'x-status': status }
      const payload = method === 'POST' ? { payload: { id: 1, name: 'a' } } : {}
      rows[`${method} ${url} ${status}`] = (await app.inject({ method, url, headers, ...payload })).body
    }
  isKept(t, rows, 'test/server/whole-redirects.txt')
})
