import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import services, { type HookContext, type Id, resource, type ServiceOptions } from 'fastify-services'
import t, { type Test } from 'tap'

const accept = 'application/x-marked'
const mark = (data: unknown) => `marked:${JSON.stringify(data)}`
const record = { id: '1', name: 'Ada', password: 'hash' }
const left = { id: '1', name: 'Ada' }
const shape = {
  type: 'object',
  properties: { id: { type: 'string' }, name: { type: 'string' }, password: { type: 'string', writeOnly: true } }
} as const
const schema = resource(shape, { methods: { first: {} } })

// What a method gives that is no record.
const answers = {
  text: 'Ada',
  bytes: Buffer.from('Ada'),
  blob: new Blob(['Ada'], { type: 'image/png' }),
  none: null,
  nothing: null,
  record
} as unknown as Record<Id, typeof record | null>
const things = {
  find: async () => [record],
  get: async (id: Id) => (id === 'lines' ? (Readable.from([record]) as never) : (answers[id] ?? null)),
  first: async () => record
}

/** Places for a hook of the application that sets a serializer by `Accept`. */
type Place = 'onRequest' | 'preHandler' | 'preSerialization'
function addSerializer(app: FastifyInstance, place: Place): void {
  if (place === 'preSerialization')
    app.addHook(place, async (request, reply, payload) => {
      if (request.headers.accept === accept) reply.type(accept).serializer(mark)
      return payload
    })
  else
    app.addHook(place, async (request, reply) => {
      if (request.headers.accept === accept) reply.type(accept).serializer(mark)
    })
}

type Where = 'before' | 'after' | 'child'
interface Setting {
  readonly place: Place
  readonly where?: Where
  readonly options?: ServiceOptions
}

async function start(t: Test, { place, where = 'before', options = { schema } }: Setting) {
  const app = Fastify()
  t.teardown(() => app.close())
  if (where === 'before') addSerializer(app, place)
  await app.register(services)
  if (where === 'after') addSerializer(app, place)
  await app.register(async (child) => {
    if (where === 'child') addSerializer(child, place)
    child.service('things', things, { methods: ['find', 'get', 'first'], ...options })
  })
  return async (url: string, type = accept) => {
    const { statusCode, headers, body } = await app.inject(
      url === '/things/first'
        ? { method: 'POST', url: '/things', payload: {}, headers: { accept: type, 'x-service-method': 'first' } }
        : { url, headers: { accept: type } }
    )
    return [statusCode, headers['content-type'], body]
  }
}

for (const place of ['onRequest', 'preHandler', 'preSerialization'] as const)
  for (const where of ['before', 'after', 'child'] as const)
    t.test(`a serializer of \`${place}\`, set ${where}, gets what may leave, under its own type`, async (t) => {
      const ask = await start(t, { place, where })
      t.strictSame(await ask('/things'), [200, accept, mark([left])])
      t.strictSame(await ask('/things/record'), [200, accept, mark(left)])
      t.strictSame(await ask('/things/first'), [200, accept, mark(left)])
      t.strictSame(
        await ask('/things', 'application/json'),
        [200, 'application/json; charset=utf-8', JSON.stringify([left])],
        'for one type only'
      )
      const [status, type, body] = await ask('/things/nothing', 'application/json')
      t.strictSame([status, type, body], [204, undefined, ''])
    })

t.test('a serializer of the application gets a page, a dispatch and an envelope as they leave', async (t) => {
  const hidden = { ...record, name: 'Grace' }
  const after = {
    find: [
      (context: HookContext) => {
        context.result = { total: 1, limit: 1, skip: 0, data: context.result } as never
      }
    ],
    get: [
      (context: HookContext) => {
        context.dispatch = hidden
      }
    ]
  }
  for (const place of ['onRequest', 'preSerialization'] as const) {
    const ask = await start(t, { place, options: { schema, hooks: { after } } })
    t.same((await ask('/things'))[2], mark({ total: 1, limit: 1, skip: 0, data: [left] }))
    t.same((await ask('/things/record'))[2], mark({ id: '1', name: 'Grace' }))
    const enveloped = await start(t, {
      place,
      options: { schema, formatter: (_request, reply) => ({ data: reply.data }) }
    })
    t.strictSame(await enveloped('/things/record'), [200, accept, mark({ data: left })])
  }
})

t.test(
  'a formatter that sets a serializer hands what may leave to it, and its texts are sent as they are',
  async (t) => {
    const ask = await start(t, {
      place: 'onRequest',
      options: {
        schema,
        formatter: (request, reply) => {
          if (request.headers.accept === 'text/plain') {
            reply.type('text/plain')
            return 'A text'
          }
          reply.type('application/x-own').serializer((data: unknown) => `own:${JSON.stringify(data)}`)
          return reply.data
        }
      }
    })
    t.strictSame(await ask('/things', 'application/x-own'), [200, 'application/x-own', `own:${JSON.stringify([left])}`])
    t.strictSame(await ask('/things', 'text/plain'), [200, 'text/plain', 'A text'])
  }
)

