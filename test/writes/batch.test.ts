import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import services, {
  type HookContext,
  idempotency,
  type NextFunction,
  NotFound,
  type Params,
  resource,
  type ServiceOptions
} from 'fastify-services'
import authentication, { allow, authenticate } from 'fastify-services/authentication'
import { createClient, rest } from 'fastify-services/client'
import {
  type Batches,
  type BatchOptions,
  batch,
  inTransaction,
  type TransactionParams
} from 'fastify-services/database'
import { memory } from 'fastify-services/memory'
import { openapi } from 'fastify-services/openapi'
import { injectFetch } from 'fastify-services/testing'
import t, { type Test } from 'tap'

type Row = Record<string, unknown>
type Rows = Map<string, Row>

/** A database in memory whose transactions work on a copy. */
class Database {
  rows: Rows = new Map()
  begun = 0
  gate = Promise.resolve()
  onAbort = () => {}

  async transaction<T>(work: (trx: Rows) => Promise<T>): Promise<T> {
    this.begun++
    const copy: Rows = new Map(this.rows)
    const result = await work(copy)
    this.rows = copy
    return result
  }

  of({ transaction }: Params): Rows {
    return (transaction as TransactionParams<Rows>['transaction'] | undefined)?.trx ?? this.rows
  }
}

class Notes {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(params: Params) {
    return [...this.#database.of(params).values()]
  }

  async create(data: Row, params: Params) {
    const rows = this.#database.of(params)
    const id = `n${rows.size + 1}`
    rows.set(id, { id, ...data })
    return { id, ...data }
  }

  async remove(id: string, params: Params) {
    const row = this.#database.of(params).get(id)
    if (row === undefined || !this.#database.of(params).delete(id)) throw new NotFound(`No record found for id '${id}'`)
    return row
  }

  /** Writes after the gate has opened, also after a timeout. */
  async update(_id: string, data: Row, params: Params) {
    const rows = this.#database.of(params)
    params.signal?.addEventListener('abort', () => this.#database.onAbort())
    await this.#database.gate
    rows.set('late', data)
    return data
  }

  /** Answers what the call got. */
  async echo(data: { kind?: string }, { headers, route }: Params) {
    if (data.kind === 'text') return new Response('text', { headers: { 'content-type': 'text/plain' } })
    if (data.kind === 'stream') return new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(9)) })
    if (data.kind === 'empty') return new Response(null, { status: 204 })
    if (data.kind === 'page') return new Response('<p>', { status: 502, headers: { 'content-type': 'text/html' } })
    return { data, headers, route }
  }
}

const schema = resource({
  type: 'object',
  required: ['text'],
  properties: { id: { type: 'string', readOnly: true }, text: { type: 'string', maxLength: 20 } }
} as const)

interface Setup {
  readonly options?: Partial<BatchOptions>
  readonly database?: Database
  readonly hooks?: ServiceOptions<object>['hooks']
  readonly service?: ServiceOptions<object>
  readonly register?: (app: FastifyInstance) => unknown
  /** Runs after the services are there. */
  readonly extend?: (app: FastifyInstance) => unknown
}

async function start(t: Test, setup: Setup = {}) {
  const { options, database = new Database(), hooks, service, register = () => {}, extend = () => {} } = setup
  const app = Fastify({ forceCloseConnections: true, trustProxy: true })
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Notes', version: '1' } }))
  await app.register(services, { errorHandler: { html: false } })
  await register(app)
  const transactional = { around: { all: [inTransaction(database)] } }
  app.service<object>('notes', new Notes(database), { schema, hooks: hooks ?? transactional, ...service } as object)
  app.service<object>('users/:userId/echoes', new Notes(database), {
    methods: ['echo'],
    hooks: transactional
  } as object)
  await app.register(batch, { database, services: ['notes', 'users/:userId/echoes'], ...options })
  await extend(app)
  const post = async (payload: unknown, headers: object = {}, url = '/batch') => {
    const isText = typeof payload === 'string'
    const response = await app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: isText ? payload : JSON.stringify(payload)
    })
    return { status: response.statusCode, body: response.json() }
  }
  return { app, database, post, send: (...calls: unknown[]) => post({ calls }) }
}

const create = (text: string) => ({ service: 'notes', method: 'create', data: { text } })
const echo = (data: unknown = {}, more = {}) => ({
  ...{ service: 'users/:userId/echoes', method: 'echo', route: { userId: 7 }, data },
  ...more
})

