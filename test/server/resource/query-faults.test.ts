import { toStandardJsonSchema } from '@valibot/to-json-schema'
import Fastify from 'fastify'
import services, { type Params, resource } from 'fastify-services'
import t from 'tap'
import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'

const object = (properties: object) => resource({ type: 'object', properties } as object)
const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })

t.test('an empty text is null where the field can be null, and no empty text', async (t) => {
  const asked: unknown[] = []
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const find = async ({ query }: Params) => {
    asked.push(query)
    return []
  }
  const schema = object({
    n: { type: ['integer', 'null'] },
    on: nullable({ type: 'string', format: 'date' }),
    kind: { enum: ['a', null] },
    kindOrEmpty: { enum: ['', 'a', null] },
    text: { type: ['string', 'null'] },
    both: { allOf: [{ type: ['integer', 'null'] }, { type: ['number', 'null'], minimum: 1 }] },
    must: { type: 'integer' }
  })
  app.service('things', { find }, { schema })
  const send = (query: string) => app.inject(`/things?${query}`)
  const finds = async (text: string, query: object) => {
    await send(text)
    t.strictSame(asked.splice(0), [query], text)
  }
  await finds('n=&on=&kind=', { n: null, on: null, kind: null })
  await finds('n[$ne]=', { n: { $ne: null } })
  await finds('n[$in][]=&n[$in][]=1', { n: { $in: [null, 1] } })
  await finds('n[$nin][]=', { n: { $nin: [null] } })
  await finds('$or[0][n]=', { $or: [{ n: null }] })
  await finds('text=&kindOrEmpty=', { text: '', kindOrEmpty: '' })
  t.equal((await send('must=')).json().message, 'must must be an integer')
  for (const text of ['', 'null'])
    t.equal((await send(`n[$gt]=${text}`)).json().message, 'n[$gt] must be an integer', 'an order is none of null')
  t.equal((await send('on[$gt]=null')).statusCode, 400, 'nor is one of texts')
  t.equal((await send('both[$gt]=null')).statusCode, 400, 'nor is one of several schemas')
  await finds('on=null', { on: null })
  await finds('both[$gt]=1', { both: { $gt: 1 } })
  await app.service('things').find({ query: { text: null } } as never)
  t.strictSame(asked, [{ text: null }], 'a call of the server is not changed')
})

t.test('a check that fails itself is a fault of the server', async (t) => {
  const check = () => {
    throw new Error('no connection to 10.0.0.1')
  }
  const things = z.object({ id: z.int() })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const query = z.object({ code: z.string().refine(check).optional() })
  app.service('things', { find: async () => [] }, { schema: resource(things, { query }) })
  const response = await app.inject('/things?code=a')
  t.equal(response.statusCode, 500)
  t.throws(
    () => resource(things, { query: { type: 'object', properties: { code: { $ref: 'shared#' } } } }),
    { message: /^The parameters of a query can't refer to 'shared#'\. / },
    'a schema of the application is not there yet'
  )
})

t.test(
  'parameters of a custom method: defaults, null, references into the query, and lists of themselves',
  async (t) => {
    const queries: Record<string, object> = {
      default: Type.Object({ page: Type.Integer({ default: 1 }) }),
      ofZod: z.object({ page: z.int().default(1) }),
      null: z.object({ n: z.int().nullish(), text: z.string().nullish() }),
      reference: { properties: { a: { type: 'integer', minimum: 3 }, b: { $ref: '#/properties/a' } }, type: 'object' },
      json: z.object({ f: z.json() })
    }
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { html: false, logger: false } })
    for (const [path, query] of Object.entries(queries)) {
      const ask = { route: 'GET /ask', query, response: {} } as const
      const schema = resource(Type.Object({ id: Type.Integer() }), { methods: { ask } })
      app.service(path, { ask: async ({ query }: Params) => query }, { schema } as object)
    }
    const ask = async (url: string) => (await app.inject(url)).json()
    t.strictSame(await ask('/default/ask'), { page: 1 })
    t.strictSame(await ask('/default/ask?page=2'), { page: 2 })
    t.strictSame(await ask('/ofZod/ask'), { page: 1 })
    t.strictSame(await ask('/null/ask?n=&text='), { n: null, text: '' })
    t.strictSame(await ask('/reference/ask?b=3'), { b: 3 })
    t.match(await ask('/reference/ask?b=1'), { code: 400, message: 'b must be at least 3' })
    t.strictSame(await ask('/json/ask?f=x'), { f: 'x' })
    t.strictSame(await ask('/json/ask?f[]=x&f[]=y'), { f: ['x', 'y'] })
  }
)

