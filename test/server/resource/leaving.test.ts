import { Readable } from 'node:stream'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import services, { type Formatter, type HookContext, NotFound, resource } from 'fastify-services'
import t, { type Test } from 'tap'
import Type from 'typebox'
import { createEcho } from '../../support/resource-app.js'

const schema = resource(Type.Object({ id: Type.Integer() }))
const record = { id: 1, secret: 2 }

async function createApp(t: Test, service: object, after: (context: HookContext) => void = () => {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', service as { find(): Promise<object> }, {
    schema: schema as object,
    hooks: { after: { all: [after] } }
  })
  return (url: string) => app.inject(url)
}

t.test('the records of a stream', async (t) => {
  const streams = {
    generator: async function* () {
      yield* [record, 'text', record]
    },
    stream: () => Readable.from([record, 'text', record])
  }
  for (const [name, find] of Object.entries(streams)) {
    const get = await createApp(t, { find: async () => find() })
    const { body, headers } = await get('/things')
    t.equal(headers['content-type'], 'application/x-ndjson')
    t.notMatch(body, 'secret', name)
    t.match(body, /^{"id":1}\n"text"\n/)
  }
  const bytes = await createApp(t, { find: async () => Readable.from([Buffer.from('{"secret":1}')]) })
  t.equal((await bytes('/things')).body, '{"secret":1}', 'bytes are what they are')
})

t.test('the record that comes with a redirect', async (t) => {
  const find = async () => [record]
  const get = await createApp(t, { find }, (context) => {
    context.http.location = '/elsewhere'
  })
  const { statusCode, body } = await get('/things')
  t.strictSame([statusCode, body], [303, '[{"id":1}]'])
})

t.test('what a transformation gives leaves in its own type, where its library can not say which it is', async (t) => {
  const input = () => ({ type: 'object', properties: { rank: { type: 'string' }, name: { type: 'string' } } })
  const output = () => {
    throw new Error('What a transformation gives is not known')
  }
  const validate = (value: unknown) => ({ value })
  const schema = { '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input, output } } }
  const { send } = await createEcho(t, resource(schema as never, { patch: input() as never }), {
    rank: 5,
    name: 'a',
    secret: 1
  })
  t.strictSame(await send({ url: '/1' }), [200, { rank: 5, name: 'a' }])
})

t.test('an object of any kind leaves whole', async (t) => {
  const any = { type: 'object' }
  const properties = {
    any,
    none: { ...any, additionalProperties: false },
    empty: { ...any, properties: {} },
    rest: { ...any, properties: { a: { type: 'string' } }, unevaluatedProperties: true }
  }
  const { send } = await createEcho(t, resource({ type: 'object', properties }), {
    any: { a: { b: 1 } },
    none: { a: 1 },
    empty: { a: 1 },
    rest: { a: 'a', b: 1 }
  })
  const left = { any: { a: { b: 1 } }, none: {}, empty: {}, rest: { a: 'a', b: 1 } }
  t.strictSame(await send({ url: '/1' }), [200, left])
})

type Wrap = (result: never) => unknown

const envelopes: [name: string, wrap: Wrap, sent: object][] = [
  ['a list', (result: object[]) => ({ data: result, ok: true }), { data: [{ id: 1 }, { id: 2 }], ok: true }],
  [
    'records of a list',
    (result: object[]) => ({ first: result[0], all: [result] }),
    { first: { id: 1 }, all: [[{ id: 1 }, { id: 2 }]] }
  ],
  [
    'a copy of a list, whose records are still those',
    (result: object[]) => ({ items: [...result] }),
    { items: [{ id: 1 }, { id: 2 }] }
  ],
  ['copies of records', (result: object[]) => result.map((item) => ({ ...item })), [{ id: 1 }, { id: 2 }]]
]

for (const [name, wrap, sent] of envelopes)
  t.test(`an envelope that an application puts around ${name}`, async (t) => {
    const find = async () => [record, { id: 2, secret: 3 }]
    const byHook = Fastify()
    byHook.addHook('preSerialization', async (_request, _reply, payload) => wrap(payload as never))
    await byHook.register(services)
    const byFormatter = Fastify()
    await byFormatter.register(services, { formatter: (_request, reply) => wrap(reply.data as never) })
    for (const app of [byHook, byFormatter]) {
      t.teardown(() => app.close())
      app.service('things', { find }, { schema: schema as object })
      t.strictSame((await app.inject('/things')).json(), sent)
    }
  })

t.test('a copy beside the result leaves without what the record hides, at any depth and as text', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const formatter: Formatter = (_request, { data }) => {
    const [first] = [data].flat() as [{ owner: object }]
    return { data, copy: { ...first, more: [{ first: { ...first } }], owner: JSON.stringify(first.owner) }, ok: true }
  }
  await app.register(services, { formatter })
  const hiding = Type.Object({
    id: Type.Integer(),
    secret: Type.String(),
    owner: Type.Object({ key: Type.String({ writeOnly: true }) })
  })
  const stored = { id: 1, secret: 's', owner: { key: 'k', name: 'n' } }
  app.service(
    'things',
    { find: async () => [stored], get: async () => stored },
    { schema: resource(hiding, { writeOnly: ['secret'] }) as object }
  )
  const copy = { id: 1, more: [{ first: { id: 1, owner: {} } }], owner: '{}' }
  t.strictSame((await app.inject('/things')).json(), { data: [{ id: 1, owner: {} }], copy, ok: true })
  t.strictSame((await app.inject('/things/1')).json(), { data: { id: 1, owner: {} }, copy, ok: true })
})

