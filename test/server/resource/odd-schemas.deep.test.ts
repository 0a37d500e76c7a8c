import { toStandardJsonSchema } from '@valibot/to-json-schema'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import * as v from 'valibot'
import { z } from 'zod'
import { createEcho } from '../../support/resource-app.js'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

t.test('references to schemas that are true or false, and to names that are no text of a URL', async (t) => {
  const $defs = { any: true, none: false, '50%': { type: 'integer' } }
  const schema = object(
    { a: { $ref: '#/$defs/any' }, b: { $ref: '#/$defs/none' }, c: { $ref: '#/$defs/50%' } },
    { $defs }
  )
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ a: [1], c: 1 }), [201, { a: [1], c: 1 }])
  t.equal((await post({ b: 1 }))[0], 400)
  t.strictSame(await post({ c: 'x' }), [400, 'c must be an integer'])
})

t.test('a union of many branches without a tag: what one of them hides does not leave', async (t) => {
  const branch = (_: unknown, index: number) =>
    object({ deep: object({ [`f${index}`]: {}, secret: { type: 'string', writeOnly: index === 19 } }) })
  const schema = object({ a: { anyOf: Array.from({ length: 20 }, branch) } })
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ a: { deep: { f3: 1, secret: 's' } } }), [201, { a: { deep: { f3: 1 } } }])
})

t.test('one name in both keywords for dependencies', async (t) => {
  const schema = object(
    { a: {}, b: {}, c: {} },
    { dependencies: { a: ['b'] }, dependentSchemas: { a: { required: ['c'] } }, dependentRequired: { a: ['b'] } }
  )
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ a: 1, b: 2, c: 3 }), [201, { a: 1, b: 2, c: 3 }])
  t.equal((await post({ a: 1, b: 2 }))[0], 400)
  t.equal((await post({ a: 1, c: 3 }))[0], 400)
})

t.test('a branch that is hidden as a whole, and two unions at one place', async (t) => {
  const tagged = (tag: string, hidden: string, shown: string) => ({
    oneOf: [
      { ...object({ [tag]: { const: hidden } }, { required: [tag] }), writeOnly: true },
      object({ [tag]: { const: shown } }, { required: [tag] })
    ]
  })
  const branch = tagged('kind', 'secret', 'open')
  const both = { type: 'object', allOf: [tagged('kind', 'secret', 'open'), tagged('form', 'x', 'y')] }
  const { post } = await createEcho(t, resource(object({ one: branch, both }) as object))
  t.strictSame(await post({ one: { kind: 'secret' } }), [201, {}])
  t.strictSame(await post({ one: { kind: 'open' } }), [201, { one: { kind: 'open' } }])
  const open = { both: { kind: 'open', form: 'y' } }
  t.strictSame(await post(open), [201, open])
  t.strictSame(await post({ both: { kind: 'open', form: 'x' } }), [201, {}])
})

t.test('a field that is required is asked for beside rules for names', async (t) => {
  const schema = object({ a: {}, b: {} }, { required: ['b'], propertyNames: { maxLength: 8 } })
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({}), [400, 'b is required'])
  t.strictSame(await post({ a: 1 }), [400, 'b is required'])
  t.strictSame(await post({ b: 1 }), [201, { b: 1 }])
})

t.test('objects and lists are no tags: a value is tried by each branch', async (t) => {
  const union = (keyword: string, ...constants: unknown[]) => ({
    [keyword]: constants.map((constant, index) => ({
      type: 'object',
      required: ['at'],
      properties: { at: { const: constant }, [`only${index}`]: { type: 'integer' } }
    }))
  })
  const properties = { a: union('anyOf', { x: 1 }, { x: 2 }), b: union('oneOf', [1], [2], 'one') }
  const { post } = await createEcho(t, resource({ type: 'object', properties } as object))
  for (const body of [
    { a: { at: { x: 1 }, only0: 1 } },
    { a: { at: { x: 2 } } },
    { b: { at: [2], only1: 1 } },
    { b: { at: 'one' } }
  ])
    t.strictSame(await post(body), [201, body])
  for (const body of [{ a: { at: { x: 3 } } }, { b: { at: [3] } }]) t.equal((await post(body))[0], 400)
})

