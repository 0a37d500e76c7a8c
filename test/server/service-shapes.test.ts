import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import services, { type Params, type ServicesOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'

async function createApp(t: Test, options: ServicesOptions = {}): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services, options)
  return app
}

t.test('a service with private fields', async (t) => {
  class Counter {
    #count = 1
    readonly #log: string[] = []
    #add(by: number) {
      this.#count += by
      return { count: this.#count }
    }
    get size() {
      return this.#log.length
    }
    async setup(_app: unknown, path: string) {
      this.#log.push(`setup ${path}`)
    }
    async find() {
      return { count: this.#count, log: this.#log }
    }
    async create({ by }: { by: number }) {
      return this.#add(by)
    }
    async patch(_id: unknown, { by }: { by: number }) {
      return this.#add(by)
    }
    peek() {
      return this.#count
    }
    async reset() {
      this.#count = 0
      return await this.find()
    }
  }
  const app = await createApp(t)
  const service = app.service('counter', new Counter(), { methods: ['find', 'create', 'patch', 'reset'] })
  t.match(await request(app, 'POST', '/counter', { payload: { by: 2 } }), { status: 201, body: { count: 3 } })
  t.match(await request(app, 'PATCH', '/counter/1', { payload: { by: 2 } }), { status: 200, body: { count: 5 } })
  t.strictSame((await request(app, 'GET', '/counter')).body, { count: 5, log: ['setup counter'] })
  const headers = { 'x-service-method': 'reset' }
  t.match(await request(app, 'POST', '/counter', { headers }), { status: 200, body: { count: 0 } })
  t.strictSame(await service.create({ by: 4 }), { count: 4 }, 'in the server')
  t.equal(service.size, 1, 'a getter that reads one')
  t.equal(service.peek(), 4, 'a method that is not one of the service')
})

t.test('a service that is an event emitter', async (t) => {
  class Chat extends EventEmitter {
    #rooms = 0
    async create(data: { name: string }) {
      this.#rooms += 1
      this.emit('opened', data.name, this.#rooms)
      return { id: this.#rooms, ...data }
    }
  }
  const chat = new Chat()
  const app = await createApp(t)
  const service = app.service('chat', chat)
  const heard: unknown[] = []
  service.on('created', ({ id }, context) => heard.push(['service', id, context.path]))
  chat.on('created', ({ id }, context) => heard.push(['object', id, context.path]))
  service.on('opened', (...args) => heard.push(args))
  service.once('opened', () => heard.push('once'))
  for (const name of ['a', 'b']) t.match(await request(app, 'POST', '/chat', { payload: { name } }), { status: 201 })
  t.strictSame(heard, [
    ['a', 1],
    'once',
    ['service', 1, 'chat'],
    ['object', 1, 'chat'],
    ['b', 2],
    ['service', 2, 'chat'],
    ['object', 2, 'chat']
  ])
})

t.test('a service with a `null`, string, `0`, Buffer and stream result', async (t) => {
  const results: Record<string, () => unknown> = {
    null: () => null,
    string: () => 'text',
    empty: () => '',
    zero: () => 0,
    buffer: () => Buffer.from([0, 255, 10]),
    stream: () => Readable.from([Buffer.from('ab'), Buffer.from('c')])
  }
  const app = await createApp(t)
  const service = app.service('results', { get: async (id) => results[id]?.(), create: async () => null })
  const rows = [
    ['null', 204, undefined, ''],
    ['string', 200, 'application/json; charset=utf-8', '"text"'],
    ['empty', 200, 'application/json; charset=utf-8', '""'],
    ['zero', 200, 'application/json; charset=utf-8', '0'],
    ['buffer', 200, 'application/octet-stream', '\u0000\xff\n'],
    ['stream', 200, undefined, 'abc']
  ] as const
  for (const [id, status, type, body] of rows) {
    const response = await app.inject(`/results/${id}`)
    t.equal(response.statusCode, status, id)
    if (id !== 'stream') t.equal(response.headers['content-type'], type, id)
    t.equal(response.rawPayload.toString('latin1'), body, id)
  }
  t.equal((await request(app, 'POST', '/results', { payload: {} })).status, 204, 'a `create` too')
  for (const id of ['null', 'string', 'empty', 'zero', 'buffer']) {
    t.strictSame(await service.get(id), results[id]?.(), `${id} in the server`)
  }
})

t.test('two instances in one process do not know each other', async (t) => {
  const log: string[] = []
  const note = (what: string) => async () => {
    log.push(what)
  }
  const shared = {
    create: async (data: object) => data,
    find: async ({ query }: Params) => query,
    setup: (app: unknown) => log.push(`setup ${app === first ? 'one' : 'two'}`),
    teardown: (app: unknown) => log.push(`teardown ${app === first ? 'one' : 'two'}`)
  }
  const first = await createApp(t, { query: { arrayLimit: 1 }, hooks: { before: { create: [note('hook of one')] } } })
  const two = await createApp(t, { errorHandler: { html: false } })
  first.service('shared', shared).on('created', note('event of one'))
  two.service('shared', shared).hooks({ before: { create: [note('hook of two')] } })
  first.service('mine', { find: async () => 'one' })
  two.service('mine', { find: async () => 'two' })
  first.service('alone', { find: async () => 'one' })
  t.throws(() => two.service('alone'), /There is no service 'alone'\. Registered: 'shared', 'mine'/)

  await Promise.all([first.ready(), two.ready()])
  t.strictSame(log.splice(0).sort(), ['setup one', 'setup two'])
  t.equal((await request(first, 'GET', '/mine')).body, 'one')
  t.equal((await request(two, 'GET', '/mine')).body, 'two')
  t.equal((await request(two, 'GET', '/alone')).status, 404)
  t.strictSame((await request(first, 'GET', '/shared?a[]=1&a[]=2')).body, { a: { 0: '1', 1: '2' } }, 'options')
  t.strictSame((await request(two, 'GET', '/shared?a[]=1&a[]=2')).body, { a: ['1', '2'] }, 'options')
  t.match((await first.inject({ method: 'PUT', url: '/mine' })).headers, { 'content-type': /html/ })
  t.match((await two.inject({ method: 'PUT', url: '/mine' })).headers, { 'content-type': /json/ })
  await request(first, 'POST', '/shared', { payload: {} })
  t.strictSame(log.splice(0), ['hook of one', 'event of one'])
  await request(two, 'POST', '/shared', { payload: {} })
  t.strictSame(log.splice(0), ['hook of two'])

  await first.close()
  t.strictSame(log.splice(0), ['teardown one'])
  t.equal((await request(two, 'GET', '/mine')).body, 'two', 'the other one stays')
})
