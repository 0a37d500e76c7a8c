import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable, Stream } from 'node:stream'
import t from 'tap'
import { broken, createProtected, open, record } from '../support/auth-passwords-protect.js'

const records = () => [record(1), { user: record(2), list: [[record(3)]] }, 'text', Buffer.from('bytes')]
const lines = `${JSON.stringify(open(1))}\n${JSON.stringify({ user: open(2), list: [[open(3)]] })}\n"text"\nbytes`

const twice: [string, string][] = [
  ['set-cookie', 'a=1'],
  ['set-cookie', 'b=2']
]

async function* generateAll() {
  yield* records()
}

function legacy() {
  const stream = Object.assign(new Stream(), { readable: true })
  setImmediate(() => {
    for (const item of records()) stream.emit('data', item)
    stream.emit('end')
  })
  return stream
}

const streams: Record<string, () => unknown> = {
  'a Readable of a list': () => Readable.from(records()),
  'a Readable of a generator': () => Readable.from(generateAll()),
  'a transform': () => Readable.from(records()).pipe(new PassThrough({ objectMode: true })),
  'a web stream': () => Readable.toWeb(Readable.from(records())),
  'a stream of the old kind': legacy,
  'a toJSON that gives a stream': () => ({ toJSON: () => Readable.from(records()) })
}

for (const [name, answer] of Object.entries(streams))
  t.test(`protect: the records of ${name} are without the field, bytes and text pass`, async (t) => {
    const { app } = await createProtected(t, { answer })
    for (const headers of [{}, { 'x-service-method': 'archive' }]) {
      const { payload, headers: got } = await app.inject({ method: 'POST', url: '/things', payload: {}, headers })
      t.equal(payload, lines)
      t.equal(got['content-type'], 'application/x-ndjson')
    }
  })

t.test('protect: a stream as dispatch; a call of the server gets the stream itself, unread', async (t) => {
  const { send, things } = await createProtected(t, { answer: () => Readable.from([record()]) })
  const result = (await things.get(1)) as Readable
  t.strictSame(await result.toArray(), [record()])
  things.hooks({ after: { get: [(context) => ({ ...context, dispatch: Readable.from([record(2)]) as never })] } })
  t.equal((await send('GET', '/things/1')).body, `${JSON.stringify(open(2))}\n`)
})

t.test('protect: bytes come as they are, and as bytes', async (t) => {
  for (const answer of [
    () => Readable.from(['a', 'b'], { objectMode: false }),
    () => new Response('ab', { status: 203, headers: { 'x-own': '1' } }).body
  ]) {
    const { app } = await createProtected(t, { answer })
    const { payload, headers } = await app.inject('/things/1')
    t.equal(payload, 'ab')
    t.not(headers['content-type'], 'application/x-ndjson')
  }
})

t.test('protect: a Response keeps its status, headers and address', async (t) => {
  const response = new Response('ab', { status: 203, headers: [...twice, ['x-own', '1']] })
  Object.defineProperty(response, 'url', { value: 'http://localhost/ab' })
  const { app } = await createProtected(t, { answer: () => response.clone() })
  const { statusCode, payload, headers } = await app.inject('/things/1')
  t.match([statusCode, payload, headers], [203, 'ab', { 'x-own': '1', 'set-cookie': ['a=1', 'b=2'] }])
  const empty = new Response(null, { status: 204 })
  const other = await createProtected(t, { answer: () => empty })
  t.equal(await other.things.get(1, { provider: 'rest' }), empty)
  const addressed = await createProtected(t, { answer: () => response })
  t.match(await addressed.things.get(1, { provider: 'rest' }), { url: 'http://localhost/ab', status: 203 })
})

t.test(
  'protect: a source that fails, at once, before it is read or on the way, is an error and ends nothing',
  async (t) => {
    const sources = {
      'at once': () =>
        new Readable({
          objectMode: true,
          read() {
            this.destroy(new Error('s3cret'))
          }
        }),
      'of the web': () => new ReadableStream({ start: (controller) => controller.error(new Error('s3cret')) }),
      'a record that can not be read': () => Readable.from([broken()]),
      'a record of the web that can not be read': () => Readable.toWeb(Readable.from([{ user: broken() }])),
      'closed without its end': () => new PassThrough({ objectMode: true }).destroy()
    }
    for (const [name, answer] of Object.entries(sources)) {
      const { app, send } = await createProtected(t, { answer })
      app.addHook('onSend', async () => void (await new Promise(setImmediate)))
      t.equal((await send('GET', '/things/1')).status, 500, name)
      const pending = (await app.service('things').get(1, { provider: 'rest' })) as Readable
      if (!(pending instanceof Readable)) continue
      if (!pending.closed) await new Promise((resolve) => pending.once('close', resolve))
      t.equal(pending.destroyed, true, `${name}: nobody has read it`)
    }
  }
)

