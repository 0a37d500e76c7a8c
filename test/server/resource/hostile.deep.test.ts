import { toStandardJsonSchema } from '@valibot/to-json-schema'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'

interface Answer {
  readonly status: number
  readonly body: { readonly message?: string; readonly [key: string]: unknown }
  readonly text: string
}

/** A service that stores what it takes, and sends it again. */
async function createStore(t: Test, schema: unknown) {
  const app = Fastify({ bodyLimit: 10_000_000 })
  t.teardown(() => app.close())
  const parser = async (_request: unknown, text: string) => JSON.parse(text)
  app.addContentTypeParser('application/x-own', { parseAs: 'string' }, parser)
  await app.register(services)
  const records: unknown[] = []
  const store = (data: unknown) => records[records.push(data) - 1]
  app.service(
    'records',
    {
      find: async () => records,
      get: async (id: unknown) => records[Number(id)],
      create: store,
      patch: async (_id: unknown, data: unknown) => data
    } as object,
    { schema: schema as object }
  )
  const send = async (
    method: 'GET' | 'POST' | 'PATCH',
    url: string,
    payload?: unknown,
    type = 'application/json'
  ): Promise<Answer> => {
    const headers = typeof payload === 'string' ? { 'content-type': type, accept: 'application/json' } : {}
    const answer = await app.inject({
      method,
      url,
      headers,
      ...(payload !== undefined && { payload: payload as object })
    })
    return { status: answer.statusCode, body: answer.json(), text: answer.body }
  }
  return { send, records, post: (payload: unknown) => send('POST', '/records', payload) }
}

// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
const when = (condition: object, demand: object) => ({ if: condition, then: demand })

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

const Expression = z.object({
  get expr() {
    return Node
  }
})
const operation = (op: string) =>
  z.object({
    get left() {
      return Node
    },
    get right() {
      return Node.optional()
    },
    op: z.literal(op)
  })
const Node: z.ZodType = z.union([z.discriminatedUnion('op', [operation('+'), operation('*')]), z.number()])

t.test('a union within itself, its tag last: the work grows with the body, and the process lives', async (t) => {
  const nested = (depth: number, op: string): unknown => (depth === 0 ? 1 : { left: nested(depth - 1, op), op })
  const { post, send } = await createStore(t, resource(Expression))
  for (const depth of [18, 22, 60, 900]) {
    const { status, body } = await post({ expr: nested(depth, '+') })
    t.ok(status === 201 || (status === 400 && /nested/.test(String(body.message))), `${depth} deep: ${status}`)
    t.equal((await post({ expr: nested(depth, '-') })).status, 400, `${depth} deep, and of no branch`)
  }
  t.equal((await send('GET', '/records')).status, 200)
})

t.test('the same as JSON Schema is decided by its tag, however deep', async (t) => {
  const branch = (op: string) =>
    object(
      { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' }, op: { const: op } },
      { required: ['op', 'left'] }
    )
  const schema = object(
    { expr: { $ref: '#/$defs/node' } },
    { $defs: { node: { anyOf: [branch('+'), branch('*'), { type: 'number' }] } } }
  )
  const { post, send } = await createStore(t, resource(schema))
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { right: 2, left: nested(depth - 1), op: '*' })
  t.equal((await post({ expr: nested(300) })).status, 201)
  const deep = await post({ expr: nested(1200) })
  t.equal(deep.body.message, 'The data is nested more than 1000 deep')
  const fromOther = await send('POST', '/records', JSON.stringify({ expr: nested(1200) }), 'application/x-own')
  t.match(fromOther, { status: 400, body: { message: 'expr is nested more than 1000 deep' } })
  t.equal((await post({ expr: { left: 1, op: '/' } })).body.message, 'expr.op must be + or *')
  t.equal((await post({ expr: { left: 1 } })).body.message, 'expr.op must be + or *')
  t.equal((await post({ expr: { op: '+' } })).body.message, 'expr.left is required')
})

const id = { type: 'integer', readOnly: true }
const secret = { type: 'string', writeOnly: true }
const withId = (more: object = {}) => object({ id, name: { type: 'string' }, ...more }, { required: ['id', 'name'] })

