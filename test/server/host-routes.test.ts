import Fastify, { type FastifyInstance, type FastifyPluginAsync, type HTTPMethods } from 'fastify'
import services from 'fastify-services'
import t from 'tap'
import { createHost, request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

type Place = (define: (app: FastifyInstance) => void) => {
  before?: (app: FastifyInstance) => void
  after?: (app: FastifyInstance) => void
}

const plugin =
  (define: (app: FastifyInstance) => void): FastifyPluginAsync =>
  async (child) =>
    define(child)

// docs/http.md#beside-other-routes-and-plugins: a verb and path that the application defines itself, before the service has loaded, stays its own.
const places: [name: string, place: Place][] = [
  ['before registration', (define) => ({ before: define })],
  ['after it in the same scope', (define) => ({ after: define })],
  [
    'in a plugin registered before',
    (define) => ({
      before: (app) => {
        app.register(plugin(define))
      }
    })
  ]
]

const routes = [
  ['GET', '/things'],
  ['GET', '/things/'],
  ['GET', '/things/:id'],
  ['GET', '/things/special'],
  ['POST', '/things'],
  ['POST', '/things/:id'],
  ['PUT', '/things'],
  ['PUT', '/things/:id'],
  ['PATCH', '/things/:key'],
  ['DELETE', '/things'],
  ['DELETE', '/things/:id'],
  ['OPTIONS', '/things'],
  ['TRACE', '/things/:id']
] as const

for (const [where, place] of places) {
  for (const [verb, url] of routes) {
    t.test(`a host with its own \`${verb} ${url}\`, ${where}: starts, both work`, async (t) => {
      const { app, calls } = await createHost(
        t,
        place((app) => {
          app.route({ method: verb, url, handler: async (request) => ({ host: request.params }) })
        })
      )
      const answer = await request(app, verb, url.replace(/:\w+/, '1'))
      t.strictSame(
        [answer.status, answer.body],
        [200, { host: url.includes(':') ? { [url.includes('key') ? 'key' : 'id']: '1' } : {} }]
      )
      t.strictSame(calls, [], "it stays the host's")
      for (const [other, path, payload] of [
        ['GET', '/things'],
        ['GET', '/things/2'],
        ['POST', '/things', {}],
        ['PUT', '/things', {}],
        ['PUT', '/things/2', {}],
        ['PATCH', '/things', {}],
        ['PATCH', '/things/2', {}],
        ['DELETE', '/things'],
        ['DELETE', '/things/2']
      ] as const) {
        if (other === verb && path.replace('2', 'x') === url.replace(/:\w+/, 'x')) continue
        calls.length = 0
        const { status } = await request(app, other, path, payload && { payload })
        t.equal(status, other === 'POST' ? 201 : 200, `${other} ${path}`)
        t.equal(calls.length, 1)
      }
    })
  }

  t.test(`a host with its own HEAD route, ${where}: starts, both work`, async (t) => {
    for (const server of [{}, { exposeHeadRoutes: false }]) {
      const { app, calls } = await createHost(t, {
        server,
        ...place((app) => {
          app.head('/things', async (_request, reply) => reply.header('x-host', '1').send())
          app.head('/things/:id', async (_request, reply) => reply.header('x-host', '2').send())
        })
      })
      t.equal((await request(app, 'HEAD', '/things')).headers['x-host'], '1')
      t.equal((await request(app, 'HEAD', '/things/1')).headers['x-host'], '2')
      t.strictSame(calls, [])
      t.equal((await request(app, 'GET', '/things/1')).status, 200)
    }
  })

  t.test(`own wildcard routes, ${where}: what is the service's comes first`, async (t) => {
    const { app, calls } = await createHost(
      t,
      place((app) => {
        app.get('/*', async ({ url }) => ({ any: url }))
        app.post('/things/*', async ({ params }) => ({ below: params }))
      })
    )
    t.match((await request(app, 'GET', '/things')).body, { method: 'find' })
    t.match((await request(app, 'GET', '/things/1')).body, { method: 'get' })
    t.match((await request(app, 'POST', '/things', { payload: {} })).body, { method: 'create' })
    t.strictSame((await request(app, 'GET', '/things/1/2')).body, { any: '/things/1/2' })
    t.strictSame((await request(app, 'POST', '/things/1')).body, { below: { '*': '1' } })
    t.equal(calls.length, 3)
  })
}

t.test('a route that comes later, at a URL of a service, is refused by Fastify; others are there', async (t) => {
  const later = (...[method, url]: [HTTPMethods, string]) =>
    createHost(t, {
      after: (app) => {
        app.register(async (child) => child.route({ method, url, handler: async () => 'ours' }))
      }
    })
  for (const [method, url] of [
    ['GET', '/things'],
    ['HEAD', '/things'],
    ['GET', '/things/:other'],
    ['POST', '/things'],
    ['DELETE', '/things/:id']
  ] as const)
    await t.rejects(later(method, url), {
      code: 'FST_ERR_DUPLICATED_ROUTE',
      message: `Method '${method}' already declared for route '${url}'`
    })
  for (const [method, url] of [
    ['GET', '/things/special'],
    ['POST', '/things/:id'],
    ['GET', '/*']
  ] as const) {
    const { app } = await later(method, url)
    const answer = url === '/*' ? '/elsewhere' : url
    t.equal((await app.inject({ method, url: answer })).body, 'ours')
    t.match((await request(app, 'GET', '/things/1')).body, { method: 'get' })
  }
})

t.test("one route of a host for several verbs, defined after the service, stays the host's", async (t) => {
  const handler = async ({ method }: { method: string }) => ({ host: method })
  const { app, calls } = await createHost(t, {
    after: (app) => app.route({ method: ['GET', 'PUT'], url: '/things/:id', handler })
  })
  for (const verb of ['GET', 'PUT'] as const) t.strictSame((await request(app, verb, '/things/1')).body, { host: verb })
  t.strictSame(calls, [])
  t.match((await request(app, 'DELETE', '/things/1')).body, { method: 'remove' })
})

t.test("a host with `app.all('*')` has no 404 and no 405: what the service lacks is the host's", async (t) => {
  const { app } = await createHost(t, {
    before: (app) => {
      app.all('*', async ({ method }) => ({ any: method }))
    },
    after: (app) => {
      app.service('words', createRecorder(['find']).service)
    }
  })
  t.match((await request(app, 'GET', '/words')).body, { method: 'find' })
  t.strictSame((await request(app, 'DELETE', '/words')).body, { any: 'DELETE' })
  t.strictSame((await request(app, 'OPTIONS', '/things')).body, { any: 'OPTIONS' })
})

t.test('a route of the host in the spelling that its router takes for ours', async (t) => {
  for (const [server, url] of [
    [{ routerOptions: { caseSensitive: false } }, '/Things'],
    [{ routerOptions: { ignoreTrailingSlash: true } }, '/things/'],
    [{ routerOptions: { ignoreDuplicateSlashes: true } }, '//things']
  ] as const) {
    for (const where of ['before', 'after'] as const) {
      const { app, calls } = await createHost(t, {
        server,
        [where]: (app: FastifyInstance) => {
          app.get(url, async () => ({ host: true }))
        }
      })
      t.strictSame((await request(app, 'GET', '/things')).body, { host: true }, `${url} ${where}`)
      t.equal((await request(app, 'GET', '/things/1')).status, 200)
      t.equal(calls.length, 1)
    }
  }
})

// The plugin inside a prefixed child, and routes of the host in that child.
const childPlaces = ['before registration', 'after it in the same scope'] as const

for (const where of childPlaces) {
  t.test(`the plugin inside a prefixed child, own routes overlapping there, ${where}: both work`, async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    const { service, calls } = createRecorder()
    const define = (child: FastifyInstance) => {
      child.get('/things', async () => ({ host: 'list' }))
      child.delete('/things/:id', async () => ({ host: 'gone' }))
      child.post('/things/:id', async () => ({ host: 'posted' }))
      child.head('/things/:id', async (_request, reply) => reply.header('x-host', '1').send())
    }
    await app.register(
      async (child) => {
        if (where === 'before registration') define(child)
        await child.register(services)
        child.service('things', service)
        if (where === 'after it in the same scope') define(child)
      },
      { prefix: '/v1' }
    )
    t.strictSame((await request(app, 'GET', '/v1/things')).body, { host: 'list' })
    t.strictSame((await request(app, 'DELETE', '/v1/things/1')).body, { host: 'gone' })
    t.strictSame((await request(app, 'POST', '/v1/things/1')).body, { host: 'posted' })
    t.equal((await request(app, 'HEAD', '/v1/things/1')).headers['x-host'], '1')
    t.strictSame(calls, [])
    t.match((await request(app, 'GET', '/v1/things/1')).body, { method: 'get', args: ['1'] })
    t.match((await request(app, 'DELETE', '/v1/things')).body, { method: 'remove', args: [null] })
    t.match((await request(app, 'POST', '/v1/things', { payload: {} })).body, { method: 'create' })
    t.equal(calls.length, 3)
  })
}