t.test('a part of a record: a field that a branch takes among all others', async (t) => {
  const branches = [
    object({ kind: { const: 1 }, a: { type: 'integer' } }),
    { additionalProperties: { type: 'string' } }
  ]
  const { send } = await createEcho(t, resource({ type: 'object', anyOf: branches } as object))
  const patch = (payload: object) => send({ method: 'PATCH', url: '/1', payload })
  t.equal((await patch({ a: 'text' }))[0], 200)
  t.equal((await patch({ a: 1 }))[0], 200)
  t.equal((await patch({ a: true }))[0], 400)
})

t.test('a tag that is a union of constants', async (t) => {
  const kind = (...values: string[]) => ({ anyOf: values.map((value) => ({ const: value })) })
  const branch = (values: string[], name: string) =>
    object({ kind: kind(...values), [name]: { type: 'integer' } }, { required: ['kind', name] })
  const { post } = await createEcho(
    t,
    resource(object({ of: { anyOf: [branch(['a', 'b'], 'x'), branch(['c'], 'y')] } }) as object)
  )
  t.strictSame(await post({ of: { kind: 'b', x: 1 } }), [201, { of: { kind: 'b', x: 1 } }])
  t.strictSame(await post({ of: { kind: 'b', y: 1 } }), [400, 'of.y is not known (and 1 more)'])
})

t.test('a record may ask for itself as a field that only the server sets', async (t) => {
  const Node: z.ZodType = z.object({
    a: z.string(),
    get child() {
      return Node.meta({ readOnly: true })
    }
  })
  const { post } = await createEcho(t, resource(Node as z.ZodObject))
  t.strictSame(await post({ a: 'a' }), [201, { a: 'a' }])
  t.strictSame(await post({ a: 'a', child: { a: 'b' } }), [400, 'child can not be set'])
})

t.test('an id that is an object is looked up as its text', async (t) => {
  const { send } = await createEcho(t, resource(object({ id: { type: 'object' }, a: {} }) as object), { a: 1 })
  t.strictSame(await send({ url: '/5' }), [200, { a: 1 }])
})

t.test('a field that another one asks for, where only the server sets it', async (t) => {
  const d = { type: 'integer', readOnly: true }
  const asks = [{ dependencies: { role: ['d', 'e'] } }, { dependentRequired: { role: ['d', 'e'] } }]
  for (const ask of asks) {
    const { post } = await createEcho(t, resource(object({ d, e: {}, role: {} }, ask) as object))
    t.strictSame(await post({ role: 1, e: 1 }), [201, { role: 1, e: 1 }])
    t.equal((await post({ role: 1 }))[0], 400)
    t.equal((await post({ role: 1, d: 1, e: 1 }))[0], 400)
  }
})

t.test('what is no object fits one branch of oneOf, beside a discriminated union too', async (t) => {
  const branch = (kind: string) => object({ kind: { const: kind } }, { required: ['kind'] })
  const oneOf = [branch('a'), branch('b'), { type: 'integer' }, { type: 'number', minimum: 3 }]
  const { post } = await createEcho(t, resource(object({ u: { oneOf } }) as object))
  for (const body of [{ u: 1 }, { u: 3.5 }, { u: { kind: 'a' } }]) t.strictSame(await post(body), [201, body])
  t.equal((await post({ u: 5 }))[0], 400)
})

t.test('a part of a record may have a field that no branch names, where one takes any', async (t) => {
  const { send } = await createEcho(t, resource({ oneOf: [object({ a: false, b: false }), {}] } as object))
  t.equal((await send({ method: 'PATCH', url: '/1', payload: { a: 1 } }))[0], 200)
  const closed = await createEcho(
    t,
    resource({ anyOf: [object({ a: false }), object({ a: { type: 'string' } })] } as object)
  )
  t.equal((await closed.send({ method: 'PATCH', url: '/1', payload: { a: 1 } }))[0], 400)
})

