import { EventEmitter } from 'node:events'
import { createReadStream } from 'node:fs'
import { connect } from 'node:http2'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import services, { type ServiceOptions } from 'fastify-services'
import t from 'tap'
import { createApp, getJSON } from '../support/response-app.js'
import { sources } from '../support/sources.js'

type Options = ServiceOptions<Record<string, unknown>>

async function* generate(...items: unknown[]) {
  yield* items
}
const lines = '{"id":1}\n{"id":2}\n'
const records: Record<string, () => unknown> = {
  'a stream of objects': () => Readable.from([{ id: 1 }, { id: 2 }]),
  'a web stream of objects': () => Readable.toWeb(Readable.from([{ id: 1 }, { id: 2 }])),
  'an async generator': () => generate({ id: 1 }, { id: 2 })
}
const senders: Record<string, Options> = {
  'a formatter gives it': { formatter: (_request, reply) => reply.data },
  'an async formatter gives it': { formatter: async (_request, reply) => reply.data },
  'a formatter sends it': { formatter: (_request, reply) => void reply.send(reply.data) },
  'after-middleware sends it': { after: async (_request, reply) => reply.send(reply.data) }
}

// What is no bytes ends the process where Fastify gets it.
for (const [kind, create] of Object.entries(records))
  for (const [sender, options] of Object.entries(senders))
    t.test(`records of a stream become lines of JSON: ${kind}, ${sender}`, async (t) => {
      const app = await createApp(t, { service: { get: async () => create() }, options })
      const { statusCode, body } = await getJSON(app, '/things/1')
      t.equal(statusCode, 200)
      t.equal(body, lines)
    })

t.test('middleware and formatters may send bytes, and what is no JSON ends the answer alone', async (t) => {
  const results: Record<string, () => unknown> = {
    bytes: () => Readable.from([Buffer.from('a'), Buffer.from('b')], { objectMode: false }),
    texts: () => Readable.from(['a', 'b']),
    big: () => Readable.from([{ big: 1n }])
  }
  const options = senders['after-middleware sends it'] as Options
  const app = await createApp(t, { service: { get: async (id: string) => results[id]?.() }, options })
  for (const id of ['bytes', 'texts']) t.equal((await getJSON(app, `/things/${id}`)).body, 'ab')
  t.equal((await getJSON(app, '/things/big')).statusCode, 500)
  t.equal((await getJSON(app, '/things/bytes')).statusCode, 200)
})

/** A stream in the style of old: it flows at once. */
class Old extends EventEmitter {
  pipe<T>(to: T): T {
    return to
  }
  flow(...items: (string | Error)[]): this {
    setImmediate(() => {
      for (const item of items) this.emit(item instanceof Error ? 'error' : 'data', item)
      this.emit('end')
    })
    return this
  }
}

t.test('a stream in the style of old that flows while a hook waits is an error, and no part of the text', async (t) => {
  const wait = () => new Promise((resolve) => setTimeout(resolve, 20))
  const app = await createApp(t, {
    service: { get: async (id: string) => new Old().flow('a', id === 'fails' ? new Error('no disk') : 'b') },
    options: { hooks: { after: { get: [async () => void (await wait())] } } }
  })
  t.match((await getJSON(app, '/things/1')).json(), { code: 500, message: /^The stream has begun before/ })
  t.equal((await getJSON(app, '/things/fails')).statusCode, 500)
})

t.test('one that has not ended is an error too', async (t) => {
  const endless = new Old()
  const flow = async () => void endless.emit('data', 'a')
  const options: Options = { hooks: { after: { get: [flow] } } }
  const app = await createApp(t, { service: { get: async () => endless }, options })
  t.match((await getJSON(app, '/things/1')).json(), { code: 500, message: /^The stream has begun before/ })
})

