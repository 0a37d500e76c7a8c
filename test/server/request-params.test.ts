import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import qs from 'qs'
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

t.test('a call of the server may pass numbers in its route: hooks and methods get texts', async (t) => {
  const { service, calls } = createRecorder()
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('users/:userId/:year/visits', service)
    }
  })
  const params = { route: { userId: 7, year: '2026' }, user: { id: 1 } }
  await app.service('users/:userId/:year/visits').find(params as never)
  t.match(calls[0]?.params, { route: { userId: '7', year: '2026' }, user: { id: 1 } })
  t.strictSame(params.route, { userId: 7, year: '2026' }, 'the object of the caller is as it was')
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

// Values as a client may have them: strings, lists and objects, nested no deeper than the limit of `qs` (5).
const text = fc.string({ unit: 'grapheme', maxLength: 8 })
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.oneof(text, fc.integer().map(String), fc.constantFrom('null', 'true', '', '__proto__')),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(text, tie('tree'), { maxKeys: 4 })
  )
}))
const queries = fc.dictionary(text, tree, { maxKeys: 5 })
const options = fc.record({
  arrayFormat: fc.constantFrom('indices' as const, 'brackets' as const, 'repeat' as const),
  encodeValuesOnly: fc.boolean()
})

// The same texts in each run. Others: SEED=$RANDOM.
const seed = Number(process.env.SEED ?? 1)

function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value]
}

t.test('Query strings follow `qs`: qs.stringify(x) → request → `params.query` equals qs.parse of it', async (t) => {
  const { app, calls } = await createHost(t)
  let asked = 0
  await fc.assert(
    fc.asyncProperty(queries, options, async (query, format) => {
      // A raw `#`, a space, a quote or a line break can't stand in a URL: what is left of them is encoded, as every client does.
      const string = encodeURI(qs.stringify(query, format))
        .replaceAll('%25', '%')
        .replace(/[#']/g, (character) => (character === '#' ? '%23' : '%27'))
      let expected: unknown
      try {
        expected = qs.parse(string, { strictDepth: true })
      } catch {
        fc.pre(false)
      }
      calls.length = 0
      const { status } = await request(app, 'GET', `/things?${string}`)
      deepStrictEqual([status, calls[0]?.params.query], [200, expected], string)
      deepStrictEqual(
        leaves(expected).filter((leaf) => typeof leaf !== 'string'),
        [],
        string
      )
      asked++
    }),
    { numRuns: 150, seed }
  )
  t.equal(asked, 150)
})

t.test('any text as a query: 200 or 400, never 500, and nothing is polluted', async (t) => {
  const { app } = await createHost(t)
  const piece = fc.oneof(
    text,
    fc.constantFrom('[', ']', '[]', '&', '=', '%', '%zz', '%5B', '__proto__', '[length]', '.', ';', ',', '\0')
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
      async (string) => {
        const raw = string.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
        const { status } = await request(app, 'GET', `/things?${raw}`)
        if (status !== 200 && status !== 400) throw new Error(`${status}: ${raw}`)
      }
    ),
    { numRuns: 150, seed }
  )
  t.strictSame(Object.keys(Object.prototype), [])
})
