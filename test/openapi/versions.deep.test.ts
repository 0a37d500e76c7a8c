import { memory } from '@feathersjs/memory'
import Ajv2020 from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import { resource } from 'fastify-services'
import t, { type Test } from 'tap'
import * as z from 'zod'
import { documentOf, follow } from './app.js'

const int = { type: 'integer' }
const text = { type: 'string' }
const options = { readOnly: ['id'], writeOnly: ['token'] }
const base = { type: 'object', required: ['id', 'token'], properties: { id: int, token: text } }
const titled = { type: 'object', required: ['title'], properties: { title: text } }

/** A service with a schema, its document, and what that says of bodies and answers. */
async function thingsOf(t: Test, schema: object, { flags = options }: { flags?: object } = {}) {
  let server: FastifyInstance | undefined
  const document = await documentOf(t, (app) => {
    server = app
    const things = Object.assign(memory({ startId: 1 }), { pay: async () => ({ id: 1 }) })
    app.service('things', Object.assign(things, { things }) as object, {
      schema: resource(schema as object, flags) as object
    })
  })
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref]) => $ref as string)
  for (const $ref of new Set(references)) t.ok(follow(document, { $ref }), $ref)
  const ajv = new Ajv2020.default({ strict: false, validateSchema: false, schemas: { document } })
  const takes = (path: string) => ajv.compile({ $ref: `document#/paths/${path}/content/application~1json/schema` })
  const bodies: Record<string, (body: unknown) => boolean> = {
    POST: takes('~1things/post/requestBody'),
    PATCH: takes('~1things~1%7Bid%7D/patch/requestBody')
  }
  const isAnswer = takes('~1things~1%7Bid%7D/get/responses/200')
  /** Sends a body, which the document must take as the server does. */
  const send = async (method: 'POST' | 'PATCH', payload: object) => {
    const url = method === 'POST' ? '/things' : '/things/1'
    const response = await (server as FastifyInstance).inject({ method, url, payload })
    t.equal(bodies[method]?.(payload), response.statusCode < 300, `${method} ${JSON.stringify(payload)}`)
    if (response.statusCode < 300) t.ok(isAnswer(response.json()), response.body)
    return response.statusCode
  }
  return { document, send }
}

const Cat = z.object({ id: z.int(), kind: z.literal('cat'), lives: z.int(), token: z.string() }).meta({ id: 'Cat' })
const Dog = z.object({ id: z.int(), kind: z.literal('dog'), breed: z.string() }).meta({ id: 'Dog' })

t.test('options reach the branches of a union that stand behind references', async (t) => {
  const { document, send } = await thingsOf(t, z.discriminatedUnion('kind', [Cat, Dog]))
  t.equal(await send('POST', { kind: 'cat', lives: 9, token: 's' }), 201)
  t.equal(await send('POST', { kind: 'cat', lives: 9, token: 's', id: 3 }), 400)
  t.equal(await send('POST', { kind: 'dog', breed: 'pug' }), 201)
  t.equal(await send('PATCH', { lives: 8 }), 200)
  t.notMatch(Object.keys(document.components.schemas.ThingsCat.properties), ['token'])
})

for (const [where, schema] of [
  ['a definition', { allOf: [{ $ref: '#/$defs/Base' }, titled], $defs: { Base: base } }],
  ['a definition beside fields', { ...titled, $ref: '#/$defs/Base', $defs: { Base: base } }],
  ['a branch without a tag', { anyOf: [{ $ref: '#/$defs/All' }], $defs: { All: { allOf: [base, titled] } } }]
] as const)
  t.test(`options reach what a record is made of, in ${where}`, async (t) => {
    const { send } = await thingsOf(t, schema)
    t.equal(await send('POST', { title: 'a', token: 's' }), 201)
    t.equal(await send('PATCH', { title: 'b' }), 200)
  })

t.test('schemas whose ids end alike are components of their own', async (t) => {
  const schemas = [
    { $id: 'http://test/user/address', type: 'object', properties: { street: text } },
    { $id: 'http://test/shop/address', type: 'object', properties: { url: text } }
  ]
  const refer = () => ({
    a: { $ref: `http://test/user/address#` },
    b: { $ref: `http://test/shop/address#` }
  })
  const document = await documentOf(t, (app) => {
    for (const each of schemas) app.addSchema(each)
    app.post('/plain', { schema: { body: { type: 'object', properties: refer() } } }, async () => 1)
  })
  const plain = document.paths['/plain'].post.requestBody.content['application/json'].schema
  t.ok(follow(document, plain.properties.a).properties.street)
  t.ok(follow(document, plain.properties.b).properties.url)
})

