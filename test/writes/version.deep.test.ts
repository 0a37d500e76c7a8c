import swagger from '@fastify/swagger'
import { KnexService, transaction } from '@feathersjs/knex'
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, {
  type HookContext,
  type HookOptions,
  idempotency,
  NotFound,
  type Params,
  Unavailable,
  version
} from 'fastify-services'
import authentication from 'fastify-services/authentication'
import { openapi } from 'fastify-services/openapi'
import t from 'tap'
import { openPGlite } from '../support/pglite.js'
import { knexVersionContract, serveVersioned, versionContract } from '../support/version-contract.js'

let last = 0
const set = () => ++last

// The database in the process is slow on a machine that has other work.
t.setTimeout(300_000)

t.test('records in memory', (t) => versionContract(t, new MemoryService({ startId: 1 }), set))

t.test('records in memory, their versions dates', (t) =>
  versionContract(t, new MemoryService({ startId: 1 }), () => new Date(Date.UTC(2026, 0, 1) + ++last))
)

t.test('@feathersjs/knex on PostgreSQL inside the process', async (t) => knexVersionContract(t, await openPGlite(t)))

type Operation = { responses: Record<string, { headers?: object }> }
type Document = { paths: Record<string, { get: Operation; patch: Operation }> }
type Note = { id?: number; text: string; version?: number }

class Notes {
  records = new Map<string, Note>([['1', { id: 1, text: 'first', version: 1 }]])
  seen: unknown[] = []
  async get(id: string, _params: Params) {
    const record = this.records.get(String(id))
    if (record === undefined) throw new NotFound()
    return record
  }
  async patch(id: string, data: Partial<Note>, { ifMatch }: Params) {
    this.seen.push(ifMatch)
    const record = { ...(await this.get(id, {})), ...data, version: Number((await this.get(id, {})).version) + 1 }
    this.records.set(String(id), record)
    return record
  }
  async find() {
    return [...this.records.values()]
  }
  async publish(id: string, _data: unknown, params: Params) {
    return this.patch(id, { text: 'published' }, params)
  }
}

t.test('a service that is no adapter: compared before the method, which has the version', async (t) => {
  const notes = new Notes()
  const { send } = await serveVersioned(t, notes)
  t.equal((await send('GET', '/notes/1')).etag, '"1"')
  t.equal((await send('PATCH', '/notes/1', { text: 'new' }, '"7"')).status, 412)
  t.match(await send('PATCH', '/notes/1', { text: 'new' }, '"1"'), { status: 200, etag: '"2"' })
  t.match(await send('PATCH', '/notes/1', { text: 'newer' }), { status: 200, etag: '"3"' }, 'no version is named')
  t.equal((await send('PATCH', '/notes/2', { text: 'new' }, '"1"')).status, 404)
  t.equal((await send('PATCH', '/notes/2', { text: 'new' }, '*')).status, 404)
  t.same(notes.seen, [1, undefined])
  t.equal((await send('GET', '/notes')).etag, undefined, 'a list has no version')
})

t.test('an answer in words: what is wrong, and what to do', async (t) => {
  const { send } = await serveVersioned(t, new MemoryService({ startId: 1, multi: true }), { set, required: true })
  const { etag } = await send('POST', '/notes', { text: 'first' })
  for (const verb of ['PUT', 'PATCH', 'DELETE'])
    t.match(await send(verb, '/notes/1', { text: 'new' }), {
      status: 428,
      body: { name: 'PreconditionRequired', className: 'precondition-required', message: /needs the header If-Match/ }
    })
  t.match(await send('PATCH', '/notes/1', { text: 'new' }, '"0"'), {
    status: 412,
    body: {
      name: 'PreconditionFailed',
      className: 'precondition-failed',
      message: "The record '1' of 'notes' has been changed since it was read: get it again"
    }
  })
  t.match(await send('PATCH', '/notes?text=first', { text: 'new' }, etag), {
    status: 400,
    body: { message: /takes If-Match for one record/ }
  })
  t.equal((await send('PATCH', '/notes?text=first', { text: 'all' })).status, 428, 'not past it by a write of many')
  t.equal((await send('PATCH', '/notes/1', { text: 'new' }, '*')).status, 200)
})

