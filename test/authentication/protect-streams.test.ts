import { PassThrough, Readable, Stream } from 'node:stream'
import t from 'tap'
import { createProtected, open, record } from '../support/auth-passwords-protect.js'

const records = () => [record(1), { user: record(2), list: [[record(3)]] }, 'text', Buffer.from('bytes')]
const lines = `${JSON.stringify(open(1))}\n${JSON.stringify({ user: open(2), list: [[open(3)]] })}\n"text"\nbytes`

const twice: [string, string][] = [
  ['set-cookie', 'a=1'],
  ['set-cookie', 'b=2']
]

async function* generate() {
  yield* records()
}

function legacy() {
  const stream = Object.assign(new Stream(), { readable: true })
  setImmediate(() => {
    for (const one of records()) stream.emit('data', one)
    stream.emit('end')
  })
  return stream
}

const streams: Record<string, () => unknown> = {
  'a Readable of a list': () => Readable.from(records()),
  'a Readable of a generator': () => Readable.from(generate()),
  'a transform': () => Readable.from(records()).pipe(new PassThrough({ objectMode: true })),
  'a web stream': () => Readable.toWeb(Readable.from(records())),
  'a stream of the old kind': legacy
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
  const given = new Response('ab', { status: 203, headers: [...twice, ['x-own', '1']] })
  Object.defineProperty(given, 'url', { value: 'http://localhost/ab' })
  const { app } = await createProtected(t, { answer: () => given.clone() })
  const { statusCode, payload, headers } = await app.inject('/things/1')
  t.match([statusCode, payload, headers], [203, 'ab', { 'x-own': '1', 'set-cookie': ['a=1', 'b=2'] }])
  const empty = new Response(null, { status: 204 })
  const other = await createProtected(t, { answer: () => empty })
  t.equal(await other.things.get(1, { provider: 'rest' }), empty)
  const addressed = await createProtected(t, { answer: () => given })
  t.match(await addressed.things.get(1, { provider: 'rest' }), { url: 'http://localhost/ab', status: 203 })
})