t.test('a query is told all that is wrong with it', async (t) => {
  const { app } = await createEcho(t, object({ n: { type: 'integer' }, m: { type: 'integer' } }))
  const ask = async (query: string) => (await app.inject(`/things?${query}`)).json()
  const placesOf = async (query: string) =>
    (await ask(query)).errors.map(({ instancePath }: { instancePath: string }) => instancePath)
  t.equal((await ask('n=x&m=y')).message, 'n must be an integer (and 1 more)')
  t.strictSame(
    await placesOf(
      'n=x&$or[0][m]=y&$or[1][n][$in][]=1&$or[1][n][$in][]=z&$limit=a&$sort[o]=1&$sort[n]=2&$select=p&q=1'
    ),
    ['/n', '/$or/0/m', '/$or/1/n/$in/1', '/$limit', '/$sort/o', '/$sort/n', '/$select', '/q']
  )
  t.equal((await placesOf(Array.from({ length: 50 }, (_, i) => `x${i}=1`).join('&'))).length, 20, 'bounded')
  const { errors } = await ask('a=1&b=1')
  t.equal(errors[1].message, 'is not known', 'the names that there are, are told once')
})

t.test('a long list of values that do not fit is told in part', async (t) => {
  const { app } = await createEcho(t, object({ n: { type: 'integer' } }))
  const query = Array.from({ length: 60 }, () => 'n[$in][]=x').join('&')
  const { errors, message } = (await app.inject(`/things?${query}`)).json()
  t.equal(errors.length, 20)
  t.match(message, 'n[$in][0] must be an integer')
})

t.test('what a library takes for a format can be asked for', async (t) => {
  const valibot = (f: v.GenericSchema) => toStandardJsonSchema(v.object({ f }))
  const rows: [schema: object, value: string][] = [
    [z.object({ f: z.url() }), 'http://ex.com/ä'],
    [z.object({ f: z.iso.duration() }), 'PT1.5S'],
    [z.object({ f: z.ipv6() }), '::ffff:1.2.3.4'],
    [z.object({ f: z.iso.time() }), '12:00'],
    [valibot(v.pipe(v.string(), v.isoDate())), '2030-02-30'],
    [valibot(v.pipe(v.string(), v.rfcEmail())), 'a@localhost']
  ]
  for (const [schema, f] of rows) {
    const { post, send } = await createEcho(t, resource(schema))
    t.strictSame(await post({ f }), [201, { f }])
    t.strictSame(await send({ url: `?f=${encodeURIComponent(f)}` }), [200, [{ f }]])
    t.equal((await send({ url: '?f=x' }))[0], 400)
  }
})

t.test('a number beside texts of a format can be asked for, also as an id', async (t) => {
  const schema = z.object({
    id: z.union([z.int(), z.uuid()]),
    due: z.union([z.iso.date(), z.int()]),
    any: z.union([z.int(), z.string()])
  })
  const { send } = await createEcho(t, resource(schema))
  t.strictSame(await send({ url: '?id=1&due=5' }), [200, [{ id: 1, due: 5 }]])
  t.equal((await send({ url: '?due[$gt]=5&due[$in][]=5&due[$in][]=2030-01-31' }))[0], 200)
  t.strictSame(await send({ url: '?any=5' }), [200, [{ any: '5' }]], 'a text that fits is one')
  t.match(await send({ url: '?due=soon' }), [400, /due must be a date/])
  const records = await createEcho(t, resource(schema), { id: 1 })
  t.equal((await records.send({ url: '/1' }))[0], 200)
  t.equal((await records.send({ url: '/x' }))[0], 404)
})

t.test('the number that is the tag of a union in a form', async (t) => {
  const schema = z.discriminatedUnion('k', [
    z.object({ k: z.literal(1), x: z.number() }),
    z.object({ k: z.literal(2), x: z.string() })
  ])
  const { app } = await createEcho(t, resource(schema))
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const send = async (payload: string) =>
    (await app.inject({ method: 'POST', url: '/things', headers, payload })).json()
  t.strictSame(await send('k=1&x=5'), { k: 1, x: 5 })
  t.strictSame(await send('k=2&x=5'), { k: 2, x: '5' })
  t.equal((await send('x=5')).code, 400)
})

const union = z.discriminatedUnion('a', [z.object({ a: z.literal(1), b: z.int() }), z.object({ a: z.literal(2) })])
const integers = (name: string) => Type.Object({ [name]: Type.Integer() })
const dependent = {
  type: 'object',
  properties: { a: { type: 'integer' }, b: { type: 'integer' } },
  dependentRequired: { a: ['b'] }
}
const range = z
  .object({ a: z.int().refine((a) => a > 0, 'must be more'), b: z.int() })
  .refine(({ a, b }) => a < b, 'must have an order')
