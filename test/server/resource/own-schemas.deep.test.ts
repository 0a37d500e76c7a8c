import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type as ark } from 'arktype'
import Fastify from 'fastify'
import services, { BadRequest, resource, type ServiceOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'

/** Makes the schema of an object with texts: one that a library has written, with those fields, and others if it is open. */
type ToSchema = (names: readonly string[], isOpen?: boolean) => unknown

const fieldsOf = <T>(names: readonly string[], text: T) => Object.fromEntries(names.map((name) => [name, text]))
const libraries: Readonly<Record<string, ToSchema>> = {
  json: (names, isOpen = false) => ({
    type: 'object',
    properties: fieldsOf(names, { type: 'string' }),
    ...(isOpen && { additionalProperties: true })
  }),
  typebox: (names, isOpen = false) =>
    Type.Object(fieldsOf(names, Type.Optional(Type.String())), isOpen ? { additionalProperties: true } : {}),
  zod: (names, isOpen) => {
    const fields = fieldsOf(names, z.string().optional())
    return isOpen ? z.looseObject(fields) : z.object(fields)
  },
  valibot: (names, isOpen) => {
    const fields = fieldsOf(names, v.optional(v.string()))
    return toStandardJsonSchema(isOpen ? v.looseObject(fields) : v.object(fields))
  },
  arktype: (names, isOpen) => {
    const fields = Object.fromEntries(names.map((name) => [`${name}?`, 'string']))
    return ark({ ...fields, ...(isOpen && { '[string]': 'unknown' }) } as never)
  }
}

const methods = ['create', 'update', 'patch', 'promote'] as const
type Method = (typeof methods)[number]
const calls = {
  create: { method: 'POST', url: '/things' },
  update: { method: 'PUT', url: '/things/1' },
  patch: { method: 'PATCH', url: '/things/1' },
  promote: { method: 'POST', url: '/things/1/promote' }
} as const

/** The options of a resource whose methods have a body of their own. */
function withBody(names: readonly Method[], body: unknown, settable?: readonly string[]) {
  const six = names.filter((name) => name !== 'promote')
  const promote = { route: 'POST /:id/promote', body, ...(settable && { settable }) }
  return {
    ...Object.fromEntries(six.map((name) => [name, body])),
    ...(settable && { settable: Object.fromEntries(six.map((name) => [name, settable])) }),
    ...(names.includes('promote') && { methods: { promote } })
  }
}

async function serve(t: Test, schema: unknown, names: readonly Method[] = methods, answer?: unknown) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const echo = async (...args: unknown[]) => {
    if (answer instanceof Error) throw answer
    return answer ?? args.at(-2)
  }
  const service = { ...Object.fromEntries(names.map((name) => [name, echo])), get: async () => answer ?? {} }
  app.service('things', service as object, { schema: schema as NonNullable<ServiceOptions['schema']> })
  await app.ready()
  return async (name: Method | 'get', payload?: object) => {
    const call = name === 'get' ? ({ method: 'GET', url: '/things/1' } as const) : calls[name]
    const response = await app.inject({ ...call, ...(payload && { payload }) })
    return [response.statusCode < 300 ? 200 : response.statusCode, response.json().message ?? response.json()]
  }
}

const record = (schema: unknown, options: object) => resource(schema, options as object) as object

for (const [library, toSchema] of Object.entries(libraries)) {
  const select = toSchema(['id', 'name', 'role'])
  const readOnly = ['id', 'role']

  t.test(`${library}: a body with a schema of its own that has a field which only the server sets`, async (t) => {
    for (const method of methods) {
      const schema = record(select, { readOnly, ...withBody([method], toSchema(['name', 'role'])) })
      const line =
        method === 'promote' ? "methods: { promote: { settable: ['role'] } }" : `settable: { ${method}: ['role'] }`
      await t.rejects(serve(t, schema, [method]), {
        message: `things.${method}: the schema of its body has the field 'role', which is readOnly in the record. Leave it out. Or, if clients may set it: Add \`${line}\` to the options of resource()`
      })
    }
    const send = await serve(
      t,
      record(select, { readOnly, ...withBody(methods, toSchema(['name', 'role']), ['role']) })
    )
    for (const method of methods) {
      t.strictSame(await send(method, { name: 'n', role: 'r' }), [200, { name: 'n', role: 'r' }], method)
      t.match(await send(method, { name: 'n', id: 'i' }), [400, /^id /], method)
    }
  })

  t.test(`${library}: a body with an open schema of its own`, async (t) => {
    const send = await serve(t, record(select, { readOnly, ...withBody(methods, toSchema(['name'], true)) }))
    for (const method of methods) {
      t.strictSame(await send(method, { name: 'n', role: 'r' }), [400, 'role can not be set'], method)
      t.strictSame((await send(method, { name: 'n', more: 'm' }))[0], 200, method)
    }
  })
}

