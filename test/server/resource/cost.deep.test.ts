import { Worker } from 'node:worker_threads'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t, { type Test } from 'tap'
import * as z from 'zod'

const text = { type: 'string' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const tagged = (op: string) =>
  object({ left: ref('Node'), op: { const: op }, right: ref('Node') }, { required: ['op'] })
const plain = object({ op: { const: 'leaf' }, value: text }, { required: ['op'] })

const ZodTagged: z.ZodType = z.lazy(() =>
  z.discriminatedUnion('op', [
    z.object({ left: ZodTagged, op: z.literal('add'), right: ZodTagged }),
    z.object({ left: ZodTagged, op: z.literal('mul'), right: ZodTagged }),
    z.object({ op: z.literal('leaf'), value: z.string() })
  ])
)

type Value = Record<string, unknown>
const leaf = { op: 'leaf', value: 'x' }
const expression = (depth: number): Value =>
  Array.from({ length: depth }).reduce<Value>(
    (left, _, index) => ({ left, op: index % 2 ? 'add' : 'mul', right: leaf }),
    leaf
  )
const chain = (depth: number): Value =>
  Array.from({ length: depth }).reduce<Value>((next) => ({ next, a: 'x' }), { a: 'x' })
const wide = (count: number): Value => ({ list: Array.from({ length: count }, () => expression(1)) })

/** Schemas in which a value stands within itself, and values that are twice as large for twice the number. */
const rows: readonly (readonly [name: string, schema: unknown, of: (size: number) => Value])[] = [
  ['a discriminated union of zod', z.object({ node: ZodTagged }), (size) => ({ node: expression(size) })],
  [
    'a union by a tag',
    object({ node: ref('Node') }, { $defs: { Node: { anyOf: [tagged('add'), tagged('mul'), plain] } } }),
    (size) => ({ node: expression(size) })
  ],
  [
    'one of several by a tag',
    object({ node: ref('Node') }, { $defs: { Node: { oneOf: [tagged('add'), tagged('mul'), plain] } } }),
    (size) => ({ node: expression(size) })
  ],
  [
    'a list of a union',
    object(
      { list: { type: 'array', items: ref('Node') } },
      { $defs: { Node: { anyOf: [tagged('add'), tagged('mul'), plain] } } }
    ),
    (size) => wide(size)
  ],
  ['a record within itself', object({ a: text, next: { $ref: '#' } }), chain],
  [
    'an intersection within itself',
    object(
      { a: text, next: ref('Both') },
      { $defs: { Both: { allOf: [object({ a: text }), object({ next: ref('Both') })] } } }
    ),
    chain
  ],
  [
    'two that refer to each other',
    object(
      { a: text, next: ref('Even') },
      {
        $defs: { Even: object({ a: text, next: ref('Odd') }), Odd: object({ a: text, next: { allOf: [ref('Even')] } }) }
      }
    ),
    chain
  ],
  [
    'further fields within further fields',
    object(
      { a: text },
      {
        additionalProperties: ref('Any'),
        $defs: { Any: { type: ['object', 'string'], additionalProperties: ref('Any') } }
      }
    ),
    chain
  ]
]

/** A copy whose fields and items tell when they are read. */
function counted(value: unknown, onRead: () => void): unknown {
  if (typeof value !== 'object' || value === null) return value
  const copy: object = Array.isArray(value) ? [] : {}
  for (const [key, item] of Object.entries(value)) {
    let inner = counted(item, onRead)
    const get = () => {
      onRead()
      return inner
    }
    const set = (other: unknown) => {
      inner = other
    }
    Object.defineProperty(copy, key, { enumerable: true, configurable: true, get, set })
  }
  return copy
}

async function createApp(t: Test, schema: unknown) {
  const app = Fastify()
  t.teardown(() => app.close())
  let reads = 0
  let stored: unknown
  // What has no end is ended, and answered with 500.
  const count = () => {
    if (++reads > 5_000_000) throw new Error('It is read too often')
  }
  // It runs before the checks of a service.
  app.addHook('preValidation', async (request) => {
    if (request.body) request.body = counted(request.body, count)
  })
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const create = async () => ({ ok: 'yes' })
  app.service('things', { create, get: async () => stored } as object, { schema: resource(schema as object) as object })
  return {
    async readsOfBody(payload: Value) {
      reads = 0
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/things', payload })
      return { statusCode, body, reads }
    },
    async readsOfAnswer(record: Value) {
      stored = counted(record, count)
      reads = 0
      const { statusCode, body } = await app.inject('/things/1')
      return { statusCode, body, reads }
    }
  }
}

const [size, most] = [7, 3]

for (const [name, schema, of] of rows)
  t.test(`twice the bytes are read no more than ${most} times as often: ${name}`, async (t) => {
    const { readsOfBody, readsOfAnswer } = await createApp(t, schema)
    // The first one is read for the compilers, too.
    await readsOfBody(of(1))
    const [body, double] = [await readsOfBody(of(size)), await readsOfBody(of(2 * size))]
    t.equal(body.statusCode, 201, body.body)
    if (double.statusCode !== 201) t.match([double.statusCode, double.body], [400, /nested/])
    t.ok(double.reads <= most * body.reads, `a body: ${body.reads} and ${double.reads} reads`)
    const [answer, larger] = [await readsOfAnswer(of(size)), await readsOfAnswer(of(2 * size))]
    t.strictSame([answer.statusCode, larger.statusCode], [200, 200])
    t.strictSame(JSON.parse(larger.body), of(2 * size), 'all of it leaves')
    t.ok(larger.reads <= most * answer.reads, `an answer: ${answer.reads} and ${larger.reads} reads`)
  })

t.test('what is nested too deep is refused, and what is taken can be sent', async (t) => {
  const any = object({ any: {} })
  const schemas = {
    'a field of any kind': any,
    'one of zod': z.object({ any: z.any() }),
    'a record within itself': object({ any: { $ref: '#' } })
  }
  const nest = (depth: number, open: string, close: string) =>
    `{"any":${open.repeat(depth)}${open === '[' ? '' : '{}'}${close.repeat(depth)}}`
  for (const [name, schema] of Object.entries(schemas))
    for (const [open, close] of [
      ['[', ']'],
      ['{"any":', '}']
    ] as const)
      for (const depth of [100, 2500, 20_000]) {
        const app = Fastify()
        await app.register(services, { errorHandler: { html: false, logger: false } })
        const create = async (data: unknown) => data
        app.service('things', { create } as object, { schema: resource(schema) as object })
        const headers = { 'content-type': 'application/json' }
        const { statusCode } = await app.inject({
          method: 'POST',
          url: '/things',
          headers,
          payload: nest(depth, open, close)
        })
        const isRefused = name === 'a record within itself' && open === '['
        const expected = isRefused ? [400] : depth === 100 ? [201] : [201, 400]
        t.ok(expected.includes(statusCode), `${name}: ${depth} times ${open}: ${statusCode}`)
        await app.close()
      }
})

/** Sends a body to a service in a thread with 100 MB, which ends where it needs more. */
async function statusWithin100MB(library: 'zod' | 'JSON Schema', payload: string): Promise<unknown> {
  const worker = new Worker(new URL('cost-worker.js', import.meta.url), {
    workerData: { library, payload },
    resourceLimits: { maxOldGenerationSizeMb: 100, maxYoungGenerationSizeMb: 16 }
  })
  return new Promise((resolve) => worker.once('message', resolve).once('error', resolve))
}

/** A record in itself, so many levels deep, whose last one has so many leaves. */
const deepAndWide = (depth: number, leaf: string, count: number) =>
  `${'{"next":'.repeat(depth)}{"list":[${Array.from({ length: count }, () => leaf)}]}${'}'.repeat(depth)}`

for (const library of ['zod', 'JSON Schema'] as const)
  t.test(`a deep and wide body of 250 kB is judged in 100 MB: ${library}`, async (t) => {
    t.equal(await statusWithin100MB(library, deepAndWide(480, '{}', 80_000)), 400)
    t.equal(await statusWithin100MB(library, deepAndWide(480, '[]', 80_000)), 400)
    t.equal(await statusWithin100MB(library, deepAndWide(480, '11', 80_000)), 201)
  })

t.test('a library is not asked for all that is wrong with a deep and wide body', async (t) => {
  const jsonSchema = () => object({ next: { $ref: '#' }, list: { type: 'array', items: { type: 'integer' } } })
  let calls = 0
  const validate = (value: unknown) => {
    calls += 1
    return { value }
  }
  const standard = { version: 1, vendor: 'own', validate, jsonSchema: { input: jsonSchema, output: jsonSchema } }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const create = async () => ({})
  app.service('things', { create } as object, { schema: resource({ '~standard': standard } as never) as object })
  const statusOf = async (payload: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await app.inject({ method: 'POST', url: '/things', headers, payload })).statusCode
  }
  t.strictSame([await statusOf(deepAndWide(480, '"x"', 80_000)), calls], [400, 0])
  t.strictSame([await statusOf(deepAndWide(480, '1', 80_000)), calls], [201, 1])
  t.strictSame([await statusOf(deepAndWide(4, '"x"', 8)), calls], [201, 2], 'a small one is judged by it alone')
})

