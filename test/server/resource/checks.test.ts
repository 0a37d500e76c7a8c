import { setImmediate } from 'node:timers/promises'
import { type } from 'arktype'
import { resource } from 'fastify-services'
import t from 'tap'
import Type from 'typebox'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'

const range = z
  .object({ id: z.int(), from: z.int(), to: z.int(), name: z.string().trim().default('none') })
  .refine(({ from, to }) => from <= to, { message: 'The end is before the start', path: ['to'] })
const readOnly = { readOnly: ['id'] } as const

t.test('a check of the whole record runs on the bodies of `create` and `update`', async (t) => {
  const { send, post } = await createEcho(t, resource(range, readOnly))
  for (const [method, url] of [['POST'], ['PUT', '/1']] as const) {
    const request = { method, ...(url && { url }) }
    const [status] = await send({ ...request, payload: { from: 1, to: 2 } })
    t.equal(status, method === 'POST' ? 201 : 200)
    t.strictSame(await send({ ...request, payload: { from: 2, to: 1 } }), [400, 'to: The end is before the start'])
  }
  t.strictSame(await post({ from: 1, to: 2, name: ' a ' }), [201, { from: 1, to: 2, name: 'a' }], 'transformed')
  t.strictSame(
    await post([
      { from: 1, to: 2 },
      { from: 2, to: 1 }
    ]),
    [400, '[1].to: The end is before the start']
  )
})

t.test('a part of a record can not be checked as a whole', async (t) => {
  const { send } = await createEcho(t, resource(range, readOnly))
  const payload = { from: 2, to: 1 }
  t.strictSame(await send({ method: 'PATCH', url: '/1', payload }), [200, payload], 'and gets no defaults')
})

t.test('a schema for `patch` is checked by its library', async (t) => {
  const patch = z
    .object({ from: z.int(), to: z.int() })
    .refine(({ from, to }) => from <= to, 'The end is before the start')
  const { send } = await createEcho(t, resource(range, { ...readOnly, patch }))
  const change = (payload: object) => send({ method: 'PATCH', url: '/1', payload })
  t.strictSame(await change({ from: 2, to: 1 }), [400, 'The end is before the start'])
  t.strictSame(await change({ from: 1 }), [400, 'to is required'])
  t.strictSame(await change({ from: 1, to: 2 }), [200, { from: 1, to: 2 }])
})

t.test('what a library says of a body is told with its place, and a refusal without a word, too', async (t) => {
  const issues: Record<string, object[]> = {
    record: [{ message: 'no' }],
    place: [{ message: 'no', path: [{ key: 'name' }, 0, 'deep'] }],
    symbol: [{ message: 'no', path: [Symbol('s')] }],
    several: [{ message: 'no', path: ['name'] }, { message: 'neither' }],
    nothing: []
  }
  const jsonSchema = () => ({ type: 'object', properties: { name: { type: 'string' } } })
  const validate = (value: unknown) => ({ value, issues: issues[(value as { name: string }).name] })
  const standard = { version: 1, vendor: 'own', validate, jsonSchema: { input: jsonSchema, output: jsonSchema } }
  const patch = jsonSchema() as never
  const { post } = await createEcho(t, resource({ '~standard': standard } as never, { patch }))
  const messages = Object.fromEntries(
    await Promise.all(Object.keys(issues).map(async (name) => [name, (await post({ name }))[1]]))
  )
  t.strictSame(messages, {
    record: 'no',
    place: 'name[0].deep: no',
    symbol: 'Symbol(s): no',
    several: 'name: no (and 1 more)',
    nothing: 'The data is not valid'
  })
})

t.test('a fault of a whole record has no place, whatever class of lists a library uses', async (t) => {
  const either = type({ a: 'string' }).or({ b: 'number' })
  const { app } = await createEcho(t, resource(either))
  const response = await app.inject({ method: 'POST', url: '/things', payload: { b: 'x' } })
  const places = response.json().errors.map(({ instancePath }: { instancePath: string }) => instancePath)
  t.strictSame([response.statusCode, places], [400, ['/b', '']])
})