t.test('a counter that many clients raise by what they have read loses nothing', async (t) => {
  const notes = new MemoryService({ startId: 1 })
  const { send } = await serveVersioned(t, notes, { set })
  await send('POST', '/notes', { text: '0' })
  const raise = async (): Promise<void> => {
    const { body, etag } = await send('GET', '/notes/1')
    const { status } = await send('PATCH', '/notes/1', { text: String(Number(body.text) + 1) }, etag)
    if (status === 412) await raise()
  }
  await Promise.all(Array.from({ length: 20 }, raise))
  t.equal((await send('GET', '/notes/1')).body.text, '20')
})

t.test('a write beside one that names a version: none slips between comparison and write', async (t) => {
  class Slow extends MemoryService<Note> {
    override async _get(id: number, params?: object) {
      const record = await super._get(id, params as never)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return record
    }
  }
  const notes = new Slow({ startId: 1, multi: true })
  const { send } = await serveVersioned(t, notes, { set })
  const { etag } = await send('POST', '/notes', { text: 'first' })
  const [first, second] = await Promise.all([
    send('PATCH', '/notes/1', { text: 'mine' }, etag),
    send('PATCH', '/notes?text=first', { text: 'all' })
  ])
  t.match(
    [first, second],
    [
      { status: 200, body: { text: 'mine' } },
      { status: 200, body: [] }
    ]
  )
})

t.test('the version of a record may be a getter of its class', async (t) => {
  class Counter {
    readonly id = 1
    text = ''
    #writes = 1
    get version() {
      return this.#writes
    }
    write(text = '') {
      this.text = text
      this.#writes += 1
      return this
    }
    toJSON() {
      return { id: this.id, text: this.text, version: this.version }
    }
  }
  const counter = new Counter()
  const service = {
    get: async () => counter,
    patch: async (_id: number, { text }: Partial<Note>) => counter.write(text)
  }
  const { send } = await serveVersioned(t, service)
  const { etag } = await send('GET', '/notes/1')
  t.match(await send('PATCH', '/notes/1', { text: 'a' }, etag), { status: 200, body: { version: 2 } })
  t.equal((await send('PATCH', '/notes/1', { text: 'b' }, etag)).status, 412)
})

t.test('a class that writes within its own write does not wait for itself', async (t) => {
  class Counted extends MemoryService<Note> {
    override async patch(...args: unknown[]): Promise<never> {
      const [id, data] = args as [number, Note]
      if (data.text === 'nested') await app.service('notes').patch(id, { text: 'inner' })
      return super.patch(...(args as [never, never])) as never
    }
  }
  const { app, send } = await serveVersioned(t, new Counted({ startId: 1 }), { set })
  const { etag } = await send('POST', '/notes', { text: 'first' })
  t.equal((await send('PATCH', '/notes/1', { text: 'nested' }, etag)).status, 200)
})

t.test('a custom method of a record is called only for the version that is named', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const routes = { publish: 'POST /:id/publish' } as const
  app.service('notes', new Notes(), { methods: ['publish'], routes, hooks: { around: { all: [version('version')] } } })
  const publish = (tag: string) => app.inject({ method: 'POST', url: '/notes/1/publish', headers: { 'if-match': tag } })
  t.equal((await publish('"2"')).statusCode, 412)
  t.match((await publish('"1"')).json(), { text: 'published' })
})

t.test('a class that keeps the params of a write from the adapter for knex fails, and says why', async (t) => {
  class Forgetful extends KnexService {
    override async patch(id: never, data: never): Promise<never> {
      return super.patch(id, data, {}) as never
    }
  }
  const Model = await openPGlite(t)
  await Model.raw('create table forgetful (id serial primary key, text text, version integer)')
  const { send } = await serveVersioned(t, new Forgetful({ Model, name: 'forgetful' }), { set })
  const { etag } = await send('POST', '/notes', { text: 'first' })
  t.match(await send('PATCH', '/notes/1', { text: 'new' }, etag), {
    status: 500,
    body: { message: /has written without the params of the call, or past the adapter/ }
  })
})