t.test('a field that some values must not have is no name that all of them may have', async (t) => {
  const none = object({ a: false, b: {} })
  const closed = await createEcho(t, resource(object({ d: {} }, { dependencies: { d: none } }) as object))
  t.strictSame(await closed.post({ b: 1 }), [201, { b: 1 }])
  t.strictSame(await closed.post({ a: 1 }), [400, 'a is not known'])
  const open = object({ d: {} }, { dependencies: { d: none }, additionalProperties: true })
  t.strictSame(await (await createEcho(t, resource(open as object))).post({ a: 1 }), [201, { a: 1 }])
})

t.test('an object that is closed beside other schemas', async (t) => {
  const named = { allOf: [{ properties: { a: { type: 'string' } } }], patternProperties: { '^x$': {} } }
  const f = { ...named, unevaluatedProperties: false }
  const { post } = await createEcho(t, resource(object({ f, g: { not: f } }) as object))
  const value = { a: 'a', x: 'x' }
  t.strictSame(await post({ f: value }), [201, { f: value }])
  t.strictSame(await post({ f: { other: 'x' } }), [400, 'f.other is not known'])
  t.equal((await post({ g: { other: 1 } }))[0], 201)
  t.equal((await post({ g: value }))[0], 400)
})

t.test('of two tags of a union that counts which all branches ask for', async (t) => {
  const branch = (status: string, kind: string) =>
    object({ status: { const: status }, kind: { const: kind }, [kind]: {} }, { required: ['kind'] })
  const schema = object({ of: { anyOf: [branch('draft', 'a'), branch('open', 'b')] } })
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ of: { kind: 'a', a: 1 } }), [201, { of: { kind: 'a', a: 1 } }])
  t.strictSame(await post({ of: { kind: 'a', b: 1 } }), [400, 'of.b is not known'])
})

t.test('a value without a tag that fits two branches of oneOf', async (t) => {
  const of = { oneOf: ['a', 'b'].map((kind) => object({ kind: { const: kind }, n: {} })) }
  const { post } = await createEcho(t, resource(object({ of }) as object))
  t.equal((await post({ of: { n: 1 } }))[0], 400)
  t.strictSame(await post({ of: { kind: 'a', n: 1 } }), [201, { of: { kind: 'a', n: 1 } }])
})

t.test('a tag that no branch asks for, beside a part that says nothing', async (t) => {
  const branch = (kind: string, more: object) => object({ kind: { const: kind }, [kind]: { type: 'integer' } }, more)
  const schema = object({ shape: { anyOf: [branch('a', { allOf: [true] }), branch('b', {})] } })
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ shape: { kind: 'a', a: 1 } }), [201, { shape: { kind: 'a', a: 1 } }])
  t.equal((await post({ shape: { kind: 'b', b: 'x' } }))[0], 400)
})

t.test('what a library makes of a field is no fault of it where another one is wrong', async (t) => {
  const schema = z.object({
    count: z.coerce.number(),
    name: z
      .string()
      .regex(/^[a-z]+$/i)
      .regex(/^.{2}/)
  })
  const { post } = await createEcho(t, resource(schema))
  t.strictSame(await post({ count: '5', name: 1 }), [400, 'name must be a string'])
  t.strictSame(await post({ count: '5', name: 'AB' }), [201, { count: 5, name: 'AB' }])
})

t.test('a pattern with the flag `v`, which JSON Schema has not, is checked by its library', async (t) => {
  // The flag stands apart since the compiler knows no literal with it.
  const flag = 'v'
  const pattern = new RegExp('^[\\p{L}--[a-z]]+$', flag)
  const valibot = toStandardJsonSchema(v.object({ name: v.pipe(v.string(), v.regex(pattern)) }))
  for (const schema of [z.object({ name: z.string().regex(pattern) }), valibot]) {
    const { post } = await createEcho(t, resource(schema))
    t.strictSame(await post({ name: 'Ä' }), [201, { name: 'Ä' }])
    t.equal((await post({ name: 'a' }))[0], 400)
  }
})