const parameters: [name: string, schema: object, taken: string, refused: Record<string, string>][] = [
  [
    'an intersection',
    Type.Intersect([integers('a'), integers('b')]),
    'a=1&b=2',
    { 'a=1': 'b is required', 'a=x&b=2': 'a must be an integer' }
  ],
  ['a union', union, 'a=1&b=2', { 'a=1': 'b: ', 'a=3': 'a must be 1 or 2', 'c=1': 'c is not known: there are a, b' }],
  ['a rule of the whole', dependent, 'a=1&b=2', { 'a=1': 'b is required' }],
  [
    'a rule of the number of them',
    { ...dependent, minProperties: 2 },
    'a=1&b=2',
    { 'b=1': 'The query must have at least 2 fields' }
  ],
  ['checks of a library', range, 'a=1&b=2', { 'a=0&b=2': 'a: must be more', 'a=3&b=2': 'must have an order' }]
]

for (const [name, schema, taken, refused] of parameters)
  t.test(`the parameters of a custom method: ${name}`, async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { html: false, logger: false } })
    const methods = { stats: { route: 'GET /stats', query: schema, response: {} } } as const
    const service = { stats: async ({ query }: Params) => query }
    app.service('things', service as object, { schema: resource(z.object({ id: z.int() }), { methods }) as object })
    const send = (query: string) => app.inject(`/things/stats?${query}`)
    t.strictSame((await send(taken)).json(), { a: 1, b: 2 })
    for (const [query, message] of Object.entries(refused))
      t.match((await send(query)).json(), { code: 400, message: new RegExp(`^${message}`) }, query)
  })

t.test('further parameters of a query are judged where the query has some, whatever it lacks', async (t) => {
  const query = z.object({ from: z.int(), to: z.int().refine((to) => to < 9, 'must be less') })
  const zod = await createEcho(t, resource(z.object({ id: z.int() }), { query }))
  for (const url of ['', '?id=1', '?from=1', '?to=1']) t.equal((await zod.send({ url }))[0], 200, url)
  t.strictSame(await zod.send({ url: '?from=1&to=9' }), [400, 'to: must be less'])
  const json = await createEcho(t, resource(z.object({ id: z.int() }), { query: { ...dependent, required: ['a'] } }))
  t.equal((await json.send({ url: '?b=1' }))[0], 200)
  t.strictSame(await json.send({ url: '?a=1' }), [400, 'b is required'])
})

t.test(
  'a schema of parameters that waits is refused at the start, or with the first query that it waits for',
  async (t) => {
    const query = toStandardJsonSchema(v.objectAsync({ a: v.string() }) as never)
    t.throws(() => resource(z.object({ id: z.int() }), { query }), /can not be asynchronous/)
    const waiting = z.object({ a: z.string().refine(async () => true) })
    const { send } = await createEcho(t, resource(z.object({ id: z.int() }), { query: waiting }))
    t.match(await send({ url: '?a=1' }), [400, /can not be asynchronous/])
  }
)

t.test('a check of several parameters is told at one that was not sent', async (t) => {
  const place = z.object({ lat: z.number().optional(), lng: z.number().optional() })
  const query = place.refine(({ lat, lng }) => (lat === undefined) === (lng === undefined), {
    path: ['lng'],
    message: 'needs both'
  })
  const { send } = await createEcho(t, resource(z.object({ id: z.int() }), { query }))
  t.strictSame(await send({ url: '?lat=1' }), [400, 'lng: needs both'])
  t.equal((await send({ url: '?lat=1&lng=2' }))[0], 200)
})

t.test('an asynchronous check of a parameter is refused, and its failure ends nothing', async (t) => {
  const failing = z.string().refine(async () => {
    throw new Error('The database is away')
  })
  const query = z.object({ x: failing.optional() })
  const { send } = await createEcho(t, resource(z.object({ id: z.int() }), { query }))
  t.match(await send({ url: '?x=1' }), [400, /can not be asynchronous/])
  const whole = z.object({ x: z.string().optional() }).refine(async () => {
    throw new Error('The database is away')
  })
  t.throws(() => resource(z.object({ id: z.int() }), { query: whole }), { message: /can not be asynchronous/ })
  t.equal((await send({ url: '?id=1' }))[0], 200)
})

t.test('fields that a query can not name', async (t) => {
  const record = Type.Object({
    $schema: Type.String(),
    $limit: Type.Integer(),
    'a[b]': Type.String(),
    name: Type.String()
  })
  const { send, post } = await createEcho(t, resource(record))
  const body = { $schema: 's', $limit: 1, 'a[b]': 'x', name: 'n' }
  t.strictSame(await post(body), [201, body])
  t.strictSame(await send({ method: 'PATCH', url: '/1', payload: { $schema: 's' } }), [200, { $schema: 's' }])
  for (const [query, status] of [
    ['$limit=2&name=n', 200],
    ['$select[]=$schema', 200],
    ['$schema=s', 400],
    ['$schema[$ne]=s', 400],
    ['a[b]=x', 400],
    ['$sort[$schema]=1', 400]
  ] as const)
    t.equal((await send({ url: `?${query}` }))[0], status, query)
})