t.test('one that ends meanwhile, without an item, is an error too', async (t) => {
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  const options: Options = { hooks: { after: { get: [async () => void (await turn().then(turn))] } } }
  const app = await createApp(t, { service: { get: async () => new Old().flow() }, options })
  t.match((await getJSON(app, '/things/1')).json(), { code: 500, message: /^The stream has begun before/ })
})

t.test('one that a call inside the server gave belongs to the caller alone', async (t) => {
  const stream = new Old()
  const app = await createApp(t, { service: { get: async () => stream } })
  t.equal(await app.service('things').get(1), stream)
  for (const event of ['data', 'end', 'error']) t.equal(stream.listenerCount(event), 0, event)
})

/** An after hook that puts another result in the place of a stream. */
const replace = (change: (result: Readable) => unknown): Options => ({
  hooks: {
    after: {
      get: [
        async (context) => {
          context.result = (await change(context.result as Readable)) as never
        }
      ]
    }
  }
})

t.test('a hook that wraps a stream by `pipe`: an error of the source ends the answer', async (t) => {
  const broken = () => {
    const source = new PassThrough()
    source.write('begun')
    setTimeout(() => source.destroy(new Error('no disk')), 20)
    return source
  }
  const app = await createApp(t, {
    service: { get: async (id: string) => (id === 'missing' ? createReadStream('/is/not/there') : broken()) },
    options: replace((result) => result.pipe(new PassThrough()))
  })
  t.equal((await getJSON(app, '/things/missing')).statusCode, 500)
  await t.rejects(getJSON(app, '/things/begun'))
})

t.test('a hook that puts another stream in the place of one that fails: the other one is sent', async (t) => {
  const app = await createApp(t, {
    service: { get: async () => createReadStream('/is/not/there') },
    options: replace(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return Readable.from(['good'], { objectMode: false })
    })
  })
  t.equal((await getJSON(app, '/things/1')).body, 'good')
})

for (const [kind, create] of Object.entries(sources))
  t.test(`HEAD closes a stream that middleware or a formatter sends by itself: ${kind}`, async (t) => {
    for (const options of [senders['after-middleware sends it'], senders['a formatter sends it']] as Options[]) {
      const source = await create()
      const app = await createApp(t, { service: { get: async () => source.result }, options })
      const { statusCode, body } = await app.inject({ method: 'HEAD', url: '/things/1' })
      t.strictSame([statusCode, body], [200, ''])
      await source.closed
    }
  })

t.test('middleware may send one in the style of old', async (t) => {
  const options: Options = { after: async (_request, reply) => reply.send(new Old().flow('a', 'b')) }
  const app = await createApp(t, { service: { get: async () => ({}) }, options })
  t.equal((await getJSON(app, '/things/1')).body, 'ab')
})

t.test('an answer without a body does not wait for the stream that it does not send', async (t) => {
  const service = { get: async () => new Readable({ objectMode: true, read() {} }) }
  for (const status of [204, 304]) {
    const after = (context: { http: object }) => {
      context.http = { status }
    }
    const app = await createApp(t, { service, options: { hooks: { after: { get: [after] } } } })
    const { statusCode, body } = await getJSON(app, '/things/1')
    t.strictSame([statusCode, body], [status, ''])
  }
})

t.test('a stream that fails midway over HTTP/2 does not look whole', async (t) => {
  const app = Fastify({ http2: true })
  await app.register(services)
  const failing = () => {
    let reads = 0
    return new Readable({
      read() {
        if (reads++ === 0) this.push('chunk')
        else setTimeout(() => this.destroy(new Error('no disk')), 20)
      }
    })
  }
  app.service('things', {
    get: async (id: string) => (id === 'whole' ? Readable.from(['a'], { objectMode: false }) : failing())
  })
  const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }))
  t.teardown(async () => {
    session.close()
    await app.close()
  })
  t.equal(await text(session.request({ ':path': '/things/whole' })), 'a')
  const request = session.request({ ':path': '/things/1' })
  await t.rejects(text(request))
  t.equal(request.rstCode, 2, 'INTERNAL_ERROR')
})