t.test('an envelope around a page, and around a record', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, {
    formatter: (_request, { data }) => ({ data: Object(data).data ?? data, of: Object(data).total })
  })
  const service = { find: async () => ({ total: 1, limit: 1, skip: 0, data: [record] }), get: async () => record }
  app.service('things', service, { schema: schema as object })
  t.strictSame((await app.inject('/things')).json(), { data: [{ id: 1 }], of: 1 })
  t.strictSame((await app.inject('/things/1')).json(), { data: { id: 1 } })
})

const hiding = resource({
  type: 'object',
  properties: { id: { type: 'integer' }, data: { type: 'string', writeOnly: true } }
} as const) as object
const hidden = { id: 1, data: 'secret' }

/** An application whose middleware after the call, or whose formatter, sends something, by both ways in turn. */
async function sendBy(t: Test, send: (data: never, reply: FastifyReply) => unknown, result: unknown = [hidden]) {
  const answers = []
  for (const by of ['after', 'formatter'] as const) {
    const app = Fastify()
    t.teardown(() => app.close())
    app.setNotFoundHandler((_request, reply) => void reply.code(404).send({ nothing: true }))
    await app.register(services, { errorHandler: { html: false, logger: false } })
    const middleware = (_request: FastifyRequest, reply: FastifyReply) => void send(reply.data as never, reply)
    app.service('things', { find: async () => result }, { schema: hiding, [by]: middleware })
    const { statusCode, headers, body } = await app.inject('/things')
    answers.push([statusCode, headers['content-type'], body])
  }
  t.strictSame(answers[0], answers[1], 'a formatter as middleware')
  return answers[0] as [status: number, type: string, body: string]
}

t.test('a text that middleware or a formatter sends is sent as it is, under its type', async (t) => {
  const html = await sendBy(t, (_data, reply) => reply.type('text/html').send('<p>'))
  t.strictSame(html, [200, 'text/html', '<p>'])
  const json = await sendBy(t, (_data, reply) => reply.type('application/json').send('{"a":1}'))
  t.strictSame(json, [200, 'application/json; charset=utf-8', '{"a":1}'])
})

t.test('other answers than the result, by middleware or a formatter', async (t) => {
  const type = 'application/json; charset=utf-8'
  t.strictSame(await sendBy(t, (data, reply) => reply.send(data)), [200, type, '[{"id":1}]'])
  t.strictSame(await sendBy(t, (_data, reply) => reply.send(5)), [200, type, '5'])
  t.strictSame(await sendBy(t, (_data, reply) => reply.callNotFound()), [404, type, '{"nothing":true}'])
  const refused = await sendBy(t, (_data, reply) =>
    reply.code(402).send({ error: 'Pay', id: 1, of: reply.hook?.result })
  )
  t.strictSame(refused, [402, type, '{"error":"Pay","id":1,"of":[{"id":1}]}'])
  const counted = await sendBy(t, (_data, reply) => reply.send({ count: 2n }), [])
  t.strictSame(counted, [200, type, '{"count":2}'])
})

t.test('a stream of records that middleware or a formatter sends or returns', async (t) => {
  const streams = {
    'the result': [(data: unknown) => data, () => Readable.from([hidden])],
    'a generator as the result': [
      (data: unknown) => data,
      async function* () {
        yield hidden
      }
    ],
    'records of the result': [(data: object[]) => Readable.from(data), () => [hidden]],
    envelopes: [(data: object[]) => Readable.from([{ item: data[0], copy: { ...data[0] } }]), () => [hidden]]
  } as const
  for (const [name, [make, find]] of Object.entries(streams)) {
    const line = name === 'envelopes' ? '{"item":{"id":1},"copy":{"id":1}}\n' : '{"id":1}\n'
    for (const by of ['after', 'formatter'] as const) {
      const app = Fastify()
      t.teardown(() => app.close())
      await app.register(services)
      const options = {
        [by]: (_request: FastifyRequest, reply: FastifyReply) => void reply.send(make(reply.data as never))
      }
      app.service('sent', { find: async () => find() }, { schema: hiding, ...options })
      const formatter: Formatter = (_request, reply) => make(reply.data as never)
      app.service('returned', { find: async () => find() }, { schema: hiding, formatter })
      t.equal((await app.inject('/sent')).body, line, `${name}, ${by}`)
      const returned = await app.inject('/returned')
      t.strictSame([returned.headers['content-type'], returned.body], ['application/x-ndjson', line], name)
    }
  }
})