const text = { type: 'string' }
const fixed = { type: 'string', readOnly: true }
const secret = { type: 'string', writeOnly: true }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

/** The record, the schema of the body, a body, and the place that is refused. Some are refused at the start. */
const places: Readonly<Record<string, { record: object; body: object; sent: object; place: string; starts?: true }>> = {
  'a field of the record': { record: { a: fixed, b: text }, body: { a: text }, sent: { a: 'x' }, place: 'a' },
  'a field within': {
    record: { in: object({ a: fixed }) },
    body: { in: object({ a: text, b: text }) },
    sent: { in: { a: 'x' } },
    place: 'in.a'
  },
  'a field of items': {
    record: { list: { type: 'array', items: object({ a: fixed }) } },
    body: { list: { type: 'array', items: object({ a: text }) } },
    sent: { list: [{}, { a: 'x' }] },
    place: 'list[].a'
  },
  'a field behind references': {
    record: { in: { $ref: '#/$defs/In' }, $defs: { In: object({ a: { $ref: '#/$defs/Fixed' } }), Fixed: fixed } },
    body: { in: { $ref: '#/$defs/In' }, $defs: { In: object({ a: text }) } },
    sent: { in: { a: 'x' } },
    place: 'in.a'
  },
  'a field of one branch': {
    record: { in: { anyOf: [object({ a: fixed }), object({ b: text })] } },
    body: { in: object({ a: text }) },
    sent: { in: { a: 'x' } },
    place: 'in.a'
  },
  'a field of a part': {
    record: { in: { allOf: [object({ a: fixed }), object({ b: text })] } },
    body: { in: { allOf: [object({ a: text }), object({ b: text })] } },
    sent: { in: { a: 'x', b: 'y' } },
    place: 'in.a'
  },
  'a field of the branch of a tag': {
    record: { in: { oneOf: ['p', 'q'].map((tag) => object({ k: { const: tag }, a: tag === 'p' ? fixed : text })) } },
    body: { in: object({ k: text, a: text }) },
    sent: { in: { k: 'p', a: 'x' } },
    place: 'in.a'
  },
  'a name of a pattern': {
    record: { in: { type: 'object', patternProperties: { '^x-': fixed } } },
    body: { in: object({ 'x-a': text }) },
    sent: { in: { 'x-a': 'x' } },
    place: 'in.x-a'
  },
  'any name': {
    record: { in: { type: 'object', additionalProperties: fixed } },
    body: { in: object({ a: text }) },
    sent: { in: { a: 'x' } },
    place: 'in.a'
  },
  'items themselves': {
    record: { list: { type: 'array', items: fixed } },
    body: { list: { type: 'array', items: text } },
    sent: { list: ['x'] },
    place: 'list[]'
  },
  'an open object within': {
    record: { in: object({ a: fixed }) },
    body: { in: { type: 'object' } },
    sent: { in: { a: 'x' } },
    place: 'in.a',
    starts: true
  },
  'a pattern of both': {
    record: { in: { type: 'object', patternProperties: { '^x-': fixed } } },
    body: { in: { type: 'object', patternProperties: { '^x': text } } },
    sent: { in: { 'x-a': 'x' } },
    place: 'in.x-a',
    starts: true
  },
  'anything within': {
    record: { in: object({ deep: object({ a: fixed }) }) },
    body: { in: {} },
    sent: { in: { deep: { a: 'x' } } },
    place: 'in.deep.a',
    starts: true
  },
  'the schema of the body itself': {
    record: { a: text },
    body: { a: fixed, b: text },
    sent: { a: 'x' },
    place: 'a',
    starts: true
  },
  'the schema of the body, within': {
    record: { in: object({ a: text }) },
    body: { in: object({ a: fixed, b: text }) },
    sent: { in: { a: 'x' } },
    place: 'in.a',
    starts: true
  }
}

