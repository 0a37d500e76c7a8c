import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import t from 'tap'
import { createApp, listen } from '../support/response-app.js'

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
