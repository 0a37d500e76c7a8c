import { Readable } from 'node:stream'
import Fastify from 'fastify'
import services, { BadRequest, type Formatter, type HookContext, resource } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { JsonObject } from '../../support/json-object.js'

const marker = 'MARKER-70a1'
const text = { type: 'string' }
const id = { type: 'integer' }
const hidden = { ...text, writeOnly: true }
const properties = { id, title: text, secret: hidden, kid: { type: 'object', properties: { name: text, pin: hidden } } }

const schemas: Record<string, object> = {
  closed: { type: 'object', properties, additionalProperties: false },
  silent: { type: 'object', properties },
  open: { type: 'object', properties, additionalProperties: true }
}

/** A library's page, which has its records in private. */
class Page extends JsonObject {
  readonly rows = marker
}

/** A list whose JSON is something else than its items. */
class Rows extends Array<unknown> {
  json: unknown = undefined
  toJSON() {
    return this.json
  }
}

const toRows = (json: unknown, ...items: unknown[]) => {
  const rows = new Rows()
  rows.push(...items)
  rows.json = json
  return rows
}

/** What JSON calls once, and reads field by field then. */
class Itself {
  [name: string]: unknown
  constructor(fields: object) {
    Object.assign(this, fields)
  }
  toJSON() {
    return this
  }
}

const record = { id: 1, title: 'a', secret: marker, kid: { name: 'b', pin: marker } }
const shown = { id: 1, title: 'a', kid: { name: 'b' } }
const callable = Object.assign(() => {}, { toJSON: () => record })

const records: Record<string, unknown> = {
  'a record': new JsonObject(record),
  'a record that is its own JSON': new Itself(record),
  'a function with a toJSON': callable,
  'fields with a toJSON': {
    id: 1,
    title: new JsonObject('a'),
    secret: new JsonObject(marker),
    kid: new JsonObject(record.kid)
  },
  'a field that is its own JSON': { ...record, kid: new Itself(record.kid) },
  'a toJSON in a toJSON': new JsonObject({ ...record, toJSON: () => ({ secret: marker }) })
}

const page = (data: unknown) => ({ total: 1, limit: 10, skip: 0, data })
const lists: Record<string, (record: unknown) => unknown> = {
  'a list': (record) => [record],
  'a list by toJSON': (record) => new JsonObject([record]),
  'a list that is its own JSON': (record) => {
    const rows = toRows(undefined, record)
    rows.json = rows
    return rows
  },
  'a list with other JSON': (record) => toRows([record], { secret: marker })
}
const pages: Record<string, (record: unknown) => unknown> = {
  'a page': (record) => page([record]),
  'a page by toJSON': (record) => new Page(page([record])),
  'a page that is its own JSON': (record) => new Itself(page([record])),
  'a page whose list is given by toJSON': (record) => page(new JsonObject([record])),
  'a page whose list has other JSON': (record) => page(toRows([record], { secret: marker })),
  'a page whose numbers are given by toJSON': (record) =>
    new JsonObject({ ...page([record]), total: new JsonObject(1) }),
  'a page with more': (first) =>
    new Page({ total: 1, limit: record, skip: 0, data: [first], first: { id: 1, secret: marker }, secret: marker })
}

/** A service whose methods give what `respond` gives. */
async function createApp(t: Test, schema: object, options: object = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const server = { respond: (): unknown => undefined, send }
  const method = async () => server.respond()
  app.service<Record<string, unknown>, string>(
    'things',
    { find: method, get: method, create: method, act: method } as object,
    { methods: ['find', 'get', 'create', 'act'], schema: resource(schema) as object, ...options }
  )
  return server

  async function send(kind: 'find' | 'get' | 'create' | 'act', result: unknown) {
    server.respond = () => result
    const isPost = kind === 'create' || kind === 'act'
    const headers = { accept: 'application/json', ...(kind === 'act' && { 'x-service-method': 'act' }) }
    const { statusCode, body } = await app.inject({
      method: isPost ? 'POST' : 'GET',
      url: kind === 'get' ? '/things/1' : '/things',
      headers,
      ...(isPost && { payload: { title: 'a' } })
    })
    return { statusCode, body }
  }
}

const setDispatch = async (context: HookContext) => {
  context.dispatch = context.result
}
const formatter: Formatter = (_request, reply) => ({ of: reply.data })
const ways: Record<string, object> = {
  'by itself': {},
  'with a formatter': { formatter },
  'with middleware': { after: [async () => {}] },
  'with protect': { hooks: { around: { all: [protect('secret', 'pin')] } } },
  'as dispatch': { hooks: { after: { all: [setDispatch] } } }
}

