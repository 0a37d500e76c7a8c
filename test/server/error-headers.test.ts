import {
  BadRequest,
  type HookContext,
  PaymentError,
  ServiceError,
  TooManyRequests,
  Unavailable
} from 'fastify-services'
import t, { type Test } from 'tap'
import { type AppOptions, createApp, getJSON } from '../support/response-app.js'

const fail = () => {
  throw new BadRequest('No')
}
const ofResult = { etag: '"1"', 'cache-control': 'max-age=60', 'content-language': 'de', location: '/elsewhere' }
const failingBody = () => new ReadableStream({ pull: (controller) => controller.error(new Error('no disk')) })

const failures: Record<string, Partial<AppOptions>> = {
  'the body of a `Response`': {
    service: { get: async () => new Response(failingBody(), { headers: { ...ofResult, 'set-cookie': 'a=1' } }) }
  },
  'headers of hooks, then after-middleware that throws': {
    options: {
      hooks: {
        after: {
          get: [
            (context: HookContext) => {
              context.http = { headers: ofResult, location: '/there' }
            }
          ]
        }
      },
      after: fail
    }
  },
  'headers of after-middleware, then another that throws': {
    options: { after: [async (_request, reply) => void reply.headers({ ...ofResult, 'set-cookie': 'a=1' }), fail] }
  },
  'headers of a formatter, which throws': {
    options: {
      formatter: (_request, reply) => {
        reply.headers({ ...ofResult, 'set-cookie': ['a=1', 'b=2'] })
        return fail()
      }
    }
  },
  'raw headers of after-middleware, which throws': {
    options: {
      after: async (_request, reply) => {
        for (const [name, value] of Object.entries(ofResult)) reply.raw.setHeader(name, value)
        fail()
      }
    }
  }
}

for (const [name, failure] of Object.entries(failures))
  t.test(`an error carries no header of the result that failed: ${name}`, async (t) => {
    const app = await createApp(t, {
      service: { get: async () => ({ id: 1 }) },
      ...failure,
      options: {
        ...failure.options,
        before: async (_request, reply) => {
          reply.headers({ 'cache-control': 'no-store', etag: '"before"', 'set-cookie': ['first=1', 'second=2'] })
        }
      }
    })
    const { statusCode, headers } = await getJSON(app, '/things/1')
    t.ok(statusCode >= 400)
    t.match(headers, { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' })
    t.strictSame([headers['set-cookie']].flat(), ['first=1', 'second=2'])
    for (const value of ['etag', 'content-language', 'location']) t.notOk(value in headers, value)
  })

t.test('what the error itself says stays: 406 depends on `Accept`', async (t) => {
  const service = { get: async () => ({ id: 1 }) }
  const formatter: NonNullable<AppOptions['options']>['formatter'] = (_request, reply) =>
    reply.format({ 'text/plain': () => 'x' })
  const app = await createApp(t, { service, options: { formatter } })
  const { statusCode, headers } = await getJSON(app, '/things/1')
  t.equal(statusCode, 406)
  t.match(headers.vary, /Accept/)
})

async function answer(t: Test, error: unknown, accept = 'application/json') {
  const app = await createApp(t, {
    service: { get: async () => Promise.reject(error) },
    plugin: { errorHandler: { logger: false } }
  })
  const { statusCode, headers, body } = await app.inject({ url: '/things/1', headers: { accept } })
  return { statusCode, headers, body }
}

t.test('`data.retryAfter` of an error becomes the header Retry-After', async (t) => {
  for (const error of [
    new Unavailable('Too much', { retryAfter: 7 }),
    new TooManyRequests('Too often', { retryAfter: 7, other: 'x' }),
    new ServiceError('Later', 'Later', 418, { retryAfter: 7 })
  ]) {
    const { statusCode, headers, body } = await answer(t, error)
    t.strictSame([statusCode, headers['retry-after']], [error.code, '7'])
    t.match(JSON.parse(body), { code: error.code, data: { retryAfter: 7 } }, 'and stays in the body')
  }
  const page = await answer(t, new Unavailable('Too much', { retryAfter: 0 }), 'text/html')
  t.strictSame([page.statusCode, page.headers['retry-after']], [503, '0'], 'beside a page, too')
  t.match(page.body, /<h1>503/)
})

t.test('a fraction of a second is rounded up: the header takes whole seconds', async (t) => {
  for (const [retryAfter, header] of [
    [1.5, '2'],
    [0.01, '1'],
    [59.999, '60']
  ] as const) {
    const { headers, body } = await answer(t, new Unavailable('no', { retryAfter }))
    t.equal(headers['retry-after'], header)
    t.match(JSON.parse(body), { data: { retryAfter } }, 'the body has the number itself')
  }
})

t.test('an error of another package, told by its shape, has it too', async (t) => {
  const error = { name: 'Unavailable', message: 'no', code: 503, className: 'unavailable', data: { retryAfter: 5 } }
  const { statusCode, headers } = await answer(t, error)
  t.strictSame([statusCode, headers['retry-after']], [503, '5'])
})

t.test('without `data.retryAfter` there is no such header', async (t) => {
  for (const error of [
    new Unavailable('no'),
    new PaymentError('no', { after: 7 }),
    Object.assign(new Error('no'), { data: { retryAfter: 7 } }),
    Object.assign(new Unavailable('no'), { retryAfter: 7, headers: { 'retry-after': '7' } }),
    new Unavailable('no', [7]),
    'retryAfter'
  ]) {
    const { statusCode, headers } = await answer(t, error)
    t.ok(statusCode >= 400)
    t.notOk('retry-after' in headers, String(error))
  }
})

const hostile: unknown[] = [
  '5',
  '5\r\nSet-Cookie: owned=1',
  'Wed, 21 Oct 2026 07:28:00 GMT',
  -1,
  -0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e21,
  5n,
  true,
  null,
  [5],
  { valueOf: () => 5 },
  Object(5)
]

for (const retryAfter of hostile)
  t.test(
    `hostile \`data.retryAfter\`, ${typeof retryAfter} ${JSON.stringify(String(retryAfter))}: no header`,
    async (t) => {
      const { statusCode, headers } = await answer(t, new Unavailable('no', { retryAfter }))
      t.equal(statusCode, 503)
      t.notOk('retry-after' in headers)
      t.notOk('set-cookie' in headers)
    }
  )

t.test('hostile data: getters that throw, cycles, frozen, a proxy', async (t) => {
  const throwing = {
    get retryAfter(): number {
      throw new Error('broken')
    }
  }
  const cycle: Record<string, unknown> = { retryAfter: 3 }
  cycle.self = cycle
  const proxy = new Proxy({}, { get: () => Promise.reject(new Error('a trap')).catch(() => 3) })
  const withGetter = Object.defineProperty(new Error('no'), 'data', {
    get() {
      throw new Error('broken')
    }
  })
  const errors = [
    Object.assign(new Unavailable('no'), { data: throwing }),
    Object.assign(new Unavailable('no'), { data: cycle }),
    Object.freeze(new Unavailable('no', Object.freeze({ retryAfter: 3 }))),
    Object.assign(new Unavailable('no'), { data: proxy }),
    Object.assign(withGetter, { code: 503, className: 'unavailable', name: 'Unavailable' })
  ]
  const answers = await Promise.all(errors.map((error) => answer(t, error)))
  t.strictSame(
    answers.map(({ statusCode, headers }) => [statusCode, headers['retry-after']]),
    [undefined, '3', '3', undefined, undefined].map((header) => [503, header])
  )
})
