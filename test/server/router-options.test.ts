import { once } from 'node:events'
import { type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyServerOptions } from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'
import { createHost, request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

// Applications with `ignoreTrailingSlash`, `ignoreDuplicateSlashes`, `caseSensitive: false`, `exposeHeadRoutes: false` or `rewriteUrl` start, and
// answer as docs/http.md#requests-and-calls says (an empty id: request-id.test.ts).
const hosts: [name: string, server: FastifyServerOptions, spellings: string[]][] = [
  ['`ignoreTrailingSlash`', { ignoreTrailingSlash: true }, []],
  ['`routerOptions.ignoreTrailingSlash`', { routerOptions: { ignoreTrailingSlash: true } }, []],
  ['`ignoreDuplicateSlashes`', { ignoreDuplicateSlashes: true }, ['//things', '/things//']],
  [
    '`routerOptions.ignoreDuplicateSlashes`',
    { routerOptions: { ignoreDuplicateSlashes: true } },
    ['//things', '/things//']
  ],
  ['`caseSensitive: false`', { caseSensitive: false }, ['/Things', '/THINGS/']],
  ['`routerOptions.caseSensitive: false`', { routerOptions: { caseSensitive: false } }, ['/Things', '/THINGS/']],
  ['`exposeHeadRoutes: false`', { exposeHeadRoutes: false }, []],
  ['`rewriteUrl`', { rewriteUrl: ({ url = '' }) => url.replace(/^\/api/, '') }, ['/api/things', '/api/things/']],
  ['`useSemicolonDelimiter`', { useSemicolonDelimiter: true }, []],
  [
    'all at once',
    {
      exposeHeadRoutes: false,
      rewriteUrl: ({ url = '' }) => url.replace(/^\/api/, ''),
      routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, caseSensitive: false }
    },
    ['/api//Things//']
  ]
]

for (const [name, server, spellings] of hosts) {
  t.test(`a host with ${name} starts, and the rows of the query hold`, async (t) => {
    const { app, calls } = await createHost(t, { server })
    const twentyOne = Array(21).fill('a[]=1').join('&')
    for (const url of ['/things', '/things/', ...spellings]) {
      calls.length = 0
      t.strictSame(
        (await request(app, 'GET', `${url}?a[B]=C`)).body,
        { method: 'find', args: [], query: { a: { B: 'C' } }, route: {} },
        url
      )
      t.equal((await request(app, 'GET', `${url}?${twentyOne}`)).status, 200, url)
      t.notOk(Array.isArray(calls[1]?.params.query?.a))
      t.equal((await request(app, 'GET', `${url}?a[b][c][d][e][f][g]=1`)).status, 400, url)
      t.equal(
        (await request(app, 'GET', `${url}?${Array.from({ length: 1001 }, (_, i) => `a${i}=1`).join('&')}`)).status,
        400,
        url
      )
      t.strictSame((await request(app, 'GET', `${url}?__proto__[polluted]=1&a[__proto__][x]=1&b=1`)).status, 200, url)
      t.notOk(Object.hasOwn(calls[2]?.params.query ?? {}, '__proto__'))
      t.equal(calls.length, 3)
    }
  })

  t.test(`a host with ${name}: ids, HEAD, 404, 405`, async (t) => {
    const { app, calls } = await createHost(t, {
      server,
      after: (app) => {
        app.service('words/:lang', { find: async () => [] })
      }
    })
    for (const [segment, id] of [
      ['AbC', 'AbC'],
      ['a%2Fb', 'a/b'],
      ['%F0%9F%98%80', '😀'],
      ['__proto__', '__proto__'],
      ['null', 'null']
    ] as const) {
      calls.length = 0
      t.equal((await request(app, 'DELETE', `/things/${segment}`)).status, 200, segment)
      t.strictSame(
        calls.map(({ args }) => args),
        [[id]]
      )
    }
    t.equal((await request(app, 'HEAD', '/things/1')).status, 200)
    for (const path of ['/__proto__', '/constructor', '/toString', '/thing', '/thingsx'])
      t.equal((await request(app, 'GET', path)).status, 404, path)
    for (const url of ['/words/de', '/words/de/', '/words/de?a=1']) {
      t.equal((await request(app, 'GET', url)).status, 200, url)
      t.equal((await request(app, 'POST', url, { payload: {} })).status, 405, url)
    }
    t.equal((await request(app, 'OPTIONS', '/things')).status, 405)
  })
}