t.test("routes of another context: the plugin in a child, the host's route at the root", async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const { service, calls } = createRecorder()
  app.get('/v1/things', async () => ({ host: true }))
  await app.register(
    async (child) => {
      await child.register(services)
      child.service('things', service)
    },
    { prefix: '/v1' }
  )
  t.throws(() => app.delete('/v1/things/:id', async () => 'later'), { code: 'FST_ERR_DUPLICATED_ROUTE' })
  t.strictSame((await request(app, 'GET', '/v1/things')).body, { host: true })
  t.strictSame((await request(app, 'GET', '/v1/things/1')).status, 200)
  t.equal(calls.length, 1)
})

t.test(
  "a host with its own `POST /path`: a custom method does not stand over it, nor does it take the service's other routes",
  async (t) => {
    for (const when of ['before', 'after']) {
      const app = Fastify()
      t.teardown(() => app.close())
      await app.register(services)
      const { service, calls } = createRecorder(['find', 'create', 'archive'])
      if (when === 'before') app.post('/mail', async () => ({ host: true }))
      app.service('mail', service, { methods: ['find', 'create', 'archive'] })
      if (when === 'after') app.post('/mail', async () => ({ host: true }))
      t.strictSame((await request(app, 'POST', '/mail', { payload: {} })).body, { host: true }, when)
      t.strictSame(
        (await request(app, 'POST', '/mail', { payload: {}, headers: { 'x-service-method': 'unknown' } })).body,
        { host: true },
        when
      )
      t.equal((await request(app, 'GET', '/mail')).status, 200)
      t.strictSame(
        calls.map(({ method }) => method),
        ['find']
      )
    }
  }
)

