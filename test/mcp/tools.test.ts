import { EventEmitter, once } from 'node:events'
import { METHODS } from 'node:http'
import Fastify from 'fastify'
import { test } from 'tap'
import services, { resource } from '../../index.js'
import { include } from '../../lib/authentication/index.js'
import mcp from '../../lib/mcp/index.js'
import { memory } from '../../lib/memory/index.js'
import { tokenFor } from '../../lib/testing/index.js'
import type { Params } from '../../types/service.js'
import { callTool, connect, createApp, marks, modes, post, start, tokenOf } from './app.js'

for (const mode of modes) {
  const era = mode === 'legacy' ? '2025' : '2026'
  test(`A client of ${era} lists and calls all tools`, async (t) => {
    const app = createApp()
    const url = await start(t, app)
    const client = await connect(t, url, { mode, token: tokenOf(app, 'admin') })
    const call = (name: string, given: object) => client.callTool({ name, arguments: { ...given } })
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    t.strictSame(names.slice(0, 8), [
      'books_find',
      'books_get',
      'books_create',
      'books_patch',
      'books_update',
      'books_remove',
      'books_create_many',
      'books_remove_many'
    ])
    t.ok(names.includes('projects_issues_close'))
    t.ok(names.every((name) => /^[a-z][a-z0-9_]{0,43}$/.test(name)))
    t.notOk(names.some((name) => /^users_(find|create)|authentication/.test(name)))

    t.match(await call('books_create', { data: { title: 'Emma', year: 1815 } }), { structuredContent: { id: 1 } })
    t.match(await call('books_create_many', { data: [{ title: 'A' }, { title: 'B' }] }), { content: [{ text: /"B"/ }] })
    const found = await call('books_find', {
      query: { $or: [{ year: { $gt: 1800 } }, { title: 'A' }], $sort: { id: -1 } }
    })
    t.match(found.structuredContent, { total: 2, limit: 2, data: [{ title: 'A' }, { title: 'Emma' }] })
    t.match(await call('books_get', { id: 1, query: { $select: ['title'] } }), { structuredContent: { title: 'Emma' } })
    t.match(await call('books_patch', { id: 1, data: { year: 1816 } }), { structuredContent: { year: 1816 } })
    t.match(await call('books_update', { id: 1, data: { title: 'Emma!' } }), { structuredContent: { title: 'Emma!' } })
    t.match(await call('projects_issues_close', { projectId: 'a', id: 1 }), { structuredContent: { closed: true } })
    t.match(await call('countries_find', {}), { content: [{ text: '["France","Italy"]' }] })
    t.match((await call('books_find', { query: {} })).structuredContent, { limit: 2 })
    await t.rejects(call('books_got', {}), { message: /no tool 'books_got'. Did you mean 'books_get'\?/ })
  })
}

test('A call ends when its agent gives up', async (t) => {
  const stop = new AbortController()
  const ended = new EventEmitter()
  const app = createApp({ services: ['reports.get'] }, (app) => {
    app.service('reports', {
      async get(_id: unknown, { signal }: Params) {
        stop.abort()
        if (signal?.aborted === false) await once(signal, 'abort')
        ended.emit('end', signal?.reason)
      }
    })
  })
  const client = await connect(t, await start(t, app), { token: tokenOf(app, 'admin') })
  const end = once(ended, 'end')
  const call = client.callTool({ name: 'reports_get', arguments: { id: 1 } }, { signal: stop.signal })
  await t.rejects(call, { message: /abort/i })
  t.match(await end, [{ name: 'AbortError' }])
})

test('Fifty calls at once get the answers of their own callers', async (t) => {
  const app = createApp()
  const url = await start(t, app)
  const callers = await Promise.all(
    [1, 2].map((id) => connect(t, url, { token: tokenFor(app, id), mode: modes[id - 1] ?? 'legacy' }))
  )
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => callers[index % 2]?.callTool({ name: 'notes_find', arguments: {} }))
  )
  for (const [index, answer] of answers.entries())
    t.match(answer, { content: [{ text: `[{"id":${(index % 2) + 1},"text":"of ${(index % 2) + 1}"` }] })
})

test('A placeholder may have the name of the id', async (t) => {
  const app = createApp({ services: ['shelves/:id/books.get'] }, (app) => {
    app.service('shelves/:id/books', {
      get: async (id: unknown, { route }: Params) => ({ id, shelf: route?.id })
    })
  })
  t.teardown(() => app.close())
  await app.ready()
  const headers = { authorization: `Bearer ${tokenOf(app, 'admin')}` }
  const answer = await callTool(app, 'shelves_books_get', { id: 'a', __id: 7 }, headers)
  t.match(answer.json(), { result: { structuredContent: { id: '7', shelf: 'a' } } })
})