t.test('`useSemicolonDelimiter`: the query begins behind the semicolon, and only where the host says so', async (t) => {
  const { app, calls } = await createHost(t, { server: { useSemicolonDelimiter: true } })
  t.equal((await request(app, 'GET', '/things;a[b]=1')).status, 200)
  t.equal((await request(app, 'DELETE', '/things/1;a[b]=1')).status, 200)
  t.equal((await request(app, 'GET', '/things?a=1;b=2')).status, 200)
  t.strictSame(
    calls.map(({ args, params }) => [args, params.query]),
    [
      [[], { a: { b: '1' } }],
      [['1'], { a: { b: '1' } }],
      [[], { a: '1;b=2' }]
    ]
  )
  const plain = await createHost(t)
  t.equal((await request(plain.app, 'GET', '/things;a=1')).status, 404)
  t.equal((await request(plain.app, 'GET', '/things/1;a=1')).status, 200)
  t.strictSame(plain.calls[0]?.args, ['1;a=1'])
})

t.test('`config` and `bodyLimit` are passed on to the routes', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const seen: unknown[] = []
  app.addHook('onRequest', async (request) => {
    seen.push((request.routeOptions.config as { role?: string }).role)
  })
  app.service('things', { create: async (data) => data }, { config: { role: 'admin' }, bodyLimit: 20 })
  t.equal((await app.inject({ method: 'POST', url: '/things', payload: { a: 1 } })).statusCode, 201)
  const large = await app.inject({ method: 'POST', url: '/things', payload: { a: 'more than twenty bytes' } })
  t.match(large.json(), { name: 'PayloadTooLarge', code: 413 })
  t.strictSame(seen, ['admin', 'admin'])
})

t.test('HEAD and GET of what a service lacks: 405, named by the method that GET stands for', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', { create: async (data) => data })
  t.equal((await app.inject({ method: 'HEAD', url: '/things' })).statusCode, 405)
  for (const [url, name, allow] of [
    ['/things', 'find', 'POST'],
    ['/things/1', 'get', '']
  ] as const) {
    const response = await app.inject({ url, headers: { accept: 'application/json' } })
    t.match(response.json(), { code: 405, message: `Method \`${name}\` is not supported by this endpoint.` })
    t.equal(response.headers.allow, allow)
  }
})

t.test(
  'nested services on a host with `ignoreTrailingSlash`: both are found, with and without the slash',
  async (t) => {
    const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
    t.teardown(() => app.close())
    await app.register(services)
    app.service('users', { get: async (id) => ({ id }) })
    app.service('users/list', { find: async () => ['list'] })
    for (const [url, expected] of [
      ['/users/1', { id: '1' }],
      ['/users/1/', { id: '1' }],
      ['/users/list', ['list']],
      ['/users/list/', ['list']]
    ] as const)
      t.strictSame((await app.inject(url)).json(), expected, url)
  }
)

t.test('the path with a slash where only `get` is exposed: 405, no record with an empty id', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', { get: async (id) => ({ id }) })
  const response = await app.inject({ url: '/things/', headers: { accept: 'application/json' } })
  t.match(response.json(), { code: 405, message: 'Method `find` is not supported by this endpoint.' })
})

t.test('a URL with its host, as proxies get it, is the path of it', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  for (const path of ['/', 'things']) app.service(path, { patch: async (id) => ({ id }) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  for (const [path, status] of [
    ['/', 200],
    ['/1', 200],
    ['/things', 200],
    ['/things/', 400]
  ] as const) {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const sent = send({ port, method: 'PATCH', path: `http://example.com${path}`, headers }).end('{}')
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    t.equal(response.resume().statusCode, status, path)
  }
})

t.test('a placeholder with a pattern: what does not fit is no path of the service, 404', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users/:userId(\\d+)/notes', { find: async (params) => params.route, get: async (id) => ({ id }) })
  t.strictSame((await app.inject('/users/1/notes')).json(), { userId: '1' })
  for (const url of ['/users/abc/notes', '/users/abc/notes/1']) t.equal((await app.inject(url)).statusCode, 404, url)
  t.equal((await app.inject({ method: 'DELETE', url: '/users/1/notes' })).statusCode, 405)
})

