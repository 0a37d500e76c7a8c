import type { HookContext } from 'fastify-services'
import t from 'tap'
import { createApp } from '../support/response-app.js'

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Row = readonly [
  name: string,
  verb: Verb,
  url: string,
  result: unknown,
  change: (context: HookContext) => void,
  status: number
]

const record = { id: '1', text: 'hello' }
const nothing = () => {}

const rows: Row[] = [
  [
    '`context.http.status` set: that',
    'GET',
    '/things/1',
    record,
    (c) => {
      c.http.status = 202
    },
    202
  ],
  [
    '`context.http.status` set to the last one',
    'GET',
    '/things/1',
    record,
    (c) => {
      c.http.status = 599
    },
    599
  ],
  [
    '`context.http.status` wins over a location',
    'GET',
    '/things/1',
    record,
    (c) => {
      c.http = { status: 301, location: '/b' }
    },
    301
  ],
  [
    '`context.http.status` wins over a `null` result',
    'GET',
    '/things/1',
    null,
    (c) => {
      c.http.status = 200
    },
    200
  ],
  [
    '`context.http.status` wins over create',
    'POST',
    '/things',
    record,
    (c) => {
      c.http.status = 200
    },
    200
  ],
  [
    '`context.statusCode` set: that',
    'GET',
    '/things/1',
    record,
    (c) => {
      c.statusCode = 203
    },
    203
  ],
  [
    '`context.http.location` set: 303',
    'GET',
    '/things/1',
    record,
    (c) => {
      c.http.location = '/b'
    },
    303
  ],
  [
    '`context.http.location` wins over a `null` result',
    'GET',
    '/things/1',
    null,
    (c) => {
      c.http.location = '/b'
    },
    303
  ],
  [
    '`context.http.location` wins over create',
    'POST',
    '/things',
    record,
    (c) => {
      c.http.location = '/b'
    },
    303
  ],
  [
    'a `Location` header: 303',
    'POST',
    '/things',
    record,
    (c) => {
      c.http.headers = { Location: '/b' }
    },
    303
  ],
  [
    'a `location` header in lower case: 303',
    'GET',
    '/things/1',
    record,
    (c) => {
      c.http.headers = { location: '/b' }
    },
    303
  ],
  ['result `null`: 204', 'GET', '/things/1', null, nothing, 204],
  ['result `undefined`: 204', 'DELETE', '/things/1', undefined, nothing, 204],
  ['result `null` of create: 204 wins over 201', 'POST', '/things', null, nothing, 204],
  ['`create`: 201', 'POST', '/things', record, nothing, 201],
  ['otherwise: 200 (find)', 'GET', '/things', [record], nothing, 200],
  ['otherwise: 200 (get)', 'GET', '/things/1', record, nothing, 200],
  ['otherwise: 200 (update)', 'PUT', '/things/1', record, nothing, 200],
  ['otherwise: 200 (patch)', 'PATCH', '/things/1', record, nothing, 200],
  ['otherwise: 200 (remove)', 'DELETE', '/things/1', record, nothing, 200]
]

for (const [name, method, url, result, change, status] of rows) {
  t.test(`case, first match wins: ${name}`, async (t) => {
    const answer = async () => result
    const service = { find: answer, get: answer, create: answer, update: answer, patch: answer, remove: answer }
    const app = await createApp(t, { service, options: { hooks: { after: { all: [change] } } } })
    const payload = method === 'GET' || method === 'DELETE' ? {} : { payload: record }
    const response = await app.inject({ method, url, ...payload })
    t.equal(response.statusCode, status)
    if (status === 204) {
      t.equal(response.body, '', 'no body')
      t.notOk('content-type' in response.headers, 'no content type of nothing')
    }
  })
}

t.test('otherwise: 200 for a custom method, and 204 for its `null`', async (t) => {
  const service = { get: async () => record, archive: async (data: { all?: boolean }) => (data.all ? null : record) }
  const app = await createApp(t, { service, options: { methods: ['get', 'archive'] } })
  const archive = (payload: object) =>
    app.inject({ method: 'POST', url: '/things', headers: { 'x-service-method': 'archive' }, payload })
  t.equal((await archive({})).statusCode, 200)
  t.equal((await archive({ all: true })).statusCode, 204)
})

t.test('The body is `context.dispatch` when that is not `undefined`, else `context.result`', async (t) => {
  const dispatches: Record<string, unknown> = {
    object: { shown: true },
    text: 'shown',
    zero: 0,
    no: false,
    nothing: null,
    absent: undefined
  }
  const service = { get: async () => ({ secret: true }) }
  const dispatch = (context: HookContext) => {
    context.dispatch = dispatches[String(context.id)]
  }
  const app = await createApp(t, { service, options: { hooks: { after: { get: [dispatch] } } } })
  const body = async (id: string) => (await app.inject(`/things/${id}`)).body
  t.equal(await body('object'), '{"shown":true}')
  t.equal(await body('text'), '"shown"')
  t.equal(await body('zero'), '0')
  t.equal(await body('no'), 'false')
  t.equal(await body('absent'), '{"secret":true}')
  t.equal((await app.inject('/things/nothing')).statusCode, 204, 'a dispatch of `null` keeps the result in')
  t.equal(await body('nothing'), '')
  t.strictSame(
    await app.service<{ get(id: string): Promise<unknown> }>('things').get('object'),
    { secret: true },
    'the server itself gets the result'
  )
})

t.test('a dispatch stands in for a `null` result', async (t) => {
  const app = await createApp(t, {
    service: { remove: async () => null },
    options: {
      hooks: {
        after: {
          remove: [
            (context: HookContext) => {
              context.dispatch = { gone: true }
            }
          ]
        }
      }
    }
  })
  const response = await app.inject({ method: 'DELETE', url: '/things/1' })
  t.equal(response.statusCode, 200)
  t.strictSame(response.json(), { gone: true })
})

t.test('`context.http` is `{}` at the start of every call', async (t) => {
  const seen: unknown[] = []
  const before = (context: HookContext) => {
    seen.push({ ...context.http })
    context.http = { status: 202, headers: { 'x-one': '1' } }
  }
  const app = await createApp(t, {
    service: { get: async () => record },
    options: { hooks: { before: { get: [before] } } }
  })
  await app.inject('/things/1')
  t.equal((await app.inject('/things/1')).statusCode, 202)
  t.strictSame(seen, [{}, {}])
})
