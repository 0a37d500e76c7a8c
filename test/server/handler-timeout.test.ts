import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type HookContext, NotFound, type Params } from 'fastify-services'
import t from 'tap'
import { createApp, getJSON, listen } from '../support/response-app.js'

const general = { name: 'Unavailable', code: 503, className: 'unavailable' }
const service = { get: async (id: string) => ({ id }), find: async () => [] }
const server = { handlerTimeout: 50 }
const never = () => new Promise<void>(() => {})

// The first test: those of others leave timers.
t.test('no timer is left of a request that has its answer', async (t) => {
  const app = await createApp(t, { service, server: { handlerTimeout: 60_000 } })
  const timers = () => process.getActiveResourcesInfo().filter((item) => item === 'Timeout').length
  await app.ready()
  const before = timers()
  for (let i = 0; i < 5; i++) t.equal((await getJSON(app, '/things/1')).statusCode, 200)
  await new Promise((resolve) => setImmediate(resolve))
  t.ok(timers() <= before, `${before}, then ${timers()}`)
})

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

t.test('what middleware has begun to write by itself is cut off', async (t) => {
  const begin = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.raw.write('begun')
    await never()
  }
  const app = await createApp(t, { service, server, options: { before: begin } })
  const response = await fetch(`${await listen(app)}/things`)
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
    // The host holds it up for longer than the timeout, and for less than twice as long, when the connection would end.
    server: { handlerTimeout: 1000 },
    host: (app) =>
      app.addHook('onSend', (_request, _reply, payload, done) => void setTimeout(() => done(null, payload), 1200))
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const created = await fetch(`${url}/things`, { method: 'POST', headers, body: '{"a":1}' })
  t.strictSame([created.status, await created.json()], [201, { a: 1 }])
  const failed = await fetch(`${url}/things`, { method: 'PATCH', headers, body: '{"a":1}' })
  t.match([failed.status, await failed.json()], [500, { code: 500 }])
})

t.test('a host whose hooks fail for the 503: another error is the answer', async (t) => {
  const app = await createApp(t, {
    service: { find: never, create: never },
    server,
    host: (app) =>
      app.addHook('onSend', async () => {
        throw new Error('The store of sessions is away')
      })
  })
  const url = await listen(app)
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  for (const init of [{ headers }, { headers, method: 'POST', body: '{}' }]) {
    const response = await fetch(`${url}/things`, init)
    t.match([response.status, await response.json()], [503, { message: 'The store of sessions is away' }])
  }
})

t.test('a header that HTTP can not carry beside the 503: it is answered without', async (t) => {
  const host = (app: FastifyInstance) =>
    app.addHook('onRequest', async (_request, reply) => void reply.header('x-name', '€'))
  const app = await createApp(t, { service: { find: never, create: never }, server, host })
  const url = await listen(app)
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  for (const init of [{ headers }, { headers, method: 'POST', body: '{}' }, { headers: { accept: 'text/html' } }])
    t.equal((await fetch(`${url}/things`, init)).status, 503)
})

t.test('what is sent late, while a page for the 503 is made, is not sent', async (t) => {
  const html = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    return 'A page'
  }
  const after = async (request: FastifyRequest, reply: FastifyReply) => {
    await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
    setTimeout(() => reply.send(new Error('late')), 50)
    return reply
  }
  const app = await createApp(t, {
    service,
    server: { handlerTimeout: 1000 },
    plugin: { errorHandler: { html } },
    options: { after }
  })
  const response = await fetch(`${await listen(app)}/things`, { headers: { accept: 'text/html' } })
  t.strictSame([response.status, await response.text()], [503, 'A page'])
})

t.test('a page for an error that is made while the timeout passes is sent', async (t) => {
  const html = async ({ code }: { code: number }) => {
    await new Promise((resolve) => setTimeout(resolve, 1200))
    return `Page ${code}`
  }
  const app = await createApp(t, {
    service: { find: () => Promise.reject(new NotFound('Not here')) },
    server: { handlerTimeout: 1000 },
    plugin: { errorHandler: { html } }
  })
  const response = await fetch(`${await listen(app)}/things`, { headers: { accept: 'text/html' } })
  t.strictSame([response.status, await response.text()], [404, 'Page 404'])
})

t.test('a host that never lets an answer go: the connection ends', async (t) => {
  const app = await createApp(t, {
    service: { create: async (data: object) => data, find: async () => [] },
    server,
    host: (app) => app.addHook('onSend', () => {})
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { 'content-type': 'application/json' }
  await t.rejects(fetch(`${url}/things`, { method: 'POST', headers, body: '{"a":1}' }))
  await t.rejects(fetch(`${url}/things`))
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

t.test('a call that ends by the reason of its signal is no error: nothing is logged of it', async (t) => {
  const lines: string[] = []
  const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } }
  const ends: Record<string, (reason: Error) => unknown> = {
    itself: (reason) => reason,
    cause: (reason) => new Error('The query was cancelled', { cause: reason }),
    other: () => new Error('The disk is full')
  }
  let ended = 0
  const get = async (id: string, { signal }: Params) => {
    await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    setImmediate(() => ended++)
    throw ends[id]?.(signal?.reason)
  }
  const app = await createApp(t, { service: { get }, server: { handlerTimeout: 30, logger } })
  for (const [index, id] of Object.keys(ends).entries()) {
    lines.length = 0
    t.equal((await getJSON(app, `/things/${id}`)).statusCode, 503)
    while (ended <= index) await new Promise((resolve) => setImmediate(resolve))
    // The other line is that of the timeout.
    t.strictSame(
      [lines.length, lines.some((line) => line.includes('The disk is full'))],
      id === 'other' ? [2, true] : [1, false],
      id
    )
  }
})