t.test(
  'More specific services win: a fixed segment before a placeholder, also where it lacks the method',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    const calls: string[] = []
    const record = (name: string) => async () => {
      calls.push(name)
      return { name }
    }
    const any = { find: record('any'), get: record('any'), create: record('any'), patch: record('any') }
    app.service(':tenant/users', any)
    app.service('acme/users', { find: record('acme') })
    const ask = async (method: 'GET' | 'POST' | 'PATCH', url: string) => {
      const payload = method === 'GET' ? {} : { payload: {} }
      const { statusCode, headers } = await app.inject({
        method,
        url,
        ...payload,
        headers: { accept: 'application/json' }
      })
      return [statusCode, headers.allow]
    }
    t.strictSame(await ask('GET', '/acme/users'), [200, undefined])
    t.strictSame(await ask('POST', '/acme/users'), [405, 'GET, HEAD, QUERY'])
    t.strictSame(await ask('PATCH', '/acme/users/1'), [405, ''])
    t.strictSame(calls, ['acme'])
    t.strictSame(await ask('POST', '/other/users'), [201, undefined])
    t.strictSame(await ask('PATCH', '/other/users/1'), [200, undefined])
    t.strictSame(calls, ['acme', 'any', 'any'])
  }
)

const orders: [name: string, paths: string[]][] = [
  ['the outer one first', ['users', 'users/list']],
  ['the inner one first', ['users/list', 'users']]
]

async function create(t: Test, paths: string[], names?: readonly string[], server: FastifyServerOptions = {}) {
  const app = Fastify(server)
  t.teardown(() => app.close())
  await app.register(services)
  const [users, list] = [createRecorder(), createRecorder(names)]
  for (const path of paths) app.service(path, path === 'users' ? users.service : list.service)
  return { app, users: users.calls, list: list.calls }
}

for (const [name, paths] of orders) {
  t.test(`nested services, more specific services win (${name})`, async (t) => {
    const { app, users, list } = await create(t, paths)
    for (const [verb, payload] of [['GET'], ['POST', {}], ['PUT', {}], ['PATCH', {}], ['DELETE']] as const) {
      t.ok((await request(app, verb, '/users/list', payload && { payload })).status < 300, verb)
    }
    t.strictSame(
      list.map(({ method, args }) => [method, args[0]]),
      [
        ['find', undefined],
        ['create', {}],
        ['update', null],
        ['patch', null],
        ['remove', null]
      ]
    )
    await request(app, 'DELETE', '/users/list/1')
    t.strictSame(list.at(-1)?.args, ['1'])
    t.strictSame(users, [], 'the outer service has no record of that name')
    await request(app, 'DELETE', '/users/listing')
    await request(app, 'DELETE', '/users/1')
    t.strictSame(
      users.map(({ args }) => args),
      [['listing'], ['1']]
    )
  })

  t.test(`a method that the more specific one lacks is 405, not a call of the other (${name})`, async (t) => {
    const { app, users, list } = await create(t, paths, ['find'])
    for (const verb of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await request(app, verb, '/users/list')
      t.strictSame([status, headers.allow], [405, 'GET, HEAD, QUERY'], verb)
    }
    t.equal((await request(app, 'DELETE', '/users/l%69st')).status, 405, 'in each spelling')
    t.equal((await request(app, 'GET', '/users/list')).status, 200)
    t.strictSame([users.length, list.length], [0, 1])
  })

  t.test(`the same on a host with \`caseSensitive: false\` (${name})`, async (t) => {
    const { app, users, list } = await create(t, paths, ['find'], { routerOptions: { caseSensitive: false } })
    t.equal((await request(app, 'GET', '/Users/List')).status, 200)
    t.equal((await request(app, 'DELETE', '/Users/List')).status, 405)
    t.strictSame([users.length, list.length], [0, 1])
  })
}

t.test('an id that spells the path of a nested service is an id: decoded once and handed to the service', async (t) => {
  const { app, users } = await create(t, ['users', 'users/list'])
  app.service('users/:id/notes', createRecorder().service)
  app.service('users/list/all', createRecorder().service)
  for (const segment of ['%3Aid%2Fnotes', 'list%2Fall', '1%2Fnotes'])
    t.equal((await request(app, 'DELETE', `/users/${segment}`)).status, 200, segment)
  t.strictSame(
    users.map(({ args }) => args),
    [[':id/notes'], ['list/all'], ['1/notes']]
  )
})

t.test('Routing: a service path with placeholders beside the service of its parent', async (t) => {
  const { app, users } = await create(t, ['users'])
  const { service, calls } = createRecorder()
  app.service('users/:userId/messages', service)
  await request(app, 'GET', '/users/1/messages/2')
  await request(app, 'GET', '/users/1')
  t.strictSame(
    calls.map(({ args, params }) => [args, params.route]),
    [[['2'], { userId: '1' }]]
  )
  t.strictSame(
    users.map(({ args, params }) => [args, params.route]),
    [[['1'], {}]]
  )
})
