import Fastify, { type FastifyInstance } from 'fastify'
import { test } from 'tap'
import services from '../../index.js'
import { authenticate } from '../../lib/authentication/index.js'
import { batch, inTransaction } from '../../lib/database/index.js'
import mcp from '../../lib/mcp/index.js'
import { memory } from '../../lib/memory/index.js'
import { callTool, connect, createApp, modes, post, start, tokenOf } from './app.js'

test('The server does not start with options that can not be meant', async (t) => {
  const add =
    (path: string, options = {}) =>
    (app: FastifyInstance) =>
      void app.service(path, memory({ multi: true }), options)
  const addBatch = (app: FastifyInstance) => {
    const database = { transaction: (work: (trx: object) => unknown) => work({}) }
    app.service<object>('logs', { create: async () => ({}) }, { hooks: { around: { all: [inTransaction(database)] } } })
    void app.register(batch, { database, services: ['logs'] })
  }
  const wrong: [object, RegExp, ((app: FastifyInstance) => void)?][] = [
    [{ services: [] }, /must name what agents may call/],
    [{ services: 'books' }, /`services` of mcp must be a list/],
    [{ service: ['books'] }, /Did you mean 'services'/],
    [{ services: ['boks'] }, /'boks', which is no service.*Did you mean 'books'/],
    [{ services: ['books.fnd'] }, /There are: books\.find.*Did you mean 'books\.find'/],
    [{ services: ['notes.removeMany'] }, /no method of one/],
    [{ services: ['books.patch[]'] }, /no method of one/],
    [{ services: ['authentication'] }, /agents don't log in by tools/],
    [{ services: ['authentication.create'] }, /no method of one/],
    [{ services: ['users'] }, /has the logins of users: name its methods/],
    [{ services: ['batch'] }, /can't offer 'batch': name the methods that its calls have/, addBatch],
    [{ services: ['batch.create'] }, /no method of one/, addBatch],
    [
      { services: ['a-b.find', 'a_b.find'] },
      /would both be the tool 'a_b_find'/,
      (app) => [add('a-b')(app), add('a_b')(app)]
    ],
    [{ services: ['1.find'] }, /can't be the name of a tool/, add('1')],
    [{ services: [`${'x'.repeat(44)}.find`] }, /can't be the name of a tool/, add('x'.repeat(44))],
    [{ names: { 'books.fond': 'x' } }, /Did you mean 'books\.find'/],
    [{ services: ['a/:data.find'] }, /':data' has the name of an argument/, add('a/:data')],
    [
      { services: ['files.create'] },
      /takes files/,
      add('files', { schema: { create: { body: { type: 'object' }, consumes: ['text/csv'] } } })
    ],
    [{ origins: ['my.app'] }, /a list of origins/]
  ]
  for (const [options, message, before] of wrong) {
    const app = createApp(options, before)
    await t.rejects(async () => app.ready(), { message }, JSON.stringify(options))
    await app.close()
  }
  await t.rejects(
    async () =>
      Fastify()
        .register(mcp, { services: ['books'] })
        .ready(),
    { message: /register that plugin first/ }
  )
  const named = createApp({ services: ['1.find'], names: { '1.find': 'first_find' } }, add('1'))
  await named.ready()
  await named.close()
})

test('Only POST of a message is answered, and pages of other origins are not', async (t) => {
  const app = createApp({ origins: ['https://good.example'] })
  t.teardown(() => app.close())
  for (const method of ['GET', 'DELETE'] as const)
    t.match(await app.inject({ method, url: '/mcp' }), { statusCode: 405, headers: { allow: 'POST' } })
  const list = { method: 'tools/list' }
  t.equal((await post(app, list, { origin: 'https://evil.example' })).statusCode, 403)
  t.equal((await post(app, list, { origin: 'null' })).statusCode, 403)
  t.equal((await post(app, list, { origin: 'https://good.example' })).statusCode, 200)
  const post_ = (payload: string, type = 'application/json') =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      payload,
      headers: { 'content-type': type, accept: 'application/json, text/event-stream' }
    })
  for (const body of [
    '[]',
    '1',
    'null',
    '{',
    '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    '{"__proto__":{}}',
    '{"jsonrpc":"2.0"}'
  ])
    t.equal((await post_(body)).statusCode, 400, body)
  t.equal((await post_('x', 'text/csv')).statusCode, 415)
  t.equal((await post_(JSON.stringify({ a: 'x'.repeat(1_100_000) }))).statusCode, 413)
  const listen = { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }
  t.match((await post(app, listen)).body, /acknowledged","params":\{"notifications":\{\},.*"complete"/s)
  t.match((await post(app, { method: 'prompts/list' })).json(), { error: { code: -32601 } })
  t.equal((await post(app, list)).statusCode, 200)
})

test('Hostile arguments are errors of the tool', async (t) => {
  const app = createApp()
  t.teardown(() => app.close())
  await app.ready()
  const authorization = `Bearer ${tokenOf(app, 'admin')}`
  await app.service('books').create({ title: 'Emma' })
  let deep: object = {}
  for (let level = 0; level < 2000; level++) deep = { a: deep }
  const rows: [string, object][] = [
    ['books_get', {}],
    ['books_get', { id: '' }],
    ['books_get', { id: '.' }],
    ['books_get', { id: '..' }],
    ['books_get', { id: '../users/1' }],
    ['books_get', { id: { $gt: 0 } }],
    ['books_get', { id: [1] }],
    ['books_get', { id: null }],
    ['books_get', { id: '\ud800' }],
    ['books_get', { id: 'x'.repeat(5000) }],
    ['books_get', { id: '__proto__' }],
    ['books_get', { id: 1, constructor: 1 }],
    ['books_get', { id: 1, data: {} }],
    ['books_find', { query: 'x' }],
    ['books_find', { query: [] }],
    ['books_find', { query: deep }],
    ['books_find', { query: { title: { $where: '1' } } }],
    ['books_find', { query: { $limit: 'x' } }],
    ['books_find', { query: { provider: 'x' } }],
    ['books_create', { data: deep }],
    ['books_create', { data: [{ title: 'a' }, 1] }],
    ['books_create', { data: null }],
    ['books_create', {}],
    ['books_create_many', { data: [null] }],
    ['projects_issues_get', { id: 1 }],
    ['projects_issues_get', { projectId: '..', id: 1 }]
  ]
  for (const [tool, given] of rows) {
    const answer = await callTool(app, tool, given, { authorization })
    t.match(
      answer.json(),
      { result: { isError: true, content: [{ text: /^\w+ \(4\d\d\): ./ }] } },
      JSON.stringify(given).slice(0, 60)
    )
  }
  for (const name of ['__proto__', 'constructor', 'toString', ''])
    t.match((await callTool(app, name, {}, { authorization })).json(), { error: { code: -32602 } }, name)
  t.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  t.match((await callTool(app, 'books_get', { id: 1 }, { authorization })).json(), {
    result: { structuredContent: { id: 1 } }
  })
})

test('A condition that a URL would lose does not make a call for all records', async (t) => {
  const app = createApp({ services: ['books.removeMany'], withoutUser: 'call' })
  t.teardown(() => app.close())
  await app.ready()
  const authorization = `Bearer ${tokenOf(app, 'admin')}`
  await app.service('books').create({ title: 'Emma' })
  const queries = [
    { id: { $in: [] } },
    { id: {} },
    { title: [] },
    { $or: [] },
    { $or: [{}] },
    { title: null },
    { '': 1 },
    { 'title[]': 'x' },
    { title: { toString: 'x' } }
  ]
  for (const query of queries) {
    const answer = await callTool(app, 'books_remove_many', { query }, { authorization })
    t.match(answer.json(), { result: { isError: true, content: [{ text: /^BadRequest \(400\)/ }] } })
    t.match(await app.service('books').find(), { total: 1 }, JSON.stringify(query))
  }
  await callTool(app, 'books_remove_many', { query: {} }, { authorization })
  t.match(await app.service('books').find(), { total: 0 })
})

test('Hooks of the application get the answer as a text', async (t) => {
  const app = createApp({}, (app) => {
    app.addHook('onSend', async (_request, _reply, payload) => String(payload).replace('France', 'Spain'))
  })
  t.teardown(() => app.close())
  const answer = await callTool(app, 'countries_find', {})
  t.match(answer, { statusCode: 200, headers: { 'content-length': String(answer.body.length) } })
  t.match(answer.json(), { result: { structuredContent: ['Spain', 'Italy'] } })
})

test('A redirect is no success', async (t) => {
  const app = createApp({}, (app) => {
    app.addHook('onRequest', async ({ url }, reply) => (url === '/countries' ? reply.redirect('/login') : undefined))
  })
  t.teardown(() => app.close())
  const answer = await callTool(app, 'countries_find', {})
  t.match(answer.json(), { result: { isError: true, content: [{ text: /redirect \(302\)/ }] } })
})

test('A token that one of the guards accepts lists the tools of that guard', async (t) => {
  const app = createApp({ services: ['books.find', 'forms.find'] }, (app) => {
    app.service('forms', memory(), { hooks: { around: { all: [authenticate('local')] } } })
  })
  t.teardown(() => app.close())
  await app.ready()
  const list = (token: string) => post(app, { method: 'tools/list' }, { authorization: `Bearer ${token}` })
  t.strictSame(
    (await list(tokenOf(app, 'admin'))).json().result?.tools.map(({ name }: { name: string }) => name),
    ['books_find']
  )
  t.equal((await list('x')).statusCode, 401)
})

test('A result is bounded', async (t) => {
  const app = createApp({ maxBytes: 500 }, (app) => {
    app.service('texts', {
      async find() {
        return 'x'.repeat(10_000_000)
      },
      async create() {
        return { text: 'x'.repeat(1000) }
      },
      async get() {
        return null
      }
    })
  })
  t.teardown(() => app.close())
  await app.ready()
  const authorization = `Bearer ${tokenOf(app, 'admin')}`
  await app.service('books').create(Array.from({ length: 30 }, (_, year) => ({ title: 'x'.repeat(30), year })))
  const find = async (query: object) => (await callTool(app, 'books_find', { query }, { authorization })).json().result
  t.match(await find({ $limit: 20 }), {
    isError: true,
    content: [{ text: /more than 500 bytes: ask for a lower \$limit/ }]
  })
  t.match(await find({ $limit: 3 }), { structuredContent: { total: 30, limit: 3 } })
})

for (const mode of modes)
  test(`A list that is too long for the agent is no error after the call: ${Object(mode).pin ?? mode}`, async (t) => {
    const app = createApp({ maxBytes: 50, services: ['books.patchMany'] })
    const client = await connect(t, await start(t, app), { mode, token: tokenOf(app, 'admin') })
    await client.listTools()
    await app.service('books').create([{ title: 'a' }, { title: 'b' }])
    const result = await client.callTool({ name: 'books_patch_many', arguments: { data: { title: 'x'.repeat(30) } } })
    t.match(result.content, [{ text: /was carried out/ }])
    t.notOk(result.isError)
  })

test('Without the services, an endpoint has only their tools', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('v1/books', memory({ records: [{ id: 1, title: 'Emma' }] }))
  await app.register(mcp, { prefix: '/v1', services: ['books.get'], path: 'agents' })
  const message = { method: 'tools/list' }
  t.equal((await post(app, message)).statusCode, 404)
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/agents',
    headers: { accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  })
  t.match(answer.body, /v1_books_get/)
})