t.test('a hook that takes the serializer away, or sets one that fails, lets nothing more out', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('preSerialization', async (request, reply, payload) => {
    const fail = () => {
      throw new Error('hash')
    }
    reply.serializer(request.headers.accept === accept ? fail : (null as never))
    return payload
  })
  await app.register(services, { errorHandler: { html: false } })
  app.service('things', { find: things.find }, { schema: resource(shape) })
  t.same((await app.inject('/things')).json(), [left])
  const failed = await app.inject({ url: '/things', headers: { accept } })
  t.equal(failed.statusCode, 500)
  t.equal(failed.json().message, 'A serializer of the application has failed')
})

t.test('a record that a hook has encoded itself is refused', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('preSerialization', async (_request, reply, payload) => {
    reply.type(accept).serializer((bytes: unknown) => bytes as string)
    return Buffer.from(JSON.stringify(payload))
  })
  await app.register(services)
  app.service('things', { find: things.find }, { schema: resource(shape) })
  const { statusCode, body, headers } = await app.inject({ url: '/things', headers: { accept: 'application/json' } })
  t.equal(statusCode, 500)
  t.match(headers['content-type'], 'application/json')
  t.notMatch(body, /hash/)
})

t.test('a serializer of the application has no part in what is no data, nor its type', async (t) => {
  for (const options of [{}, { schema }]) {
    const ask = await start(t, { place: 'onRequest', options })
    t.strictSame(await ask('/things/text'), [200, accept, mark('Ada')])
    t.strictSame(await ask('/things/bytes'), [200, 'application/octet-stream', 'Ada'])
    t.strictSame(await ask('/things/blob'), [200, 'image/png', 'Ada'])
    t.strictSame((await ask('/things/lines'))[1], 'application/x-ndjson')
    t.strictSame((await ask('/things/none'))[0], 204)
  }
})

t.test('an error after a serializer was set is JSON, and tells so', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  addSerializer(app, 'onRequest')
  await app.register(services)
  app.service('things', { find: async () => ({ big: 1n }) })
  for (const [url, status] of [
    ['/things', 500],
    ['/things/1', 405]
  ] as const) {
    const response = await app.inject({ url, headers: { accept: `${accept}, application/json` } })
    t.equal(response.statusCode, status)
    t.match(response.headers['content-type'], 'application/json')
    t.equal(response.json().code, status)
  }
})

t.test('a type that the call names itself is that of its JSON', async (t) => {
  const name = (context: HookContext) => {
    context.http = { headers: { 'content-type': 'application/x-lines' } }
  }
  const ask = await start(t, { place: 'onRequest', options: { schema, hooks: { after: { all: [name] } } } })
  t.strictSame(await ask('/things'), [200, 'application/x-lines', JSON.stringify([left])])
})

t.test('`setReplySerializer` does not change services, and a type that is there stays', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.setReplySerializer(mark)
  app.addHook('onRequest', async (_request, reply) => void reply.type('application/hal+json'))
  await app.register(services)
  app.service('things', { find: things.find }, { schema: resource(shape) })
  const response = await app.inject('/things')
  t.match(response.headers['content-type'], /^application\/hal\+json/)
  t.same(response.json(), [left])
})

t.test('bytes have the type that the call gives them, and none of a serializer', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async (_request, reply) => void reply.type(accept).serializer(mark))
  await app.register(services)
  const bytes = { find: async () => Buffer.from('x') }
  app.service('pictures', bytes, { before: (_request, reply) => void reply.type('image/png') })
  app.service('drawings', bytes, { after: (_request, reply) => void reply.type('image/svg+xml') })
  app.service('files', bytes)
  t.equal((await app.inject('/pictures')).headers['content-type'], 'image/png')
  t.equal((await app.inject('/drawings')).headers['content-type'], 'image/svg+xml')
  t.equal((await app.inject('/files')).headers['content-type'], 'application/octet-stream')
})

t.test('a serializer of the application gets what may leave of a result that middleware sends', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async (request, reply) => {
    if (!['/marked', '/plain'].includes(request.url)) reply.type(accept).serializer(mark)
  })
  await app.register(services)
  const schema = resource(shape)
  app.service('things', { find: things.find }, { schema, after: (_request, reply) => void reply.send(reply.data) })
  app.service('others', { find: things.find }, { schema, after: () => {} })
  app.service(
    'marked',
    { find: things.find },
    { schema, after: (_request, reply) => void reply.type(accept).serializer(mark) }
  )
  app.service('plain', { find: things.find }, { schema, after: () => {} })
  t.same((await app.inject('/plain')).json(), [left])
  for (const url of ['/things', '/others', '/marked']) t.equal((await app.inject(url)).body, mark([left]), url)
})

t.test('a serializer that fails for a text which middleware or a formatter sends is an error answer', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async (_request, reply) => {
    reply.type(accept).serializer(() => {
      throw new Error('broken')
    })
  })
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const send = (_request: FastifyRequest, reply: FastifyReply) => void reply.send('text')
  const paths = (['before', 'after', 'formatter'] as const).flatMap((by) =>
    [{}, { schema: resource(shape) }].map((options, index) => {
      app.service(`${by}${index}`, { find: things.find }, { ...options, [by]: send })
      return `/${by}${index}`
    })
  )
  for (const path of paths) {
    const { statusCode, body } = await app.inject(path)
    t.strictSame([statusCode, JSON.parse(body).message], [500, 'broken'], path)
  }
})
