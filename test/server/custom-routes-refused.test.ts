import Fastify, { type FastifyServerOptions } from 'fastify'
import services, { type MethodRoutes } from 'fastify-services'
import t from 'tap'
import { createRecorder, six } from '../support/recorder.js'

const names = [...six, 'publish', 'release', 'stats']

async function create(server: FastifyServerOptions = {}) {
  const app = Fastify(server)
  await app.register(services)
  const { service } = createRecorder(names)
  const add = (path: string, routes: object | undefined, methods = names) =>
    app.service<Record<string, unknown>, string>(path, service, { methods, routes: routes as MethodRoutes })
  return { app, add }
}

const form = "write a verb and a path, as in 'POST /:id/publish'"
const bad = (segment: string) => `'${segment}' can't be a segment of its path: write a word, or a placeholder as ':id'`
const rows: [route: unknown, reason: string][] = [
  ...[
    '',
    'publish',
    '/publish',
    'POST',
    'POST publish',
    'post /publish',
    'HEAD /a',
    'OPTIONS /a',
    'POST  /a',
    'POST //a'
  ].map((text): [unknown, string] => [text, form]),
  ...[undefined, null, 1, ['POST', '/a']].map((route): [unknown, string] => [route, form]),
  ['POST /a b/c d', bad('a b')],
  ...[
    '*',
    'a?',
    ':id?',
    ':id(\\d+)',
    'a:b',
    '.',
    '..',
    'a b',
    ' ',
    'a%20b',
    'a#b',
    'a;b',
    ':',
    ':1',
    ':_a',
    'a\\b'
  ].map((value): [unknown, string] => [`POST /x/${value}`, bad(value)]),
  ['POST /x//y', bad('')],
  ['POST /:key', "a record is at ':id'"],
  ['POST /:id/:id', "':id' stands twice in its path"],
  ['POST /:id/x/:userId', "':userId' stands twice in its path"]
]

t.test('a route that is none is refused, with what to write', async (t) => {
  const { app, add } = await create()
  for (const [route, reason] of rows)
    t.throws(() => add('users/:userId/posts', { publish: route }), {
      message: `The service 'users/:userId/posts' can't have the route '${route}' for 'publish': ${reason}`
    })
  add('users/:userId/posts', undefined)
  await app.close()
})

t.test('a route of one of the six, or of a name that the option `methods` lacks', async (t) => {
  const { app, add } = await create()
  t.throws(() => add('posts', { find: 'GET /all' }), {
    message: "The service 'posts' can't have the route 'GET /all' for 'find': the routes of the six methods are fixed"
  })
  for (const name of ['publsh', 'toString', 'release'])
    t.throws(() => add('posts', { [name]: 'POST /:id/publish' }, ['find', 'publish']), {
      message: `The service 'posts' can't have the route 'POST /:id/publish' for '${name}': its option \`methods\` (find, publish) has no such name. Add it there, or correct it here`
    })
  await app.close()
})

t.test('two methods with the same URLs are refused, with both names and routes', async (t) => {
  for (const [routes, segment, other] of [
    [{ publish: 'POST /:id/a', release: 'POST /:id/a/' }, "'publish' (POST /:id/a)", "'release' (POST /:id/a)"],
    [{ publish: 'POST /by/:a', release: 'GET /by/:b' }, "'publish' (POST /by/:a)", "'release' (GET /by/:b)"],
    [{ publish: 'POST /' }, "'create' (POST /)", "'publish' (POST /)"],
    [{ publish: 'GET /:id' }, "'get' (GET /:id)", "'publish' (GET /:id)"],
    [{ publish: 'DELETE /' }, "'remove' (DELETE /)", "'publish' (DELETE /)"]
  ] as const) {
    const { app, add } = await create()
    const message = `The methods ${segment} and ${other} of the service 'posts' have the same URLs: give one of them another path`
    t.throws(() => add('posts', routes), { message })
    add('posts', undefined)
    await app.close()
  }
})

t.test('what the router of the application takes for one is one', async (t) => {
  const routes = { publish: 'POST /a', release: 'POST /A' }
  const { app, add } = await create({ routerOptions: { caseSensitive: false } })
  t.throws(() => add('posts', routes), { message: /'publish' \(POST \/a\) and 'release' \(POST \/A\)/ })
  await app.close()
  const other = await create()
  other.add('posts', routes)
  await other.app.close()
})

t.test('two verbs may share a path; where the service lacks one of the six, a route may stand', async (t) => {
  const { app, add } = await create()
  add('posts', { publish: 'POST /:id', release: 'PUT /', stats: 'GET /:id' }, ['find', 'publish', 'release', 'stats'])
  for (const [method, url, name] of [
    ['POST', '/posts/1', 'publish'],
    ['PUT', '/posts', 'release'],
    ['GET', '/posts/1', 'stats']
  ] as const)
    t.equal((await app.inject({ method, url })).json().method, name)
  t.equal((await app.inject({ method: 'DELETE', url: '/posts/1' })).headers.allow, 'POST, GET, HEAD, QUERY')
  await app.close()
})

t.test('a route at the URL of another service is refused, with both names', async (t) => {
  for (const [path, url] of [
    ['posts/stats', '/posts/stats'],
    ['posts/:postId/publish', '/posts/:postId/publish']
  ] as const) {
    const { app, add } = await create()
    add('posts', { stats: 'GET /stats', publish: 'POST /:id/publish' })
    const message = `The services 'posts' and '${path}' have the same URLs (${url}): choose another path for one of them, or make one service of both`
    t.throws(() => add(path, undefined), { message })
    await app.close()
  }
})

t.test('a more specific service, or route of another one, has its URLs for every verb', async (t) => {
  const { app, add } = await create()
  add('posts', { publish: 'POST /:id/publish', stats: 'GET /featured/stats' })
  add('posts/featured', undefined, ['get', 'patch'])
  for (const [method, url, name, allow] of [
    ['POST', '/posts/1/publish', 'publish', undefined],
    ['GET', '/posts/featured/stats', 'stats', undefined],
    ['PATCH', '/posts/featured/1', 'patch', undefined],
    ['PATCH', '/posts/featured/stats', undefined, 'GET, HEAD, QUERY'],
    ['POST', '/posts/featured/publish', undefined, 'GET, HEAD, PATCH']
  ] as const) {
    const answer = await app.inject({ method, url, payload: method === 'GET' ? '' : {} })
    t.strictSame([answer.json().method, answer.headers.allow], [name, allow], `${method} ${url}`)
  }
  await app.close()
})

t.test('a route that the application has itself stays', async (t) => {
  for (const when of ['before', 'after']) {
    const { app, add } = await create()
    const define = () => app.get('/posts/stats', async () => ({ method: 'of the application' }))
    if (when === 'before') define()
    add('posts', { stats: 'GET /stats' })
    if (when === 'after') define()
    t.equal((await app.inject('/posts/stats')).json().method, 'of the application', when)
    t.equal((await app.inject('/posts/1')).json().method, 'get')
    await app.close()
  }
})