t.test('a write in a transaction of the adapter has the condition, too', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table moved (id serial primary key, text text, version integer)')
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const around = [version('version', { set })]
  const before = [transaction.start()]
  const hooks = {
    around: { all: around },
    before: { patch: before },
    after: { patch: [transaction.end()] },
    error: { patch: [transaction.rollback()] }
  }
  app.service('moved', new KnexService({ Model, name: 'moved' }), { hooks: hooks as HookOptions })
  const created = await app.inject({ method: 'POST', url: '/moved', payload: { text: 'first' } })
  const etag = String(created.headers.etag)
  const patch = () =>
    app.inject({ method: 'PATCH', url: '/moved/1', headers: { 'if-match': etag }, payload: { text: 'new' } })
  t.equal((await patch()).statusCode, 200)
  t.equal((await patch()).statusCode, 412)
})

t.test(
  'a custom method of a record: a patch of its service has the version as a condition, and the log tells of what has not',
  async (t) => {
    const lines: string[] = []
    const app = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => lines.push(line) } } })
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { html: false, logger: false } })
    await app.register(swagger, openapi({ info: { title: 'Notes', version: '1' } }))
    class Publications extends MemoryService {
      async publish(id: number, _data: unknown, { ifMatch }: Params) {
        return app.service('notes').patch(id, { text: 'published' }, { ifMatch } as Params)
      }
      async archive(id: number, _data: unknown, params: Params) {
        return this._patch(id, { text: 'archived' }, params)
      }
    }
    app.service('notes', new Publications({ startId: 1 }), {
      methods: ['create', 'publish', 'archive'],
      routes: { publish: 'POST /:id/publish', archive: 'POST /:id/archive' },
      hooks: { around: { all: [version('version', { set })] } }
    })
    const post = (url: string, tag?: unknown) =>
      app.inject({ method: 'POST', url, payload: {}, headers: tag === undefined ? {} : { 'if-match': String(tag) } })
    const { etag } = (await post('/notes')).headers
    const raced = await Promise.all([1, 2, 3].map(() => post('/notes/1/publish', etag)))
    t.same(raced.map(({ statusCode }) => statusCode).sort(), [200, 412, 412])
    t.strictSame(lines, [])
    const current = raced.find(({ statusCode }) => statusCode === 200)?.json().version
    t.equal((await post('/notes/1/archive', `"${current}"`)).statusCode, 200)
    t.match(lines, [/'archive' of 'notes' left 'version' as it was/])
    t.equal((await post('/notes/1/archive', `"${current}"`)).statusCode, 200)
    t.equal(lines.length, 1, 'it is said once')
    const { paths } = app.swagger() as unknown as {
      paths: Record<string, { post: Operation & { parameters: object[] } }>
    }
    const documented = paths['/notes/{id}/publish']?.post
    t.match(documented, { responses: { 412: {} } })
    t.match(
      documented?.parameters.find((parameter) => Object(parameter).name === 'If-Match'),
      { required: false }
    )
  }
)

t.test('If-None-Match of a read is left to caches', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  class Previews extends Notes {
    async preview(id: string, params: Params) {
      return this.get(id, params)
    }
  }
  const options = { methods: ['get', 'preview'], routes: { preview: 'GET /:id/preview' as const } }
  app.service('notes', new Previews(), { ...options, hooks: { around: { all: [version('version')] } } } as never)
  for (const url of ['/notes/1', '/notes/1/preview'])
    t.equal((await app.inject({ url, headers: { 'if-none-match': '*' } })).statusCode, 200)
})

/** Keeps the version of a record. */
class Stale extends Notes {
  override async patch(id: string, data: Partial<Note>, params: Params) {
    const record = { version: 1, ...(await this.get(id, params)), ...data }
    this.records.set(id, record)
    return record
  }
}

t.test('a write that changes the record and not its version fails', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table unversioned (id serial primary key, text text, version timestamptz(0))')
  // Seconds, as a column of dates has them in MariaDB and MySQL.
  const set = () => new Date(Date.UTC(2026, 0, 1, 0, 0, 0, 100))
  const table = new KnexService({ Model, name: 'unversioned' })
  const memory = new MemoryService({ startId: 1 })
  for (const [notes, options] of [
    [table, { set }],
    [table, {}],
    [memory, {}],
    [new Stale(), {}]
  ] as const) {
    const { send } = await serveVersioned(t, notes, options)
    const isOwn = notes instanceof Stale
    const created = isOwn ? undefined : await send('POST', '/notes', { text: 'first', version: set() })
    const url = `/notes/${created?.body.id ?? 1}`
    const { etag } = await send('GET', url)
    for (const selection of ['', '?$select[]=text', encodeURI('?$select[]=text&$select[]=id as version')]) {
      if (isOwn && selection !== '') continue
      const failed = await send('PATCH', url + selection, { text: `new ${selection}` }, etag)
      t.match(failed, { status: 500, body: { message: /has changed the record and left 'version' as it was/ } })
    }
    const { text } = (await send('GET', url)).body
    t.equal((await send('PATCH', url, { text }, etag)).status, 200, 'a write that changes nothing')
  }
})

