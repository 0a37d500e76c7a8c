import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { connect } from 'node:net'
import { PassThrough, Readable, Transform } from 'node:stream'
import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyServerOptions } from 'fastify'
import services, { type HookContext, type ServiceOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp } from '../support/response-app.js'
import { sources } from '../support/sources.js'

const file = fileURLToPath(import.meta.url)
const records = [{ id: 1 }, { id: 2 }]

const web = (...chunks: unknown[]) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    }
  })

const get = async (t: Test, result: () => unknown) => {
  const app = await createApp(t, { service: { get: async () => result() } })
  return app.inject('/things/1')
}

t.test('Node streams are sent as they are: a file', async (t) => {
  const response = await get(t, () => createReadStream(file))
  t.equal(response.statusCode, 200)
  t.match(response.body, 'Node streams are sent as they are: a file')
})

t.test('Node streams are sent as they are: bytes, a transform, strings in object mode', async (t) => {
  t.equal((await get(t, () => Readable.from([Buffer.from('a'), Buffer.from('b')], { objectMode: false }))).body, 'ab')
  t.equal((await get(t, () => new PassThrough().end('ab'))).body, 'ab')
  const upper = new Transform({ transform: (chunk, _encoding, done) => done(null, String(chunk).toUpperCase()) })
  t.equal((await get(t, () => upper.end('ab'))).body, 'AB')
  t.equal((await get(t, () => Readable.from(['a', 'b']))).body, 'ab', 'not as JSON')
  t.equal((await get(t, () => Readable.from([Buffer.from('a'), Buffer.from('b')]))).body, 'ab', 'bytes in object mode')
})

t.test('a Node stream of objects is sent as newline-delimited JSON', async (t) => {
  const response = await get(t, () => Readable.from([...records, 'text', 0, [1]]))
  t.equal(response.statusCode, 200)
  t.equal(response.headers['content-type'], 'application/x-ndjson')
  t.strictSame(
    response.body
      .split('\n')
      .slice(0, 2)
      .map((line) => JSON.parse(line)),
    records
  )
  t.equal((await get(t, () => Readable.from(records))).body, '{"id":1}\n{"id":2}\n')
})

t.test('every line of a stream of objects is JSON, a string among them too', async (t) => {
  const response = await get(t, () => Readable.from([{ id: 1 }, 'text', 0, false, [1]]))
  t.equal(response.body, '{"id":1}\n"text"\n0\nfalse\n[1]\n')
})

t.test('what JSON has no word for is `null` in a stream of objects, as it is in a list', async (t) => {
  const items = [{ id: 1 }, undefined, () => {}, Symbol('x')]
  t.equal((await get(t, () => Readable.from(items))).body, '{"id":1}\nnull\nnull\nnull\n')
  t.equal((await get(t, () => Readable.from([undefined, { id: 1 }]))).body, 'null\n{"id":1}\n')
})

t.test('an async generator is a stream: of objects, of bytes, of nothing', async (t) => {
  async function* give(...items: unknown[]) {
    yield* items
  }
  const objects = await get(t, () => give(...records))
  t.equal(objects.body, '{"id":1}\n{"id":2}\n')
  t.equal(objects.headers['content-type'], 'application/x-ndjson')
  t.equal((await get(t, () => give(Buffer.from('a'), 'b'))).body, 'ab')
  t.equal((await get(t, () => give())).body, '')
})

t.test('web streams are sent as they are: bytes and strings', async (t) => {
  const encoder = new TextEncoder()
  t.equal((await get(t, () => web(encoder.encode('a'), encoder.encode('b')))).body, 'ab')
  t.equal((await get(t, () => web('a', 'b'))).body, 'ab')
  t.equal((await get(t, () => new Response('ab').body)).body, 'ab')
})

t.test('a web stream of objects is sent as newline-delimited JSON', async (t) => {
  const response = await get(t, () => web(...records))
  t.equal(response.headers['content-type'], 'application/x-ndjson')
  t.equal(response.body, '{"id":1}\n{"id":2}\n')
})

t.test('a stream without items is an empty answer', async (t) => {
  for (const empty of [() => Readable.from([]), () => web(), () => new PassThrough().end()]) {
    const response = await get(t, empty)
    t.equal(response.statusCode, 200)
    t.equal(response.body, '')
  }
})

t.test('a stream as the result of create: 201', async (t) => {
  const app = await createApp(t, { service: { create: async () => Readable.from(records) } })
  const response = await app.inject({ method: 'POST', url: '/things', payload: {} })
  t.equal(response.statusCode, 201)
  t.equal(response.body, '{"id":1}\n{"id":2}\n')
})

const failures: Record<string, () => unknown> = {
  'a byte stream': () =>
    new Readable({
      read() {
        this.destroy(new Error('no disk'))
      }
    }),
  'a file that is not there': () => createReadStream('/no/such/file'),
  'an object stream': () =>
    new Readable({
      objectMode: true,
      read() {
        this.destroy(new Error('no disk'))
      }
    }),
  'a web stream': () =>
    new ReadableStream({
      pull() {
        throw new Error('no disk')
      }
    })
}

for (const [name, result] of Object.entries(failures)) {
  t.test(`stream that fails before its first chunk: 500 in the error format: ${name}`, async (t) => {
    const app = await createApp(t, { service: { get: async () => result() } })
    const response = await app.inject({ url: '/things/1', headers: { accept: 'application/json' } })
    t.equal(response.statusCode, 500)
    t.match(response.json(), { name: 'GeneralError', code: 500, className: 'general-error' })
    t.match(response.headers['content-type'], 'application/json')
  })
}