t.test('a hidden field with a name that pages have leaves neither in a copy nor beside a page', async (t) => {
  const page = { total: 1, limit: 1, skip: 0, data: [hidden] }
  const around = await sendBy(t, (data, reply) => reply.send({ page: data, copy: { ...Object(data).data[0] } }), page)
  t.strictSame(JSON.parse(around[2]), { page: { ...page, data: [{ id: 1 }] }, copy: { id: 1 } })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', { find: async () => ({ last: hidden, ...page }) }, { schema: hiding })
  t.strictSame((await app.inject('/things')).json(), { ...page, data: [{ id: 1 }], last: { id: 1 } })
})

t.test('what is made of a result as text, by whoever makes the answer, has nothing that is hidden', async (t) => {
  const toRow = (item: object) => Object.values(item).join(';')
  const toTable = (result: unknown) => [Object(result).data ?? result].flat().map(toRow).join()
  const ofReply: Formatter = (_request, reply) => toTable(reply.data)
  const ofContext: Formatter = (_request, reply) => toTable(reply.hook?.result)
  const ofDispatch: Formatter = (_request, reply) => toTable(reply.hook?.dispatch ?? [])
  const formatters = { ofReply, ofContext, ofDispatch }
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onSend', async (_request, reply, payload) => {
    reply.header('seen', JSON.stringify([payload, reply.hook?.result]))
  })
  await app.register(services)
  const page = { total: 1, limit: 1, skip: 0, data: [hidden] }
  const methods = { find: async () => page, get: async () => hidden }
  const dispatch = ({ result }: HookContext) => ({ dispatch: result })
  for (const [name, formatter] of Object.entries(formatters)) {
    app.service(name, methods, { schema: hiding, formatter, hooks: { after: { all: [dispatch] } } })
    const middleware = (request: FastifyRequest, reply: FastifyReply) => reply.send(formatter(request, reply))
    app.service(`${name}-after`, methods, {
      schema: hiding,
      after: [middleware],
      hooks: { after: { all: [dispatch] } }
    })
  }
  for (const name of Object.keys(formatters))
    for (const url of [`/${name}`, `/${name}/1`, `/${name}-after`, `/${name}-after/1`]) {
      const { body, headers } = await app.inject(url)
      t.strictSame([body, String(headers.seen).includes('secret')], ['1', false], url)
    }
})

t.test('records that a formatter reads from a stream', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const streams = {
    node: () => Readable.from([hidden, 'text', hidden]),
    web: () => Readable.toWeb(Readable.from([hidden, 'text', hidden])),
    async *generator() {
      yield* [hidden, 'text', hidden]
    }
  }
  const formatter: Formatter = async (_request, reply) => {
    const items: unknown[] = []
    for await (const item of reply.data as AsyncIterable<unknown>) items.push(item)
    return items
  }
  for (const [name, find] of Object.entries(streams))
    app.service(name, { find: async () => find() }, { schema: hiding, formatter })
  const bytes: Formatter = (_request, reply) => reply.data
  app.service(
    'bytes',
    { find: async () => Readable.from('text', { objectMode: false }) },
    { schema: hiding, formatter: bytes }
  )
  for (const name of Object.keys(streams))
    t.strictSame((await app.inject(`/${name}`)).json(), [{ id: 1 }, 'text', { id: 1 }], name)
  t.equal((await app.inject('/bytes')).body, 'text')
})

t.test(
  'whoever makes the answer finds the rest of the context on the reply; hooks and listeners have the whole result',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    const contexts: HookContext[] = []
    const formatter: Formatter = (_request, { hook }) => [
      hook?.path,
      hook?.method,
      hook?.id,
      hook?.params.provider,
      hook?.result
    ]
    const hooks = { after: { all: [(context: HookContext) => void contexts.push(context)] } }
    app.service('things', { get: async () => hidden }, { schema: hiding, formatter, hooks })
    t.strictSame((await app.inject('/things/1')).json(), ['things', 'get', '1', 'rest', { id: 1 }])
    t.strictSame(contexts[0]?.result, hidden)
  }
)

