import cors from '@fastify/cors'
import Fastify, { type FastifyServerOptions } from 'fastify'
import services, { type HookContext, type ServiceOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createRecorder, six } from '../support/recorder.js'

const routes = {
  publish: 'POST /:id/publish',
  hide: 'PATCH /:id/comments/:commentId',
  clear: 'DELETE /:id/comments',
  stats: 'GET /stats',
  tagged: 'GET /tagged/:tag',
  settings: 'PUT /settings/'
} as const
const own = Object.keys(routes)
const unused: ServiceOptions<Record<string, unknown>> = {}

async function create(t: Test, { options = unused, path = 'posts', server = {} as FastifyServerOptions } = {}) {
  const app = Fastify({ forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  await app.register(cors, { origin: true, strictPreflight: false })
  await app.register(services)
  const { service, calls } = createRecorder([...six, ...own, 'archive'])
  app.service<Record<string, unknown>, string>(path, service, {
    methods: [...six, ...own, 'archive'],
    routes,
    ...options
  })
  return { app, calls }
}

t.test('the row of the table is made from the text: id, data and placeholders', async (t) => {
  const { app, calls } = await create(t)
  const rows: [verb: string, url: string, method: string, args: unknown[], route: object][] = [
    ['POST', '/posts/1/publish?a=1', 'publish', ['1', { a: 1 }], {}],
    ['PATCH', '/posts/a%2Fb/comments/c%20d', 'hide', ['a/b', { a: 1 }], { commentId: 'c d' }],
    ['DELETE', '/posts/1/comments', 'clear', ['1'], {}],
    ['GET', '/posts/stats', 'stats', [], {}],
    ['GET', '/posts/tagged/%C3%BC', 'tagged', [], { tag: 'ü' }],
    ['PUT', '/posts/settings', 'settings', [{ a: 1 }], {}],
    ['GET', '/posts/1', 'get', ['1'], {}],
    ['PATCH', '/posts/1', 'patch', ['1', { a: 1 }], {}]
  ]
  for (const [verb, url, method, args, route] of rows) {
    const payload = verb.startsWith('P') ? { payload: { a: 1 } } : {}
    const { status, body } = await request(app, verb, url, payload)
    t.match([status, body], [200, { method, args, route }], `${verb} ${url}`)
  }
  t.equal(calls.length, rows.length)
  const { params } = calls[0] ?? {}
  t.strictSame([params?.provider, params?.query], ['rest', { a: '1' }])
})

t.test('HEAD as GET; no body is no error; what is null is 204', async (t) => {
  const { app, calls } = await create(t, {
    options: { hooks: { after: [({ method }) => (method === 'clear' ? { result: null } : {})] } }
  })
  const head = await app.inject({ method: 'HEAD', url: '/posts/stats' })
  t.strictSame([head.statusCode, head.body, calls.at(-1)?.method], [200, '', 'stats'])
  for (const headers of [{}, { 'content-type': 'application/json' }])
    t.equal((await request(app, 'POST', '/posts/1/publish', { headers })).status, 200)
  t.strictSame(calls.at(-1)?.args, ['1', undefined])
  t.equal((await request(app, 'DELETE', '/posts/1/comments')).status, 204)
})

t.test('a fixed segment comes before a record with that id, for every verb', async (t) => {
  const { app, calls } = await create(t)
  for (const verb of ['PATCH', 'PUT', 'DELETE', 'POST']) {
    const { status, headers } = await request(app, verb, '/posts/stats', { payload: {} })
    t.strictSame([status, headers.allow], [405, 'GET, HEAD'], verb)
  }
  t.equal((await request(app, 'GET', '/posts/settings')).headers.allow, 'PUT')
  t.equal(calls.length, 0)
})

t.test('405 with the verbs that there are, 404 where nothing is', async (t) => {
  const { app, calls } = await create(t)
  for (const [verb, url, status, allow] of [
    ['GET', '/posts/1/publish', 405, 'POST'],
    ['DELETE', '/posts/1/publish', 405, 'POST'],
    ['TRACE', '/posts/1/publish', 405, 'POST'],
    ['POST', '/posts/1/comments', 405, 'DELETE'],
    ['POST', '/posts/1', 405, 'GET, HEAD, PUT, PATCH, DELETE'],
    ['POST', '/posts/1/unknown', 404, undefined],
    ['POST', '/posts/1/publish/2', 404, undefined],
    ['POST', '/posts/1/Publish', 404, undefined],
    ['POST', '/posts/1/publish/', 404, undefined],
    ['GET', '/posts/tagged', 200, undefined],
    ['GET', '/posts/tagged/a/b', 404, undefined]
  ] as const) {
    const answer = await request(app, verb, url)
    t.strictSame([answer.status, answer.headers.allow], [status, allow], `${verb} ${url}`)
  }
  t.strictSame(
    calls.map(({ method, args }) => [method, ...args]),
    [['get', 'tagged']]
  )
})

t.test('an empty placeholder is 400', async (t) => {
  const { app, calls } = await create(t)
  for (const [verb, url, name] of [
    ['POST', '/posts//publish', 'id'],
    ['DELETE', '/posts//comments', 'id'],
    ['PATCH', '/posts//comments/2', 'id'],
    ['PATCH', '/posts/1/comments/', 'commentId'],
    ['GET', '/posts/tagged/', 'tag']
  ] as const)
    t.match(await request(app, verb, url, { payload: {} }), {
      status: 400,
      body: { name: 'BadRequest', message: `The value of ':${name}' in the URL is empty` }
    })
  t.strictSame(calls, [])
})

t.test('options of the router hold for routes', async (t) => {
  const routerOptions = { ignoreTrailingSlash: true, caseSensitive: false, ignoreDuplicateSlashes: true }
  const { app } = await create(t, { server: { routerOptions } })
  for (const url of ['/posts/1/publish/', '/Posts/1/PUBLISH', '//posts/1//publish'])
    t.match(await request(app, 'POST', url), { status: 200, body: { method: 'publish', args: ['1'] } }, url)
  t.match(await request(app, 'GET', '/POSTS/Stats/'), { status: 200, body: { method: 'stats' } })
  t.equal((await request(app, 'PATCH', '/posts/STATS', { payload: {} })).status, 405)
})

t.test('a CORS plugin answers a preflight request', async (t) => {
  const { app } = await create(t)
  const headers = { origin: 'http://a.example', 'access-control-request-method': 'POST' }
  t.equal((await request(app, 'OPTIONS', '/posts/1/publish', { headers })).status, 204)
})

for (const [path, url, route] of [
  ['', '', {}],
  ['users/:id/posts', '/users/7/posts', { id: '7' }],
  [':room/posts', '/a/posts', { room: 'a' }]
] as const)
  t.test(`a service at '${path}'`, async (t) => {
    const { app } = await create(t, { path })
    t.match(await request(app, 'POST', `${url}/1/publish`), {
      status: 200,
      body: { method: 'publish', args: ['1'], route }
    })
    t.strictSame((await request(app, 'GET', `${url}/stats`)).body, { method: 'stats', args: [], query: {}, route })
    const hidden = await request(app, 'PATCH', `${url}/1/comments/2`, { payload: {} })
    t.strictSame(hidden.body.route, { ...route, commentId: '2' })
    t.equal((await request(app, 'GET', `${url}/1/publish`)).headers.allow, 'POST')
    t.equal((await request(app, 'PUT', `${url}/stats`, { payload: {} })).status, 405)
    const named = { headers: { 'x-service-method': 'publish' }, payload: { id: 3, a: 1 } }
    t.strictSame((await request(app, 'POST', url || '/', named)).body, {
      method: 'publish',
      args: ['3', { a: 1 }],
      query: {},
      route
    })
  })

t.test('hooks get the arguments by name; a service calls it in the same way', async (t) => {
  const seen: unknown[] = []
  const note = (context: HookContext) => {
    const { method, id, data, params, event } = context
    seen.push([method, id, data, params.provider, event, context.arguments.length])
    if (method === 'publish') context.id = `${id}!`
  }
  const { app } = await create(t, { options: { hooks: { before: { all: note } } } })
  t.match((await request(app, 'POST', '/posts/1/publish', { payload: { a: 1 } })).body.args, ['1!', { a: 1 }])
  await request(app, 'GET', '/posts/stats')
  const posts = app.service('posts') as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  await posts.publish?.(2, { b: 1 })
  await posts.clear?.(3)
  t.strictSame(seen, [
    ['publish', '1', { a: 1 }, 'rest', null, 3],
    ['stats', undefined, undefined, 'rest', null, 1],
    ['publish', 2, { b: 1 }, undefined, null, 3],
    ['clear', 3, undefined, undefined, null, 2]
  ])
  await t.rejects(async () => posts.publish?.(), {
    name: 'BadRequest',
    message: "An id must be provided to the 'publish' method"
  })
})

t.test('a schema of its own for placeholders, query, body and response; `bodyLimit` and `config`', async (t) => {
  const integer = { type: 'integer' }
  const of = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) })
  const { app } = await create(t, {
    options: {
      schema: {
        publish: {
          params: of({ id: integer }),
          body: of({ days: integer }),
          querystring: { type: 'object', properties: { a: integer } },
          response: of({ method: { type: 'string' } })
        },
        clear: { response: { 200: of({ args: { type: 'array' } }) } },
        stats: { response: { type: 'object', properties: { data: { type: 'array' }, method: { type: 'string' } } } }
      },
      bodyLimit: 30,
      config: { a: 1 },
      before: [
        async ({ feathers, routeOptions }) =>
          void Object.assign(feathers, { config: { a: (routeOptions.config as { a?: number }).a } })
      ],
      hooks: {
        after: [
          ({ method, id, data, params, result }) => {
            if (method === 'stats') return { result: { data: [1], method, secret: 1 } }
            if (method === 'publish')
              t.strictSame(
                [id, data, params.query, params.config, result && 1],
                [1, { days: 2 }, { a: 3 }, { a: 1 }, 1]
              )
            return undefined
          }
        ]
      }
    }
  })
  const publish = (id: string, payload: object, query = '') =>
    request(app, 'POST', `/posts/${id}/publish${query}`, { payload })
  t.strictSame((await publish('1', { days: '2' }, '?a=3')).body, { method: 'publish' })
  t.match(await publish('a', { days: 2 }), { status: 400, body: { message: 'params/id must be integer' } })
  t.match(await publish('1', {}), { status: 400, body: { message: /days/ } })
  t.match(
    await publish('1', [{ days: 1 }]),
    { status: 400, body: { message: 'body must be object' } },
    'the data of a record is no list'
  )
  t.equal((await publish('1', { days: 1, text: 'much too long for this limit' })).status, 413)
  t.strictSame((await request(app, 'DELETE', '/posts/1/comments')).body, { args: ['1'] })
  t.strictSame((await request(app, 'GET', '/posts/stats')).body, { data: [1], method: 'stats' }, 'is no page')
  const named = { headers: { 'x-service-method': 'publish' }, payload: { id: '1', days: '2' } }
  t.strictSame((await request(app, 'POST', '/posts?a=3', named)).body, { method: 'publish' }, 'by the header too')
})