test('The list of tools depends on the caller', async (t) => {
  const app = createApp()
  t.teardown(() => app.close())
  await app.ready()
  const list = async (role?: 'admin' | 'member' | 'other') => {
    const headers: Record<string, string> = role ? { authorization: `Bearer ${tokenOf(app, role)}` } : {}
    const { result } = (await post(app, { method: 'tools/list' }, headers)).json()
    return { ...result, names: result.tools.map(({ name }: { name: string }) => name) }
  }
  const own = ['notes_find', 'notes_get', 'notes_create', 'notes_patch', 'notes_remove']
  const issues = ['find', 'get', 'create', 'patch', 'close'].map((name) => `projects_issues_${name}`)
  const member = await list('member')
  t.strictSame(member.names, [
    'books_find',
    'books_get',
    'books_create',
    'books_patch',
    'books_create_many',
    ...own,
    ...issues,
    'countries_find',
    'users_get'
  ])
  t.match(member, { cacheScope: 'private', ttlMs: Number })
  t.strictSame((await list('other')).names, [...own, ...issues, 'countries_find', 'users_get'])
  t.strictSame((await list()).names, ['countries_find'])
  t.ok((await list('admin')).names.includes('books_remove_many'))
})

test('A caller without any tool, or with a wrong token, gets 401', async (t) => {
  const app = createApp({ services: ['books'] })
  const open = createApp()
  t.teardown(() => Promise.all([app.close(), open.close()]))
  const list = { method: 'tools/list' }
  const nobody = await post(app, list)
  t.match(nobody, { statusCode: 401, headers: { 'www-authenticate': 'Bearer' } })
  t.equal((await post(open, list, { authorization: 'Bearer wrong' })).statusCode, 401)
  t.equal((await callTool(open, 'books_get', { id: 1 }, { authorization: 'Bearer wrong' })).statusCode, 401)
  t.equal((await callTool(open, 'books_get', { id: 1 })).statusCode, 401)
  t.match((await callTool(open, 'countries_find', {})).json(), { result: { structuredContent: ['France', 'Italy'] } })
})

test('A tool may do what its caller may do by REST, and no more', async (t) => {
  const app = createApp()
  t.teardown(() => app.close())
  await app.ready()
  await app.service('books').create([{ title: 'Emma' }, { title: 'Persuasion' }])
  const rest = [
    ['GET', '/books', 'books_find', {}],
    ['GET', '/books/1', 'books_get', { id: 1 }],
    ['PATCH', '/books/1', 'books_patch', { id: 1, data: { title: 'x' } }],
    ['PATCH', '/books/1', 'books_patch', { id: 1, data: { year: 1 } }],
    ['PUT', '/books/1', 'books_update', { id: 1, data: { title: 'x' } }],
    ['POST', '/books', 'books_create', { data: {} }],
    ['POST', '/books', 'books_create', { data: { title: 'x', id: 9 } }],
    ['GET', '/notes/1', 'notes_get', { id: 1 }],
    ['GET', '/notes/2', 'notes_get', { id: 2 }],
    ['PATCH', '/notes/1', 'notes_patch', { id: 1, data: { text: 'x' } }],
    ['PATCH', '/notes/1', 'notes_patch', { id: 1, data: { userId: 3 } }],
    ['GET', '/notes?userId=1', 'notes_find', { query: { userId: 1 } }],
    ['GET', '/books?unknown=1', 'books_find', { query: { unknown: 1 } }],
    ['GET', '/users/1', 'users_get', { id: 1 }]
  ] as const
  for (const role of ['admin', 'member', 'other', undefined] as const) {
    const headers: Record<string, string> = role ? { authorization: `Bearer ${tokenOf(app, role)}` } : {}
    for (const [method, url, tool, given] of rest) {
      const data = 'data' in given ? { payload: given.data } : {}
      const direct = await app.inject({ method, url, headers, ...data })
      const answer = await callTool(app, tool, given, headers)
      const { result } = answer.json()
      const status = answer.statusCode === 401 ? 401 : Number(/^\w+ \((\d+)\)/.exec(result.content[0].text)?.[1] ?? 200)
      const expected = direct.statusCode === 201 ? 200 : direct.statusCode
      t.equal(status, expected, `${role} ${method} ${url} ${JSON.stringify(given)}`)
      if (status === 200 && method === 'GET') t.strictSame(result.structuredContent, direct.json())
    }
  }
})

test('Hooks see that an agent calls, and clients can not pretend it', async (t) => {
  const app = createApp()
  t.teardown(() => app.close())
  await app.ready()
  const authorization = `Bearer ${tokenOf(app, 'admin')}`
  marks.length = 0
  await callTool(app, 'books_find', {}, { authorization, 'x-services-mcp': 'x' })
  await app.inject({ url: '/books', headers: { authorization, 'x-services-mcp': 'x' } })
  await app.inject({ url: '/books?mcp[tool]=x', headers: { authorization } })
  t.strictSame(marks, [{ tool: 'books_find' }, undefined])
})

test('A repeated call with one key runs once', async (t) => {
  const app = createApp()
  t.teardown(() => app.close())
  await app.ready()
  const authorization = `Bearer ${tokenOf(app, 'admin')}`
  const create = (key: object) => callTool(app, 'books_create', { data: { title: 'Emma' }, ...key }, { authorization })
  const first = await create({ idempotencyKey: 'a' })
  t.equal((await create({ idempotencyKey: 'a' })).body, first.body)
  t.match((await create({ idempotencyKey: 'b' })).json(), { result: { structuredContent: { id: 2 } } })
  t.match((await create({ idempotencyKey: 'a\r\nb: c' })).json(), { result: { isError: true } })
})

