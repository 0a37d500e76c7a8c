import Fastify, { type FastifyServerOptions } from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'
import { createHost, request } from '../support/host.js'

const { stringify } = JSON

t.test('`id` is the decoded last segment, always a string', async (t) => {
  const { app, calls } = await createHost(t)
  const ids: [segment: string, id: string][] = [
    ['1', '1'],
    ['0', '0'],
    ['true', 'true'],
    ['1e3', '1e3'],
    ['a%20b', 'a b'],
    ['a+b', 'a+b'],
    ['%C3%A9', 'é'],
    ['%F0%9F%98%80', '😀'],
    ['a.b', 'a.b'],
    ['...', '...'],
    ['a,b', 'a,b'],
    ['a;b', 'a;b'],
    ['%3F', '?'],
    ['%23', '#'],
    ['-', '-'],
    ['%22', '"'],
    [':id', ':id'],
    ['*', '*']
  ]
  for (const [segment, id] of ids) {
    calls.length = 0
    for (const [verb, payload] of [['GET'], ['PUT', {}], ['PATCH', {}], ['DELETE']] as const) {
      t.equal((await request(app, verb, `/things/${segment}`, payload && { payload })).status, 200)
    }
    t.strictSame(
      calls.map(({ args }) => args[0]),
      [id, id, id, id],
      stringify(segment)
    )
  }
})

t.test('`null`, `undefined` and `__proto__` in the URL are just strings', async (t) => {
  const { app, calls } = await createHost(t)
  for (const id of ['null', 'undefined', '__proto__', 'constructor', 'toString', 'NaN', '[object Object]']) {
    calls.length = 0
    await request(app, 'GET', `/things/${encodeURIComponent(id)}`)
    await request(app, 'DELETE', `/things/${encodeURIComponent(id)}`)
    t.strictSame(
      calls.map(({ method, args }) => [method, args]),
      [
        ['get', [id]],
        ['remove', [id]]
      ]
    )
  }
})

t.test('decoded once and handed to the service: `%2F`, `a%2Fb`, `%00`, `%252F`', async (t) => {
  const { app, calls } = await createHost(t)
  for (const [segment, id] of [
    ['%2F', '/'],
    ['a%2Fb', 'a/b'],
    ['%00', '\0'],
    ['%252F', '%2F'],
    ['%25', '%'],
    ['a%2F', 'a/'],
    ['%20', ' ']
  ]) {
    calls.length = 0
    t.equal((await request(app, 'DELETE', `/things/${segment}`)).status, 200)
    t.strictSame(
      calls.map(({ args }) => args),
      [[id]],
      stringify(segment)
    )
  }
})

t.test('an id stays in its case where paths are `caseSensitive: false`', async (t) => {
  const { app, calls } = await createHost(t, { server: { routerOptions: { caseSensitive: false } } })
  t.equal((await request(app, 'GET', '/THINGS/AbC')).status, 200)
  t.strictSame(calls[0]?.args, ['AbC'])
})

t.test('an id that is longer than the `maxParamLength` of the host is refused, a shorter one is not', async (t) => {
  const { app, calls } = await createHost(t)
  t.equal((await request(app, 'GET', `/things/${'x'.repeat(100)}`)).status, 200)
  t.equal((await request(app, 'GET', `/things/${'x'.repeat(101)}`)).status, 414)
  t.equal(calls.length, 1)
  const wide = await createHost(t, { server: { routerOptions: { maxParamLength: 5000 } } })
  t.equal((await request(wide.app, 'GET', `/things/${'x'.repeat(5000)}`)).status, 200)
  t.strictSame(wide.calls[0]?.args, ['x'.repeat(5000)])
  t.equal((await request(wide.app, 'POST', `/things/${'x'.repeat(5000)}`)).status, 405, 'and its URL is known')
})

t.test('an id behind more segments is no id: 404', async (t) => {
  const { app, calls } = await createHost(t)
  for (const verb of ['GET', 'PUT', 'PATCH', 'DELETE'])
    t.equal((await request(app, verb, '/things/1/2')).status, 404, verb)
  t.equal(calls.length, 0)
})

// docs/http.md#requests-and-calls: `PUT`, `PATCH`, `DELETE` on `/path/` (an empty id, usually a template bug) are 400, never the multi form, also on hosts with
// `ignoreTrailingSlash`.
const hosts: [name: string, server: FastifyServerOptions][] = [
  ['a plain host', {}],
  ['`ignoreTrailingSlash`', { ignoreTrailingSlash: true }],
  ['`routerOptions.ignoreTrailingSlash`', { routerOptions: { ignoreTrailingSlash: true } }],
  ['`ignoreDuplicateSlashes`', { ignoreDuplicateSlashes: true }],
  ['`routerOptions.ignoreDuplicateSlashes`', { routerOptions: { ignoreDuplicateSlashes: true } }],
  ['both', { routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true } }],
  ['`caseSensitive: false`', { caseSensitive: false }],
  ['`routerOptions.caseSensitive: false`', { routerOptions: { caseSensitive: false } }],
  ['`exposeHeadRoutes: false`', { exposeHeadRoutes: false }],
  ['`rewriteUrl`', { rewriteUrl: ({ url = '' }) => url.replace(/^\/api/, '') }],
  ['`useSemicolonDelimiter`', { useSemicolonDelimiter: true }],
  ['`useSemicolonDelimiter` and `ignoreTrailingSlash`', { useSemicolonDelimiter: true, ignoreTrailingSlash: true }]
]

