import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import services, { type ServiceOptions } from 'fastify-services'
import t from 'tap'
import { createApp, getJSON, listen } from '../support/response-app.js'

/** Sends requests at once over one connection, and goes away when all of their methods have run. */
async function leave(port: number, paths: string[], hasRun: Promise<unknown>) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
  await hasRun
  socket.destroy()
}

t.test('requests that wait behind another one on their connection end with it', { timeout: 10_000 }, async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services)
  const waiting = 15
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  let calls = 0
  let run: () => void = () => {}
  const hasRun = new Promise<void>((resolve) => {
    run = resolve
  })
  const closed: Promise<unknown>[] = []
  const signals: AbortSignal[] = []
  app.service('streams', {
    get: async (_id: string, { signal }) => {
      const source = new Readable({ read() {} })
      closed.push(once(source, 'close'))
      signals.push(signal as AbortSignal)
      if (++calls === waiting + 1) run()
      return source
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  await leave(port, ['/streams/first', ...Array(waiting).fill('/streams/next')], hasRun)
  t.equal((await Promise.all(closed)).length, waiting + 1, 'every stream is closed')
  t.ok(
    signals.every(({ aborted }) => aborted),
    'every signal aborts'
  )
  t.same(warnings, [])
})

t.test('a response that waited and got its turn is sent as others are', async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', {
    get: async (id: string) => {
      if (id === 'slow') await wait(50)
      return { id }
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  const request = (id: string, more = '') => `GET /things/${id} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  socket.write(request('slow') + request('2') + request('3', 'Connection: close\r\n'))
  let answer = ''
  for await (const chunk of socket) answer += chunk
  t.same(answer.match(/\{.*?\}/g), ['{"id":"slow"}', '{"id":"2"}', '{"id":"3"}'])
})

t.test(
  'one that waited, got its turn and is being sent ends with its connection too',
  { timeout: 10_000 },
  async (t) => {
    const app = Fastify({ forceCloseConnections: true })
    t.teardown(() => app.close())
    await app.register(services)
    const source = new Readable({ read() {} })
    const closed = once(source, 'close')
    app.service('things', {
      get: async (id: string) => {
        if (id === 'stream') return source
        await wait(50)
        return { id }
      }
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
    const request = (id: string) => `GET /things/${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    socket.write(request('slow') + request('stream'))
    source.push('chunk')
    for await (const chunk of socket) if (String(chunk).includes('chunk')) break
    await closed
    t.pass('the stream is closed')
  }
)

/** A stream, and a promise of its end. */
interface Source {
  readonly stream: unknown
  readonly closed: Promise<unknown>
}

const closing = (stream: Readable) =>
  new Promise((resolve) => {
    stream.on('error', () => {}).on('close', resolve)
  })

/** Gives its items and then nothing more, without an end: the feed of a service that waits for news. */
function feed(items: readonly unknown[], objectMode: boolean): Source {
  const stream = new Readable({ objectMode, read() {} })
  for (const item of items) stream.push(item)
  return { stream, closed: closing(stream) }
}

function endless(objectMode: boolean): Source {
  const stream = new Readable({
    objectMode,
    read() {
      setImmediate(() => this.push(objectMode ? { id: 1 } : Buffer.alloc(1024)))
    }
  })
  return { stream, closed: closing(stream) }
}

function web(items: readonly unknown[]): Source {
  let cancelled: (value?: unknown) => void = () => {}
  const closed = new Promise((resolve) => {
    cancelled = resolve
  })
  const stream = new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item)
    },
    pull: () => new Promise(() => {}),
    cancel: () => cancelled()
  })
  return { stream, closed }
}

const sources: Record<string, () => Source> = {
  'a byte stream that goes on': () => endless(false),
  'an object stream that goes on': () => endless(true),
  'a byte stream that waits': () => feed([Buffer.from('a')], false),
  'an object stream that waits': () => feed([{ id: 1 }], true),
  'a web stream of bytes that waits': () => web([new TextEncoder().encode('a')]),
  'a web stream of objects that waits': () => web([{ id: 1 }]),
  'a byte stream before its first chunk': () => feed([], false),
  'an object stream before its first chunk': () => feed([], true),
  'a web stream before its first chunk': () => web([])
}

for (const [name, create] of Object.entries(sources)) {
  t.test(`aborted download: connection ends, source destroyed: ${name}`, { timeout: 5000 }, async (t) => {
    const source = create()
    let called: () => void = () => {}
    const call = new Promise<void>((resolve) => {
      called = resolve
    })
    const service = {
      async get() {
        called()
        return source.stream
      },
      find: async () => ['alive']
    }
    const app = await createApp(t, { service })
    const base = await listen(app)
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET /things/1 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    if (name.endsWith('before its first chunk')) await call
    else await once(socket, 'data')
    socket.destroy()
    await source.closed
    t.pass('the source is closed')
    t.equal((await fetch(`${base}/things`)).status, 200)
  })
}

// An error that nobody listens to ends the process, and so the test.
const waitLong = async () => {
  await new Promise((resolve) => setTimeout(resolve, 20))
}
const failSoon = (objectMode: boolean) => {
  const stream = new PassThrough({ objectMode })
  setImmediate(() => stream.destroy(new Error('no disk')))
  return stream
}
const failing: Record<string, () => unknown> = {
  'a file that is not there': () => createReadStream('/is/not/there'),
  'a stream of bytes': () => failSoon(false),
  'a stream of objects': () => failSoon(true),
  'a web stream': () => Readable.toWeb(failSoon(false)),
  'a `Response`': () => new Response(Readable.toWeb(failSoon(false)) as ReadableStream)
}
const waiting: Record<string, ServiceOptions<Record<string, unknown>>> = {
  'an after hook': { hooks: { after: { get: [waitLong] } } },
  'an around hook': {
    hooks: {
      around: {
        get: [
          async (_context, next) => {
            await next()
            await waitLong()
          }
        ]
      }
    }
  },
  'after-middleware': { after: waitLong },
  'after-middleware with done': { after: (_request, _reply, done) => void waitLong().then(() => done()) },
  'a formatter': { formatter: async (_request, reply) => waitLong().then(() => reply.data) },
  'several hooks and middleware': {
    after: [waitLong, waitLong],
    hooks: { after: { all: [waitLong], get: [waitLong] } }
  }
}

for (const [source, create] of Object.entries(failing))
  for (const [place, options] of Object.entries(waiting))
    t.test(`a source that errors before anyone listens is an error answer: ${source}, ${place} waits`, async (t) => {
      const app = await createApp(t, { service: { get: async () => create() }, options })
      const { statusCode } = await getJSON(app, '/things/1')
      t.equal(statusCode, 500)
    })

t.test('also where the call is one of the server', async (t) => {
  const waitForError = async ({ result }: { result?: unknown }) => {
    while ((result as Readable).errored === null) await wait(5)
  }
  const app = await createApp(t, {
    service: { get: async () => createReadStream('/is/not/there') },
    options: { hooks: { after: { get: [waitForError] } } }
  })
  const stream = (await app.service('things').get('1')) as Readable
  t.equal((stream.errored as NodeJS.ErrnoException).code, 'ENOENT')
})