t.test('references to anchors, and to ids that are no more than a fragment', async (t) => {
  const $defs = { a: { $anchor: 'first', type: 'integer' }, b: { $id: '#second', type: 'boolean' } }
  const schema = object({ a: { $ref: '#first' }, b: { $ref: '#second' } }, { $defs })
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ a: 1, b: true }), [201, { a: 1, b: true }])
  t.strictSame(await post({ a: 'x' }), [400, 'a must be an integer'])
  t.strictSame(await post({ b: 'x' }), [400, 'b must be true or false'])
  const named = object({ a: { $id: 'http://e/a', $ref: '#first' } }, { $defs })
  const { post: postNamed } = await createEcho(t, resource(named as object))
  t.strictSame(await postNamed({ a: 1 }), [201, { a: 1 }])
  t.strictSame(await postNamed({ a: 'x' }), [400, 'a must be an integer'])
})

t.test('ids are relative to that of their document, and anchors are those of the document that is named', async (t) => {
  const inner = (name: string, type: string) => ({ $id: name, $defs: { x: { $anchor: 'val', type } } })
  const schema = object(
    {
      a: { $ref: 'http://e/b#val' },
      b: { $ref: 'item.json' },
      c: { $ref: '/deep/item.json#/$defs/x' },
      d: { $ref: 'urn:other#val' }
    },
    {
      $id: 'http://e/root.json',
      $defs: {
        a: inner('http://e/a', 'string'),
        b: inner('http://e/b', 'integer'),
        item: { $id: 'http://e/item.json', type: 'integer' },
        deep: { $id: 'deep/', $defs: { item: inner('item.json', 'boolean') } },
        urn: { ...inner('urn:other', 'null'), properties: { e: { $ref: 'none.json' } } },
        none: { $id: 'none.json' }
      }
    }
  )
  const { post } = await createEcho(t, resource(schema as object))
  const fitting = { a: 1, b: 1, c: true, d: null }
  t.strictSame(await post(fitting), [201, fitting])
  for (const name of Object.keys(fitting)) t.match(await post({ [name]: 'x' }), [400, `${name} must be `])
  const missing = resource(
    object({ a: { $ref: 'http://e/b#none' } }, { $defs: { b: inner('http://e/b', 'string') } }) as object
  )
  const app = Fastify()
  await app.register(services)
  app.service('things', { create: async () => ({}) } as object, { schema: missing as object })
  await t.rejects(async () => app.ready(), /'http:\/\/e\/b#none' leads to no schema/)
  await app.close()
})

t.test('a field of OpenAPI 3.0 that may be null has its default', async (t) => {
  const schema = object({ a: { type: 'integer', nullable: true, default: 5 }, b: {} })
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ b: 1 }), [201, { a: 5, b: 1 }])
  t.strictSame(await post({ a: null }), [201, { a: null }])
})

t.test('a branch that only the server sets, by its tag', async (t) => {
  const branch = (kind: string, more: object = {}) => ({
    ...object({ kind: { const: kind } }, { required: ['kind'] }),
    ...more
  })
  const schema = object({ of: { oneOf: [branch('draft'), branch('archived', { readOnly: true })] } })
  const { post } = await createEcho(t, resource(schema as object))
  t.strictSame(await post({ of: { kind: 'draft' } }), [201, { of: { kind: 'draft' } }])
  t.strictSame(await post({ of: { kind: 'archived' } }), [400, 'of can not be set'])
})

t.test('objects in `enum`, `const` and lists without doubles are compared by what they hold', async (t) => {
  const size = { w: 1, h: 2 }
  const schema = object({
    id: { type: 'integer' },
    some: { enum: [size, [1], 'any'] },
    only: { const: size },
    list: { type: 'array', uniqueItems: true }
  })
  const { post } = await createEcho(t, resource(schema as object))
  const hostile: object[] = [{ toString: 1 }, { valueOf: 1 }, { toString: 1, valueOf: 1, w: 1 }]
  const fitting = { some: { h: 2, w: 1 }, only: size, list: [size, ...hostile] }
  t.strictSame(await post(fitting), [201, fitting])
  t.strictSame(await post({ some: [1] }), [201, { some: [1] }])
  for (const field of ['some', 'only'])
    for (const value of [...hostile, { w: 1 }, null, 1])
      t.match(await post({ [field]: value }), [400, `${field} must be `], JSON.stringify(value))
})