/** What was taken, with what the service has stored for it, and what of that may leave. */
const stored: readonly [name: string, schema: unknown, body: unknown, stored?: unknown, leaves?: unknown][] = [
  [
    'a read-only field in a definition',
    object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: withId() } }),
    { a: { name: 'x' } }
  ],
  ['… in a branch', object({ a: { anyOf: [withId(), { type: 'null' }] } }), { a: { name: 'x' } }],
  [
    '… in a record within itself',
    withId({ kids: { type: 'array', items: { $ref: '#' } } }),
    { name: 'x', kids: [{ name: 'y' }] }
  ],
  ['a tuple with a rest', z.object({ a: z.tuple([z.string()]).rest(z.number()) }), { a: ['x', 1, 2] }],
  ['any', z.object({ a: z.any() }), { a: { b: [1, { c: null }] } }],
  [
    'a union of objects',
    z.object({ a: z.union([z.object({ b: z.string() }), z.object({ c: z.number() })]) }),
    { a: { c: 1 } }
  ],
  ['a record left open', z.looseObject({ a: z.string() }), { a: 'x', b: { c: [1] } }],
  [
    'a union whose branches differ by limits',
    object({
      a: {
        oneOf: [
          { type: 'integer', maximum: 5 },
          { type: 'integer', minimum: 6 }
        ]
      }
    }),
    { a: 7 }
  ],
  [
    'a union that holds null',
    object({ a: { oneOf: [object({ b: { type: 'integer' } }), { type: 'null' }] } }),
    { a: null }
  ],
  ['items without a type', object({ a: { items: { type: 'string' } } }), { a: ['x'] }],
  [
    'a field of two parts',
    { allOf: [object({ a: { minimum: 0 } }), object({ a: { type: 'integer' } })], type: 'object' },
    { a: 4 }
  ],
  [
    'a column that is null, and a record without one',
    object({ a: { type: 'string' }, b: object({ c: id }) }),
    { a: 'x' },
    { a: null }
  ],
  [
    'an author in the place of its id',
    object({ author: { type: 'integer' } }),
    { author: 1 },
    { author: { id: 1, password: 'hidden' } },
    {}
  ],
  [
    'a big integer in a field of any kind',
    z.object({ a: z.any() }),
    { a: 1 },
    { a: { b: 2n ** 64n } },
    { a: { b: '18446744073709551616' } }
  ]
]

for (const [name, schema, body, saved, leaves] of stored)
  t.test(`what was stored can be sent: ${name}`, async (t) => {
    const { post, send, records } = await createStore(t, resource(schema as object))
    const answer = await post(body)
    t.same([answer.status, answer.body], [201, body])
    if (saved !== undefined) records[0] = saved
    const again = await send('GET', '/records')
    t.same([again.status, again.body], [200, [leaves ?? saved ?? body]])
  })

t.test('2,500 records in each other, and 5,000 lists: refused, not stored', async (t) => {
  const Tree = z.object({
    get kids() {
      return z.array(Tree).optional()
    },
    any: z.any().optional()
  })
  const { send, post } = await createStore(t, resource(Tree))
  const nest = (depth: number, wrap: (inner: string) => string, start: string) => {
    let text = start
    for (let level = 0; level < depth; level++) text = wrap(text)
    return text
  }
  t.equal((await post(nest(2500, (inner) => `{"kids":[${inner}]}`, '{}'))).status, 400)
  t.equal((await post(`{"any":${nest(5000, (inner) => `[${inner}]`, '1')}}`)).status, 400)
  t.equal((await post(nest(300, (inner) => `{"kids":[${inner}]}`, '{}'))).status, 201)
  t.equal((await send('GET', '/records')).status, 200)
})

const both = (left: object, right: object) => ({ allOf: [left, right] })

