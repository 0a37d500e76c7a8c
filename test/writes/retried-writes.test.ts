import swagger from '@fastify/swagger'
import { MemoryService } from '@feathersjs/memory'
import Fastify, { type InjectOptions } from 'fastify'
import services, { type AroundHook, idempotency, memoryStore, resource, type Store, version } from 'fastify-services'
import { own } from 'fastify-services/authentication'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'
import { z } from 'zod'

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'

class Notes extends MemoryService {
  readonly calls: string[] = []
  override async patch(...args: [never, never]) {
    this.calls.push('patch')
    return super.patch(...args) as never
  }
  override async remove(...args: [never]) {
    this.calls.push('remove')
    return super.remove(...args) as never
  }
  async archive(_id: unknown, data: object) {
    this.calls.push('archive')
    return data
  }
  async stats() {
    return { count: 1 }
  }
}

const createVersion = () => {
  let revision = 0
  return version('revision', { set: () => ++revision })
}

async function serve(t: Test, around: AroundHook[] | Record<string, AroundHook[]>) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.addHook('onRequest', async (request) => {
    request.feathers = { user: { id: request.headers['x-user'] ?? 'ada' } }
  })
  const notes = new Notes({ startId: 1, multi: true })
  app.service('notes', notes, {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive', 'stats'],
    routes: { archive: 'POST /:id/archive', stats: 'GET /stats' },
    hooks: { around: Array.isArray(around) ? { all: around } : around }
  })
  const events: string[] = []
  for (const event of ['created', 'updated', 'patched', 'removed'])
    app.service('notes').on(event as 'created', () => events.push(event))
  const send = async (method: Verb, url: string, payload?: object, headers: Record<string, string> = {}) => {
    const request: InjectOptions = { method, url, headers, ...(payload && { payload }) }
    const { statusCode, body, headers: answered } = await app.inject(request)
    const { etag, 'idempotency-replayed': replayed, 'content-type': type } = answered
    return { status: statusCode, body, etag, type, ...(replayed !== undefined && { replayed }) }
  }
  return { notes, events, send }
}

t.test('a write is carried out once, whatever the order of version() and idempotency()', async (t) => {
  for (const hooks of [
    [createVersion(), idempotency()],
    [idempotency(), createVersion()]
  ]) {
    const { notes, events, send } = await serve(t, hooks)
    const once = async (method: Verb, url: string, payload?: object, headers: Record<string, string> = {}) => {
      const key = { ...headers, 'idempotency-key': `${method} ${url}` }
      const first = await send(method, url, payload, key)
      t.strictSame(await send(method, url, payload, key), { ...first, replayed: 'true' }, `${method} ${url}`)
      return first
    }
    t.match(await once('POST', '/notes', { text: 'a' }), { status: 201, etag: '"1"' })
    await send('POST', '/notes', { text: 'b' })
    t.match(await once('PATCH', '/notes/1', { text: 'c' }, { 'if-match': '"1"' }), { status: 200, etag: '"3"' })
    t.match(await once('PUT', '/notes/1', { text: 'd' }, { 'if-match': '"3"' }), { status: 200, etag: '"4"' })
    t.match(await once('PATCH', '/notes', { done: true }), { status: 200, body: /^\[.*,.*\]$/ })
    t.match(await once('POST', '/notes/1/archive', { why: 'old' }), { status: 200 })
    t.match(await once('DELETE', '/notes/1'), { status: 200, body: /"text":"d"/ })
    t.match(await once('DELETE', '/notes'), { status: 200, body: /^\[.*"text":"b".*\]$/ })
    t.strictSame(notes.calls, ['patch', 'patch', 'archive', 'remove', 'remove'])
    t.strictSame(events, ['created', 'created', 'patched', 'updated', 'patched', 'patched', 'removed', 'removed'])
  }
})

