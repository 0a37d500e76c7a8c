import t from 'tap'
import { createHost, request } from '../support/host.js'

const data = { text: 'hello' }
const batch = [{ text: 'one' }, { text: 'two' }]

// docs/http.md#requests-and-calls: service method, HTTP method, path shape, request payload, and the arguments before the params.
type Row = readonly [
  name: string,
  verb: string,
  url: string,
  payload: object | undefined,
  method: string,
  args: unknown[]
]
const rows: Row[] = [
  ['find: `GET /path` is `find(params)`', 'GET', '/things', undefined, 'find', []],
  ['find: `GET /path/` is `find(params)`', 'GET', '/things/', undefined, 'find', []],
  ['get: `GET /path/id` is `get(id, params)`', 'GET', '/things/1', undefined, 'get', ['1']],
  ['create: `POST /path` is `create(data, params)`', 'POST', '/things', data, 'create', [data]],
  ['create: `POST /path/` is `create(data, params)`', 'POST', '/things/', data, 'create', [data]],
  ['create: JSON array of objects', 'POST', '/things', batch, 'create', [batch]],
  ['create: an empty JSON array', 'POST', '/things', [], 'create', [[]]],
  ['update: `PUT /path/id` is `update(id, data, params)`', 'PUT', '/things/1', data, 'update', ['1', data]],
  ['update (no id): `PUT /path` is `update(null, data, params)`', 'PUT', '/things', data, 'update', [null, data]],
  ['patch: `PATCH /path/id` is `patch(id, data, params)`', 'PATCH', '/things/1', data, 'patch', ['1', data]],
  ['patch (no id): `PATCH /path` is `patch(null, data, params)`', 'PATCH', '/things', data, 'patch', [null, data]],
  ['remove: `DELETE /path/id` is `remove(id, params)`', 'DELETE', '/things/1', undefined, 'remove', ['1']],
  ['remove (no id): `DELETE /path` is `remove(null, params)`', 'DELETE', '/things', undefined, 'remove', [null]]
]

t.test('Endpoints: each service method maps to one HTTP method and one path shape', async (t) => {
  const { app, calls } = await createHost(t)
  for (const [name, verb, url, payload, method, args] of rows) {
    await t.test(name, async (t) => {
      calls.length = 0
      const response = await request(app, verb, `${url}?a[b]=1`, payload && { payload })
      t.equal(response.status, method === 'create' ? 201 : 200)
      t.equal(calls.length, 1, 'one call')
      t.match(calls[0], { method, args, params: { query: { a: { b: '1' } } } })
      t.strictSame(calls[0]?.args, args)
    })
  }
})

t.test('`HEAD`: as `GET`, no body', async (t) => {
  const { app, calls } = await createHost(t)
  for (const url of ['/things?a=1', '/things/1?a=1']) {
    const [get, head] = [await app.inject({ url }), await app.inject({ method: 'HEAD', url })]
    t.equal(head.statusCode, 200)
    t.equal(head.body, '', 'no body')
    t.equal(head.headers['content-type'], get.headers['content-type'])
    t.equal(head.headers['content-length'], get.headers['content-length'])
  }
  t.strictSame(
    calls.map(({ method, args, params }) => [method, args, params.query]),
    [
      ['find', [], { a: '1' }],
      ['find', [], { a: '1' }],
      ['get', ['1'], { a: '1' }],
      ['get', ['1'], { a: '1' }]
    ]
  )
})

t.test('a body of a `GET` is not looked at, that of a `DELETE` is no argument', async (t) => {
  const { app, calls } = await createHost(t)
  await request(app, 'GET', '/things/1', { payload: { a: 1 } })
  await request(app, 'DELETE', '/things/1', { payload: { a: 1 } })
  t.strictSame(
    calls.map(({ method, args }) => [method, args]),
    [
      ['get', ['1']],
      ['remove', ['1']]
    ]
  )
})

t.test('services are registered with slashes or without', async (t) => {
  const { app } = await createHost(t, {
    after: (app) => {
      for (const path of ['/a', 'b/', '/c/', 'd/e']) app.service(path, { find: async () => path })
    }
  })
  for (const [url, path] of [
    ['/a', '/a'],
    ['/b', 'b/'],
    ['/c', '/c/'],
    ['/d/e', 'd/e']
  ] as const) {
    t.strictSame((await request(app, 'GET', url)).body, path)
  }
})