/** Where a schema may say that a field is set by the server or does not leave. `at` puts a value there. */
const places: readonly [name: string, schema: (flagged: object) => object, at: (value: unknown) => unknown][] = [
  [
    'pattern properties',
    (flagged) => object({ a: { type: 'string' } }, { patternProperties: { '^x-': flagged } }),
    (value) => ({ 'x-y': value })
  ],
  [
    'additional properties',
    (flagged) => object({ a: { type: 'string' } }, { additionalProperties: flagged }),
    (value) => ({ b: value })
  ],
  ['items', (flagged) => object({ a: { type: 'array', items: flagged } }), (value) => ({ a: [value] })],
  [
    'fields of items',
    (flagged) => object({ a: { type: 'array', items: object({ b: flagged }) } }),
    (value) => ({ a: [{ b: value }] })
  ],
  [
    'a part of an intersection',
    (flagged) => ({ type: 'object', ...both(object({ b: { type: 'string' } }), object({ b: flagged })) }),
    (value) => ({ b: value })
  ],
  [
    'an intersection in a field',
    (flagged) => object({ a: both(both(object({ b: {} }), object({ b: flagged })), object({ c: {} })) }),
    (value) => ({ a: { b: value } })
  ],
  [
    'a branch of a union',
    (flagged) => object({ a: { anyOf: [object({ b: flagged }), object({ c: {} })] } }),
    (value) => ({ a: { b: value } })
  ],
  [
    'a reference to itself',
    (flagged) => object({ b: flagged, kids: { type: 'array', items: { $ref: '#' } } }),
    (value) => ({ kids: [{ kids: [{ b: value }] }] })
  ],
  [
    'an open record',
    (flagged) => object({ 'a-b c é': flagged, a: {} }, { additionalProperties: true }),
    (value) => ({ 'a-b c é': value, d: 1 })
  ]
]

for (const [name, schemaWith, at] of places) {
  t.test(`what only the server sets can't be set: ${name}`, async (t) => {
    const { post, send } = await createStore(t, resource(schemaWith({ type: 'string', readOnly: true })))
    const answer = await post(at('x'))
    t.match(answer, { status: 400, body: { message: /can not be set/ } })
    t.match(await send('PATCH', '/records/0', at('x')), { status: 400, body: { message: /can not be set/ } })
  })
  t.test(`what is write-only does not leave: ${name}`, async (t) => {
    const { post, send } = await createStore(t, resource(schemaWith(secret)))
    const answer = await post(at('the secret'))
    t.equal(answer.status, 201)
    t.notMatch(answer.text, 'the secret')
    t.notMatch((await send('GET', '/records')).text, 'the secret')
    t.notMatch((await send('PATCH', '/records/0', at('the secret'))).text, 'the secret')
  })
}

t.test('names of options hold for the record within itself, and schemas of the application', async (t) => {
  const tree = object({
    secret: { type: 'string' },
    role: { type: 'string' },
    kids: { type: 'array', items: { $ref: '#' } }
  })
  const store = await createStore(
    t,
    resource(tree, { readOnly: ['role'] as never[], writeOnly: ['secret'] as never[] })
  )
  t.match((await store.post({ kids: [{ role: 'admin' }] })).body, { message: 'kids[0].role can not be set' })
  t.same((await store.post({ kids: [{ secret: 'x', kids: [{ secret: 'y' }] }] })).body, { kids: [{ kids: [{}] }] })
  const $defs = { a: { $id: 'account', ...object({ secret, id, name: { type: 'string' } }) } }
  const { post } = await createStore(t, resource({ ...object({ by: { $ref: 'account' } }), $defs } as object))
  t.match((await post({ by: { id: 1 } })).body, { message: 'by.id can not be set' })
  t.match((await post({ by: { other: 1 } })).body, { message: 'by.other is not known' })
  t.same((await post({ by: { secret: 'x', name: 'y' } })).body, { by: { name: 'y' } })
})