const urls = ['/things/', '/things/?', '/things/?a=1', '/things/?a=/b', '/things/#a', '/th%69ngs/']

for (const [name, server] of hosts) {
  t.test(
    `\`PUT\`/\`PATCH\`/\`DELETE\` with an empty id (\`/path/\`): 400, the service is not called (${name})`,
    async (t) => {
      const { app, calls } = await createHost(t, { server })
      const paths = JSON.stringify(server).includes('Semicolon') ? ['/things/;a=1'] : []
      for (const url of [...urls, ...paths]) {
        for (const [verb, payload] of [['PUT', { a: 1 }], ['PATCH', { a: 1 }], ['DELETE']] as const) {
          const { status, body } = await request(app, verb, url, payload && { payload })
          t.match(
            { status, body },
            { status: 400, body: { name: 'BadRequest', className: 'bad-request', code: 400 } },
            `${verb} ${url}`
          )
        }
      }
      t.strictSame(calls, [], 'the service is not called')
    }
  )

  t.test(`\`GET\`/\`POST\` on \`/path/\` are \`find\`/\`create\`, \`/path\` is the multi form (${name})`, async (t) => {
    const { app, calls } = await createHost(t, { server })
    t.equal((await request(app, 'GET', '/things/')).status, 200)
    t.equal((await request(app, 'POST', '/things/', { payload: {} })).status, 201)
    t.equal((await request(app, 'DELETE', '/things?a=/')).status, 200)
    t.equal((await request(app, 'PATCH', '/things', { payload: {} })).status, 200)
    t.equal((await request(app, 'HEAD', '/things/1')).status, 200)
    t.strictSame(
      calls.map(({ method, args }) => [method, args[0]]),
      [
        ['find', undefined],
        ['create', {}],
        ['remove', null],
        ['patch', null],
        ['get', '1']
      ]
    )
  })
}

t.test('slashes in a row are an empty id as well, where the host ignores them', async (t) => {
  const { app, calls } = await createHost(t, {
    server: { routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true } }
  })
  for (const url of ['/things//', '//things/', '//things//', '/things///?a=1'])
    t.equal((await request(app, 'DELETE', url)).status, 400, url)
  t.strictSame(calls, [])
  t.equal((await request(app, 'DELETE', '//things//1')).status, 200)
  t.strictSame(
    calls.map(({ args }) => args),
    [['1']]
  )
})

t.test(
  'an empty id is seen in the raw URL: what a client sent, also where `rewriteUrl` takes the slash away',
  async (t) => {
    const { app, calls } = await createHost(t, {
      server: { rewriteUrl: ({ url = '' }) => url.replace(/\/(?=$|\?)/, '') }
    })
    for (const url of ['/things/', '/things/?a=1']) t.equal((await request(app, 'DELETE', url)).status, 400, url)
    t.strictSame(calls, [])
  }
)

t.test('a service that lacks the method answers 405 there, not 400', async (t) => {
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('words', { find: async () => [] })
    }
  })
  t.equal((await request(app, 'DELETE', '/words/')).status, 405)
})

async function create(t: Test, path: string, routerOptions: FastifyServerOptions['routerOptions'] = {}) {
  const app = Fastify({ routerOptions })
  t.teardown(() => app.close())
  await app.register(services)
  const calls: unknown[] = []
  app.service(path, {
    find: async () => [],
    remove: async (...args) => {
      calls.push(args)
      return args[0]
    }
  })
  return {
    calls,
    remove: (url: string) => app.inject({ method: 'DELETE', url, headers: { accept: 'application/json' } })
  }
}

const refused = { name: 'BadRequest', code: 400 }

t.test('an empty placeholder is refused as an empty id is: it must not select the records of all', async (t) => {
  const { calls, remove } = await create(t, 'users/:userId/notes')
  t.match((await remove('/users//notes')).json(), refused)
  t.strictSame(calls, [])
  t.equal((await remove('/users/1/notes')).statusCode, 204)
  t.match(calls, [[null, { route: { userId: '1' } }]])
})

t.test('with `ignoreDuplicateSlashes` too, and at `/`', async (t) => {
  const first = await create(t, 'p/:x', { ignoreDuplicateSlashes: true })
  t.match((await first.remove('/p//1')).json(), refused)
  const root = await create(t, '/', { ignoreDuplicateSlashes: true })
  t.match((await root.remove('//')).json(), refused)
  t.strictSame([...first.calls, ...root.calls], [])
  t.equal((await root.remove('/')).statusCode, 204)
  t.equal(root.calls.length, 1)
})

t.test('a placeholder `:id` with a pattern is no record id', async (t) => {
  const { calls, remove } = await create(t, 'users/:id(\\d+)')
  t.equal((await remove('/users/5')).statusCode, 204)
  t.match(calls, [[null, { route: { id: '5' } }]])
})

t.test('a `query` function that gives nothing gives an empty query', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { query: () => null as never })
  app.service('echo', { find: async (params) => params.query })
  t.strictSame((await app.inject('/echo?a=1')).json(), {})
})
