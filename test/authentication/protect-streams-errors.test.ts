import { PassThrough, Readable, Stream } from 'node:stream'
import { Conflict } from 'fastify-services'
import t from 'tap'
import { createProtected, open, record } from '../support/auth-passwords-protect.js'

const conflict = () => new Conflict('no', { user: record() })
const fail = () => {
  throw conflict()
}
const node = (objectMode: boolean) => () =>
  new Readable({
    objectMode,
    read() {
      this.destroy(conflict())
    }
  })
const web = (type?: 'bytes') => () =>
  new ReadableStream({
    ...(type && { type }),
    start: (controller: { error(e: unknown): void }) => controller.error(conflict())
  } as object)

function legacy() {
  const stream = Object.assign(new Stream(), { readable: true })
  setImmediate(() => stream.emit('error', conflict()))
  return stream
}

const sources: Record<string, () => unknown> = {
  'an async generator': async function* () {
    yield fail()
  },
  'an async iterable that gives no iterator': () => ({ [Symbol.asyncIterator]: fail }),
  'an iterator that throws': () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }),
  'a record, and an iterator that can not be closed then': () => ({
    [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: { toJSON: fail } }), return: fail })
  }),
  'a stream of objects': node(true),
  'a stream of bytes': node(false),
  'a stream that had failed before': () => {
    const stream = node(false)().on('error', () => {})
    return stream.destroy(conflict())
  },
  'a stream of the web': web(),
  'bytes of the web': web('bytes'),
  'a stream of the old kind': legacy,
  'the body of a Response': () => new Response(web()())
}

async function read(answer: unknown) {
  const stream = answer instanceof Response ? answer.body : answer
  for await (const _ of stream as AsyncIterable<unknown>);
}

for (const [name, answer] of Object.entries(sources))
  t.test(`protect: a field is absent in the error of ${name}`, async (t) => {
    const { app, send, things } = await createProtected(t, { answer })
    const { status, body } = await send('GET', '/things/1')
    t.strictSame([status, body], [409, { ...conflict().toJSON(), data: { user: open() } }])
    const { payload } = await app.inject({ url: '/things/1', headers: { accept: 'text/html' } })
    t.notMatch(payload, 's3cret')
    const stream = await things.get(1, { provider: 'rest' }).catch((error: unknown) => error)
    const error = stream instanceof Error ? stream : await read(stream).catch((error: unknown) => error)
    t.ok(error instanceof Conflict)
    t.strictSame((error as Conflict).data, { user: open() })
    if (stream instanceof Readable) t.equal(stream.errored, error, 'nor is it in what the stream keeps')
  })

t.test('protect: an error of a stream that has none of the fields stays what it is', async (t) => {
  for (const error of [new Conflict('no', { id: 1 }), new Error('no')])
    for (const objectMode of [true, false]) {
      const answer = () => new PassThrough({ objectMode }).destroy(error)
      const { things } = await createProtected(t, { answer })
      const stream = (await things.get(1, { provider: 'rest' })) as Readable
      t.equal(await read(stream).catch((error: unknown) => error), error)
    }
})

t.test('protect: what can not be closed tells the field neither', async (t) => {
  const cancel = new ReadableStream({ cancel: fail })
  const iterable = { [Symbol.asyncIterator]: () => ({ next: fail, return: fail }) }
  const first = (await createProtected(t, { answer: () => cancel })).things
  const second = (await createProtected(t, { answer: () => iterable })).things
  const external = { provider: 'rest' }
  const told = async (closing: unknown) => {
    const error = await Promise.resolve(closing).catch((error: Conflict) => error)
    t.strictSame((error as Conflict).data, { user: open() })
  }
  await told(((await first.get(1, external)) as ReadableStream).cancel())
  const items = (await second.get(1, external)) as AsyncIterableIterator<unknown>
  await told(items.return?.())
})

t.test('protect: a stream of bytes is closed with its answer', async (t) => {
  const source = new PassThrough()
  const { things } = await createProtected(t, { answer: () => source })
  const stream = (await things.get(1, { provider: 'rest' })) as Readable
  const closed = new Promise((resolve) => source.once('close', resolve))
  stream.destroy()
  await closed
  t.equal(source.destroyed, true)
})
