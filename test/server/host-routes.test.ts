import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
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

// Wire contract: a method and path that the host app defines itself, before or after, stays the host's.
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
  ],
  [
    'in a plugin registered later',
    (define) => ({
      after: (app) => {
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
      const own = await request(app, verb, url.replace(/:\w+/, '1'))
      t.strictSame(
        [own.status, own.body],
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
