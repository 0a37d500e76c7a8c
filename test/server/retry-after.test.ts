import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import {
  BadRequest,
  type HookContext,
  type Params,
  PaymentError,
  ServiceError,
  TooManyRequests,
  Unavailable
} from 'fastify-services'
import t, { type Test } from 'tap'
import { type AppOptions, createApp, getJSON } from '../support/response-app.js'

const general = { name: 'Unavailable', code: 503, className: 'unavailable' }
const service = { get: async (id: string) => ({ id }), find: async () => [] }
const server = { handlerTimeout: 50 }
const never = () => new Promise<void>(() => {})

t.test('hook that never settles: `handlerTimeout` of the host answers 503, other requests go on', async (t) => {
  const hook = (context: HookContext) => (context.id === 'never' ? never() : undefined)
  const app = await createApp(t, { service, server, options: { hooks: { before: { get: [hook] } } } })
  const late = getJSON(app, '/things/never')
  t.equal((await getJSON(app, '/things/1')).statusCode, 200, 'others go on meanwhile')
  const response = await late
  t.equal(response.statusCode, 503)
  t.match(response.json(), general)
  t.equal((await getJSON(app, '/things/1')).statusCode, 200)
})

t.test('a method, an around hook and a middleware that never settle: 503', async (t) => {
  const apps = [
    await createApp(t, { service: { find: never }, server }),
    await createApp(t, { service, server, options: { hooks: { around: { find: [never] } } } }),
    await createApp(t, { service, server, options: { before: never } }),
    await createApp(t, { service, server, options: { after: (_request, _reply, _done) => {} } })
  ]
  for (const app of apps) {
    const response = await getJSON(app, '/things')
    t.equal(response.statusCode, 503)
    t.match(response.json(), general)
  }
})

t.test('a call that settles after the 503 was sent changes nothing: alive', async (t) => {
  for (const fails of [false, true]) {
    let settle: (value: unknown) => void = () => {}
    const slow = new Promise((resolve, reject) => {
      settle = fails ? reject : resolve
    })
    const app = await createApp(t, {
      service: { ...service, get: () => slow },
      server,
      options: { after: async () => {} }
    })
    t.equal((await getJSON(app, '/things/1')).statusCode, 503)
    settle(fails ? new Error('too late') : { late: true })
    await new Promise((resolve) => setImmediate(resolve))
    t.equal((await getJSON(app, '/things')).statusCode, 200)
  }
})

t.test('`request.signal` tells the service of the end: it is a param where middleware makes it one', async (t) => {
  let reason: unknown
  const get = (_id: string, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason
        resolve(null)
      })
    })
  const app = await createApp(t, {
    service: { get },
    server,
    options: {
      before: async (request) => {
        request.feathers.signal = request.signal
      }
    }
  })
  t.equal((await getJSON(app, '/things/1')).statusCode, 503)
  t.match(reason, Error)
})

t.test('an option of a service, in place of that of the instance; a stream that has begun is cut off', async (t) => {
  const stuck = () => {
    const stream = new PassThrough()
    stream.write('begun')
    return stream
  }
  const app = await createApp(t, {
    service: { find: never, create: async () => stuck() },
    options: { handlerTimeout: 50 }
  })
  t.equal((await getJSON(app, '/things')).statusCode, 503)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const response = await fetch(`http://127.0.0.1:${port}/things`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}'
  })
  t.equal(response.status, 201)
  await t.rejects(response.text())
})

t.test('a request with a body, over a connection: 503, one answer, and the next request is answered', async (t) => {
  const app = await createApp(t, { service: { create: never, find: async () => [] }, server })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const response = await fetch(`${url}/things`, { method: 'POST', headers, body: '{"a":1}' })
  t.equal(response.status, 503)
  t.match(await response.json(), general)
  t.equal((await fetch(`${url}/things`)).status, 200)
})

t.test('a host whose onSend hook takes its time: a call that ends meanwhile gives no second answer', async (t) => {
  for (const fails of [false, true]) {
    const find = async ({ signal }: Params) => {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      if (fails) throw new Error('too late')
      return []
    }
    const app = await createApp(t, {
      service: { find, create: (_data: object, params: Params) => find(params) },
      server,
      host: (app) =>
        app.addHook('onSend', async () => {
          await new Promise((resolve) => setTimeout(resolve, 100))
        })
    })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const headers = { accept: 'application/json', 'content-type': 'application/json' }
    t.equal((await fetch(`${url}/things`, { headers })).status, 503)
    t.equal((await fetch(`${url}/things`, { method: 'POST', headers, body: '{}' })).status, 503)
  }
})

t.test('a call that has ended in time is not answered twice by a host that holds its answer up: alive', async (t) => {
  const app = await createApp(t, {
    service: {
      find: async () => [1],
      create: async (data: object) => data,
      patch: () => Promise.reject(new Error('x'))
    },
    server,
    host: (app) =>
      app.addHook('onSend', (_request, _reply, payload, done) => void setTimeout(() => done(null, payload), 70))
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const created = await fetch(`${url}/things`, { method: 'POST', headers, body: '{"a":1}' })
  t.strictSame([created.status, await created.json()], [201, { a: 1 }])
  const failed = await fetch(`${url}/things`, { method: 'PATCH', headers, body: '{"a":1}' })
  t.match([failed.status, await failed.json()], [500, { code: 500 }])
})

t.test('a host that never lets an answer go: the connection ends', async (t) => {
  const app = await createApp(t, {
    service: { create: async (data: object) => data },
    server,
    host: (app) => app.addHook('onSend', () => {})
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { 'content-type': 'application/json' }
  await t.rejects(fetch(`${url}/things`, { method: 'POST', headers, body: '{"a":1}' }))
})

t.test('what is sent after the 503 is not sent, and a stream among it is closed', async (t) => {
  const late = new PassThrough()
  const closed = new Promise((resolve) => late.on('close', resolve))
  const app = await createApp(t, {
    service: { find: async () => [], get: async (id: string) => ({ id }) },
    server,
    options: {
      after: async (request, reply) => {
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
        reply.send(request.url.endsWith('1') ? { late: true } : late)
      }
    }
  })
  for (const url of ['/things', '/things/1']) {
    const response = await getJSON(app, url)
    t.match([response.statusCode, response.json()], [503, general])
  }
  await closed
})

t.test('a formatter that ends after the 503: nothing of it is sent', async (t) => {
  let formatted = 0
  const formatter = async (request: FastifyRequest) => {
    await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
    formatted++
    return 'late'
  }
  const app = await createApp(t, { service: { find: async () => [] }, server, options: { formatter } })
  const response = await getJSON(app, '/things')
  t.match([response.statusCode, response.json()], [503, general])
  t.equal(formatted, 1)
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
  1.5,
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
          reply.headers({ 'x-before': 'yes', etag: '"before"', 'set-cookie': ['first=1', 'second=2'] })
        }
      }
    })
    const { statusCode, headers } = await getJSON(app, '/things/1')
    t.ok(statusCode >= 400)
    t.match(headers, { 'x-before': 'yes', etag: '"before"', 'content-type': 'application/json; charset=utf-8' })
    t.strictSame([headers['set-cookie']].flat(), ['first=1', 'second=2'])
    for (const one of ['cache-control', 'content-language', 'location']) t.notOk(one in headers, one)
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