t.test('a part of an open record is read as often as a whole one', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const patch = async (_id: unknown, data: object) => ({ count: Object.keys(data).length })
  const schema = resource(object({ count: { type: 'integer' } }, { additionalProperties: true }))
  app.service('things', { patch } as object, { schema: schema as object })
  const payload = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 1]))
  const includes = Array.prototype.includes
  let longest = 0
  Array.prototype.includes = function (...args) {
    longest = Math.max(longest, this.length)
    return includes.apply(this, args)
  }
  t.teardown(() => {
    Array.prototype.includes = includes
  })
  const response = await app.inject({ method: 'PATCH', url: '/things/1', payload })
  t.strictSame(response.json(), { count: 80_000 })
  t.ok(longest < 80_000, 'none of its names is looked for among all of them')
})

t.test('what a library takes for a text is taken in a large record, too', async (t) => {
  const schema = z.object({ t: z.iso.time(), u: z.url(), d: z.any() })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.service('things', { create: async () => ({}) }, { schema: resource(schema) as object })
  for (const count of [10, 12_000]) {
    const d = Array.from({ length: 18 }).reduce<unknown>(
      (inner) => [inner],
      Array.from({ length: count }, () => 1)
    )
    const payload = { t: '12:00', u: 'https://exämple.com/ü', d }
    t.equal((await app.inject({ method: 'POST', url: '/things', payload })).statusCode, 201)
  }
})