t.test('dates of two writes in the same millisecond are different', async (t) => {
  const set = () => new Date(Date.UTC(2026, 0, 1))
  const { send } = await serveVersioned(t, new MemoryService({ startId: 1 }), { set })
  const { etag } = await send('POST', '/notes', { text: 'first' })
  const answer = await send('PATCH', '/notes/1', { text: 'second' }, etag)
  t.match(answer, { status: 200, etag: '"2026-01-01T00:00:00.001Z"' })
  t.equal((await send('PATCH', '/notes/1', { text: 'third' }, etag)).status, 412)
})

t.test('a tag matches with the suffix of a proxy that compresses', async (t) => {
  const Model = await openPGlite(t)
  const suffixes = ['-gzip', '-br', '-zstd', '-deflate', '--gzip', ';gzip']
  for (const [index, type] of ['integer', 'bigint', 'uuid', 'text', 'timestamptz'].entries()) {
    await Model.raw(`create table proxied_${index} (id serial primary key, text text, version ${type})`)
    const { send } = await serveVersioned(t, new KnexService({ Model, name: `proxied_${index}` }))
    let count = 0
    const next = () => {
      count += 1
      if (type === 'uuid') return crypto.randomUUID()
      if (type === 'text') return `${count}-gzip`
      return type === 'timestamptz' ? new Date(count) : count
    }
    let { etag = '' } = await send('POST', '/notes', { text: 'first', version: next() })
    for (const suffix of suffixes)
      for (const weak of ['', 'W/']) {
        const tag = weak + etag.replace(/"$/, `${suffix}"`)
        const answer = await send('PATCH', '/notes/1', { text: tag, version: next() }, tag)
        t.equal(answer.status, 200, `${type} ${tag}`)
        t.equal((await send('PATCH', '/notes/1', { text: 'late', version: next() }, tag)).status, 412)
        etag = String((await send('GET', '/notes/1')).etag)
      }
  }
  const { send } = await serveVersioned(t, new MemoryService({ startId: 1 }))
  const { etag } = await send('POST', '/notes', { text: 'first', version: 'a-br' })
  await send('PATCH', '/notes/1', { version: 'a' })
  t.equal((await send('PATCH', '/notes/1', { text: 'late' }, etag)).status, 412, 'a version that ends like a suffix')
  const compressed = String((await send('GET', '/notes/1')).etag).replace(/"$/, '-br"')
  await send('PATCH', '/notes/1', { version: 'a-br' })
  t.equal((await send('PATCH', '/notes/1', { text: 'late' }, compressed)).status, 412, 'a suffix that is a version now')
  const dashed = String((await send('PATCH', '/notes/1', { version: 'a-' })).etag).replace(/"$/, '-gzip"')
  t.equal((await send('PATCH', '/notes/1', { version: 'a' }, dashed)).status, 200, 'a version that ends in a dash')
  t.equal((await send('PATCH', '/notes/1', { text: 'late' }, dashed)).status, 412)
})

t.test(
  'If-None-Match: * writes only where there is no record, another one only where it is not the version',
  async (t) => {
    const Model = await openPGlite(t)
    await Model.raw('create table absent (id int primary key, text text, version integer)')
    class Upserting extends Notes {
      async update(id: string, data: Note) {
        this.records.set(id, data)
        return data
      }
    }
    for (const notes of [
      new MemoryService({ startId: 1 }),
      new KnexService({ Model, name: 'absent' }),
      new Upserting()
    ]) {
      const { address, send } = await serveVersioned(t, notes)
      const ask = async (
        method: string,
        url: string,
        tag: string,
        body: object = { id: 1, text: 'new', version: 7 }
      ) => {
        const headers = { 'content-type': 'application/json', 'if-none-match': tag }
        return (await fetch(address + url, { method, headers, body: JSON.stringify(body) })).status
      }
      const isOwn = notes instanceof Upserting
      if (!isOwn) t.equal(await ask('POST', '/notes', '*'), 201)
      const before = (await send('GET', '/notes/1')).body
      for (const tag of ['*', `"${before.version}"`, `"x", W/"${before.version}-gzip"`])
        for (const method of isOwn ? ['PUT', 'PATCH'] : ['PUT', 'PATCH', 'DELETE'])
          t.equal(await ask(method, '/notes/1', tag), 412, `${method} ${tag}`)
      if (!isOwn) t.equal(await ask('POST', '/notes', '*'), 412, 'an id that is there')
      t.same((await send('GET', '/notes/1')).body, before, 'nothing was written')
      t.equal(await ask('PUT', '/notes/2', '*'), isOwn ? 200 : 404, 'no record')
      t.equal(await ask('PATCH', '/notes/1', '"x"', { text: 'new', version: 8 }), 200, 'another version')
      t.equal(await ask('PATCH', '/notes', '*'), 400, 'many records')
    }
  }
)

t.test(
  'If-None-Match: * is a condition where one is required, and a record that can not be read is not written',
  async (t) => {
    class Upserting extends Notes {
      isAway = false
      override async get(id: string, params: Params) {
        if (this.isAway) throw new Unavailable('away')
        return super.get(id, params)
      }
      async update(id: string, data: Note) {
        this.records.set(id, data)
        return data
      }
    }
    const notes = new Upserting()
    const { address, send } = await serveVersioned(t, notes, { required: true })
    const put = async (url: string) => {
      const headers = { 'content-type': 'application/json', 'if-none-match': '*' }
      return (await fetch(address + url, { method: 'PUT', headers, body: '{"text":"new","version":7}' })).status
    }
    t.equal((await send('PUT', '/notes/2', { text: 'new' })).status, 428)
    t.equal(await put('/notes/2'), 200)
    t.equal(await put('/notes/2'), 412)
    notes.isAway = true
    t.equal(await put('/notes/3'), 503)
    t.notOk(notes.records.has('3'))
  }
)

t.test('it stands around methods, or the server does not start', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('notes', new Notes(), { hooks: { before: { all: [version('version') as never] } } })
  await t.rejects(async () => app.ready(), /version at 'notes' is a hook for 'around', not for 'before'/)
})

t.test('OpenAPI says which requests take If-Match, and which answers have an ETag', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(swagger, openapi({ info: { title: 'Notes', version: '1' } }))
  const hooks = { around: { all: [version('version', { required: true })] } }
  app.service('notes', new MemoryService({ multi: true }), { hooks })
  await app.ready()
  const { paths } = app.swagger() as unknown as Document
  const place = paths['/notes/{id}'] as Document['paths'][string]
  t.match(place.patch, {
    parameters: [{ name: 'If-Match', in: 'header', required: true }, {}],
    responses: { 200: { headers: { ETag: {} } }, 412: { $ref: /PreconditionFailed/ }, 428: {} }
  })
  t.match(place.get.responses[200]?.headers, { ETag: {} })
  t.notOk(place.get.responses[412])
  t.notOk(paths['/notes']?.get.responses[200]?.headers)
  t.notOk(paths['/notes']?.patch?.responses[412], 'many records have no version')
})

t.test(
  'the version that a request names is that of its own record, whatever its params are passed on to',
  async (t) => {
    const Model = await openPGlite(t)
    await Model.raw('create table passed (id serial primary key, text text, version integer)')
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { hooks: { around: { all: [version('version', { set, required: true })] } } })
    app.service('others', new KnexService({ Model, name: 'passed' }))
    const touch = async ({ params }: HookContext) => {
      await app.service('others').patch(1, { text: 'touched' }, params)
    }
    app.service('notes', new KnexService({ Model, name: 'passed' }), { hooks: { after: { patch: [touch] } } })
    for (const text of ['first', 'second']) await app.inject({ method: 'POST', url: '/notes', payload: { text } })
    const { headers } = await app.inject('/notes/2')
    const patch = () =>
      app.inject({
        method: 'PATCH',
        url: '/notes/2',
        headers: { 'if-match': String(headers.etag) },
        payload: { text: 'new' }
      })
    t.match((await patch()).json(), { text: 'new' })
    t.match((await app.inject('/notes/1')).json(), { text: 'touched' })
    t.equal((await patch()).statusCode, 412)
  }
)

t.test('an adapter of another database: one write of a record at a time, in this process', async (t) => {
  class Remote {
    readonly #memory = new MemoryService<Note>({ startId: 1, multi: true })
    readonly options = this.#memory.options
    sanitizeQuery = () => ({})
    get = (id: number) => this.#memory.get(id)
    create = (data: Note) => this.#memory.create(data)
    patch = (id: number, data: Note) => this.#memory.patch(id, data)
  }
  const { send } = await serveVersioned(t, new Remote(), { set })
  const { etag } = await send('POST', '/notes', { text: 'first' })
  const raced = await Promise.all(['a', 'b', 'c'].map((text) => send('PATCH', '/notes/1', { text }, etag)))
  t.same(raced.map(({ status }) => status).sort(), [200, 412, 412])
  t.equal((await send('PATCH', '/notes', { text: 'all' })).status, 200)
})

t.test(
  'each record of a list that is created gets a version; a service without `get` says what is missing',
  async (t) => {
    const memory = new MemoryService<Note>({ startId: 1, multi: true })
    const { app, send } = await serveVersioned(t, memory, { set: () => 7 })
    const payload = [{ text: 'a' }, { text: 'b' }]
    t.match((await app.inject({ method: 'POST', url: '/notes', payload })).json(), [{ version: 7 }, { version: 7 }])
    t.equal((await send('GET', '/notes/1')).etag, '"7"')
    const other = await serveVersioned(t, { patch: async () => ({ id: 1 }) })
    t.match(await other.send('PATCH', '/notes/1', { text: 'new' }, '"1"'), {
      status: 500,
      body: { message: "'notes' needs a method 'get' for If-Match" }
    })
  }
)

t.test('@feathersjs/knex: a table of a schema, and a record without a version', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create schema other')
  await Model.raw('create table other.notes (id serial primary key, text text, version integer)')
  const { send } = await serveVersioned(t, new KnexService({ Model, name: 'notes', schema: 'other' }))
  await send('POST', '/notes', { text: 'none' })
  t.equal((await send('PATCH', '/notes/1', { text: 'new' }, '"1"')).status, 412, 'no version is none of those named')
  t.equal((await send('PATCH', '/notes/1', { text: 'new', version: 5 }, '*')).status, 200)
  t.equal((await send('PATCH', '/notes/1', { version: 6 }, '"5"')).status, 200)
  t.equal((await send('PATCH', '/notes/1', { version: 7 }, '"5"')).status, 412)
})

t.test('@feathersjs/knex: what one client selects under the name of the version is none to others', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table dated (id serial primary key, text text, version timestamptz)')
  const { send } = await serveVersioned(t, new KnexService({ Model, name: 'dated' }), { set: () => new Date() })
  const { etag } = await send('POST', '/notes', { text: 'first' })
  t.equal((await send('GET', encodeURI('/notes/1?$select[]=id as version'))).etag, '"1"')
  t.equal((await send('PATCH', '/notes/1', { text: 'second' }, etag)).status, 200)
})

t.test('@feathersjs/knex: what else may happen to a conditional write', async (t) => {
  class Counting extends KnexService {
    override async patch(id: never, data: never, params?: never): Promise<never> {
      await (this.getModel(params) as typeof Model).raw('select 1')
      return super.patch(id, data, params) as never
    }
  }
  const Model = await openPGlite(t)
  await Model.raw('create table counted (id serial primary key, text text, version integer)')
  const { app, send } = await serveVersioned(t, new Counting({ Model, name: 'counted' }), { set })
  const { etag } = await send('POST', '/notes', { text: 'first' })
  t.equal((await send('PATCH', '/notes/1', { colour: 'red' }, etag)).status, 500, 'another error of the statement')
  t.equal((await send('PATCH', '/notes/1', { text: 'new' }, etag)).status, 200)
  const notes = app.service<{ patch(id: number, data: object, params: Params): Promise<unknown> }>('notes')
  await t.rejects(notes.patch(1, { text: 'newer' }, { ifMatch: {} }), { code: 412 }, 'a record without its version')
  t.match(await notes.patch(1, { text: 'newest' }, { ifMatch: '*' }), { text: 'newest' }, 'any version')
})

t.test('OpenAPI: keys and versions that are optional', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(swagger, openapi({ info: { title: 'Notes', version: '1' } }))
  app.service('notes', new MemoryService(), { hooks: { around: { all: [version('version'), idempotency()] } } })
  await app.ready()
  const { paths } = app.swagger() as unknown as Document
  t.match(paths['/notes/{id}']?.patch, {
    parameters: [{ name: 'If-Match', required: false }, {}],
    responses: { 412: {} }
  })
  t.notOk(paths['/notes/{id}']?.patch.responses[428])
  t.match(paths['/notes'], {
    post: { parameters: [{ name: 'Idempotency-Key', required: false }], responses: { 409: {} } }
  })
})

t.test(
  'a hook that writes the record in place of the method, or before it, has the condition of the request',
  async (t) => {
    const Model = await openPGlite(t)
    await Model.raw('create table soft (id serial primary key, text text, version integer, deleted boolean)')
    for (const notes of [new MemoryService({ startId: 1 }), new KnexService({ Model, name: 'soft' })]) {
      const app = Fastify()
      t.teardown(() => app.close())
      await app.register(services, { errorHandler: { html: false, logger: false } })
      const softDelete = async (context: HookContext) => {
        context.result = await context.service.patch(context.id, { deleted: true }, context.params)
      }
      const mark = async ({ service, id, data, params }: HookContext) => {
        if (data.text === 'marked') await service.patch(id, { text: 'mark' }, params)
      }
      const touch = async ({ service, id, data, params }: HookContext) => {
        if (data.text === 'touched') await service.patch(id, { text: 'touch' }, params)
      }
      const around = { all: [version('version', { set, required: true })] }
      const hooks = { around, before: { remove: [softDelete], update: [mark] }, after: { update: [touch] } }
      app.service('notes', notes, { hooks })
      const send = (method: 'PUT' | 'DELETE', tag?: string, text = 'new') =>
        app.inject({
          method,
          url: '/notes/1',
          ...(method === 'PUT' && { payload: { text } }),
          headers: tag === undefined ? {} : { 'if-match': tag }
        })
      await app.inject({ method: 'POST', url: '/notes', payload: { text: 'first' } })
      const read = async () => {
        const { headers, body } = await app.inject('/notes/1')
        return { tag: String(headers.etag), body }
      }
      const { tag, body } = await read()
      for (const [wrong, status] of [
        ['"999"', 412],
        [undefined, 428]
      ] as const) {
        t.equal((await send('DELETE', wrong)).statusCode, status)
        t.equal((await send('PUT', wrong, 'marked')).statusCode, status)
        t.equal((await read()).body, body, 'nothing was written')
      }
      t.equal((await send('PUT', tag, 'marked')).statusCode, 200, 'expected as the hook has left it')
      t.equal((await send('PUT', tag, 'marked')).statusCode, 412)
      t.equal((await send('PUT', (await read()).tag, 'touched')).statusCode, 200, 'a write behind it is its own')
      t.match((await read()).body, /touch/)
      t.match((await send('DELETE', (await read()).tag)).json(), { deleted: true })
    }
  }
)

t.test(
  'a hook that writes in place of the method, and answers no version, expects what the request does',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    const first = async ({ service, id, params }: HookContext) => {
      await service.patch(id, { text: 'mark' }, { ...params, query: { $select: ['text'] } })
    }
    const around = { all: [version('version', { set })] }
    app.service('notes', new MemoryService({ startId: 1 }), { hooks: { around, before: { update: [first] } } })
    const { headers } = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'first' } })
    const sent = { payload: { text: 'new' }, headers: { 'if-match': String(headers.etag) } }
    t.equal((await app.inject({ method: 'PUT', url: '/notes/1', ...sent })).statusCode, 412)
  }
)

t.test('two writes that write the record of each other do not wait for each other', async (t) => {
  class Linked extends MemoryService<Note> {
    override async patch(...args: unknown[]): Promise<never> {
      const [id, data] = args as [number, Note]
      if (data.text === 'both') await notes.patch(3 - id, { text: `${id}` })
      return super.patch(...(args as [never, never])) as never
    }
  }
  // As an adapter of another database, whose records are locked one by one.
  class Remote {
    readonly #linked = new Linked({ startId: 1 })
    readonly options = this.#linked.options
    sanitizeQuery = () => ({})
    get = (id: number) => this.#linked.get(id)
    create = (data: Note) => this.#linked.create(data)
    patch = (id: number, data: Note) => this.#linked.patch(id, data)
  }
  const { app, send } = await serveVersioned(t, new Remote(), { set })
  const notes = app.service<{ patch(id: number, data: object): Promise<unknown> }>('notes')
  for (const text of ['first', 'second']) await send('POST', '/notes', { text })
  const both = await Promise.all([1, 2].map((id) => send('PATCH', `/notes/${id}`, { text: 'both' })))
  t.same(
    both.map(({ status }) => status),
    [200, 200]
  )
})

t.test('a hook for all services leaves logins alone', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [version('version', { set, required: true })] } } })
  app.service('users', new MemoryService({ startId: 1 }))
  await app.register(authentication, { secret: 'x'.repeat(32) })
  const credentials = { email: 'ada@example.com', password: 'a long password' }
  const post = (url: string, payload: object) => app.inject({ method: 'POST', url, payload })
  t.equal((await post('/users', credentials)).headers.etag, `"${last}"`)
  const login = await post('/authentication', { strategy: 'local', ...credentials })
  t.equal(login.statusCode, 201)
  const headers = { authorization: `Bearer ${login.json().accessToken}` }
  t.equal((await app.inject({ method: 'DELETE', url: '/authentication', headers })).statusCode, 200)
})

t.test('transactions that begin within a conditional write have the condition', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table within (id serial primary key, text text, version integer)')
  class Careful extends KnexService {
    override async patch(id: never, data: { text: string }, params: Params): Promise<never> {
      const { text } = data
      const model = this.getModel(params as never)
      if (text === 'provided') {
        const trx = await model.transaction()
        const patched = super.patch(id, data as never, { ...params, transaction: { trx } } as never)
        return patched.then(
          (result) => trx.commit().then(() => result),
          (error) => trx.rollback().then(() => Promise.reject(error))
        ) as never
      }
      return model.transaction((trx) =>
        super.patch(id, data as never, { ...params, transaction: { trx } } as never)
      ) as never
    }
  }
  const { send } = await serveVersioned(t, new Careful({ Model, name: 'within' }), { set })
  for (const text of ['new', 'provided']) {
    const { body, etag } = await send('POST', '/notes', { text: 'first' })
    t.equal((await send('PATCH', `/notes/${body.id}`, { text }, '"999"')).status, 412)
    t.equal((await send('GET', `/notes/${body.id}`)).body.text, 'first')
    t.equal((await send('PATCH', `/notes/${body.id}`, { text }, etag)).status, 200)
    t.equal((await send('PATCH', `/notes/${body.id}`, { text }, etag)).status, 412)
  }
})

t.test('an empty text is a version, too', async (t) => {
  const { send } = await serveVersioned(t, new MemoryService({ startId: 1 }))
  t.match(await send('POST', '/notes', { text: 'first', version: '' }), { etag: '""' })
  t.equal((await send('PATCH', '/notes/1', { version: 'new' }, '""')).status, 200)
  t.equal((await send('PATCH', '/notes/1', { version: 'new' }, '""')).status, 412)
})

t.test('an If-Match without a tag matches no record, as the tag of the caller is lost', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table untagged (id serial primary key, text text, version text)')
  for (const notes of [new MemoryService({ startId: 1 }), new KnexService({ Model, name: 'untagged' })]) {
    const { send } = await serveVersioned(t, notes)
    await send('POST', '/notes', { text: 'first', version: '' })
    for (const header of ['', ' ', ',', ', ,'])
      t.equal((await send('PATCH', '/notes/1', { text: 'new' }, header)).status, 412, `'${header}'`)
    t.equal((await send('GET', '/notes/1')).body.text, 'first')
    t.equal((await send('PATCH', '/notes/2', { text: 'new' }, '')).status, 404)
  }
})