t.test('records of a stream are projected behind middleware, which gets a stream of the same kind', async (t) => {
  const record = { id: 1, name: 'a' }
  const find: Record<string, () => unknown> = {
    node: () => Readable.from([record]),
    web: () => Readable.toWeb(Readable.from([record])),
    async *generator() {
      yield record
    }
  }
  const schema: object = resource(
    { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
    { writeOnly: ['id'] }
  )
  const pipes: unknown[] = []
  const after = async (_request: FastifyRequest, reply: FastifyReply) => {
    pipes.push(typeof Object(reply.data).pipe)
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  for (const name of Object.keys(find)) app.service(name, { find: async () => find[name]?.() }, { schema, after })
  for (const name of Object.keys(find)) t.equal((await app.inject(`/${name}`)).body, '{"name":"a"}\n', name)
  t.strictSame(pipes, ['function', 'undefined', 'undefined'])
})

t.test('a source of records that nobody reads is closed, whatever is answered in its place', async (t) => {
  const answers: [method: 'GET' | 'HEAD', answer: (reply: FastifyReply) => unknown][] = [
    ['GET', (reply) => void reply.code(304)],
    ['HEAD', () => {}],
    [
      'GET',
      () => {
        throw new Error('Middleware fails')
      }
    ]
  ]
  for (const [method, answer] of answers) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { html: false, logger: false } })
    const closed = new Promise((resolve) => {
      const cancel = () => resolve(true)
      const find = async () => new ReadableStream({ pull: (controller) => controller.enqueue(hidden), cancel })
      const after = async (_request: FastifyRequest, reply: FastifyReply) => answer(reply)
      app.service('things', { find }, { schema: hiding, after })
    })
    await app.inject({ method, url: '/things' })
    t.ok(await closed, `${method} ${answer}`)
  }
})

/** The options of services that send their result as it is, in each of three ways. */
const variants = {
  plain: {},
  after: { after: async () => {} },
  formatter: { formatter: (_request: FastifyRequest, reply: FastifyReply) => reply.data }
}

t.test('a result that is an error is one, for the default answer, middleware and formatters', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const find = async () => new NotFound('No thing') as never
  for (const [name, options] of Object.entries(variants)) app.service(name, { find }, { schema: hiding, ...options })
  for (const name of Object.keys(variants))
    t.match((await app.inject(`/${name}`)).json(), { name: 'NotFound', message: 'No thing', code: 404 }, name)
})

t.test('what is no record where one is to be leaves as `null`, behind middleware and formatters too', async (t) => {
  const nothing = { response: { type: 'null' } }
  const schema = resource(Type.Object({ id: Type.Integer() }), { methods: { act: nothing, list: nothing } }) as object
  const list = async () => Readable.from([hidden, 'text'])
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async ({ headers }, reply) => {
    if (headers.accept === 'text/own') reply.type('text/own').serializer((data) => `own ${data}`)
  })
  await app.register(services)
  for (const [name, options] of Object.entries(variants))
    app.service(name, { act: async () => hidden, list }, { schema, ...options })
  for (const name of Object.keys(variants)) {
    const call = (method: string, headers = {}) =>
      app.inject({ method: 'POST', url: `/${name}`, headers: { 'x-service-method': method, ...headers } })
    const answer = await call('act')
    const type = 'application/json; charset=utf-8'
    t.strictSame([answer.statusCode, answer.headers['content-type'], answer.body], [200, type, 'null'], name)
    t.equal((await call('list')).body, 'null\n"text"\n', name)
    const encoded = await call('act', { accept: 'text/own' })
    t.strictSame([encoded.headers['content-type'], encoded.body], ['text/own', 'own null'], name)
  }
})

t.test('an integer that no number has is a text in an answer', async (t) => {
  const large = 12345678901234567890n
  const properties = { large: { type: 'integer' }, text: { type: 'string' }, part: {}, secret: { type: 'string' } }
  const schema = resource({ type: 'object', properties }, { writeOnly: ['secret'] }) as object
  const text = `"\\ ${large}, ${large}`
  const get = async () => ({ large, text, part: 0.1234567890123456, secret: 's' })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('plain', { get }, { schema })
  app.service('around', { get }, { schema, formatter: (_request, reply) => reply.data })
  app.service('small', { get: async () => ({ large: 5n }) }, { schema })
  for (const path of ['plain', 'around'])
    t.strictSame((await app.inject(`/${path}/1`)).json(), { large: String(large), text, part: 0.1234567890123456 })
  t.equal((await app.inject('/small/1')).body, '{"large":5}')
})