t.test('a condition belongs to the request, and one that fails leaves the key free', async (t) => {
  const { send } = await serve(t, [createVersion(), idempotency()])
  await send('POST', '/notes', { text: 'a' })
  const patch = (tag: string, text = 'b', key = 'k') =>
    send('PATCH', '/notes/1', { text }, { 'if-match': tag, 'idempotency-key': key })
  t.match(await patch('"0"'), { status: 412, etag: undefined })
  t.match(await patch('"1"'), { status: 200, etag: '"3"' })
  t.match(await patch('"1"'), { status: 200, etag: '"3"', replayed: 'true' })
  t.match(await patch('"3"'), { status: 422 }, 'another version')
  t.match(await patch('"1"', 'c'), { status: 422 }, 'another body')
  t.match(await patch('"1"', 'b', 'other'), { status: 412 }, 'another key')
})

t.test('a key is of one user, one method and one record', async (t) => {
  const { notes, send } = await serve(t, [idempotency()])
  for (const text of ['a', 'b']) await send('POST', '/notes', { text })
  const key = { 'idempotency-key': 'k' }
  t.match(await send('PATCH', '/notes/1', { text: 'c' }, key), { status: 200 })
  t.match(await send('PATCH', '/notes/2', { text: 'c' }, key), { status: 422 })
  t.match(await send('PATCH', '/notes', { text: 'c' }, key), { status: 422 })
  t.match(await send('PATCH', '/notes/1?text=c', { text: 'c' }, key), { status: 422 })
  const bob = await send('PATCH', '/notes/1', { text: 'c' }, { ...key, 'x-user': 'bob' })
  t.match(bob, { status: 200, replayed: undefined })
  t.match(await send('DELETE', '/notes/1', undefined, key), { status: 200, replayed: undefined })
  t.match(await send('DELETE', '/notes/1', undefined, { ...key, 'x-user': 'bob' }), { status: 404 })
  t.match(await send('DELETE', '/notes/null', undefined, { ...key, 'x-user': 'eve' }), { status: 404 })
  t.match(await send('DELETE', '/notes', undefined, { ...key, 'x-user': 'eve' }), { status: 200, replayed: undefined })
  t.equal(notes.calls.length, 6)
})

t.test('behind own(), an answer is replayed to its user alone', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.addHook('onRequest', async (request) => {
    request.feathers = { user: { id: request.headers['x-user'] }, authenticated: true }
  })
  const around = { all: [own('userId'), createVersion(), idempotency()] }
  app.service('notes', new MemoryService({ startId: 1 }), { hooks: { around } })
  const send = async (user: string, method: 'POST' | 'DELETE', url: string, payload?: object) => {
    const headers = { 'x-user': user, 'idempotency-key': 'k' }
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
    return [answer.statusCode, answer.json().userId, answer.headers['idempotency-replayed']]
  }
  t.strictSame(await send('ada', 'POST', '/notes', { text: 'a' }), [201, 'ada', undefined])
  t.strictSame(await send('bob', 'POST', '/notes', { text: 'a' }), [201, 'bob', undefined])
  t.strictSame(await send('ada', 'DELETE', '/notes/1'), [200, 'ada', undefined])
  t.strictSame(await send('bob', 'DELETE', '/notes/1'), [404, undefined, undefined])
  t.strictSame(await send('ada', 'DELETE', '/notes/1'), [200, 'ada', 'true'])
})

t.test('of removals at the same time one runs, the others are 409 or get its answer', async (t) => {
  const { notes, send } = await serve(t, [createVersion(), idempotency()])
  await send('POST', '/notes', { text: 'a' })
  const remove = () => send('DELETE', '/notes/1', undefined, { 'if-match': '"1"', 'idempotency-key': 'k' })
  const statuses = (await Promise.all(Array.from({ length: 20 }, remove))).map(({ status }) => status)
  t.ok(statuses.includes(200))
  t.strictSame(
    statuses.filter((status) => status !== 200 && status !== 409),
    []
  )
  t.match(await remove(), { status: 200, replayed: 'true' })
  t.equal(notes.calls.length, 1)
})