t.test('all calls of a batch are carried out, in order, each with its status', async (t) => {
  const { send, database } = await start(t)
  const { status, body } = await send(create('a'), create('b'), { service: 'notes', method: 'remove', id: 'n1' })
  t.equal(status, 201)
  t.same(body, {
    results: [
      { status: 201, body: { id: 'n1', text: 'a' } },
      { status: 201, body: { id: 'n2', text: 'b' } },
      { status: 200, body: { id: 'n1', text: 'a' } }
    ]
  })
  t.same([...database.rows.keys()], ['n2'])
  t.equal(database.begun, 1)
})

t.test('if a call fails, none is carried out, and the error names the call', async (t) => {
  const { send, database } = await start(t)
  const { status, body } = await send(create('a'), { service: 'notes', method: 'remove', id: 'n9' }, create('b'))
  t.equal(status, 404)
  t.match(body, { name: 'NotFound', message: "No record found for id 'n9'", data: { call: 1 } })
  t.equal(database.rows.size, 0)
})

t.test('the client calls it as a service', async (t) => {
  const { app, database } = await start(t)
  const client = createClient<{ batch: Batches }>().configure(rest('http://localhost').fetch(injectFetch(app)))
  const calls = [create('a'), { service: 'notes', method: 'create', data: { text: 1 } }]
  await t.rejects(client.service('batch').create({ calls }), { code: 400, data: { call: 1 } })
  const { results } = await client.service('batch').create({ calls: [create('a')] })
  t.same(results, [{ status: 201, body: { id: 'n1', text: 'a' } }])
  t.equal(database.rows.size, 1)
})

t.test('a call has the headers of the batch, except those of its body and its conditions', async (t) => {
  const { post } = await start(t)
  const headers = { cookie: 'a=1', 'x-tenant': '5', 'if-none-match': '*', 'accept-language': 'de', accept: 'text/html' }
  const { body } = await post({ calls: [echo({ kind: 'json' }, { ifMatch: '2-gzip' })] }, headers)
  const { headers: got, ...rest } = body.results[0].body
  t.same(rest, { data: { kind: 'json' }, route: { userId: '7' } })
  t.match(got, { cookie: 'a=1', 'x-tenant': '5', 'accept-language': 'de', accept: 'application/json' })
  t.equal(got['if-match'], '"2%2Dgzip"')
  t.equal(got['if-none-match'], undefined)
  t.equal(got['content-length'], '15')
})

t.test('the address, the scheme and the hosts of a call are those of the batch', async (t) => {
  const seen: unknown[] = []
  const note = async (request: FastifyRequest) =>
    void seen.push([request.ip, request.protocol, request.host, request.headers.host])
  const { app } = await start(t, { register: (app) => void app.addHook('onRequest', note as never) })
  const headers = { host: 'inner.test', 'x-forwarded-host': 'example.com' }
  const remoteAddress = '10.1.2.3'
  await app.inject({ method: 'POST', url: '/batch', headers, remoteAddress, payload: { calls: [create('a')] } })
  t.same(seen, Array(2).fill(['10.1.2.3', 'http', 'example.com', 'inner.test']))
})

t.test('answers other than JSON fail, and streams are closed', async (t) => {
  const { send, database } = await start(t)
  for (const kind of ['text', 'stream']) {
    const { status, body } = await send(create('a'), echo({ kind }))
    t.match([status, body.data, body.message], [400, { call: 1 }, /^It answers with /], kind)
  }
  t.match(await send(create('a'), echo({ kind: 'page' })), { status: 502, body: { data: { call: 1 } } })
  t.equal(database.rows.size, 0)
  t.same((await send(echo({ kind: 'empty' }))).body, { results: [{ status: 204, body: null }] })
})