t.test('protect: what closes the answer closes the source', async (t) => {
  let isClosed = () => {}
  async function* endless() {
    try {
      for (let id = 1; ; id++) {
        await new Promise(setImmediate)
        yield record(id)
      }
    } finally {
      isClosed()
    }
  }
  const web = () => {
    const items = endless()
    return new ReadableStream({
      pull: async (controller) => controller.enqueue((await items.next()).value),
      cancel: async () => void (await items.return())
    })
  }
  for (const answer of [() => Readable.from(endless()), web]) {
    const { app } = await createProtected(t, { answer })
    const closed = () =>
      new Promise<void>((resolve) => {
        isClosed = resolve
      })
    await app.listen({ port: 0 })
    const left = closed()
    const request = get({ port: (app.server.address() as AddressInfo).port, path: '/things/1' })
    const [response] = await once(request, 'response')
    await once(response, 'data')
    request.destroy()
    await left
    t.pass('a client that leaves')

    const stream = (await app.service('things').get(1, { provider: 'rest' })) as Readable | ReadableStream
    const dropped = closed()
    if (stream instanceof Readable) {
      await once(stream, 'readable')
      stream.destroy()
    } else {
      const reader = stream.getReader()
      await reader.read()
      await reader.cancel()
    }
    await dropped
    t.pass('one that is not sent')
  }
})

const external = { provider: 'rest' }

async function collect(iterable: unknown) {
  const items: unknown[] = []
  for await (const item of iterable as AsyncIterable<unknown>) items.push(item)
  return items
}

async function* generate(onEnd: () => void, ...records: unknown[]) {
  try {
    yield* records
  } finally {
    onEnd()
  }
}

t.test('protect: the records of an async generator are without the field', async (t) => {
  const answer = () => generate(() => {}, record(1), { user: record(2) }, 'text')
  const { things } = await createProtected(t, { answer })
  t.strictSame(await collect(await things.get(1, external)), [open(1), { user: open(2) }, 'text'])
  t.strictSame(await collect(await things.get(1)), [record(1), { user: record(2) }, 'text'], 'the server gets all')
})

t.test('protect: an async generator is closed when it is left, and when a record can not be read', async (t) => {
  let ends = 0
  const { things } = await createProtected(t, { answer: () => generate(() => ends++, record(1), broken(), record(2)) })
  for await (const item of (await things.get(1, external)) as AsyncIterable<unknown>) {
    t.strictSame(item, open(1))
    break
  }
  t.equal(ends, 1)
  await t.rejects(collect(await things.get(1, external)), { name: 'GeneralError', message: /is not JSON/ })
  t.equal(ends, 2)
})

t.test('protect: one that was not begun is closed too, and one that can not be closed is let go', async (t) => {
  let ends = 0
  const next = async () => ({ done: false, value: record() })
  const cursor = { next, return: async () => ({ done: true, value: ends++ }) }
  const iterators: object[] = [cursor, { next }]
  const { things } = await createProtected(t, {
    answer: () => ({ [Symbol.asyncIterator]: () => iterators.shift() })
  })
  for (const expected of [1, 1]) {
    const iterator = ((await things.get(1, external)) as AsyncIterable<unknown>)[Symbol.asyncIterator]()
    t.strictSame(await iterator.return?.(), { done: true, value: undefined })
    t.equal(ends, expected)
  }
})

t.test('protect: an error of the closing is thrown to who closes', async (t) => {
  const failing = {
    next: async () => ({ done: false, value: record() }),
    return: () => Promise.reject(new Error('open'))
  }
  const { things } = await createProtected(t, { answer: () => ({ [Symbol.asyncIterator]: () => failing }) })
  const iterator = ((await things.get(1, external)) as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  await t.rejects(iterator.return?.() as Promise<unknown>, { message: 'open' })
})
