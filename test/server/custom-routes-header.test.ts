import Fastify from 'fastify'
import services, { type MethodRoutes } from 'fastify-services'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createRecorder, six } from '../support/recorder.js'

const routes = {
  publish: 'POST /:id/publish',
  hide: 'PATCH /:id/comments/:commentId',
  stats: 'GET /stats',
  list: 'POST /'
} as const

async function create(t: Test, methods = ['find', 'create', 'publish', 'hide', 'stats', 'archive']) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const { service, calls } = createRecorder([...six, 'list', ...methods])
  const used: MethodRoutes = Object.fromEntries(Object.entries(routes).filter(([name]) => methods.includes(name)))
  app.service<Record<string, unknown>, string>('posts', service, { methods, routes: used })
  const call = (name: string, payload: unknown, url = '/posts') =>
    request(app, 'POST', url, {
      headers: { 'x-service-method': name, 'content-type': 'application/json' },
      payload: JSON.stringify(payload)
    })
  return { app, calls, call }
}

t.test(
  '`X-Service-Method` reaches a method with a route: values for its placeholders are fields of the data',
  async (t) => {
    const { calls, call } = await create(t)
    for (const [name, data, args, route] of [
      ['publish', { id: 1, a: 2 }, ['1', { a: 2 }], {}],
      ['publish', { id: 'b' }, ['b', {}], {}],
      ['hide', { id: 0, commentId: 'c', a: null }, ['0', { a: null }], { commentId: 'c' }],
      ['stats', {}, [], {}],
      ['stats', { id: 1 }, [], {}],
      ['archive', { id: 1 }, [{ id: 1 }], {}]
    ] as const) {
      const { status, body } = await call(name, data, '/posts?x=y')
      t.strictSame([status, body], [200, { method: name, args, query: { x: 'y' }, route }], name)
    }
    t.equal(calls.length, 6)
  }
)

t.test('a placeholder whose value is missing, or no text and no number, is 400', async (t) => {
  const { calls, call } = await create(t)
  const message =
    "'publish' needs 'id': send it in the URL, as in POST /posts/:id/publish, or in the data. The client sends it in the URL where it has the same `routes`"
  for (const data of [
    {},
    { id: '' },
    { id: null },
    { id: { $gt: '' } },
    { id: ['1'] },
    { id: true },
    [{ id: 1 }],
    'id',
    1,
    null
  ])
    t.match(await call('publish', data), { status: 400, body: { name: 'BadRequest', message } }, JSON.stringify(data))
  t.match(await call('hide', { id: 1 }), { status: 400, body: { message: /^'hide' needs 'commentId'/ } })
  t.strictSame(calls, [])
})

t.test('forms too', async (t) => {
  const { app, calls } = await create(t)
  const headers = { 'x-service-method': 'publish', 'content-type': 'application/x-www-form-urlencoded' }
  t.equal((await request(app, 'POST', '/posts', { headers, payload: 'id=1&a[b]=2' })).status, 200)
  t.strictSame(calls[0]?.args, ['1', { a: { b: '2' } }])
  for (const payload of ['id[a]=1', 'id=1&a[b][c][d][e][f][g]=1', 'id[]=1'])
    t.equal((await request(app, 'POST', '/posts', { headers, payload })).status, 400, payload)
})

t.test('the header at the URL of a route, or with a name that is not exposed: 405', async (t) => {
  const { calls, call } = await create(t)
  for (const [name, url] of [
    ['archive', '/posts/1/publish'],
    ['publish', '/posts/1/publish'],
    ['own', '/posts'],
    ['publish', '/posts/1']
  ] as const)
    t.match(await call(name, { id: 1 }, url), {
      status: 405,
      body: { message: `Method \`${name}\` is not supported by this endpoint.` }
    })
  t.strictSame(calls, [])
})

t.test('a route may stand where `create` would: the header names others, and none that is not exposed', async (t) => {
  const { app, calls, call } = await create(t, ['find', 'list', 'archive'])
  t.equal((await request(app, 'POST', '/posts', { payload: { a: 1 } })).status, 200)
  t.equal((await call('archive', {})).status, 200)
  t.equal((await call('list', {})).status, 200)
  t.equal((await call('create', {})).status, 405)
  t.strictSame(
    calls.map(({ method }) => method),
    ['list', 'archive', 'list']
  )
})

t.test('the `Allow` of a service names the POST of the header', async (t) => {
  const { app } = await create(t, ['find', 'stats'])
  const { status, headers } = await request(app, 'POST', '/posts', { payload: {} })
  t.strictSame([status, headers.allow], [405, 'GET, HEAD, POST, QUERY'])
})