test('The key and the trace of a message go with the call', async (t) => {
  const app = createApp({ services: ['books.create', 'echo.get'] }, (app) => {
    app.service('echo', {
      async get(_id: unknown, { headers }: { headers?: Record<string, unknown> }) {
        return { trace: headers?.traceparent, tenant: headers?.['x-tenant'], ticket: headers?.mark }
      }
    })
  })
  t.teardown(() => app.close())
  await app.ready()
  const headers = { authorization: `Bearer ${tokenOf(app, 'admin')}`, 'x-tenant': 'a' }
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const send = async (name: string, given: object, _meta: object) =>
    (await post(app, { method: 'tools/call', params: { name, arguments: given, _meta } }, headers)).json().result
  t.strictSame((await send('echo_get', { id: 1 }, { traceparent })).structuredContent, {
    trace: traceparent,
    tenant: 'a'
  })
  t.strictSame((await send('echo_get', { id: 1 }, { traceparent: 'a\r\nb: c' })).structuredContent, { tenant: 'a' })
  const create = (idempotencyKey: unknown) => send('books_create', { data: { title: 'Emma' } }, { idempotencyKey })
  const first = await create('a')
  t.strictSame(await create('a'), first)
  t.match(await create(1), { isError: true })
})

test('A login of OAuth is announced', async (t) => {
  const resource = 'https://api.example.com/mcp'
  const authorization = { resource, servers: ['https://login.example.com'], scopes: ['books'] }
  const app = createApp({ services: ['books'], authorization })
  t.teardown(() => app.close())
  const metadata = 'https://api.example.com/.well-known/oauth-protected-resource/mcp'
  t.strictSame((await app.inject(new URL(metadata).pathname)).json(), {
    resource,
    authorization_servers: authorization.servers,
    scopes_supported: ['books'],
    bearer_methods_supported: ['header']
  })
  const challenge = async (headers?: Record<string, string>) =>
    (await post(app, { method: 'tools/list' }, headers)).headers['www-authenticate']
  t.equal(await challenge(), `Bearer resource_metadata="${metadata}", scope="books"`)
  const wrong = `Bearer error="invalid_token", resource_metadata="${metadata}", scope="books"`
  t.equal(await challenge({ authorization: 'Bearer wrong' }), wrong)
  const call = await callTool(app, 'books_find', {}, { authorization: 'Bearer wrong' })
  t.match(call, { statusCode: 401, headers: { 'www-authenticate': wrong } })
  for (const wrong of [{ resource: 'x', servers: ['https://a.b'] }, { resource }, { resource, servers: ['x'] }])
    await t.rejects(async () => createApp({ authorization: wrong as never }).ready(), { message: /authorization/ })
})

test('A condition with null finds records without a value, or is refused where a URL would lose it', async (t) => {
  const app = createApp({ services: ['tasks'] }, (app) => {
    app.service(
      'tasks',
      memory({
        records: [
          { id: 1, end: null },
          { id: 2, end: 'now' }
        ]
      })
    )
  })
  t.teardown(() => app.close())
  await app.ready()
  const authorization = `Bearer ${tokenOf(app, 'admin')}`
  const find = async (query: object) => (await callTool(app, 'tasks_find', { query }, { authorization })).json().result
  const found = await find({ end: null, id: { $in: Array.from({ length: 30 }, (_, id) => id) } })
  if (METHODS.includes('QUERY')) t.strictSame(found.structuredContent, [{ id: 1, end: null }])
  else t.match(found, { isError: true, content: [{ text: /can't have null/ }] })
})

for (const [method, input] of [
  ['find', {}],
  ['get', { id: 1 }]
] as const)
  test(`An agent asks ${method} for related records, whose service sees it as an agent`, async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    const seen: unknown[] = []
    app.service('authors', memory({ records: [{ id: 7, name: 'Ada' }] }), {
      hooks: { before: { find: [({ params }) => void seen.push(params.mcp)] } }
    })
    const record = { type: 'object', properties: { id: { type: 'integer' }, authorId: { type: 'integer' } } } as const
    app.service('posts', memory({ records: [{ id: 1, authorId: 7 }] }), {
      schema: resource(record) as object,
      hooks: { around: { [method]: [include({ author: 'authors' })] } }
    })
    await app.register(mcp, { services: [`posts.${method}`] })
    const { tools } = (await post(app, { method: 'tools/list' })).json().result
    t.match(tools[0].inputSchema.properties.query.properties.$include, { type: 'array' })
    const found = (await callTool(app, `posts_${method}`, { ...input, query: { $include: ['author'] } })).json().result
    const answer = found.structuredContent ?? JSON.parse(found.content[0].text)
    t.strictSame([answer].flat(), [{ id: 1, authorId: 7, author: { id: 7, name: 'Ada' } }])
    t.strictSame(seen, [{ tool: `posts_${method}` }])
  })