for (const [name, schema] of Object.entries(schemas))
  t.test(`what a toJSON gives is the result, and hides what the record hides: ${name}`, async (t) => {
    for (const [way, options] of Object.entries(ways)) {
      const { send } = await createApp(t, schema, options)
      const statuses = { find: 200, get: 200, create: 201, act: 200 }
      const wrong: unknown[] = []
      const expect = async (method: keyof typeof statuses, result: unknown, sent: unknown, label: string) => {
        const { statusCode, body } = await send(method, result)
        const expected = JSON.stringify(way === 'with a formatter' ? { of: sent } : sent)
        if (statusCode !== statuses[method] || body !== expected) wrong.push([label, method, statusCode, body])
      }
      for (const [kind, result] of Object.entries(records)) {
        for (const method of ['get', 'create', 'act'] as const) await expect(method, result, shown, kind)
        for (const [list, wrap] of Object.entries(lists))
          for (const method of ['find', 'create', 'act'] as const)
            await expect(method, wrap(result), [shown], `${kind} in ${list}`)
        for (const [kindOfPage, wrap] of Object.entries(pages)) {
          const more = kindOfPage === 'a page with more'
          const sent = more ? { total: 1, limit: shown, skip: 0, data: [shown], first: { id: 1 } } : page([shown])
          await expect('find', wrap(result), sent, `${kind} in ${kindOfPage}`)
          if (name === 'open') await expect('get', wrap(result), sent, `${kind} in ${kindOfPage}`)
        }
      }
      t.strictSame(wrong, [], way)
    }
  })

t.test('records of a stream, and a stream that a toJSON gives', async (t) => {
  const items = [...Object.values(records), new JsonObject([record]), new JsonObject(page([record]))]
  const streams = [() => Readable.from(items), () => new JsonObject(Readable.from(items))]
  for (const [name, schema] of Object.entries(schemas))
    for (const [way, options] of Object.entries(ways)) {
      if (way === 'with a formatter') continue
      const { send } = await createApp(t, schema, options)
      for (const create of streams) {
        const { statusCode, body } = await send('find', create())
        const sent = [...Object.values(records).map(() => shown), [shown], page([shown])]
        const expected = sent.map((item) => `${JSON.stringify(item)}\n`).join('')
        t.strictSame([statusCode, body], [200, expected], `${name}, ${way}`)
      }
    }
})

t.test('texts, nothing and failures', async (t) => {
  const fail = {
    toJSON() {
      throw new Error(marker)
    }
  }
  for (const schema of Object.values(schemas)) {
    const { send } = await createApp(t, schema)
    const answer = async (method: 'get' | 'find', result: unknown) => {
      const { statusCode, body } = await send(method, result)
      return [statusCode, statusCode === 500 ? JSON.parse(body).message : body]
    }
    t.strictSame(await answer('get', new JsonObject('a text')), [200, '"a text"'])
    t.strictSame(await answer('get', new JsonObject(null)), [204, ''])
    t.strictSame(await answer('get', new JsonObject(undefined)), [204, ''])
    t.strictSame(await answer('get', new JsonObject(() => record)), [204, ''])
    t.strictSame(await answer('get', new JsonObject(JSON.stringify(record))), [
      500,
      'things.get: the `toJSON` of the result gives JSON as a text. Return the object itself'
    ])
    const message = (method: string) => `things.${method}: the result is not JSON (BigInt or a cycle?)`
    t.strictSame(await answer('get', fail), [500, message('get')])
    for (const result of [[fail], page([{ ...record, kid: fail }]), page(fail)])
      t.strictSame(await answer('find', result), [500, message('find')])
  }
})

t.test('a find that gives neither a list nor a page fails with what to do', async (t) => {
  const message =
    'things.find: the result is neither a list nor a page. Return a list of records, or { total, limit, skip, data }, of which data is a list and another one a number'
  const results = [
    record,
    new JsonObject(record),
    {},
    { data: [record] },
    { rows: [record], count: 1 },
    { total: '1', data: [record] },
    { total: 1, data: record },
    5,
    true
  ]
  for (const schema of Object.values(schemas))
    for (const [way, options] of Object.entries(ways)) {
      const { send } = await createApp(t, schema, options)
      for (const result of results) {
        const { statusCode, body } = await send('find', result)
        t.strictSame([statusCode, JSON.parse(body).message], [500, message], way)
      }
    }
})

t.test('what errors tell by a toJSON', async (t) => {
  class Told extends BadRequest {
    override toJSON() {
      return { ...super.toJSON(), errors: new JsonObject([record]), more: new JsonObject(record) } as never
    }
  }
  class Same extends BadRequest {
    more = record
    override toJSON() {
      return this as never
    }
  }
  const thrown: [string, () => Error][] = [
    ['data', () => new BadRequest('No', new JsonObject(record) as never)],
    ['data that is its own JSON', () => new BadRequest('No', new Itself(record) as never)],
    ['errors', () => new BadRequest('No', { errors: new JsonObject([record]) as never })],
    ['errors by name', () => new BadRequest('No', { errors: new JsonObject({ title: record }) as never })],
    ['errors that are their own JSON', () => new BadRequest('No', { errors: new Itself({ title: record }) as never })],
    ['its own toJSON', () => new Told('No')],
    ['an error that is its own JSON', () => new Same('No')]
  ]
  for (const schema of Object.values(schemas))
    for (const options of [{}, ways['with protect'] as object])
      for (const [name, create] of thrown) {
        const { send } = await createApp(t, schema, options)
        const { statusCode, body } = await send('get', Promise.reject(create()))
        t.equal(statusCode, 400, `${name}: ${body}`)
        t.notMatch(body, marker, name)
      }
})
