import multipart from '@fastify/multipart'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type as ark } from 'arktype'
import Fastify from 'fastify'
import services, { BadRequest, resource } from 'fastify-services'
import t from 'tap'
import * as v from 'valibot'
import * as z from 'zod'

const create = async (data: object) => data
const find = async () => []
const json = { accept: 'application/json', 'content-type': 'application/json' }

t.test('a query can not ask for the items of a list that do not leave', async (t) => {
  const app = Fastify()
  await app.register(services)
  const items = { type: 'string', writeOnly: true }
  const schema = resource({
    type: 'object',
    properties: { id: { type: 'integer' }, keys: { type: 'array', items } }
  })
  app.service('things', { find } as object, { schema: schema as object })
  for (const query of ['keys=a', 'keys[$in][]=a', '$or[0][keys]=a'])
    t.match(
      await app.inject({ url: `/things?${query}`, headers: json }),
      { statusCode: 400, body: /is not known/ },
      query
    )
  await app.close()
})

t.test('a file that only the server sets', async (t) => {
  const app = Fastify()
  await app.register(multipart)
  await app.register(services)
  const file = { type: 'string', format: 'binary' }
  const schema = resource({
    type: 'object',
    properties: {
      photo: file,
      tags: { type: 'array', items: { type: 'string' } },
      icon: { ...file, readOnly: true },
      scans: { type: 'array', items: file, readOnly: true },
      notes: { type: 'array', items: { ...file, readOnly: true } }
    }
  })
  app.service('things', { create } as object, { schema: schema as object })
  for (const name of ['icon', 'scans', 'notes']) {
    const data = new FormData()
    data.append(name, new File(['x'], 'x.txt'))
    const { headers, body } = new Response(data)
    const payload = Buffer.from(await new Response(body).arrayBuffer())
    const type = headers.get('content-type') as string
    const answer = await app.inject({
      method: 'POST',
      url: '/things',
      headers: { ...json, 'content-type': type },
      payload
    })
    t.match(answer, { statusCode: 400, body: /can not be (set|a file)/ }, name)
    const payloadOfJson = { [name]: name === 'icon' ? null : [] }
    const ofJson = await app.inject({ method: 'POST', url: '/things', headers: json, payload: payloadOfJson })
    t.match(ofJson, { statusCode: 400 }, `${name} in JSON`)
  }
  await app.close()
})

t.test('long lists whose items must differ are looked through once', async (t) => {
  const app = Fastify()
  await app.register(services)
  const schema = resource({ type: 'object', properties: { rows: { type: 'array', uniqueItems: true } } })
  app.service('things', { create } as object, { schema: schema as object })
  const post = (rows: unknown) =>
    app.inject({ method: 'POST', url: '/things', headers: json, payload: { rows } as object })
  const rows = Array.from({ length: 20_000 }, (_, a) => ({ a, b: [a, null] }))
  t.equal((await post(rows)).statusCode, 201)
  const again = await post([...rows, { b: [7, null], a: 7 }])
  t.match(again, { statusCode: 400, body: /rows must have no item twice/ }, 'whatever the order of the fields')
  t.equal(
    (await post([1, '1', true, null, [], {}, 'null'])).statusCode,
    201,
    'what is of another type is another value'
  )
  await app.close()
})

t.test('a field that does not leave stays hidden behind a transformation', async (t) => {
  const app = Fastify()
  await app.register(services)
  const secret = z
    .string()
    .meta({ writeOnly: true })
    .transform((text) => `hash of ${text}`)
  const stamp = z.string().pipe(z.string().meta({ readOnly: true }))
  const Node = z.object({
    name: z.string(),
    secret: secret.optional(),
    stamp: stamp.optional(),
    list: z.array(z.object({ secret })).optional(),
    get inner() {
      return Node.optional()
    }
  })
  app.service('things', { create, find } as object, { schema: resource(Node) as object })
  const post = (payload: object) => app.inject({ method: 'POST', url: '/things', headers: json, payload })
  const nested = { name: 'a', secret: 's', list: [{ secret: 't' }] }
  const left = { name: 'a', list: [{}] }
  t.strictSame((await post({ ...nested, inner: nested })).json(), { ...left, inner: left })
  t.match(await app.inject({ url: '/things?secret=a', headers: json }), { statusCode: 400, body: /is not known/ })
  for (const data of [
    { name: 'a', stamp: 'b' },
    { name: 'a', inner: { name: 'a', stamp: 'b' } }
  ])
    t.match(await post(data), { statusCode: 400, body: /stamp can not be set/ })
  await app.close()
})