const constrained: [
  name: string,
  place: (define: (app: FastifyInstance) => void) => Parameters<typeof createHost>[1]
][] = [
  ['before registration', (define) => ({ before: define })],
  ['after it in the same scope', (define) => ({ after: define })],
  [
    'in a plugin registered later',
    (define) => ({
      after: (app) => {
        app.register(async (child) => define(child))
      }
    })
  ]
]

for (const [where, place] of constrained) {
  t.test(`routes of the host with constraints of their own, ${where}: both work`, async (t) => {
    const { app, calls } = await createHost(
      t,
      place((app) => {
        app.get('/things', { constraints: { host: 'other.example.com' } }, async () => ({ host: true }))
        app.post('/things', { constraints: { version: '2.0.0' } }, async () => ({ host: true }))
      })
    )
    t.strictSame(
      (await request(app, 'GET', '/things', { headers: { host: 'other.example.com' } })).body,
      { host: true },
      "what the host defines stays the host's"
    )
    t.match((await request(app, 'GET', '/things')).body, { method: 'find' }, 'for every other host it is the service')
    t.strictSame((await request(app, 'POST', '/things', { headers: { 'accept-version': '2.x' } })).body, { host: true })
    t.match((await request(app, 'POST', '/things', { payload: {} })).body, { method: 'create' })
    t.equal(calls.length, 2)
  })
}
