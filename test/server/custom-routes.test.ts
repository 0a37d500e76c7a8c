import t from 'tap'
import { request } from '../support/host.js'
import { createRouted } from '../support/routed.js'

t.test('the row of the table is made from the text: id, data and placeholders', async (t) => {
  const { app, calls } = await createRouted(t)
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
  const { app, calls } = await createRouted(t, {
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
  const { app, calls } = await createRouted(t)
  for (const verb of ['PATCH', 'PUT', 'DELETE', 'POST']) {
    const { status, headers } = await request(app, verb, '/posts/stats', { payload: {} })
    t.strictSame([status, headers.allow], [405, 'GET, HEAD, QUERY'], verb)
  }
  t.equal((await request(app, 'GET', '/posts/settings')).headers.allow, 'PUT')
  t.equal(calls.length, 0)
})

t.test('405 with the verbs that there are, 404 where nothing is', async (t) => {
  const { app, calls } = await createRouted(t)
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
  const { app, calls } = await createRouted(t)
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
  const { app } = await createRouted(t, { server: { routerOptions } })
  for (const url of ['/posts/1/publish/', '/Posts/1/PUBLISH', '//posts/1//publish'])
    t.match(await request(app, 'POST', url), { status: 200, body: { method: 'publish', args: ['1'] } }, url)
  t.match(await request(app, 'GET', '/POSTS/Stats/'), { status: 200, body: { method: 'stats' } })
  t.equal((await request(app, 'PATCH', '/posts/STATS', { payload: {} })).status, 405)
})

t.test('a CORS plugin answers a preflight request', async (t) => {
  const { app } = await createRouted(t)
  const headers = { origin: 'http://a.example', 'access-control-request-method': 'POST' }
  t.equal((await request(app, 'OPTIONS', '/posts/1/publish', { headers })).status, 204)
})
