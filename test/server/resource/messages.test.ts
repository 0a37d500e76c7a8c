import Fastify from 'fastify'
import services, { type Params, resource } from 'fastify-services'
import t from 'tap'
import { createEcho } from '../../support/resource-app.js'

const withField = (schema: unknown) => resource({ type: 'object', properties: { a: schema } } as object)

const rows: [schema: object | true, value: unknown, message: string][] = [
  [{ type: 'number', exclusiveMinimum: 1 }, 1, 'a must be more than 1'],
  [{ type: 'number', exclusiveMaximum: 1 }, 1, 'a must be less than 1'],
  [{ type: 'number', multipleOf: 5 }, 1, 'a must be a multiple of 5'],
  [{ type: 'array', minItems: 1 }, [], 'a must have at least 1 item'],
  [{ type: 'array', maxItems: 2 }, [1, 2, 3], 'a must have at most 2 items'],
  [{ type: 'array', uniqueItems: true }, [1, 1], 'a must have no item twice'],
  [{ type: 'object', maxProperties: 0 }, { b: 1 }, 'a must have at most 0 fields'],
  [{ type: 'string', format: 'ipv4' }, 'x', 'a must be of the format ipv4'],
  [{ type: 'string', format: 'uuid' }, 'x', 'a must be a UUID'],
  [{ type: 'string', format: 'uri' }, 'x', 'a must be a URL'],
  [{ type: 'string', format: 'email' }, 'x', 'a must be an e-mail address'],
  [{ type: 'string', format: 'date' }, 'x', 'a must be a date, as in 2030-01-31'],
  [{ type: 'string', format: 'time' }, 'x', 'a must be a time, as in 12:00:00Z'],
  [{ type: 'string', format: 'date-time' }, 'x', 'a must be a date with a time, as in 2030-01-31T12:00:00Z'],
  [{ type: ['boolean', 'null'] }, 'x', 'a must be true or false or null'],
  [{ type: ['number', 'object'] }, 'x', 'a must be a number or an object'],
  [{ type: 'array' }, {}, 'a must be a list'],
  [{ enum: [{ b: 1 }, [2], null, 'c'] }, 1, 'a must be {"b":1} or [2] or null or c'],
  [{ const: { b: 1 } }, 1, 'a must be {"b":1}'],
  [
    { enum: Array.from({ length: 60 }, (_, number) => number) },
    'x',
    `a must be ${Array.from({ length: 50 }, (_, number) => number).join(' or ')} or one of 10 others`
  ],
  [{ anyOf: [{ required: ['b'] }, { required: ['c'] }] }, {}, 'a.b is required'],
  [{ anyOf: [{ $ref: '#/$defs/n' }, { type: 'boolean' }] }, 'x', 'a must be true or false'],
  [{ anyOf: [{ enum: [1, 2] }, { type: 'boolean' }] }, 'x', 'a must be 1 or 2 or true or false'],
  [{ anyOf: [{ $ref: '#/$defs/n' }] }, 'x', 'a is not valid'],
  [{ anyOf: [{ not: {} }, { not: {} }] }, 1, 'a is not valid'],
  [{ type: 'object', properties: { 'b/c': { type: 'string' } } }, { 'b/c': 1 }, 'a.b/c must be a string'],
  [{ type: 'object', properties: {} }, { ['x'.repeat(200)]: 1 }, `a.${'x'.repeat(98)}… is not known`]
]

for (const [schema, value, message] of rows)
  t.test(`one sentence: ${message.slice(0, 40)}`, async (t) => {
    const $defs = { n: { type: 'number' } }
    const { post } = await createEcho(t, resource({ type: 'object', properties: { a: schema }, $defs } as object))
    t.strictSame(await post({ a: value }), [400, message])
  })

t.test('a union whose branches say nothing of a type', async (t) => {
  const { post } = await createEcho(t, withField({ anyOf: [{ type: 'string', minLength: 2 }, { type: 'integer' }] }))
  t.strictSame(await post({ a: 'x' }), [400, 'a must have at least 2 characters'], 'what its own type asks for')
  t.strictSame(await post({ a: true }), [400, 'a must be a string or an integer'])
})

t.test('schemas that say next to nothing', async (t) => {
  const { send, post } = await createEcho(t, withField(true))
  t.strictSame(await post({ a: { b: [1] } }), [201, { a: { b: [1] } }])
  t.strictSame(await send({ url: '?a=1' }), [200, [{ a: '1' }]])
  const list = await createEcho(t, withField({ type: 'array', items: true }))
  t.strictSame(await list.post({ a: [1, { b: 'c' }] }), [201, { a: [1, { b: 'c' }] }])
  const nothing = await createEcho(t, withField({ anyOf: [{ type: 'null' }, { type: 'null' }] }))
  t.strictSame(await nothing.post({ a: null }), [201, { a: null }])
  const values = await createEcho(t, withField({ enum: [1, null] }))
  t.strictSame(await values.send({ url: '?a=2' }), [400, 'a must be 1 or null'])
})

t.test('a form whose schema says little of objects and lists', async (t) => {
  const properties = { list: { type: 'array' }, object: { type: 'object', additionalProperties: true } }
  const { send } = await createEcho(t, resource({ type: 'object', properties } as object))
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  t.strictSame(await send({ method: 'POST', payload: 'list=a&object[b]=1', headers }), [
    201,
    { list: ['a'], object: { b: '1' } }
  ])
})