const toObject = ({ $defs, ...properties }: { $defs?: object }) => object(properties, $defs && { $defs })

for (const [name, { record: fields, body, sent, place, starts }] of Object.entries(places))
  t.test(`what only the server sets, by ${name}`, async (t) => {
    const withBodies = (names: readonly Method[]) => record(toObject(fields), withBody(names, toObject(body)))
    if (starts) {
      const send = await serve(t, withBodies(methods))
      for (const method of methods) t.strictSame(await send(method, sent), [400, `${place} can not be set`], method)
    } else
      for (const method of ['patch', 'promote'] as const)
        await t.rejects(serve(t, withBodies([method]), [method]), {
          message: RegExp(`^things.${method}: .*'${place.replace(/[[\]]/g, '\\$&')}'`)
        })
  })

t.test('a field within that an option names for all records of the kind', async (t) => {
  const Folder = z.object({
    id: z.int(),
    name: z.string(),
    get folders() {
      return z.array(Folder).optional()
    }
  })
  const create = z.object({ name: z.string(), folders: z.array(z.object({ id: z.int(), name: z.string() })) })
  const schema = (settable?: object) => record(Folder, { readOnly: ['id'], create, ...settable })
  await t.rejects(serve(t, schema(), ['create']), { message: /settable: { create: \['id'\] }/ })
  const send = await serve(t, schema({ settable: { create: ['id'] } }), ['create'])
  const folder = { name: 'a', folders: [{ id: 1, name: 'b' }] }
  t.strictSame(await send('create', folder), [200, folder])
})

t.test('a settable field of the schema of the record itself, and of one that the body flags too', async (t) => {
  const Thing = Type.Object({ id: Type.Integer({ readOnly: true }), name: Type.String() })
  for (const options of [{}, { create: Thing }, { create: Type.Object({ id: Type.Integer(), name: Type.String() }) }]) {
    const send = await serve(t, record(Thing, { ...options, settable: { create: ['id'] } }), ['create'])
    t.strictSame(await send('create', { id: 1, name: 'a' }), [200, { id: 1, name: 'a' }])
    t.strictSame(await send('create', { name: 'a' }), [400, 'id is required'])
    const other = await serve(t, record(Thing, { settable: { create: ['id'] } }), ['patch'])
    t.strictSame(await other('patch', { id: 1 }), [400, 'id can not be set'])
  }
})

