import { Readable } from 'node:stream'
import Fastify from 'fastify'
import services, { BadRequest, type HookContext, resource, type ServiceOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import * as z from 'zod'

const marker = 'MARKER-5d1f'

/** A record with the marker wherever something is hidden, or is not in the schema. */
const record = {
  id: 1,
  title: 'shown',
  secret: marker,
  unknown: marker,
  address: { city: 'shown', code: marker, unknown: marker },
  kids: [{ name: 'shown', pin: marker }]
}
const shown = { id: 1, title: 'shown', address: { city: 'shown' }, kids: [{ name: 'shown' }] }

const text = { type: 'string' }
const hidden = { ...text, writeOnly: true }
const deep = {
  address: { type: 'object', properties: { city: text, code: hidden } },
  kids: { type: 'array', items: { type: 'object', properties: { name: text, pin: hidden } } }
}
const secretText = z.string().optional().meta({ writeOnly: true })
const deepZod = {
  address: z.object({ city: z.string(), code: secretText }),
  kids: z.array(z.object({ name: z.string(), pin: secretText }))
}
const json = (secret: object) => ({
  type: 'object',
  properties: { id: { type: 'integer' }, title: text, secret, ...deep }
})
const zod = (secret: z.ZodType) => z.object({ id: z.int(), title: z.string(), secret, ...deepZod })
const schemas: Record<string, [schema: object, options: { writeOnly?: string[] }]> = {
  'JSON Schema, keywords': [json(hidden), {}],
  'JSON Schema, an option': [json(text), { writeOnly: ['secret'] }],
  'zod, keywords': [zod(secretText), {}],
  'zod, an option': [zod(z.string().optional()), { writeOnly: ['secret'] }]
}

type Schema = NonNullable<ServiceOptions['schema']>
type Service = Record<string, (...args: never[]) => unknown>

async function createApp(t: Test, schema: object, service: Service, options: ServiceOptions = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  const html = (error: Error) => `<p>${JSON.stringify(error)}</p>`
  await app.register(services, { errorHandler: { html, logger: false } })
  app.service<Record<string, unknown>, string>('things', service as object, { schema: schema as Schema, ...options })
  return (method: 'GET' | 'POST', url: string, headers: Record<string, string> = {}) =>
    app.inject({ method, url: `/things${url}`, headers, ...(method === 'POST' && { payload: {} }) })
}

const results: Record<string, () => unknown> = {
  record: () => record,
  list: () => [record, null, record],
  page: () => ({ total: 1, data: [record], secret: marker, more: { secret: marker, code: marker } }),
  iterable: async function* () {
    yield* [record, record]
  },
  stream: () => Readable.from([record, record]),
  object: () => ({ toJSON: () => record }),
  lists: () => Readable.from([[record], { total: 1, data: [record] }])
}

for (const [name, [schema, options]] of Object.entries(schemas)) {
  t.test(`what a custom method gives leaves as by get: ${name}`, async (t) => {
    const things = resource(schema, options as object)
    for (const [kind, give] of Object.entries(results)) {
      const after = (context: HookContext) => {
        if (context.params.query?.dispatched) context.dispatch = give()
      }
      const call = await createApp(
        t,
        { ...things, hooked: { body: { type: 'object' } } },
        { act: give, hooked: give },
        {
          methods: ['act', 'hooked'],
          routes: { act: 'GET /act', hooked: 'POST /hooked' },
          hooks: { after: { all: [after] } }
        }
      )
      const answers = [
        await call('GET', '/act'),
        await call('GET', '/act?dispatched=1'),
        await call('POST', '/hooked'),
        await call('POST', '', { 'x-service-method': 'act' })
      ]
      for (const { statusCode, body } of answers) {
        t.equal(statusCode, 200, `${kind}: ${body}`)
        t.notMatch(body, marker, kind)
        t.match(body, '"address":{"city":"shown"},"kids":[{"name":"shown"}]', kind)
      }
      if (kind === 'page') t.strictSame(answers[0]?.json(), { total: 1, more: {}, data: [shown] })
    }
  })

  t.test(`errors of any method tell nothing of what is hidden: ${name}`, async (t) => {
    const fail = async () => {
      throw new BadRequest('No', { record, errors: [{ record, address: record.address, seen: 'told' }] })
    }
    const stream = async () =>
      Readable.from(
        (async function* () {
          yield await fail()
        })()
      )
    const call = await createApp(
      t,
      resource(schema, options as object),
      { find: fail, get: fail, streamed: stream, act: fail },
      { methods: ['find', 'get', 'act', 'streamed'], routes: { act: 'POST /act', streamed: 'GET /streamed' } }
    )
    const field = marker.replace('MARKER', 'KNOWN')
    for (const accept of ['application/json', 'text/html'])
      for (const answer of [
        await call('GET', '', { accept }),
        await call('GET', '/1', { accept }),
        await call('GET', '/streamed', { accept }),
        await call('POST', '/act', { accept }),
        await call('POST', '', { accept, 'x-service-method': 'act' })
      ]) {
        t.equal(answer.statusCode, 400)
        const told = answer.body.replaceAll(`"unknown":"${marker}"`, field)
        t.notMatch(told, marker, answer.body)
        t.match(told, '"seen":"told"')
        t.match(told, '"city":"shown"')
      }
  })
}

t.test('a declared answer hides what the record hides', async (t) => {
  for (const [name, [schema, options]] of Object.entries(schemas)) {
    const isZod = schema instanceof z.ZodType
    const list = isZod ? z.array(schema as z.ZodType) : { type: 'array', items: schema }
    const within = isZod
      ? z.object({ count: z.int(), post: schema as z.ZodType })
      : { type: 'object', properties: { count: { type: 'integer' }, post: schema } }
    const any = isZod ? z.any() : {}
    const open = isZod ? z.looseObject({ title: z.string() }) : { type: 'object', additionalProperties: true }
    const { unknown: _, ...declared } = record
    const stored = { ...declared, address: { city: 'shown', code: marker } }
    const answers: Record<string, [response: unknown, result: unknown, sent: unknown]> = {
      list: [list, [stored], [shown]],
      item: [list, stored, shown],
      page: [list, { total: 1, data: [stored] }, { total: 1, data: [shown] }],
      within: [within, { count: 1, post: stored, secret: marker }, { count: 1, post: shown }],
      any: [any, { of: [stored] }, { of: [shown] }],
      open: [open, stored, shown]
    }
    const methods = Object.fromEntries(Object.entries(answers).map(([key, [response]]) => [key, { response }]))
    const service = Object.fromEntries(Object.entries(answers).map(([key, [, result]]) => [key, async () => result]))
    const call = await createApp(t, resource(schema, { ...options, methods } as object), service)
    for (const [key, [, , sent]] of Object.entries(answers)) {
      const answer = await call('POST', '', { 'x-service-method': key })
      t.notMatch(answer.body, marker, `${name}: ${key}`)
      t.strictSame(answer.json(), sent, `${name}: ${key}`)
    }
  }
})

t.test('what an answer is made to show leaves: a key that is shown once', async (t) => {
  const Thing = zod(z.string().optional())
  const methods = {
    renew: { response: z.object({ secret: z.string() }) },
    login: { response: z.object({ secret: z.string(), until: z.int() }) },
    part: { response: z.array(z.object({ id: z.int(), secret: z.string() })) },
    more: { response: Thing.extend({ comments: z.int() }) },
    count: { response: z.int() }
  }
  const things = resource(Thing, { writeOnly: ['secret'], methods })
  const renewed = { id: 1, secret: 'new', until: 1 }
  const call = await createApp(t, things, {
    renew: async () => renewed,
    login: async () => renewed,
    part: async () => [renewed],
    more: async () => ({ ...renewed, comments: 2 }),
    count: async () => 3
  })
  const give = async (name: string) => (await call('POST', '', { 'x-service-method': name })).json()
  t.strictSame(await give('renew'), { secret: 'new' })
  t.strictSame(await give('login'), { secret: 'new', until: 1 })
  t.strictSame(await give('part'), [{ id: 1 }], 'a part of the record is the record')
  t.strictSame(await give('more'), { id: 1, comments: 2 }, 'and so is the record with more')
  t.equal((await call('POST', '', { 'x-service-method': 'count' })).body, '3')
})

t.test('what is no record is refused with what to do, unless an answer is declared', async (t) => {
  const things = resource(zod(secretText))
  const answers: unknown[] = [{ count: 1 }, 3, true, [1], ['a'], { total: 1, data: [{ count: 1 }] }]
  for (const result of answers) {
    const call = await createApp(t, things, { act: async () => result }, { methods: ['act'] })
    const answer = await call('POST', '', { 'x-service-method': 'act', accept: 'application/json' })
    t.equal(answer.statusCode, 500)
    t.equal(
      answer.json().message,
      'things.act: the result has no field of the record of its resource. Declare what it answers, as in resource(schema, { methods: { stats: { response } } })'
    )
  }
  const undescribed = resource(zod(secretText), { methods: { act: { route: 'GET /act' } } })
  for (const result of answers) {
    const call = await createApp(t, undescribed, { act: async () => result })
    const answer = await call('GET', '/act', { accept: 'application/json' })
    t.match(
      answer.json().message,
      /^things\.act: the result has no field of the record/,
      'also of one that is declared'
    )
  }
  const passed: [result: unknown, status: number, body: string][] = [
    [{}, 200, '{}'],
    [[], 200, '[]'],
    [{ secret: marker }, 200, '{}'],
    ['text', 200, '"text"'],
    [null, 204, '']
  ]
  for (const [result, status, body] of passed) {
    const call = await createApp(t, things, { act: async () => result }, { methods: ['act'] })
    const answer = await call('POST', '', { 'x-service-method': 'act' })
    t.strictSame([answer.statusCode, answer.body], [status, body])
  }
})

t.test('a record with the fields of a page is a record', async (t) => {
  const item = z.object({ name: z.string(), pin: secretText })
  const things = resource(z.object({ total: z.int(), data: z.array(item), secret: secretText }))
  const invoice = { total: 1, data: [{ name: 'shown', pin: marker }], secret: marker }
  const call = await createApp(t, things, { act: async () => invoice }, { methods: ['act'] })
  t.strictSame((await call('POST', '', { 'x-service-method': 'act' })).json(), { total: 1, data: [{ name: 'shown' }] })
})

t.test('with another schema of what leaves, errors tell nothing of the fields that it lacks', async (t) => {
  const things = resource(z.object({ id: z.int(), hash: z.string() }), { response: z.object({ id: z.int() }) })
  const fail = async () => {
    throw new BadRequest('No', { id: 1, hash: marker })
  }
  const call = await createApp(t, things, { get: fail })
  t.strictSame((await call('GET', '/1', { accept: 'application/json' })).json().data, { id: 1 })
})

t.test('a resource that hides nothing leaves errors as they are', async (t) => {
  const fail = async () => {
    throw new BadRequest('No', { secret: 'told' })
  }
  const call = await createApp(t, resource(z.object({ id: z.int() })), { get: fail })
  t.strictSame((await call('GET', '/1', { accept: 'application/json' })).json().data, { secret: 'told' })
})

t.test('of a record that is a union, each branch hides its own', async (t) => {
  const Shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number(), code: secretText }),
    z.object({ kind: z.literal('square'), side: z.number(), key: secretText })
  ])
  const circle = { kind: 'circle', radius: 1, code: marker, key: marker }
  const square = { kind: 'square', side: 1, code: marker, key: marker }
  const every = { response: z.object({ all: z.array(Shape), more: z.any() }) }
  const service = {
    act: async () => [circle, square],
    every: async () => ({ all: [circle, square], more: { code: marker } }),
    fail: async () => {
      throw new BadRequest('No', { circle, square })
    }
  }
  const things = resource(Shape, { methods: { act: {}, every, fail: {} } })
  const call = await createApp(t, things, service)
  const sent = [
    { kind: 'circle', radius: 1 },
    { kind: 'square', side: 1 }
  ]
  const give = async (name: string) =>
    (await call('POST', '', { 'x-service-method': name, accept: 'application/json' })).json()
  t.strictSame(await give('act'), sent)
  t.strictSame(await give('every'), { all: sent, more: {} })
  t.strictSame((await give('fail')).data, { circle: sent[0], square: sent[1] })
})
