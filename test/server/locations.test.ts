import Fastify, { type FastifyServerOptions } from 'fastify'
import services, { type Params } from 'fastify-services'
import t from 'tap'

const answer = async () => ({})

async function register(paths: [path: string, service: object][], server: FastifyServerOptions = {}) {
  const app = Fastify(server)
  await app.register(services)
  for (const [path, service] of paths) app.service(path, service)
  return app
}

t.test('two services that answer at the same URLs are refused, with both names and what to do', async (t) => {
  const message = (first: string, second: string, url: string) =>
    `The services '${first}' and '${second}' have the same URLs (${url}): choose another path for one of them, or make one service of both`
  for (const [first, second, url] of [
    [[':a/users', { find: answer }], [':b/users', { create: answer }], '/:b/users'],
    [['c', { get: answer }], ['c/:x', { find: answer }], '/c/:x'],
    [['c/:x', { find: answer }], ['c', { patch: answer }], '/c/:id'],
    [['', { get: answer }], [':x', { create: answer }], '/:x'],
    [['c', { get: answer }], [':id', { get: answer }], undefined]
  ] as [[string, object], [string, object], string | undefined][]) {
    const registered = register([first, second])
    if (url === undefined) await t.resolves(registered)
    else await t.rejects(registered, { message: message(first[0], second[0], url) })
  }
  await t.rejects(
    register(
      [
        ['Users', { find: answer }],
        ['users', { find: answer }]
      ],
      { routerOptions: { caseSensitive: false } }
    ),
    { message: message('Users', 'users', '/users') }
  )
  await t.resolves(
    register([
      ['Users', { find: answer }],
      ['users', { find: answer }]
    ])
  )
})

t.test('a service that was refused leaves nothing behind', async (t) => {
  const app = await register([['c', { get: answer }]])
  t.throws(() => app.service('c/:x', { find: answer }))
  t.throws(() => app.service('c/:x'), { message: /There is no service/ })
  t.equal((await app.inject('/c/1')).statusCode, 200)
  t.equal((await app.inject({ method: 'DELETE', url: '/c/1' })).headers.allow, 'GET, HEAD')
})

t.test('a service may stand where another one answers nothing', async (t) => {
  for (const paths of [
    [
      ['c', { find: answer }],
      ['c/:x', { find: answer, create: answer }]
    ],
    [
      ['c/:x', { find: answer, create: answer }],
      ['c', { find: answer }]
    ]
  ] as [string, object][][]) {
    const app = await register(paths)
    t.equal((await app.inject('/c')).statusCode, 200)
    t.equal((await app.inject('/c/1')).statusCode, 200)
    const refused = await app.inject({ method: 'DELETE', url: '/c/1' })
    t.strictSame([refused.statusCode, refused.headers.allow], [405, 'GET, HEAD, POST, QUERY'])
  }
})

t.test('a hook of the application may change the URL after the route was found', async (t) => {
  const app = await register([['things', { get: answer, patch: answer, create: answer }]])
  app.addHook('onRequest', async ({ raw }) => {
    raw.url = '/elsewhere/1'
  })
  for (const [method, url] of [
    ['GET', '/things/1'],
    ['PATCH', '/things/1']
  ] as const)
    t.equal((await app.inject({ method, url, ...(method === 'PATCH' && { payload: {} }) })).statusCode, 200, url)
  const headers = { 'x-service-method': 'unknown' }
  const refused = await app.inject({ method: 'POST', url: '/things', headers, payload: {} })
  t.strictSame([refused.statusCode, refused.headers.allow], [405, 'POST, PATCH'])
})

t.test('a route of the application comes first, however it is spelt', async (t) => {
  for (const [routerOptions, url] of [
    [{ caseSensitive: false }, '/Things'],
    [{ caseSensitive: false }, '/THINGS/:Name'],
    [{ ignoreTrailingSlash: true }, '/things/'],
    [{ ignoreDuplicateSlashes: true }, '//things'],
    [{}, '/things/:other']
  ] as const) {
    const app = Fastify({ routerOptions })
    app.get(url, async () => 'of the application')
    await app.register(services)
    app.service('things', { find: answer, get: answer })
    t.equal((await app.inject(url)).body, 'of the application', url)
    t.equal((await app.inject({ method: 'POST', url })).statusCode, 405, url)
  }
})