/** The record, the schema of `create`, and the place that must not leave. */
const hiding: Readonly<Record<string, { record: object; body: object; stored: object }>> = {
  'a field of the record': { record: { a: text }, body: { a: secret }, stored: { a: 'HIDDEN' } },
  'a field within': {
    record: { in: object({ a: text }) },
    body: { in: object({ a: secret }) },
    stored: { in: { a: 'HIDDEN' } }
  },
  'a field of items': {
    record: { list: { type: 'array', items: object({ a: text }) } },
    body: { list: { type: 'array', items: object({ a: secret }) } },
    stored: { list: [{ a: 'HIDDEN' }] }
  },
  'a field of an open record': {
    record: { b: text, additionalProperties: true },
    body: { a: secret, b: text },
    stored: { a: 'HIDDEN', b: 'b' }
  },
  'a field of what may be anything': {
    record: { in: {} },
    body: { in: object({ a: secret }) },
    stored: { in: { a: 'HIDDEN' } }
  },
  'a pattern of both': {
    record: { in: { type: 'object', patternProperties: { '^x': text } } },
    body: { in: { type: 'object', patternProperties: { '^x-': secret } } },
    stored: { in: { 'x-a': 'HIDDEN' } }
  },
  'a field within a pattern of both': {
    record: { in: { type: 'object', patternProperties: { '^x': object({ a: text }) } } },
    body: { in: { type: 'object', patternProperties: { '^x': object({ a: secret }) } } },
    stored: { in: { x: { a: 'HIDDEN' } } }
  },
  'a field within another pattern': {
    record: { in: { type: 'object', patternProperties: { '^x': object({ a: text }) } } },
    body: { in: { type: 'object', patternProperties: { '^x-': object({ a: secret }) } } },
    stored: { in: { 'x-': { a: 'HIDDEN' } } }
  },
  'a name of a pattern, in an open object': {
    record: { in: { type: 'object' } },
    body: { in: { type: 'object', patternProperties: { '^x-': secret } } },
    stored: { in: { 'x-a': 'HIDDEN' } }
  },
  'one of several branches of a union': {
    record: { in: { type: ['string', 'integer'] } },
    body: { in: { anyOf: [secret, { type: 'integer' }] } },
    stored: { in: 'HIDDEN' }
  },
  'a field of each branch': {
    record: { in: { oneOf: ['p', 'q'].map((tag) => object({ k: { const: tag }, a: tag === 'p' ? secret : text })) } },
    body: { in: object({ k: text, a: secret }) },
    stored: { in: { k: 'q', a: 'HIDDEN' } }
  }
}

t.test('a record that hides the whole of it, or can not have the name, is no conflict', async (t) => {
  const named = { type: 'object', patternProperties: { '^x-': secret } }
  const pairs = [
    [{ ...object({ a: text }), writeOnly: true }, object({ a: secret })],
    [object({}, { additionalProperties: false }), named]
  ]
  for (const [ofRecord, ofBody] of pairs) {
    const body = withBody(['create'], object({ in: ofBody, b: text }))
    await t.resolves(serve(t, record(object({ in: ofRecord, b: text }), body), ['create']))
  }
})

for (const [name, { record: fields, body, stored }] of Object.entries(hiding))
  t.test(`what does not leave, by ${name}`, async (t) => {
    const { additionalProperties, ...properties } = fields as { additionalProperties?: boolean }
    const Record = object(properties, additionalProperties === true ? { additionalProperties } : {})
    const message = /which is writeOnly in another schema/
    for (const method of methods)
      await t.rejects(serve(t, record(Record, withBody([method], object(body)))), { message }, method)
    await t.rejects(serve(t, record(object(body), { response: Record })), { message }, 'response')
    const send = await serve(t, record(object(body), {}), undefined, stored)
    t.notMatch(JSON.stringify(await send('get')), /HIDDEN/)
  })

t.test('a field that `create` alone has, and that does not leave', async (t) => {
  const create = object({ name: text, password: secret })
  const send = await serve(t, record(object({ name: text }), { create }), ['create'])
  t.strictSame(await send('create', { name: 'n', password: 'HIDDEN' }), [200, { name: 'n' }])
  const error = new BadRequest('No', { data: { password: 'HIDDEN', name: 'n' }, password: 'HIDDEN' })
  const app = await serve(t, record(object({ name: text }), { create }), ['create'], error)
  t.equal((await app('create', { name: 'n' }))[0], 400)
  const methods = { check: { body: create, response: object({ name: text, password: text }) } }
  await t.rejects(serve(t, record(object({ name: text }), { create, methods })))
})

t.test('options that can not be', (t) => {
  const Thing = object({ id: fixed, name: text })
  const wrong: [options: object, message: RegExp][] = [
    [{ settable: { create: ['di'] } }, /knows no field 'di'/],
    [{ settable: { create: 'id' } }, /`settable.create` of resource\(\) must be a list of fields/],
    [{ settable: { creat: ['id'] } }, /no option 'settable.creat'.*Did you mean 'settable.create'/],
    [{ methods: { promote: { settable: ['di'] } } }, /`methods.promote.settable`.*fields of the record: id, name/]
  ]
  for (const [options, message] of wrong) t.throws(() => record(Thing, options), { message })
  t.end()
})