t.test('all rules of all parts of an intersection hold', async (t) => {
  const age = (rule: object) => ({ properties: { age: rule } })
  const rows: readonly [object, object, unknown][] = [
    [{ minimum: 0 }, { maximum: 150 }, -5],
    [{ type: 'integer' }, { minimum: 0 }, 'x'],
    [{ maxLength: 3 }, { type: 'string' }, 'long'],
    [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }, 'a'],
    [{ pattern: '^a' }, { pattern: 'z$' }, 'ab'],
    [{ minProperties: 1 }, { type: 'object' }, {}],
    [{ not: { const: 1 } }, { type: 'integer' }, 1]
  ]
  for (const [left, right, value] of rows)
    for (const parts of [
      [left, right],
      [right, left]
    ]) {
      const { post } = await createStore(t, resource({ type: 'object', allOf: parts.map(age) }))
      t.equal((await post({ age: value })).status, 400, JSON.stringify([parts, value]))
    }
  const ages = v.intersect([
    v.object({ age: v.pipe(v.number(), v.minValue(0)) }),
    v.object({ age: v.pipe(v.number(), v.maxValue(150)) })
  ])
  const { post } = await createStore(t, resource(toStandardJsonSchema(ages), { patch: z.object({}) } as object))
  t.same(
    [(await post({ age: -5 })).status, (await post({ age: 151 })).status, (await post({ age: 5 })).status],
    [400, 400, 201]
  )
})

t.test('formats that nobody here knows pass, prices fit, and nothing is printed', async (t) => {
  const warnings: unknown[] = []
  const { warn } = console
  console.warn = (...args) => warnings.push(args)
  t.teardown(() => {
    console.warn = warn
  })
  const formats = object({ a: { type: 'string', format: 'ulid' }, b: { type: 'string', format: 'currency' } })
  const { post } = await createStore(t, resource(formats))
  t.equal((await post({ a: 'x', b: 'y' })).status, 201)
  for (const schema of [
    z.object({ f: z.number().multipleOf(0.01) }),
    Type.Object({ f: Type.Number({ multipleOf: 0.01 }) })
  ]) {
    const { post } = await createStore(t, resource(schema))
    t.same([(await post({ f: 1.13 })).status, (await post({ f: 1.135 })).status], [201, 400])
  }
  t.same(warnings, [])
})

t.test('a patch is not asked for what a condition demands of a whole record', async (t) => {
  const schema = object(
    { kind: { type: 'string' }, a: { type: 'string' }, b: { type: 'string' } },
    when(object({ kind: { const: 'a' } }), { required: ['a'] })
  )
  const { post, send } = await createStore(t, resource(schema))
  t.equal((await send('PATCH', '/records/0', { b: 'x' })).status, 200)
  t.equal((await post({ kind: 'a', b: 'x' })).body.message, 'a is required')
})

t.test('a page has a number beside its list: what is none is a record', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const result = { data: [{ a: 1, b: 2 }], secret: 'x' }
  app.service(
    'lists',
    { get: async () => result },
    { schema: resource(object({ data: { type: 'array', items: object({ a: {} }) } })) as object }
  )
  app.service(
    'pages',
    { find: async () => ({ total: 1, data: [{ a: 1, b: 2 }] }) },
    { schema: resource(object({ a: {} })) as object }
  )
  t.same((await app.inject('/lists/1')).json(), { data: [{ a: 1 }] })
  t.same((await app.inject('/pages')).json(), { total: 1, data: [{ a: 1 }] })
})

t.test('schemas that lead nowhere or in a circle are told at the start, in a sentence', async (t) => {
  const rows: readonly [object, RegExp][] = [
    [
      object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
      /leads to itself alone/
    ],
    [
      object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }),
      /contains itself at the same place/
    ],
    [object({ a: { type: 'text' } }), /no type 'text'/],
    [object({ a: { pattern: '(' } }), /'\(' is no regular expression/],
    [object({ a: { type: 'string', required: true } }), /'required' must be a list of names/],
    [object({ a: { minimum: 1, exclusiveMinimum: true } }), /'exclusiveMinimum' must be a number/]
  ]
  for (const [schema, message] of rows) t.throws(() => resource(schema), { message })
  const lists = object(
    { a: { $ref: '#/$defs/list' } },
    { $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } } }
  )
  const { post } = await createStore(t, resource(lists))
  t.same((await post({ a: [[], [[]]] })).body, { a: [[], [[]]] })
})
