import { toStandardJsonSchema } from '@valibot/to-json-schema'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'

const refused: [name: string, create: () => unknown, message: RegExp][] = [
  ['nothing', () => resource(null), /can't use this schema.+TypeBox.+zod 4\.2.+toStandardJsonSchema/],
  ['a list', () => resource([]), /can't use this schema/],
  ['a schema of Valibot alone', () => resource(v.object({ a: v.string() })), /can't use this schema/],
  ['no object', () => resource(Type.String()), /needs the schema of an object with its properties/],
  ['no properties', () => resource({ type: 'object' }), /needs the schema of an object with its properties/],
  [
    'a date of zod',
    () => resource(z.object({ at: z.date() })),
    /no JSON Schema from zod for 'at': Date .+JSON has no dates.+z\.iso\.datetime\(\)/
  ],
  [
    'a date of Valibot',
    () => resource(toStandardJsonSchema(v.object({ a: v.date() }))),
    /from valibot for 'a': .+date.+JSON has no dates/
  ],
  [
    'a text in the place of a list of fields',
    () => resource(Type.Object({ id: Type.Integer() }), { readOnly: 'id' } as object),
    /The option `readOnly` of resource\(\) must be a list of fields, got a string/
  ],
  ['an option', () => resource(Type.Object({}), { readonly: [] } as object), /no option 'readonly'.+mean 'readOnly'/],
  [
    'a field in an option',
    () => resource(Type.Object({ a: Type.String() }), { sort: ['b'] as never }),
    /no field 'b'.+: a$/
  ],
  [
    'a filter by a field like an operator',
    () => resource(Type.Object({ $a: Type.String() }), { filter: ['$a'] }),
    /can't filter or sort by the field '\$a'/
  ],
  [
    'a field of every object',
    () => resource(z.object({ constructor: z.string() })),
    /can't have a field 'constructor'/
  ],
  [
    'an order by a field with a bracket',
    () => resource(Type.Object({ 'a[b]': Type.String() }), { sort: ['a[b]'] }),
    /can't filter or sort by the field 'a\[b\]'/
  ]
]

for (const [name, create, message] of refused)
  t.test(`refused at the start: ${name}`, async (t) => {
    t.throws(create, { message })
  })

const a = Type.Object({ a: Type.Integer() })
const Recursive = z.object({
  a: z.int(),
  b: z.string().regex(/^x/).optional(),
  get c() {
    return z.array(Recursive).optional()
  }
})
const forms: Record<string, unknown> = {
  'an intersection': Type.Intersect([a, Type.Object({ b: Type.Optional(Type.String({ pattern: /^x/ })) })]),
  'a reference': {
    $ref: '#/definitions/thing',
    definitions: { thing: Type.Intersect([a, Type.Object({ b: Type.Optional(Type.String({ pattern: '^x' })) })]) }
  },
  'a reference to the older name, beside the newer one': {
    $ref: '#/definitions/thing',
    definitions: { thing: Type.Object({ a: Type.Integer(), b: Type.Optional(Type.Ref('#/$defs/word')) }) },
    $defs: { word: { type: 'string', pattern: '^x' } }
  },
  'a schema that refers to itself': Recursive,
  'a cycle': Type.Cyclic(
    {
      Thing: Type.Object({
        a: Type.Integer(),
        b: Type.Optional(Type.String({ pattern: '^x' })),
        c: Type.Optional(Type.Ref('Thing'))
      })
    },
    'Thing'
  ),
  'OpenAPI 3.0': {
    $id: 'thing',
    type: 'object',
    properties: { a: { type: 'integer', nullable: false }, b: { type: 'string', pattern: '^x' } },
    required: ['a']
  }
}

for (const [name, schema] of Object.entries(forms))
  t.test(`the form of a schema makes no difference: ${name}`, async (t) => {
    const { send, post } = await createEcho(t, resource(schema))
    t.strictSame(await post({ a: 1, b: 'x' }), [201, { a: 1, b: 'x' }])
    t.strictSame(await post({ a: 1, d: 'x' }), [400, 'd is not known'])
    t.strictSame(await post({ b: 'x' }), [400, 'a is required'])
    t.strictSame(await post({ a: 1, b: 'y' }), [400, 'b must match the pattern ^x'])
    t.strictSame(await send({ url: '?a=1&b=x' }), [200, [{ a: 1, b: 'x' }]])
  })

t.test('a schema that refers to itself holds at any depth', async (t) => {
  const { post } = await createEcho(t, resource(forms['a schema that refers to itself']))
  t.strictSame(await post({ a: 1, c: [{ a: 2, c: [{ a: 3 }] }] }), [201, { a: 1, c: [{ a: 2, c: [{ a: 3 }] }] }])
  t.strictSame(await post({ a: 1, c: [{ a: 2, c: [{ a: 'x' }] }] }), [400, 'c[0].c[0].a must be an integer'])
})

t.test('a field may have definitions of its own', async (t) => {
  const Node = Type.Object({ id: Type.Integer(), kids: Type.Array(Type.Ref('Node')) })
  const cyclic = Type.Cyclic({ Node }, 'Node')
  const { send, post } = await createEcho(t, resource(Type.Object({ one: cyclic, two: Type.Optional(cyclic) })))
  const tree = { id: 1, kids: [{ id: 2, kids: [] }] }
  t.strictSame(await post({ one: tree, two: tree }), [201, { one: tree, two: tree }])
  t.strictSame(await post({ one: { id: 1, kids: [{ id: 'x' }] } }), [400, 'one.kids[0].kids is required'])
  t.strictSame(await send({ url: '?one=1' }), [400, 'one is not known'])
  const older = { $ref: '#/definitions/size', definitions: { size: { type: 'integer' } } }
  const sized = await createEcho(t, resource({ type: 'object', properties: { size: older } }))
  t.strictSame(await sized.post({ size: 'x' }), [400, 'size must be an integer'])
  const other = Type.Cyclic({ Node: Type.Object({ up: Type.Ref('Node') }) }, 'Node')
  const both = await createEcho(t, resource(Type.Object({ one: cyclic, other: Type.Optional(other) })))
  t.strictSame(await both.post({ one: tree, other: { up: tree } }), [400, 'other.up.id is not known (and 2 more)'])
})

t.test('a field that is an intersection is closed', async (t) => {
  const both = Type.Intersect([Type.Object({ a: Type.Integer() }), Type.Object({ b: Type.Integer() })])
  const { post } = await createEcho(t, resource(Type.Object({ both })))
  t.strictSame(await post({ both: { a: 1, b: 2 } }), [201, { both: { a: 1, b: 2 } }])
  t.strictSame(await post({ both: { a: 1, b: 2, c: 3 } }), [400, 'both.c is not known'])
  const a = { type: 'object', properties: { a: { type: 'integer' } } }
  const b = { type: 'object', properties: { b: { type: 'integer' } } }
  const referring = { type: 'object', $defs: { a }, properties: { both: { allOf: [{ $ref: '#/$defs/a' }, b] } } }
  const { post: send } = await createEcho(t, resource(referring))
  t.strictSame(await send({ both: { a: 1, b: 2 } }), [201, { both: { a: 1, b: 2 } }])
  t.strictSame(await send({ both: { a: 1, b: 2, c: 3 } }), [400, 'both.c is not known'])
  const [needsA, needsB] = [
    { ...a, required: ['a'] },
    { ...b, required: ['b'] }
  ]
  const needing = await createEcho(t, resource(Type.Object({ both: Type.Unsafe({ allOf: [needsA, needsB] }) })))
  t.strictSame(await needing.post({ both: { b: 1 } }), [400, 'both.a is required'])
  t.strictSame(await needing.post({ both: { a: 1 } }), [400, 'both.b is required'])
  const open = { ...b, patternProperties: { '^x': {} } }
  const [isC, isD] = [
    { type: 'object', required: ['c'] },
    { type: 'object', required: ['d'] }
  ]
  const parts = { oneOf: [isC, isD], properties: { c: {}, d: {} } }
  for (const part of [open, parts, { ...parts, oneOf: undefined, anyOf: parts.oneOf }]) {
    const joined = await createEcho(
      t,
      resource({ type: 'object', properties: { both: { allOf: [a, part] } } } as object)
    )
    const both = { a: 1, ...(part === open ? { x: 1 } : { c: 1, d: 2 }) }
    const isOne = 'oneOf' in part && part.oneOf !== undefined
    t.equal((await joined.post({ both }))[0], isOne ? 400 : 201, JSON.stringify(part))
  }
  const common = {
    type: 'object',
    properties: { both: { allOf: [a, { ...a, required: ['a'] }, { minProperties: 1 }] } }
  }
  const whole = await createEcho(
    t,
    resource({ allOf: [common.properties.both.allOf[0], common.properties.both.allOf[1]] } as object)
  )
  t.strictSame(await whole.post({ c: 3 }), [400, 'c is not known (and 1 more)'])
  const answer = { both: { a: 1, c: 3 } }
  const app = await createEcho(t, resource(common), answer)
  t.strictSame(await app.post({ both: {} }), [400, 'both.a is required'])
  t.strictSame(await app.post({ both: { a: 1 } }), [201, { both: { a: 1 } }], 'and what leaves of it is closed')
})

t.test('a field may have a sign in its name', async (t) => {
  const { post } = await createEcho(t, resource(Type.Object({ a$b: Type.String() })))
  t.strictSame(await post({ a$b: 'c' }), [201, { a$b: 'c' }])
})

t.test('what may be `null`, and unions', async (t) => {
  const schema = resource({
    type: 'object',
    properties: {
      a: { type: 'integer', nullable: true },
      b: { anyOf: [{ const: 1 }, { const: 'x' }, { type: 'null' }] },
      c: { oneOf: [{ type: 'object', properties: { d: { type: 'string' } }, required: ['d'] }, { type: 'boolean' }] },
      e: { type: 'string', enum: ['y'], nullable: true },
      f: { anyOf: [{ not: { type: 'string' } }, { type: 'null' }] },
      g: {},
      h: { anyOf: [{ const: 1 }, { type: 'null' }], description: 'One or none' },
      i: { anyOf: [{ const: 1 }, { const: 2 }] }
    }
  })
  t.match(schema.create.body, {
    properties: { h: { description: 'One or none' }, e: { anyOf: [{ enum: ['y'] }, { type: 'null' }] } }
  })
  const { send, post } = await createEcho(t, schema)
  t.strictSame(await post({ a: null, b: null, e: null, g: [1] }), [201, { a: null, b: null, e: null, g: [1] }])
  t.strictSame(await post({ b: 2 }), [400, 'b must be 1 or x or null'])
  t.strictSame(await post({ c: 1 }), [400, 'c must be an object or true or false'])
  t.strictSame(await post({ c: {} }), [400, 'c.d is required'])
  t.strictSame(await post({ c: { d: 'x', e: 1 } }), [400, 'c.e is not known'])
  t.strictSame(await post({ f: 'x' }), [400, 'f is not valid'])
  t.equal((await send({ url: '?a=null&b=1&e=null&g=7&b[$in]=x' }))[0], 400, 'one value, and operators')
  t.strictSame(await send({ url: '?c=true' }), [400, 'c is not known: a query filters by a, b, e, f, g, h, i'])
})

t.test('a mistake in a schema is told at the start', async (t) => {
  const schema = resource({ type: 'object', properties: { a: { $ref: 'elsewhere' } } } as object)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', { find: async () => [] }, { schema: schema as object })
  await t.rejects(async () => app.ready(), { message: /The reference 'elsewhere' leads to no schema/ })
})

t.test('the schema of queries, for those who read it', async (t) => {
  const schema = resource(Type.Object({ a: Type.Integer(), b: Type.Boolean() }), { sort: ['a'] })
  const [a, b] = [{ type: 'integer' }, { type: 'boolean' }]
  const closed = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
  const operators = (value: object, names: string[]) => ({
    ...Object.fromEntries(names.map((name) => [name, value])),
    $in: { type: 'array', items: value },
    $nin: { type: 'array', items: value }
  })
  const group = { type: 'array', items: { type: 'object' } }
  const count = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 }
  const properties = {
    a: {
      anyOf: [
        a,
        { ...closed(operators(a, ['$eq', '$ne', '$lt', '$lte', '$le', '$gt', '$gte', '$ge'])), minProperties: 1 }
      ]
    },
    b: { anyOf: [b, { ...closed(operators(b, ['$eq', '$ne'])), minProperties: 1 }] },
    $or: group,
    $and: group,
    $limit: count,
    $skip: count,
    $sort: closed({ a: { type: 'integer', enum: [1, -1] } }),
    $select: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }
  }
  t.same(schema.find.querystring, closed(properties))
  t.notOk('$defs' in schema.find.response, 'there are none')
  const { $limit, $skip, $sort, ...ofMany } = properties
  t.same(schema.patch.querystring, closed(ofMany))
  t.same(schema.create.querystring, closed({ $select: properties.$select }))
})