t.test('HEAD of a stream: as GET, no body, and the source is closed', async (t) => {
  let closed = 0
  const source = () =>
    Readable.from(records).once('close', () => {
      closed++
    })
  const bytes = () =>
    new PassThrough().end('ab').once('close', () => {
      closed++
    })
  const results: Record<string, () => unknown> = {
    objects: source,
    bytes,
    web: () => web(...records),
    text: () => web('a')
  }
  const app = await createApp(t, { service: { get: async (id: string) => results[id]?.() } })
  for (const id of Object.keys(results)) {
    const response = await app.inject({ method: 'HEAD', url: `/things/${id}` })
    t.equal(response.statusCode, 200, id)
    t.equal(response.body, '')
  }
  await new Promise(setImmediate)
  t.equal(closed, 2)
})

type Options = ServiceOptions
interface Way {
  readonly status: number
  readonly options?: Options
  readonly server?: FastifyServerOptions
  readonly method?: 'HEAD'
}

const fail = () => {
  throw new Error('broken')
}
const after = (...hooks: ((context: HookContext) => unknown)[]): Options => ({ hooks: { after: { get: hooks } } })
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** What becomes of a stream that is never sent. */
const ways: Readonly<Record<string, Way>> = {
  'an after hook replaces it': {
    status: 200,
    options: after((context) => {
      context.result = { id: 1 } as never
    })
  },
  'an after hook refuses it': { status: 500, options: after(fail) },
  'an after hook puts another in its place, and refuses that': {
    status: 500,
    options: after(async (context) => {
      context.result = (await sources['a stream of bytes']?.())?.result as never
    }, fail)
  },
  'a hook sends something else as dispatch': {
    status: 200,
    options: after((context) => {
      context.dispatch = { id: 1 }
    })
  },
  'an after hook makes it the dispatch, and refuses that': {
    status: 500,
    options: after((context) => {
      context.dispatch = context.result
      context.result = { id: 1 } as never
    }, fail)
  },
  'a hook sets a bad header': {
    status: 500,
    options: after((context) => {
      context.http.headers = { 'x-bad': 'a\r\nb' }
    })
  },
  'after-middleware answers itself': {
    status: 200,
    options: { after: async (_request, reply) => reply.send({ id: 1 }) }
  },
  'after-middleware throws': { status: 500, options: { after: fail } },
  'the formatter throws': { status: 500, options: { formatter: fail } },
  'the formatter answers 406': {
    status: 406,
    options: { formatter: (_request, reply) => reply.format({ 'text/plain': fail }) }
  },
  'the formatter gives something else': { status: 200, options: { formatter: () => 'text' } },
  'the time for the call passes': {
    status: 503,
    options: after(({ params }) => new Promise((resolve) => params.signal?.addEventListener('abort', resolve))),
    server: { handlerTimeout: 50 }
  },
  'the request is HEAD': { status: 200, method: 'HEAD' }
}

for (const [kind, create] of Object.entries(sources))
  for (const [way, { status, options, server, method = 'GET' }] of Object.entries(ways))
    t.test(`a stream that is not sent is closed: ${kind}, ${way}`, async (t) => {
      const source = await create()
      const app = Fastify({ forceCloseConnections: true, ...server })
      t.teardown(() => app.close())
      await app.register(services, { errorHandler: { logger: false } })
      app.service('things', { get: async () => source.result }, options)
      const response = await app.inject({ method, url: '/things/1', headers: { accept: 'application/json' } })
      t.equal(response.statusCode, status)
      await source.closed
    })

for (const [kind, create] of Object.entries(sources))
  t.test(`a stream that is not sent is closed: ${kind}, the client has left while the method ran`, async (t) => {
    const source = await create()
    let leave: () => void = () => {}
    const hasLeft = new Promise<void>((resolve) => {
      leave = resolve
    })
    const app = Fastify({ forceCloseConnections: true })
    t.teardown(() => app.close())
    await app.register(services)
    const get = async () => {
      socket.destroy()
      await hasLeft
      return source.result
    }
    app.service('things', { get })
    app.addHook('onRequest', async (_request, reply) => void reply.raw.once('close', leave))
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('GET /things/1 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await source.closed
    t.pass()
  })

t.test('a call of the server that fails closes its stream, one that succeeds hands it over', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  for (const [kind, create] of Object.entries(sources)) {
    const source = await create()
    const refused = app.service(
      `refused/${kind.replace(/\W+/g, '-')}`,
      { get: async (_id: string) => source.result },
      after(fail)
    )
    await t.rejects(refused.get('1'), { message: 'broken' })
    await source.closed
  }
  const [create] = Object.values(sources)
  const source = await create?.()
  const get = async (_id: string) => source?.result
  const later = app.service(
    'handed-over',
    { get },
    after(async (context) => {
      await wait(1)
      context.dispatch = context.result
    })
  )
  const stream = (await later.get('1')) as { destroyed: boolean; listenerCount(event: string): number }
  t.equal(stream, source?.result)
  t.equal(stream.destroyed, false)
  t.equal(stream.listenerCount('error'), 0, 'its errors are the affair of the caller')
})