t.test('all faults of a field and of a list of records are told, up to 20', async (t) => {
  const line = z.object({ sku: z.string(), count: z.int().or(z.null()) })
  const orders = resource(z.object({ lines: z.array(line), open: z.boolean().optional() }))
  const { app } = await createEcho(t, orders)
  const placesOf = async (payload: object) => {
    const response = await app.inject({ method: 'POST', url: '/things', payload })
    t.equal(response.statusCode, 400)
    return response.json().errors.map(({ instancePath }: { instancePath: string }) => instancePath)
  }
  const lines = [{ sku: 1, count: 'x' }, { sku: 2 }]
  const places = ['/lines/0/sku', '/lines/0/count', '/lines/1/sku', '/lines/1/count']
  t.strictSame(await placesOf({ lines }), places)
  t.strictSame(await placesOf({ lines, open: 1 }), ['/lines/0/sku', '/open', ...places.slice(1)])
  t.strictSame(await placesOf([{ lines: 1 }, { lines: [] }, { lines: 2, more: 1 }]), [
    '/0/lines',
    '/2/more',
    '/2/lines'
  ])
  const many = Array.from({ length: 30 }, () => ({ sku: 1, count: 1 }))
  t.equal((await placesOf({ lines: many })).length, 20)
  t.equal((await placesOf(Array.from({ length: 30 }, () => ({ more: 1, lines: [] })))).length, 20)
})

t.test('checks may be async', async (t) => {
  const free = z
    .object({ name: z.string() })
    .refine(async ({ name }) => (await setImmediate(name)) !== 'taken', 'It is taken')
  const { post } = await createEcho(t, resource(free))
  t.strictSame(await post({ name: 'a' }), [201, { name: 'a' }])
  t.strictSame(await post([{ name: 'a' }, { name: 'b' }]), [201, [{ name: 'a' }, { name: 'b' }]])
  t.strictSame(await post({ name: 'taken' }), [400, 'It is taken'])
  t.strictSame(await post([{ name: 'a' }, { name: 'taken' }]), [400, '[1]: It is taken'])
})

t.test('fields that only the server sets may be of any type', async (t) => {
  const set = {
    id: z.uuid(),
    at: z.iso.datetime(),
    day: z.iso.date(),
    email: z.email(),
    url: z.url(),
    count: z.int().min(5),
    ratio: z.number(),
    slug: z.string().min(3),
    letter: z.string().max(1),
    word: z.string().regex(/^\w+$/),
    tags: z.array(z.string()),
    open: z.boolean(),
    kind: z.enum(['a', 'b']),
    none: z.null(),
    more: z.object({})
  }
  const thing = z.object({ ...set, a: z.string() }).refine(({ a }) => a !== 'x', 'not x')
  const { post } = await createEcho(t, resource(thing, { readOnly: Object.keys(set) as 'id'[] }))
  t.strictSame(await post({ a: 'y' }), [201, { a: 'y' }])
  t.strictSame(await post({ a: 'x' }), [400, 'not x'])
})

t.test('fields that only the server sets may have limits of their numbers and lists', async (t) => {
  const set = {
    debt: z.number().negative(),
    loss: z.int().max(-5),
    ratio: z.number().gt(0).lt(1),
    even: z.int().multipleOf(2).min(3),
    below: z.number().lte(0.5),
    roles: z.array(z.string()).min(2),
    deep: z.object({
      tags: z.array(z.int()).min(1),
      code: z
        .string()
        .regex(/^\d{4}$/)
        .optional()
    }),
    pair: z.tuple([z.string(), z.int()]),
    none: z.array(z.string()).max(0)
  }
  const thing = z.object({ ...set, a: z.string() })
  const { post } = await createEcho(t, resource(thing, { readOnly: Object.keys(set) as 'debt'[] }))
  t.strictSame(await post({ a: 'y' }), [201, { a: 'y' }])
})

t.test('fields that only the server sets may be of any format of text', async (t) => {
  const formats = [z.uuidv7(), z.uuidv6(), z.iso.time(), z.iso.datetime({ local: true }), z.e164()]
  for (const id of formats) {
    const { post } = await createEcho(t, resource(z.object({ id, name: z.string() }), { readOnly: ['id'] }))
    t.strictSame(await post({ name: 'a' }), [201, { name: 'a' }])
  }
})