t.test('what has a default may be left out of a body in definitions, too', async (t) => {
  const theme = { type: 'object', required: ['name'], properties: { name: { type: 'string', default: 'dark' } } }
  const schema = {
    type: 'object',
    required: ['look'],
    properties: { id: int, look: { $ref: '#/$defs/theme' } },
    $defs: { theme }
  }
  const { document, send } = await thingsOf(t, schema, { flags: { readOnly: ['id'] } })
  t.equal(await send('POST', { look: {} }), 201)
  t.strictSame(follow(document, document.components.schemas.Things.properties.look).required, ['name'])
})

t.test('a tag with a default is required where the server asks for it', async (t) => {
  const branch = (kind: string, more = {}) => ({
    type: 'object',
    required: ['kind'],
    properties: { kind: { const: kind, ...more } }
  })
  const oneOf = [branch('a', { default: 'a' }), { $ref: '#/$defs/b' }]
  const $defs = { b: branch('b', { default: 'b' }) }
  const schema = { type: 'object', properties: { id: int, field: { oneOf } }, $defs }
  const { send } = await thingsOf(t, schema, { flags: { readOnly: ['id'] } })
  t.equal(await send('POST', { field: { kind: 'b' } }), 201)
  t.equal(await send('POST', { field: {} }), 400)
})

t.test('an object of which only the names are held to a rule may have any values', async (t) => {
  const words = { type: 'object', propertyNames: { pattern: '^a' } }
  const { document } = await thingsOf(t, { type: 'object', properties: { id: int, words } }, { flags: {} })
  t.equal(document.components.schemas.Things.properties.words.additionalProperties, true)
})

t.test('a record within a part of itself is whole, and may be empty where it has to have nothing', async (t) => {
  const node = (required: string[]) => ({
    type: 'object',
    required,
    properties: { id: int, name: text, next: { $ref: '#' } }
  })
  const flags = { readOnly: ['id'] }
  const named = await thingsOf(t, node(['name']), { flags })
  t.equal(await named.send('POST', { name: 'a', next: { name: 'b' } }), 201)
  t.equal(await named.send('PATCH', { next: { name: 'b', next: { name: 'c' } } }), 200)
  t.equal(await named.send('PATCH', { next: { next: { name: 'c' } } }), 400)
  const bare = await thingsOf(t, node([]), { flags })
  t.equal(await bare.send('POST', { next: {} }), 201)
  t.equal(await bare.send('PATCH', { next: {} }), 200)
})

t.test('a reference to a field that is left out leads to what is said of it', async (t) => {
  const properties = { id: { type: 'integer', minimum: 1 }, parent: { $ref: '#/properties/id' } }
  const { document, send } = await thingsOf(t, { type: 'object', properties }, { flags: { readOnly: ['id'] } })
  t.equal(await send('POST', { parent: 4 }), 201)
  t.equal(await send('POST', { parent: 0 }), 400)
  t.equal(await send('POST', { id: 4 }), 400)
  t.notOk(follow(document, document.components.schemas.Things.properties.parent).readOnly)
})

t.test('what is left out is required nowhere beside its object', async (t) => {
  const properties = { id: int, token: text, title: text }
  const condition = {
    if: { properties: { title: { const: 'a' } }, required: ['title'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['id', 'token'] }
  }
  for (const rule of [
    { allOf: [{ required: ['id', 'token'] }] },
    { anyOf: [{ required: ['id', 'token'] }, { required: ['title', 'id'] }] },
    { dependentRequired: { title: ['id', 'token'] } },
    { dependencies: { title: { required: ['id', 'token'] } } },
    condition
  ]) {
    const { send } = await thingsOf(t, { type: 'object', properties, ...rule })
    t.equal(await send('POST', { title: 'a', token: 's' }), 201, JSON.stringify(rule))
  }
})

t.test('a schema under `not`, or of a condition, stays as it is, with what it refers to', async (t) => {
  const next = { $ref: '#/$defs/old' }
  const old = { type: 'object', required: ['title'], properties: { title: { const: 'old' }, next } }
  const properties = { id: int, title: text, next: { type: 'object', additionalProperties: true } }
  const schema = { type: 'object', properties, not: { required: ['next'], properties: { next } }, $defs: { old } }
  const { send } = await thingsOf(t, schema, { flags: { readOnly: ['id'] } })
  t.equal(await send('POST', { title: 'old', next: { title: 'new' } }), 201)
  t.equal(await send('POST', { title: 'old', next: { title: 'old', more: 1 } }), 400)
})