t.test('an empty segment is no placeholder: where no route is, the answer is 404', async (t) => {
  const app = await register([
    [':room', { get: answer, patch: answer }],
    ['a/:b', { get: answer, create: answer }],
    [':c/:d/:e', { find: answer }]
  ])
  for (const url of ['/', '//', '/a/', '/x//', '//x/'])
    t.equal((await app.inject({ method: 'DELETE', url })).statusCode, 404, url)
  for (const url of ['/x', '/x/', '/x/1', '/a/x', '/a/x/1'])
    t.equal((await app.inject({ method: 'DELETE', url })).statusCode, 405, url)
})

t.test('a more specific service with an empty placeholder does not stand in the way of another one', async (t) => {
  const app = await register([
    [':room', { find: async ({ route }: Params) => route }],
    ['a/:b', { get: answer }]
  ])
  t.strictSame((await app.inject('/a/')).json(), { room: 'a' })
})

t.test('what a service answers is never 405: its URL without the slash of the prefix is 404', async (t) => {
  const app = await register([])
  app.register(async (app) => void app.service('', { find: answer, remove: answer }), { prefix: '/v1/' })
  t.equal((await app.inject('/v1/')).statusCode, 200)
  const [answered, lacking] = [await app.inject('/v1'), await app.inject({ method: 'POST', url: '/v1' })]
  t.strictSame([answered.statusCode, answered.headers.allow], [404, undefined])
  t.strictSame([lacking.statusCode, lacking.headers.allow], [405, 'GET, HEAD, DELETE, QUERY'])
})

t.test(
  'two patterns at one place, which the router can not tell apart, are refused with the name of the service',
  async (t) => {
    const registered = register([
      [':n(^\\d+$)/x', { find: answer }],
      [':w(^[a-z]+$)/x', { create: answer }]
    ])
    const message = /^The service ':w.*\/x' can't be at \/:w.*\/x: choose another path\. Method 'GET' already declared/
    await t.rejects(registered, { message, cause: Error })
  }
)

t.test('a path that no record could stand under is refused in the same words', async (t) => {
  const message =
    /^The service 'a\/\*' can't be at \/a\/\*\/: choose another path\. Wildcard must be the last character/
  await t.rejects(register([['a/*', { find: answer }]]), { message })
})

t.test('the last placeholder may be optional', async (t) => {
  const app = await register([['docs/:lang?', { find: async ({ route }: Params) => route }]])
  t.strictSame((await app.inject('/docs/en')).json(), { lang: 'en' })
  t.equal((await app.inject('/docs')).statusCode, 200)
  for (const url of ['/docs/en', '/docs/en/1'])
    t.equal((await app.inject({ method: 'DELETE', url })).statusCode, 405, url)
})

t.test('a pattern that may be slow is refused, unless the application allows it', async (t) => {
  const services: [string, object][] = [['things/:code(^(\\d+){5}$)', { find: answer }]]
  await t.rejects(register(services), { message: /not safe/ })
  const app = await register(services, { routerOptions: { allowUnsafeRegex: true } })
  t.equal((await app.inject('/things/12345')).statusCode, 200)
})

t.test('a more specific service is found under every spelling that the router takes for the same', async (t) => {
  for (const [routerOptions, path, other, url] of [
    [{}, 'messages', 'messages/settings', '/messages/settings'],
    [{}, '', 'settings', '/settings'],
    [{ caseSensitive: false }, 'Messages', 'messages/Settings', '/MESSAGES/settings'],
    [{ ignoreDuplicateSlashes: true }, 'a/b', 'a//b/settings', '/a/b/settings'],
    [{}, ':room', 'a', '/a']
  ] as const) {
    const services: [string, object][] = [
      [path, { get: answer, patch: answer, find: answer }],
      [other, { find: answer }]
    ]
    for (const paths of [services, services.toReversed()]) {
      const app = await register(paths, { routerOptions })
      const { statusCode, headers } = await app.inject({ method: 'PATCH', url, payload: {} })
      t.strictSame([statusCode, headers.allow], [405, 'GET, HEAD, QUERY'], url)
      t.equal((await app.inject({ method: 'PATCH', url: `${url}x`, payload: {} })).statusCode, 200, `${url}x`)
    }
  }
})