t.test('a process that dies after the change leaves the key locked', async (t) => {
  const memory = memoryStore() as Required<Store>
  const { notes, send } = await serve(t, [idempotency({ store: memory, lock: 60 })])
  await send('POST', '/notes', { text: 'a' })
  // Nothing reaches the store any more.
  const dying: Store = { get: () => undefined, set: () => new Promise(() => {}), add: memory.add }
  const other = await serve(t, [idempotency({ store: dying, lock: 60 })])
  other.notes.store = notes.store
  const remove = (process: typeof other) => process.send('DELETE', '/notes/1', undefined, { 'idempotency-key': 'k' })
  void remove(other).catch(() => {})
  while (other.notes.calls.length === 0) await new Promise(setImmediate)
  const living = { notes, events: [], send }
  t.match(await remove(living), { status: 409, body: /still runs/ })
})

t.test('a key that nothing reads is 400', async (t) => {
  const key = { 'idempotency-key': 'k' }
  const all = await serve(t, [idempotency()])
  await all.send('POST', '/notes', { text: 'a' })
  for (const [method, url, name] of [
    ['GET', '/notes', 'find'],
    ['GET', '/notes/1', 'get'],
    ['GET', '/notes/stats', 'stats']
  ] as const) {
    const { status, body } = await all.send(method, url, undefined, key)
    t.strictSame([status, JSON.parse(body).message], [400, `'${name}' of 'notes' takes no Idempotency-Key`])
    t.equal((await all.send(method, url)).status, 200)
  }
  t.equal((await all.send('HEAD', '/notes', undefined, key)).status, 400)

  const some = await serve(t, { create: [idempotency()] })
  t.match(await some.send('POST', '/notes', { text: 'a' }, key), { status: 201 })
  t.match(await some.send('PATCH', '/notes/1', { text: 'b' }, key), {
    status: 400,
    body: /'patch' of 'notes' takes no/
  })
  t.strictSame(some.notes.calls, [])

  const none = await serve(t, [])
  t.match(await none.send('POST', '/notes', { text: 'a' }, key), { status: 201 }, 'the application may read it')
})

t.test('an answer with codecs is the same when it is replayed', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const date = z.codec(z.iso.datetime(), z.date(), {
    decode: (text) => new Date(text),
    encode: (value) => value.toISOString()
  })
  const events = { create: async (data: object) => ({ id: 1, ...data }) }
  const schema = resource(z.object({ id: z.number().meta({ readOnly: true }), at: date }))
  app.service('events', events as never, { schema: schema as never, hooks: { around: { all: [idempotency()] } } })
  const send = async () => {
    const headers = { 'idempotency-key': 'k' }
    const payload = { at: '2026-01-01T00:00:00.000Z' }
    const answer = await app.inject({ method: 'POST', url: '/events', payload, headers })
    return [answer.statusCode, answer.body]
  }
  const first = await send()
  t.strictSame(first, [201, '{"id":1,"at":"2026-01-01T00:00:00.000Z"}'])
  t.strictSame(await send(), first)
})

t.test('documents name the key for each write', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Notes', version: '1' } }))
  await app.register(services)
  app.service('notes', new MemoryService(), { hooks: { around: { all: [idempotency()] } } })
  await app.ready()
  const { paths = {} } = app.swagger() as { paths?: Record<string, Record<string, { parameters?: object[] }>> }
  const named = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([verb, { parameters = [] }]) =>
      parameters.some((parameter) => (parameter as { name?: string }).name === 'Idempotency-Key')
        ? [`${verb} ${path}`]
        : []
    )
  )
  t.strictSame(named.sort(), ['delete /notes/{id}', 'patch /notes/{id}', 'post /notes', 'put /notes/{id}'])
})
