import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'
import { request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'
import { createRouted, routed, routes } from '../support/routed.js'

for (const [path, url, route] of [
  ['', '', {}],
  ['users/:id/posts', '/users/7/posts', { id: '7' }],
  [':room/posts', '/a/posts', { room: 'a' }]
] as const)
  t.test(`a service at '${path}'`, async (t) => {
    const { app } = await createRouted(t, { path })
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

t.test('a path that fits the URLs of another one answers nothing there, whatever its verb', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const { service } = createRecorder(['start', 'look'])
  app.service<Record<string, unknown>, string>('posts', service, {
    methods: ['start', 'look'],
    routes: { start: 'POST /drafts/state', look: 'GET /:id/state' }
  })
  t.match(await request(app, 'GET', '/posts/1/state'), { status: 200, body: { method: 'look' } })
  t.match(await request(app, 'POST', '/posts/drafts/state'), { status: 200, body: { method: 'start' } })
  t.match(await request(app, 'GET', '/posts/drafts/state'), { status: 405, headers: { allow: 'POST' } })
})

t.test('under a prefix, and in the document of `@fastify/swagger`', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, { openapi: {} })
  await app.register(services)
  app.register(
    async (child) => {
      const { service } = createRecorder(['find', 'create', ...routed])
      child.service<Record<string, unknown>, string>('posts', service, {
        methods: ['find', 'create', ...routed],
        routes
      })
    },
    { prefix: '/v1' }
  )
  await app.ready()
  t.match((await request(app, 'POST', '/v1/posts/1/publish')).body, { method: 'publish', args: ['1'] })
  t.equal((await request(app, 'GET', '/v1/posts/1/publish')).headers.allow, 'POST')
  t.equal((await request(app, 'PATCH', '/v1/posts/1/comments/', { payload: {} })).status, 400)
  const { paths = {} } = app.swagger()
  t.strictSame(
    Object.entries(paths).map(([path, operations]) => [path, Object.keys(operations ?? {}).sort()]),
    [
      ['/v1/posts', ['get', 'post']],
      ['/v1/posts/{id}/publish', ['post']],
      ['/v1/posts/{id}/comments/{commentId}', ['patch']],
      ['/v1/posts/{id}/comments', ['delete']],
      ['/v1/posts/stats', ['get']],
      ['/v1/posts/tagged/{tag}', ['get']],
      ['/v1/posts/settings', ['put']]
    ]
  )
})
