import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import Type from 'typebox'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'

const Thing = Type.Object({
  id: Type.Integer({ readOnly: true }),
  name: Type.String(),
  size: Type.Integer({ default: 1 }),
  tags: Type.Optional(Type.Array(Type.String())),
  parts: Type.Optional(Type.Array(Type.Object({ a: Type.String() }))),
  password: Type.Optional(Type.String({ writeOnly: true }))
})

t.test('what the schema marks as read-only or write-only need not be an option', async (t) => {
  const { send, post } = await createEcho(t, resource(Thing))
  t.strictSame(await post({ name: 'a', password: 'p' }), [201, { name: 'a', size: 1 }])
  t.strictSame(await post({ name: 'a', id: 1 }), [400, 'id can not be set'])
  t.strictSame(await post([{ name: 'a' }, { name: 'b', id: 1 }]), [400, '[1].id can not be set'])
  t.strictSame(await send({ url: '?password=p' }), [
    400,
    'password is not known: a query filters by id, name, size, tags'
  ])
})

t.test('an open record lets other fields pass, but none that is read-only', async (t) => {
  const { send, post } = await createEcho(
    t,
    resource(z.looseObject({ id: z.int(), a: z.string() }), { readOnly: ['id'] })
  )
  t.strictSame(await post({ a: 'a', other: { b: 1 } }), [201, { a: 'a', other: { b: 1 } }])
  t.strictSame(await post({ a: 'a', id: 1 }), [400, 'id can not be set'])
  t.strictSame(await send({ url: '?other=1' }), [400, 'other is not known: a query filters by a, id'])
})

t.test('the fields that may be filtered and sorted', async (t) => {
  const { send } = await createEcho(t, resource(Thing, { filter: ['name'], sort: ['size'] }))
  t.equal((await send({ url: '?name=a&$sort[size]=1' }))[0], 200)
  t.strictSame(await send({ url: '?size=1' }), [400, 'size is not known: a query filters by name'])
  t.strictSame(await send({ url: '?$sort[name]=1' }), [400, '$sort[name] is not known: a query sorts by size'])
  const none = await createEcho(t, resource(Thing, { filter: [] }))
  t.strictSame(await none.send({ url: '?size=1' }), [400, 'size is not known'])
})

t.test('operators of an adapter: for the fields that have the type', async (t) => {
  const operators = {
    $like: { type: 'string', maxLength: 3 },
    $all: { type: 'array', items: { type: 'string' } },
    $lt: false
  } as const
  const { send } = await createEcho(t, resource(Thing, { operators }), [])
  t.equal((await send({ url: '?name[$like]=a%25&tags[$all]=a&tags[$all]=b&size[$gt]=1' }))[0], 200)
  t.strictSame(await send({ url: '?name[$like]=abcd' }), [400, 'name[$like] must have at most 3 characters'])
  t.match(await send({ url: '?size[$like]=a' }), [400, /^size\[\$like\] is not known: there are \$eq, \$ge/])
  t.match(await send({ url: '?size[$lt]=1' }), [400, /^size\[\$lt\] is not known/])
})

t.test('further parameters of a query, converted by their schema', async (t) => {
  const query = Type.Object({
    near: Type.Object({ lat: Type.Number() }),
    ids: Type.Array(Type.Integer()),
    size: Type.Boolean()
  })
  const response = Type.Object({
    near: Type.Unknown(),
    ids: Type.Unknown(),
    size: Type.Unknown(),
    name: Type.Unknown()
  })
  const { send } = await createEcho(t, resource(Thing, { query, response }))
  t.strictSame(await send({ url: '?near[lat]=1.5&ids=1&size=true' }), [
    200,
    [{ near: { lat: 1.5 }, ids: [1], size: true }]
  ])
  t.strictSame(await send({ url: '?near[lat]=x' }), [400, 'near[lat] must be a number'])
  t.strictSame(await send({ url: '?near[lon]=1' }), [400, 'near[lat] is required'])
  const recursive = {
    $ref: '#/$defs/tree',
    $defs: { tree: { type: 'object', properties: { tree: { $ref: '#/$defs/tree' }, n: { type: 'integer' } } } }
  }
  const deep = await createEcho(t, resource(Thing, { query: recursive }))
  t.equal((await deep.send({ url: '?tree[tree][n]=1' }))[0], 200)
  t.strictSame(await deep.send({ url: '?tree[tree][n]=x' }), [400, 'tree[tree][n] must be an integer'])
})

t.test('`update` may take another body than `create`, and another record may leave', async (t) => {
  const update = Type.Object({ id: Type.Integer(), name: Type.String() })
  const response = Type.Object({ id: Type.Integer(), size: Type.Integer() })
  const { send, post } = await createEcho(t, resource(Thing, { update, response, settable: { update: ['id'] } }))
  t.strictSame(await send({ method: 'PUT', url: '/1', payload: { id: 2, name: 'a' } }), [200, { id: 2 }])
  t.strictSame(await post({ name: 'a' }), [201, { size: 1 }])
})

t.test('a service may have fewer methods, and further parts of a request', async (t) => {
  const headers = { type: 'object', required: ['x-tenant'], properties: { 'x-tenant': { type: 'integer' } } }
  const { find } = resource(Thing)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', { find: async () => [] }, { schema: { find: { ...find, headers } } as object })
  const refused = await app.inject({ url: '/things', headers: { accept: 'application/json' } })
  t.match(refused.json().message, /headers must have required property 'x-tenant'/)
  t.equal((await app.inject({ url: '/things', headers: { 'x-tenant': '1' } })).statusCode, 200)
})

t.test('a body, a query or a response beside those of the resource stops the start', async (t) => {
  const things = resource(Thing, { methods: { act: {} } }) as unknown as Record<string, object>
  const part = { type: 'object', properties: { name: { type: 'string' } } }
  const replaced: [schemas: object, message: RegExp][] = [
    [
      { create: { ...things.create, body: part } },
      /replaces the schema of resource\(\) for 'create'.* option `create`/
    ],
    [{ find: { ...things.find, querystring: part } }, /for 'find'.* option `query`/],
    [{ get: { ...things.get, response: part } }, /for 'get'.* option `response`/],
    [{ act: { ...things.act, body: part } }, /for 'act'.* option `methods.act.body`/],
    [{ act: { response: part } }, /for 'act'.* option `methods.act.response`/],
    [{ patch: { body: part } }, /needs the schema for 'patch' .* resource\(schema, { methods: { patch: false } }\)/]
  ]
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const echo = async () => ({})
  const service = { find: echo, get: echo, create: echo, patch: echo, act: echo }
  const methods = Object.keys(service)
  for (const [schemas, message] of replaced)
    t.throws(() => app.service('things', service, { methods, schema: { ...things, ...schemas } as object }), {
      message
    })
})

t.test('a schema for `patch` gives no field its default', async (t) => {
  const patches = [
    z.object({ name: z.string(), views: z.int().default(0) }).partial(),
    Type.Partial(Type.Object({ name: Type.String(), views: Type.Integer({ default: 0 }) }))
  ]
  for (const patch of patches) {
    const whole = Type.Object({ name: Type.String(), views: Type.Integer() })
    const { send } = await createEcho(t, resource(whole, { patch }))
    const change = (payload: object) => send({ method: 'PATCH', url: '/1', payload })
    t.strictSame(await change({ name: 'a' }), [200, { name: 'a' }])
    t.strictSame(await change({ views: 0 }), [200, { views: 0 }])
  }
})