t.test('a transformation that no schema describes can not take an object with hidden fields', async (t) => {
  const key = v.pipe(v.string(), v.metadata({ writeOnly: true }))
  const hiding = {
    zod: z.object({ a: z.string(), key: z.string().meta({ writeOnly: true }) }),
    valibot: v.object({ a: v.string(), key }),
    arktype: ark({ a: 'string', key: ark('string').configure({ writeOnly: true } as object) })
  }
  const Folder = z.object({
    a: z.string(),
    key: z.string().meta({ writeOnly: true }),
    get folders() {
      return z.array(Folder).optional()
    }
  })
  const same = <T>(value: T) => value
  const rows: [schema: object, place: string][] = [
    [z.object({ f: hiding.zod.transform(same) }), "'f'"],
    [z.object({ f: z.array(hiding.zod).transform(same) }), "'f'"],
    [z.object({ f: z.tuple([z.string(), hiding.zod]).transform(same) }), "'f'"],
    [z.object({ f: z.record(z.string(), hiding.zod).transform(same) }), "'f'"],
    [z.object({ f: z.xor([z.string(), hiding.zod]).transform(same) }), "'f'"],
    [z.object({ f: z.array(z.object({ g: hiding.zod.transform(same).optional() })) }), "'f[].g'"],
    [z.object({ f: Folder.transform(same) }), "'f'"],
    [z.object({ f: hiding.zod.transform(({ a }) => ({ b: a })) }), "'f'"],
    [z.object({ f: hiding.zod.transform(({ a }) => a) }), "'f'"],
    [hiding.zod.transform(same), 'the record'],
    [ark({ f: hiding.arktype.pipe((value) => same(value)) }), "'f'"],
    [toStandardJsonSchema(v.object({ f: v.pipe(hiding.valibot, v.transform(same)) })), "'f'"]
  ]
  const refusal = (place: string) => ({
    message:
      `resource() can't hide the \`writeOnly\` fields of ${place}: it has a transformation whose result no schema describes. ` +
      'Describe the result, as in .pipe(z.object({ … })), or set the option `response`'
  })
  for (const [schema, place] of rows) {
    t.throws(() => resource(schema), refusal(place))
    t.throws(() => resource(z.object({ a: z.string() }), { response: schema }), refusal(place), 'as a response')
  }
  const stored = { a: 'x', key: 's' }
  const described: [schema: object, left: unknown][] = [
    [resource(z.object({ f: hiding.zod.transform(same).pipe(hiding.zod) })), { a: 'x' }],
    [resource(z.object({ f: hiding.zod.transform(same) }), { response: z.object({ f: hiding.zod }) }), { a: 'x' }]
  ]
  for (const [schema, left] of described) {
    const app = Fastify()
    await app.register(services)
    app.service('things', { create, find } as object, { schema })
    const { body } = await app.inject({ method: 'POST', url: '/things', headers: json, payload: { f: stored } })
    t.equal(body, JSON.stringify({ f: left }))
    await app.close()
  }
})