t.test('a library of its own: issues with paths of both kinds, at once and later', async (t) => {
  const jsonSchema = () => ({ type: 'object', properties: { a: {} } })
  const patch = jsonSchema() as never
  const library = (validate: (value: { a?: unknown }) => unknown, input: (options: { target: string }) => object) =>
    resource({ '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input, output: input } } } as never, {
      patch
    })
  const issues = [{ message: 'too much', path: [{ key: 'a' }, 0] }, { message: 'and more' }]
  const judge = (value: { a?: unknown }) => (value.a === 1 ? { issues } : { value })
  for (const validate of [judge, async (value: { a?: unknown }) => judge(value)]) {
    const { post } = await createEcho(t, library(validate, jsonSchema))
    t.strictSame(await post({ a: 2 }), [201, { a: 2 }])
    t.strictSame(await post({ a: 1 }), [400, 'a[0]: too much (and 1 more)'])
  }
  const sometimes = (value: { a?: unknown }) => (value.a === 1 ? Promise.resolve({ value }) : { value })
  const mixed = await createEcho(t, library(sometimes, jsonSchema))
  t.strictSame(await mixed.post([{ a: 1 }, { a: 2 }]), [201, [{ a: 1 }, { a: 2 }]], 'some at once')
  const inNewer = ({ target }: { target: string }) => {
    if (target !== 'draft-2020-12') throw new Error(`Unsupported target: ${target}`)
    return { type: 'object', properties: { a: { type: 'array', prefixItems: [{ type: 'integer' }] } } }
  }
  const tuples = await createEcho(
    t,
    library((value) => ({ value }), inNewer)
  )
  t.strictSame(await tuples.post({ a: [1], b: 1 }), [400, 'b is not known'], 'a library that writes the newer draft')
  const failing = await createEcho(
    t,
    library(async () => Promise.reject(new Error('down')), jsonSchema)
  )
  t.strictSame(await failing.post({ a: 2 }), [500, 'down'])
})

t.test('a library of its own can not leave out what only the server sets: the start asks for `create`', async (t) => {
  const jsonSchema = () => ({ type: 'object', properties: { id: { type: 'integer' }, a: {} }, required: ['id'] })
  const validate = (value: unknown) =>
    Object.hasOwn(Object(value), 'id') ? { value } : { issues: [{ message: 'no id', path: ['id'] }] }
  const standard = { version: 1, vendor: 'own', validate, jsonSchema: { input: jsonSchema, output: jsonSchema } }
  const patch = { type: 'object', properties: { a: {} } }
  const options = { readOnly: ['id'], patch } as never
  const schema = { '~standard': standard } as never
  const refused = await createEcho(t, resource(schema, options))
  await t.rejects(refused.post({ a: 2 }), /\(id\): the schema asks for them all the same.+option `create`/)
  const { post } = await createEcho(t, resource(schema, { ...Object(options), create: patch }))
  t.strictSame(await post({ a: 2 }), [201, { a: 2 }])
})

t.test('a value of a query is a text wherever it may be one', async (t) => {
  const schema = {
    type: 'object',
    $defs: { Count: { type: 'integer' } },
    properties: {
      either: { type: ['string', 'integer'] },
      maybe: { type: ['string', 'null'] },
      none: { type: ['integer', 'null'] },
      one: { oneOf: [{ $ref: '#/$defs/Count' }, { type: 'boolean' }] },
      few: { oneOf: [{ enum: [1, 2] }, { type: 'boolean' }] },
      all: { allOf: [{ $ref: '#/$defs/Count' }, { minimum: 1 }] }
    }
  }
  const { send } = await createEcho(t, resource(schema as object))
  const url = '?either=1&maybe=null&none=null&one=2&few=2&all=3'
  t.strictSame(await send({ url }), [200, [{ either: '1', maybe: 'null', none: null, one: 2, few: 2, all: 3 }]])
})

t.test('values of a parser of the host that are no texts', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { query: (text) => JSON.parse(decodeURIComponent(text)), errorHandler: { html: false } })
  const schema = withField({ type: 'integer' })
  const seen: unknown[] = []
  const find = async ({ query }: Params) => {
    seen.push(query)
    return [query]
  }
  app.service('things', { find }, { schema: schema as object })
  const ask = async (query: unknown) => {
    const response = await app.inject(`/things?${encodeURIComponent(JSON.stringify(query))}`)
    return response.json().message ?? response.json()
  }
  t.strictSame(await ask({ a: 1, $limit: 2, $sort: { a: -1 } }), [{ a: 1 }])
  t.strictSame(seen, [{ a: 1, $limit: 2, $sort: { a: -1 } }])
  await ask({ $limit: '2', $sort: { a: '1' }, $or: [{ a: '2' }] })
  t.strictSame(seen.at(-1), { $limit: 2, $sort: { a: 1 }, $or: [{ a: 2 }] })
  for (const $limit of [-1, 0.5, 2 ** 31, true, [1]])
    t.equal(await ask({ $limit }), `$limit must be an integer from 0 to ${2 ** 31 - 1}`)
  t.equal(await ask({ a: {} }), 'a must have a value')
  const empty = await app.inject(`/things?${encodeURIComponent('{"a":{}}')}`)
  t.match(empty.json().errors, [{ instancePath: '/a', keyword: 'minProperties', message: 'must have a value' }])
  t.equal(await ask({ a: true }), 'a must be an integer')
  t.equal(await ask({ $or: {} }), '$or must be a list of queries')
  t.equal(await ask({ $or: [[1]] }), '$or must be a list of queries')
  t.equal(await ask({ $select: 1 }), '$select must be a list of fields')
  t.equal(await ask({ $select: {} }), '$select must be a list of fields')
})