t.test('an object that the server completes may be sent with fewer fields than it must have', async (t) => {
  const [id, text] = [{ type: 'integer', readOnly: true }, { type: 'string' }]
  const more = { minProperties: 2, maxProperties: 2 }
  const fields = { inner: object({ id, text }, more), plain: object({ a: text, b: text }, more) }
  const schema = resource(object({ id, ...fields }, { minProperties: 2 }) as object)
  const { post, send } = await createEcho(t, schema)
  for (const body of [{ inner: { text: 'a' } }, { plain: { a: 'a', b: 'b' } }])
    t.strictSame(await post(body), [201, body])
  t.strictSame(await post({}), [400, 'The data must have at least 1 field'])
  t.strictSame(await post({ inner: {} }), [400, 'inner must have at least 1 field'])
  t.strictSame(await post({ plain: { a: 'a' } }), [400, 'plain must have at least 2 fields'])
  t.strictSame(await send({ method: 'PATCH', url: '/1', payload: { inner: { text: 'a' } } }), [
    200,
    { inner: { text: 'a' } }
  ])
  const { create, patch } = schema as unknown as Record<string, { body: Record<string, unknown>; response: object }>
  const plain = { minProperties: 2, maxProperties: 2 }
  t.match(create?.body, { minProperties: 1, properties: { inner: { minProperties: 1 }, plain } })
  t.match(patch?.body, { minProperties: 1, properties: { inner: { minProperties: 1 }, plain } })
  const secret = object({ text, secret: { type: 'string', writeOnly: true } }, { minProperties: 2 })
  const hidden = resource(secret as object) as unknown as Record<string, { response: object }>
  t.notOk('minProperties' in Object(hidden.create?.response), 'a hidden field counts')
  t.match(create?.response, { minProperties: 2, properties: { inner: more, plain } })
})

t.test('objects of a class, as a parser of the application gives them, are equal by their fields', async (t) => {
  class Point {
    constructor(fields: object) {
      Object.assign(this, fields)
    }
  }
  const app = Fastify()
  t.teardown(() => app.close())
  app.addContentTypeParser<string>('application/points', { parseAs: 'string' }, (_request, body, done) =>
    done(null, { points: (JSON.parse(body) as object[]).map((fields) => new Point(fields)) })
  )
  await app.register(services)
  const points = { type: 'array', uniqueItems: true, items: { enum: [{ x: 1, y: 2 }, { x: 3 }] } }
  const schema: object = resource(object({ points }) as object)
  app.service('lines', { create: async () => ({}) }, { schema })
  const post = async (payload: string) => {
    const headers = { 'content-type': 'application/points' }
    return (await app.inject({ method: 'POST', url: '/lines', headers, payload })).statusCode
  }
  t.equal(await post('[{"y":2,"x":1},{"x":3}]'), 201)
  t.equal(await post('[{"y":2,"x":1},{"x":1,"y":2}]'), 400)
})

t.test('what a method answers through a transformation has no hidden field either', async (t) => {
  const hidden = () => z.string().meta({ writeOnly: true })
  const declare = (response: unknown): object =>
    resource(z.object({ id: z.number() }), { methods: { pins: { response: response as typeof user } } })
  const user = z.object({ name: z.string(), pin: hidden() })
  t.throws(() => declare(z.object({ user: user.transform((sent) => sent) })), /methods\.pins\.response.*of 'user'/)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const schema = declare(z.object({ name: z.string(), pin: hidden().transform((pin) => pin) }))
  const service = { get: async () => ({}), pins: async () => ({ name: 'a', pin: '1234' }) }
  app.service('users', service, { schema, methods: ['get', 'pins'] })
  const headers = { 'x-service-method': 'pins' }
  t.strictSame((await app.inject({ method: 'POST', url: '/users', headers, payload: {} })).json(), { name: 'a' })
})