t.test('so it can not take an object that hides all fields that it does not name', (t) => {
  const hidden = { type: 'string', writeOnly: true }
  const a = { properties: { a: { type: 'string' } } }
  const parts: object[] = [
    { ...a, additionalProperties: hidden },
    { ...a, additionalProperties: hidden },
    { ...a, patternProperties: { '^b$': {} }, additionalProperties: hidden }
  ]
  for (const part of parts) {
    const input = () => ({ type: 'object', properties: { id: {}, f: { type: 'object', ...part } } })
    const output = () => ({ type: 'object', properties: { id: {}, f: {} } })
    const validate = (value: unknown) => ({ value })
    const schema = { '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input, output } } }
    t.throws(
      () => resource(schema as never),
      { message: /can't hide the `writeOnly` fields of 'f'/ },
      JSON.stringify(part)
    )
  }
  t.end()
})

t.test('a flag behind a transformation of Valibot holds, and what it gives leaves as it is', async (t) => {
  const app = Fastify()
  await app.register(services)
  const hash = v.transform((text: string) => `hash of ${text}`)
  const schema = toStandardJsonSchema(
    v.object({
      done: v.optional(v.boolean()),
      secret: v.optional(v.pipe(v.string(), hash, v.metadata({ writeOnly: true }))),
      stamp: v.optional(v.pipe(v.string(), hash, v.metadata({ readOnly: true }))),
      sum: v.optional(
        v.pipe(
          v.array(v.number()),
          v.reduceItems((left, right) => left + right, 0)
        )
      ),
      day: v.optional(
        v.pipe(
          v.string(),
          v.transform((text) => new Date(text)),
          v.date()
        )
      )
    })
  )
  const asStored = async (data: object) => ({ ...data, done: 1 })
  app.service('things', { create: asStored, find } as object, { schema: resource(schema) as object })
  const post = (payload: object) => app.inject({ method: 'POST', url: '/things', headers: json, payload })
  const sent = { secret: 's', sum: [1, 2], day: '2030-01-31' }
  t.strictSame((await post(sent)).json(), { done: true, sum: 3, day: '2030-01-31T00:00:00.000Z' })
  t.match(await post({ stamp: 'a' }), { statusCode: 400, body: /stamp can not be set/ })
  t.match(await app.inject({ url: '/things?secret=a', headers: json }), { statusCode: 400, body: /is not known/ })
  await app.close()
})

t.test('a text for `format: url` takes no longer because it is long', async (t) => {
  const app = Fastify()
  await app.register(services)
  const schema = resource({ type: 'object', properties: { link: { type: 'string', format: 'url' } } })
  app.service('links', { create: async (data: object) => data } as object, { schema: schema as object })
  const post = async (link: string) =>
    (await app.inject({ method: 'POST', url: '/links', payload: { link } })).statusCode
  t.equal(await post('https://example.com/a?b=c'), 201)
  t.equal(await post(`https://example.com/${'a'.repeat(2000)}`), 201)
  for (const link of ['nothing', `http://[${'1:'.repeat(100_000)}`, `http://${'a-'.repeat(100_000)}`])
    t.equal(await post(link), 400)
  await app.close()
})

t.test('what a definition hides can not be asked for', async (t) => {
  const app = Fastify()
  const $defs = { a: { $id: 'Secret', type: 'string', writeOnly: true }, b: { $id: 'Name', type: 'string' } }
  await app.register(services)
  const secret = { $ref: 'Secret#' }
  const properties = {
    id: { type: 'integer' },
    name: { $ref: 'Name#' },
    secret,
    keys: { type: 'array', items: secret }
  }
  const stored = { id: 1, name: 'a', secret: 's', keys: ['k'] }
  const object = { find: async () => [stored] }
  app.service('things', object as object, {
    schema: resource({ type: 'object', properties, $defs } as object) as object
  })
  const queries = [
    'secret=s',
    'secret[$in][]=s',
    'secret[$ne]=s',
    '$or[0][secret]=s',
    '$sort[secret]=1',
    '$select[]=secret'
  ]
  for (const query of [...queries, 'keys=k', 'keys[$in][]=k'])
    t.equal((await app.inject(`/things?${query}`)).statusCode, 400, query)
  for (const query of ['id=1', 'name=a', '$sort[name]=1', '$select[]=name'])
    t.strictSame((await app.inject(`/things?${query}`)).json(), [{ id: 1, name: 'a', keys: [] }], query)
  await app.close()
})

t.test('what a definition hides or leaves to the server holds for schemas of single methods, too', async (t) => {
  const app = Fastify()
  const $defs = {
    a: { $id: 'Secret', type: 'string', writeOnly: true },
    b: { $id: 'Role', type: 'string', readOnly: true }
  }
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const properties = { name: { type: 'string' }, secret: { $ref: 'Secret#' }, role: { $ref: 'Role#' } }
  const open = { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: true }
  const schema = resource({ type: 'object', properties, $defs } as object, {
    create: open,
    methods: { join: { route: 'POST /join', body: open, response: open } }
  })
  const stored = { name: 'a', secret: 's', role: 'admin', other: 1 }
  const object = { create: async () => stored, join: async () => stored }
  app.service('things', object as object, { schema: schema as object })
  const post = async (url: string, payload: object) => {
    const { statusCode, ...response } = await app.inject({ method: 'POST', url, payload })
    return [statusCode, response.json().message ?? response.json()]
  }
  t.strictSame(await post('/things/join', { name: 'a' }), [200, { name: 'a', role: 'admin', other: 1 }])
  t.strictSame(await post('/things/join', { role: 'admin' }), [400, 'role can not be set'])
  t.strictSame(await post('/things', { name: 'a' }), [201, { name: 'a', role: 'admin' }])
  t.strictSame(await post('/things', { role: 'admin' }), [400, 'role can not be set'])
  await app.close()
})

t.test(
  'what a branch of a union hides as a whole leaves neither by errors nor beside a page nor by an open answer',
  async (t) => {
    const app = Fastify()
    await app.register(services, { errorHandler: { logger: false } })
    const card = z.object({ kind: z.literal('card'), number: z.string() }).meta({ writeOnly: true })
    const cash = z.object({ kind: z.literal('cash'), till: z.string() })
    const pay = z.discriminatedUnion('kind', [card, cash])
    const keys = z.array(z.string().meta({ writeOnly: true }))
    const Order = z.looseObject({
      id: z.int(),
      pay,
      pays: z.array(pay),
      payOf: z.record(z.string(), pay),
      keysOf: z.record(z.string(), keys)
    })
    const extra = { route: 'GET /extra', response: { type: 'object' } } as const
    const orders = resource(Order.catchall(pay), { methods: { extra } })
    const pays = resource(
      z.discriminatedUnion('kind', [
        card.extend({ id: z.int() }).meta({ writeOnly: true }),
        cash.extend({ id: z.int() })
      ]),
      { methods: { extra } }
    )
    const numbered = z.object({ id: z.int(), kind: z.literal('card'), by: z.literal('number'), number: z.string() })
    const named = z.object({ id: z.int(), kind: z.literal('card'), by: z.literal('name'), name: z.string() })
    const cards = z.discriminatedUnion('by', [numbered.meta({ writeOnly: true }), named])
    const nested = resource(z.discriminatedUnion('kind', [cards, cash.extend({ id: z.int() })]), { methods: { extra } })
    const matched = resource(
      {
        type: 'object',
        properties: { id: { type: 'integer' } },
        patternProperties: { '^pay': z.toJSONSchema(pay) as object }
      },
      { methods: { extra } }
    )
    const secret = { kind: 'card', number: 'SECRET' }
    const order = { id: 1, pay: secret, pays: [secret], payOf: { ada: secret }, keysOf: { ada: ['SECRET'] } }
    const add = (path: string, schema: unknown, record: object, further = record) => {
      const get = async (id: string) => {
        throw new BadRequest(id, { ...further, errors: [record] })
      }
      const page = async () => ({ total: 1, data: [record], newest: further })
      app.service(path, { get, find: page, extra: async () => record } as object, { schema: schema as object })
    }
    add('orders', orders, order, { ...order, payLater: secret })
    add('pays', pays, { id: 1, ...secret })
    add('nested', nested, { id: 1, by: 'number', ...secret })
    add('matched', matched, { id: 1, pay: secret })
    for (const url of ['orders', 'pays', 'nested', 'matched'].flatMap((path) => [
      `/${path}/1`,
      `/${path}`,
      `/${path}/extra`
    ])) {
      const { body } = await app.inject({ url, headers: json })
      t.match(body, /"id":1/, url)
      t.notMatch(body, /SECRET/, url)
    }
    await app.close()
  }
)