t.test('calls that a batch refuses', async (t) => {
  const { send, post, database, app } = await start(t, { options: { maxCalls: 3, bodyLimit: 200_000 } })
  const rows: readonly [name: string, call: unknown, message: RegExp][] = [
    ['another service', { service: 'batch', method: 'create' }, /can't call this service/],
    ['a name of a prototype', { service: '__proto__', method: 'create' }, /can't call this service/],
    ['a name of a constructor', { service: 'constructor', method: 'create' }, /can't call this service/],
    ['a method that reads', { service: 'notes', method: 'find' }, /does not write: send it alone/],
    ['no id', { service: 'notes', method: 'remove' }, /can't be empty/],
    ['an empty id', { service: 'notes', method: 'remove', id: '' }, /can't be empty/],
    ['an id that leaves the path', { service: 'notes', method: 'remove', id: '..' }, /can't be ..\.\../],
    ['half a character', { service: 'notes', method: 'remove', id: '\ud800' }, /can't be/],
    ['an id that nothing takes', { ...create('a'), id: 1 }, /takes no id/],
    ['no placeholder', { ...echo(), route: {} }, /':userId'/],
    ['a placeholder of a prototype', { ...echo(), route: { constructor: 'a' } }, /':userId'/],
    ['a header as a method', { service: 'notes', method: 'a\r\nx: y' }, /method/],
    ['a method of a prototype', { service: 'notes', method: '__proto__' }, /method/],
    ['an unknown field', { ...create('a'), headers: { authorization: 'x' } }, /headers/],
    ['a query', { ...create('a'), query: {} }, /query/],
    ['an id that is an object', { service: 'notes', method: 'remove', id: { $ne: 1 } }, /id/],
    ['no id for many', { service: 'notes', method: 'remove', id: null }, /id/],
    ['null', null, /object/],
    ['a list', [], /object/]
  ]
  for (const [name, call, message] of rows) {
    const { status, body } = await send(create('a'), call)
    t.same([name, status, database.rows.size], [name, 400, 0])
    t.match(JSON.stringify([body.message, body.errors]), message, name)
  }
  for (const [name, call] of [
    ['constructor', { service: 'notes', method: 'constructor', data: {} }],
    ['a method that is not exposed', { service: 'notes', method: 'echo', data: {} }],
    ['a method that it lacks', { service: 'notes', method: 'patch', id: 'n1', data: { text: 'b' } }]
  ] as const)
    t.match(await send(create('a'), call), { status: 405, body: { data: { call: 1 } } }, name)
  for (const [name, payload] of [
    ['no calls', {}],
    ['an empty list', { calls: [] }],
    ['an object', { calls: { 0: create('a') } }],
    ['too many', { calls: Array(4).fill(create('a')) }],
    ['a thousand', { calls: Array(1000).fill(create('a')) }],
    ['a list of batches', [{ calls: [create('a')] }]],
    ['null', null],
    ['broken JSON', '{"calls":['],
    ['__proto__', '{"calls":[{"service":"notes","method":"create","data":{"__proto__":{"x":1}}}]}'],
    ['deep data', `{"calls":[{"service":"notes","method":"create","data":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}`]
  ] as const)
    t.match([name, (await post(payload)).status, database.rows.size], [name, 400, 0])
  t.equal((await post({ calls: [create('x'.repeat(200_000))] })).status, 413)
  t.equal(database.rows.size, 0)
  t.equal(
    (
      await post('calls[0][service]=notes&calls[0][method]=create&calls[0][data][text]=a', {
        'content-type': 'application/x-www-form-urlencoded'
      })
    ).status,
    415
  )
  t.equal((await post('calls', { 'content-type': 'text/plain' })).status, 415)
  t.equal(Reflect.get({}, 'polluted'), undefined)
  t.equal(database.rows.size, 0)
  const text = (await app.inject('/notes')).json()
  t.same(text, [])
})

t.test('an id is one segment of the path', async (t) => {
  const { send } = await start(t)
  for (const id of ['a/b', 'a%2Fb', '?x', '#', '\u0000', '😀', 'null', '__proto__']) {
    const { status, body } = await send({ service: 'notes', method: 'remove', id })
    t.match([status, body.message, body.data], [404, `No record found for id '${id}'`, { call: 0 }], id)
  }
})

t.test('nothing that a client sends lets a request join a transaction', async (t) => {
  const contexts: unknown[] = []
  const note = async ({ params }: HookContext) => void contexts.push(params.transaction)
  const hooks = { before: { create: [note] } }
  const { app, send } = await start(t, {
    register: (app) => void app.service('plain', new Notes(new Database()), { hooks })
  })
  await send(create('a'))
  const url = '/plain?transaction[trx]=1&runInBatch=1'
  await app.inject({ method: 'POST', url, headers: { transaction: '1' }, payload: { transaction: { trx: 1 } } })
  t.same(contexts, [undefined])
})

t.test('a call of a batch that a hook makes over HTTP is no part of it', async (t) => {
  const database = new Database()
  const transactions: unknown[] = []
  const forward = async ({ app, params, data }: HookContext) => {
    transactions.push(params.transaction !== undefined)
    if (data.text === 'outer') await app.inject({ method: 'POST', url: '/logs', payload: { text: 'inner' } })
  }
  const register = (app: FastifyInstance) =>
    void app.service('logs', new Notes(new Database()), { hooks: { before: { create: [forward] } } })
  const hooks = { around: { all: [inTransaction(database)] }, before: { create: [forward] } }
  const { send } = await start(t, { database, hooks, register })
  t.equal((await send(create('outer'))).status, 201)
  t.same(transactions, [true, false])
})

t.test('a route of the application in the place of a method fails the batch', async (t) => {
  const register = (app: FastifyInstance) =>
    void app.addHook('onRequest', async ({ method, url }, reply) => {
      if (method === 'DELETE' && url === '/notes/n1') return reply.send({})
    })
  const { send, database } = await start(t, { register })
  const answer = await send(create('a'), { service: 'notes', method: 'remove', id: 'n1' })
  t.match(answer, { status: 500, body: { data: { call: 1 } } })
  t.equal(database.rows.size, 0)
})

t.test('a call that fails after the application has answered it fails the batch', async (t) => {
  const database = new Database()
  let answer = () => {}
  const register = (app: FastifyInstance) =>
    void app.addHook('preHandler', async (_request, reply) => {
      answer = () => void reply.send({})
    })
  const failLate = async ({ data }: HookContext) => {
    if (data.text !== 'late') return
    answer()
    throw new Error('Too late')
  }
  const hooks = { around: { all: [inTransaction(database)] }, after: { create: [failLate] } }
  const { app, send } = await start(t, { database, hooks, register })
  const alone = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'late' } })
  t.match([alone.statusCode, database.rows.size], [200, 0])
  t.match(await send(create('a'), create('late')), { status: 500, body: { data: { call: 1 } } })
  t.equal(database.rows.size, 0)
})

t.test('a call that alone would undo its changes and succeed fails the batch', async (t) => {
  const database = new Database()
  const recover = async (context: HookContext, next: NextFunction) => {
    try {
      await next()
    } catch {
      context.result = { text: 'not kept' }
    }
  }
  const fail = async ({ data }: HookContext) => {
    if (data.text === 'undone') throw new Error('It fails')
  }
  const hooks = { around: { all: [recover, inTransaction(database)] }, after: { create: [fail] } }
  const { app, send } = await start(t, { database, hooks })
  const alone = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'undone' } })
  t.match([alone.statusCode, database.rows.size], [201, 0])
  const answer = await send(create('a'), create('undone'))
  t.match(answer, { status: 400, body: { message: /send it alone/, data: { call: 1 } } })
  t.equal(database.rows.size, 0)
})

t.test('a batch ends after a call that has timed out, which would write outside of it', async (t) => {
  const database = new Database()
  let open = () => {}
  database.gate = new Promise((resolve) => {
    open = resolve
  })
  const aborted = new Promise<void>((resolve) => {
    database.onAbort = resolve
  })
  let isOver = false
  const hooks = { around: { all: [inTransaction(database)] } }
  const { send } = await start(t, { database, hooks, service: { handlerTimeout: 20 } })
  const answering = send(create('a'), { service: 'notes', method: 'update', id: 'n1', data: { text: 'b' } })
  void answering.then(() => {
    isOver = true
  })
  await aborted
  await new Promise(setImmediate)
  t.notOk(isOver)
  open()
  t.match(await answering, { status: 503, body: { data: { call: 1 } } })
  t.equal(database.rows.size, 0)
})

t.test('each call counts for rate limits', async (t) => {
  const register = (app: FastifyInstance) => app.register(rateLimit, { max: 3 })
  const { send, database } = await start(t, { register })
  t.match(await send(create('a'), create('b'), create('c')), { status: 429, body: { data: { call: 2 } } })
  t.equal(database.rows.size, 0)
})

t.test('the server itself uses transaction()', async (t) => {
  const { app } = await start(t)
  await app.ready()
  await t.rejects(app.service<Batches>('batch').create({ calls: [create('a')] }), {
    message: /On the server, use transaction\(\)/
  })
})

t.test('what stops the start', async (t) => {
  const database = new Database()
  const rows: readonly [name: string, setup: Setup, message: RegExp][] = [
    ['no database', { options: { database: undefined as never } }, /A transaction needs a knex/],
    ['no services', { options: { services: [] } }, /needs the names of services/],
    ['services missing', { options: { services: undefined as never } }, /needs the names of services/],
    ['a misspelt option', { options: { service: [] } as object }, /no option 'service'.*services/],
    ['no number', { options: { maxCalls: 0 } }, /`maxCalls` of batch must be a whole number/],
    ['no level', { options: { isolationLevel: 'high' as never } }, /`isolationLevel` must be one of/],
    ['a misspelt service', { options: { services: ['note'] } }, /There is no service 'note'.*notes/],
    ['the batch itself', { options: { services: ['batch'] } }, /'batch', which is a batch itself/],
    [
      'another batch',
      {
        database,
        options: { services: ['inner'] },
        register: (app) => app.register(batch, { database, services: ['notes'], path: 'inner' }),
        extend: (app) => void app.service<object>('inner').hooks({ around: { all: [inTransaction(database)] } })
      },
      /'inner', which is a batch itself/
    ],
    ['no hook', { hooks: {} }, /can't roll back 'create' of 'notes': add the hook inTransaction\(database\)/],
    ['another database', { hooks: { around: { all: [inTransaction(new Database())] } } }, /can't roll back/],
    [
      'another level',
      { database, hooks: { around: { all: [inTransaction(database, { isolationLevel: 'serializable' })] } } },
      /can't roll back/
    ],
    [
      'not all methods',
      { database, hooks: { around: { create: [inTransaction(database)] } } },
      /can't roll back 'update' of 'notes'/
    ],
    [
      'a service in memory',
      { options: { services: ['ram'] }, register: (app) => void app.service('ram', memory()) },
      /'ram', which is in memory/
    ],
    [
      'a service for logins',
      {
        options: { services: ['authentication'] },
        register: async (app) => {
          app.service('users', memory())
          await app.register(authentication, { secret: 'x'.repeat(32) })
        }
      },
      /'authentication', which is for logins/
    ],
    [
      'keys of callers that it does not know',
      {
        database,
        hooks: { around: { all: [authenticate('jwt'), inTransaction(database)] } },
        register: async (app) => {
          app.service('users', memory())
          await app.register(authentication, { secret: 'x'.repeat(32) })
        },
        extend: (app) => void app.service<object>('batch').hooks({ around: { create: [idempotency()] } })
      },
      /idempotency\(\) at 'batch' would repeat the answers of 'notes'.*put authenticate\(\) before it/
    ]
  ]
  for (const [name, setup, message] of rows)
    await t.rejects(
      start(t, setup).then(({ app }) => app.ready()),
      { message },
      name
    )
})

t.test('it works under a prefix and another path, with hooks of its own', async (t) => {
  const database = new Database()
  const register = (app: FastifyInstance) =>
    app.register(
      async (child) => {
        child.service<object>('lists', new Notes(database), { hooks: { around: { all: [inTransaction(database)] } } })
        await child.register(batch, { database, services: ['lists'], path: 'all-or-none' })
        child.service<object>('all-or-none').hooks({ around: { create: [allow({ admin: true })] } })
      },
      { prefix: '/v1' }
    )
  const { post } = await start(t, { database, register })
  const payload = { calls: [{ ...create('a'), service: 'lists' }] }
  t.equal((await post(payload, {}, '/v1/all-or-none')).status, 401)
  t.equal(database.begun, 0)
})

t.test('it emits no event of its own, and OpenAPI documents show it', async (t) => {
  const { app, send } = await start(t)
  await app.ready()
  const heard: unknown[] = []
  app.service<object>('batch').on('created', (data: unknown) => heard.push(data))
  app.service<object>('notes').on('created', (data: unknown) => heard.push(data))
  await send(create('a'))
  t.same(heard, [{ id: 'n1', text: 'a' }])
  const { paths, components } = app.swagger() as unknown as {
    paths: Record<string, { post: { summary: string } }>
    components: { schemas: object }
  }
  t.match(paths['/batch']?.post.summary, /in one transaction/)
  t.same(
    Object.keys(components.schemas).filter((name) => name.startsWith('Batch')),
    ['Batch', 'BatchData']
  )
})