t.test('what a library has frozen is taken, without the fields that only the server sets', async (t) => {
  const author = z.object({ id: z.int().readonly(), name: z.string() })
  const frozen = z.object({
    id: z.int(),
    author: author.transform((value) => Object.freeze(value)),
    list: z.array(author).transform((values) => Object.freeze(values.map((value) => Object.freeze(value)))),
    text: z.object({ id: z.int().readonly() }).transform(() => 'text'),
    none: z.object({ author }).transform(() => null)
  })
  const response = z.looseObject({ id: z.int() })
  const payload = {
    author: { name: 'a' },
    list: [{ name: 'b' }, { name: 'c' }],
    text: {},
    none: { author: { name: 'd' } }
  }
  for (const schema of [frozen, frozen.transform((value) => Object.freeze(value))]) {
    const { post } = await createEcho(t, resource(schema, { readOnly: ['id'], patch: z.looseObject({}), response }))
    t.strictSame(await post(payload), [201, { ...payload, text: 'text', none: null }])
  }
  const { post } = await createEcho(t, resource(z.object({ id: z.int(), name: z.string() }).readonly(), readOnly))
  t.strictSame(await post({ name: 'a' }), [201, { name: 'a' }])
})

t.test('the option `create` is for `update`, too', async (t) => {
  const thing = z.object({ id: z.string().regex(/^\d{4}$/), a: z.string() })
  const { send, post } = await createEcho(
    t,
    resource(thing, { ...readOnly, create: z.object({ a: z.string().min(2) }) })
  )
  t.strictSame(await post({ a: 'aa' }), [201, { a: 'aa' }])
  t.strictSame(await send({ method: 'PUT', url: '/1234', payload: { a: 'a' } }), [
    400,
    'a must have at least 2 characters'
  ])
  t.strictSame(await post({ a: 'aa', id: '1' }), [400, 'id can not be set'])
})

t.test('a transformation that throws for some values stops no start', async (t) => {
  const fields = { id: z.int(), a: z.string().transform((text) => JSON.parse(text)) }
  const { post, send } = await createEcho(t, resource(z.object(fields), readOnly))
  t.strictSame(await post({ a: '[1]' }), [201, { a: [1] }])
  t.strictSame(await send({ method: 'PATCH', url: '/1', payload: { a: '{"b":2}' } }), [200, { a: { b: 2 } }])
})

t.test('what a library says of a part is read without the text that it makes of all', async (t) => {
  const unread = {
    toJSON() {
      throw new Error('read')
    }
  }
  const name = z.string().refine((text) => text !== 'x', { message: 'another one', params: { unread } })
  const { send } = await createEcho(t, resource(z.object({ id: z.int(), name }), readOnly))
  t.strictSame(await send({ method: 'PATCH', url: '/1', payload: { name: 'x' } }), [400, 'name: another one'])
})

t.test('a list of very many faults is told the first of them', async (t) => {
  const { post } = await createEcho(t, resource(z.object({ a: z.array(z.number()) })))
  t.strictSame(await post({ a: Array(200_000).fill('b') }), [400, 'a[0] must be a number'])
})

t.test('a form has texts alone: they are converted as in a query', async (t) => {
  const schema = resource(
    Type.Object({
      n: Type.Integer(),
      tags: Type.Array(Type.Integer()),
      deep: Type.Optional(Type.Object({ on: Type.Boolean() })),
      name: Type.String()
    })
  )
  const { send } = await createEcho(t, schema)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const form = (payload: string) => send({ method: 'POST', payload, headers })
  t.strictSame(await form('n=1&tags=2&deep[on]=true&name=3'), [201, { n: 1, tags: [2], deep: { on: true }, name: '3' }])
  t.strictSame(await form('n=1&tags[]=2&tags[]=3&name=null'), [201, { n: 1, tags: [2, 3], name: 'null' }])
  t.strictSame(await form('n=1&tags[]=2&deep=x&name=a'), [400, 'deep must be an object'])
  t.strictSame(await form('n=1&tags[a]=2&name=a&other=1'), [400, 'other is not known (and 1 more)'])
  t.strictSame(
    await send({ method: 'POST', payload: { n: '1', tags: [], name: 'a' } }),
    [400, 'n must be an integer'],
    'JSON has types'
  )
})

t.test('a call of the server itself is not checked', async (t) => {
  const { app } = await createEcho(t, resource(range, readOnly))
  const service = app.service('things') as unknown as {
    create(data: object): Promise<object>
    find(p: object): Promise<object>
  }
  t.strictSame(await service.create({ id: 1, other: 2 }), { id: 1, other: 2 })
  t.strictSame(await service.find({ query: { other: 1 } }), [{ other: 1 }])
})
