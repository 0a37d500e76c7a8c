import { createReadStream } from 'node:fs'
import { PassThrough, Readable, Transform } from 'node:stream'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { createApp } from '../support/response-app.js'

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
