import t from 'tap'
import { createHost, request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

t.test("`params = { query, headers, route, ...request.feathers, provider: 'rest' }`: exactly these keys", async (t) => {
  const { app, calls } = await createHost(t)
  for (const [verb, url, payload] of [
    ['GET', '/things'],
    ['GET', '/things/1'],
    ['POST', '/things', {}],
    ['PUT', '/things/1', {}],
    ['PATCH', '/things/1', {}],
    ['DELETE', '/things/1']
  ] as const)
    await request(app, verb, url, payload && { payload })
  t.equal(calls.length, 6)
  for (const { method, params } of calls)
    t.strictSame(Object.keys(params).sort(), ['headers', 'provider', 'query', 'route'], method)
  for (const { method, params } of calls) t.match(params, { provider: 'rest', query: {}, route: {} }, method)
})

t.test('`params.query` holds all URL query parameters, `params.headers` the headers', async (t) => {
  const { app, calls } = await createHost(t)
  await request(app, 'GET', '/things?a=1&b[c]=2&a=3', { headers: { 'X-Tenant': 'acme' } })
  t.strictSame(calls[0]?.params.query, { a: ['1', '3'], b: { c: '2' } })
  t.match(calls[0]?.params.headers, { 'x-tenant': 'acme', accept: 'application/json' })
})

t.test('`params.route` holds the decoded placeholders of the service path, without the record id', async (t) => {
  const { service, calls } = createRecorder()
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('users/:userId/messages', service)
    }
  })
  await request(app, 'GET', '/users/a%20b/messages')
  await request(app, 'GET', '/users/a%2Fb/messages/9')
  await request(app, 'PUT', '/users/__proto__/messages/9', { payload: {} })
  t.strictSame(
    calls.map(({ args, params }) => [args[0], { ...params.route }]),
    [
      [undefined, { userId: 'a b' }],
      ['9', { userId: 'a/b' }],
      ['9', { userId: '__proto__' }]
    ]
  )
  await request(app, 'GET', '/things/1')
  t.strictSame(calls.length, 3)
})

t.test('a service path may itself use `:id`', async (t) => {
  const { service, calls } = createRecorder()
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('users/:id/notes', service)
      app.service('users', createRecorder().service)
    }
  })
  for (const [verb, url] of [
    ['GET', '/users/7/notes'],
    ['GET', '/users/7/notes/8'],
    ['DELETE', '/users/7/notes'],
    ['DELETE', '/users/7/notes/8']
  ] as const) {
    t.equal((await request(app, verb, url)).status, 200)
  }
  t.strictSame(
    calls.map(({ method, args, params }) => [method, args, params.route]),
    [
      ['find', [], { id: '7' }],
      ['get', ['8'], { id: '7' }],
      ['remove', [null], { id: '7' }],
      ['remove', ['8'], { id: '7' }]
    ]
  )
  t.strictSame((await request(app, 'GET', '/users/7')).body, { method: 'get', args: ['7'], query: {}, route: {} })
})

t.test('several placeholders, and one that is all of the path', async (t) => {
  const { service, calls } = createRecorder()
  const { app } = await createHost(t, {
    after: (app) => {
      app.service(':shop/orders/:order/lines', service)
      app.service('by/:kind', service)
    }
  })
  await request(app, 'GET', '/north/orders/12/lines/3?a=1')
  await request(app, 'GET', '/by/colour/3')
  t.strictSame(
    calls.map(({ args, params }) => [args, params.route]),
    [
      [['3'], { shop: 'north', order: '12' }],
      [['3'], { kind: 'colour' }]
    ]
  )
})

t.test('a placeholder named `query` or `provider`: `params.provider` is `rest`', async (t) => {
  const { service, calls } = createRecorder()
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('x/:query/:provider/:headers', service)
    }
  })
  await request(app, 'GET', '/x/a/internal/c/1?b=2')
  t.match(calls[0], {
    args: ['1'],
    params: { provider: 'rest', query: { b: '2' }, route: { query: 'a', provider: 'internal', headers: 'c' } }
  })
  t.strictSame(Object.keys(calls[0]?.params ?? {}).sort(), ['headers', 'provider', 'query', 'route'])
})

t.test(
  'Nothing else comes from the client: `?provider=x&authenticated=true`, headers or body of those names',
  async (t) => {
    const { app, calls } = await createHost(t)
    const headers = { provider: 'x', authenticated: 'true', user: 'admin', 'x-provider': 'x' }
    const payload = { provider: 'x', authenticated: true, user: 'admin', params: { provider: 'x' } }
    await request(
      app,
      'POST',
      '/things?provider=x&authenticated=true&user=admin&params[provider]=x&feathers[user]=admin',
      { headers, payload }
    )
    const { params, args } = calls[0] ?? {}
    t.equal(params?.provider, 'rest')
    t.strictSame(Object.keys(params ?? {}).sort(), ['headers', 'provider', 'query', 'route'])
    t.strictSame(args, [payload])
  }
)

t.test('a call from the server itself has no provider', async (t) => {
  const { app, calls } = await createHost(t)
  await app.service<ReturnType<typeof createRecorder>['service']>('things').get?.('1')
  t.strictSame(calls[0]?.params, {})
})

t.test('the params of two calls are not one object', async (t) => {
  const { app, calls } = await createHost(t)
  await request(app, 'GET', '/things')
  await request(app, 'GET', '/things')
  t.not(calls[0]?.params, calls[1]?.params)
  t.not(calls[0]?.params.route, calls[1]?.params.route)
  t.not(calls[0]?.params.query, calls[1]?.params.query)
})
