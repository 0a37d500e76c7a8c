import { toStandardJsonSchema } from '@valibot/to-json-schema'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import * as v from 'valibot'
import * as z from 'zod'

const set = { readOnly: true }
const zodLine = z.object({ id: z.int().meta(set), name: z.string() })
const valibotLine = v.object({ id: v.pipe(v.number(), v.metadata(set)), name: v.string() })
const isLine = (line: object | null) => line !== null

const ofZod = (lines: z.ZodType) => z.object({ lines })
const ofValibot = (lines: v.GenericSchema) => toStandardJsonSchema(v.object({ lines }))
const line = { name: 'a' }

/** What a client sends, and what becomes of it. */
const moves: Readonly<Record<string, readonly [schema: object, sent: unknown, stored: unknown]>> = {
  'items that are left out': [
    ofZod(z.array(zodLine.nullable()).transform((lines) => lines.filter(isLine))),
    [null, line, { name: 'b' }],
    [line, { name: 'b' }]
  ],
  'items in another order': [
    ofZod(z.array(z.union([zodLine, z.string()])).transform((lines) => lines.toReversed())),
    ['b', line],
    [line, 'b']
  ],
  'items that are frozen, twice': [
    ofZod(z.array(zodLine).transform((lines) => ({ first: lines[0], all: lines.map((item) => Object.freeze(item)) }))),
    [line],
    { first: line, all: [line] }
  ],
  'names that are written otherwise': [
    ofZod(z.record(z.string().toLowerCase(), zodLine)),
    { A: line, b: line },
    { a: line, b: line }
  ],
  'items of which one branch alone has the field': [
    ofZod(z.array(z.union([z.object({ name: z.string(), price: z.int() }), zodLine]))),
    [{ name: 'a', price: 1 }],
    [{ name: 'a', price: 1 }]
  ],
  'an object within another': [ofZod(zodLine.transform((inner) => ({ inner }))), line, { inner: line }],
  'a number that becomes a BigInt': [
    ofZod(zodLine.extend({ id: z.int().meta(set).transform(BigInt) }).transform((inner) => [inner])),
    line,
    [line]
  ],
  'items that Valibot leaves out': [
    ofValibot(v.pipe(v.array(v.nullable(valibotLine)), v.filterItems(isLine))),
    [null, line],
    [line]
  ],
  'items that Valibot sorts': [
    ofValibot(
      v.pipe(
        v.array(v.union([valibotLine, v.string()])),
        v.sortItems((left, right) => (typeof left > typeof right ? -1 : 1))
      )
    ),
    [line, 'b'],
    ['b', line]
  ]
}

t.test('an object without the field that only the server sets is stored where a transformation moves it', async (t) => {
  for (const [name, [schema, sent, stored]] of Object.entries(moves)) {
    const app = Fastify()
    await app.register(services)
    let data: unknown
    const write = async (...args: unknown[]) => {
      data = args.at(-2)
      return {}
    }
    const object = { create: write, update: write, patch: write }
    app.service('orders', object as object, { schema: resource(schema as z.ZodObject) as object })
    for (const [method, url] of [
      ['POST', '/orders'],
      ['PUT', '/orders/1'],
      ['PATCH', '/orders/1']
    ] as const) {
      const { statusCode } = await app.inject({ method, url, payload: { lines: sent } })
      t.match(statusCode, /^20[01]$/, `${method} ${name}`)
      t.strictSame(data, { lines: stored }, `${method} ${name}`)
    }
    await app.close()
  }
})

t.test('what a client sends under the name of such a field elsewhere is stored', async (t) => {
  const app = Fastify()
  await app.register(services)
  let data: unknown
  const create = async (order: object) => {
    data = order
    return {}
  }
  const Order = z.object({
    owner: z.object({ id: z.int() }),
    lines: z.array(zodLine.nullable()).transform((lines) => lines.filter(isLine))
  })
  app.service('orders', { create } as object, { schema: resource(Order) as object })
  await app.inject({ method: 'POST', url: '/orders', payload: { owner: { id: 1 }, lines: [null, line] } })
  t.strictSame(data, { owner: { id: 1 }, lines: [line] })
  await app.close()
})

t.test(
  'a default, and what a transformation has moved, stay where a client may set a field of such a name',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    let data: unknown
    const create = async (order: object) => {
      data = order
      return {}
    }
    class Amount {
      constructor(readonly id: number) {}
    }
    const Order = z.object({
      id: z.int().default(1),
      home: z.object({ id: z.int(), name: z.string() }).transform((home) => ({ moved: home, amount: new Amount(1) })),
      lines: z.array(zodLine.nullable()).transform((lines) => lines.filter(isLine))
    })
    app.service('orders', { create } as object, { schema: resource(Order) as object })
    await app.inject({ method: 'POST', url: '/orders', payload: { home: { id: 1, name: 'b' }, lines: [null, line] } })
    t.strictSame(data, { id: 1, home: { moved: { id: 1, name: 'b' }, amount: new Amount(1) }, lines: [line] })
  }
)
