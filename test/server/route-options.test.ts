import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'

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

t.test('a placeholder with a pattern: what does not fit is no path of the service, 404', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users/:userId(\\d+)/notes', { find: async (params) => params.route, get: async (id) => ({ id }) })
  t.strictSame((await app.inject('/users/1/notes')).json(), { userId: '1' })
  for (const url of ['/users/abc/notes', '/users/abc/notes/1']) t.equal((await app.inject(url)).statusCode, 404, url)
  t.equal((await app.inject({ method: 'DELETE', url: '/users/1/notes' })).statusCode, 405)
})
