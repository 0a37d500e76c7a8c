import { once } from 'node:events'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyServerOptions } from 'fastify'
import services from 'fastify-services'
import { openapi } from 'fastify-services/openapi'
import production, { type ProductionOptions } from 'fastify-services/production'
import t, { type Test } from 'tap'
import { open } from './started.js'

async function createApp(t: Test, options: ProductionOptions = {}, server: FastifyServerOptions = {}) {
  const app = Fastify(server)
  t.teardown(() => app.close())
  await app.register(production, options)
  return app
}

t.test('`/health` asks `isReady`, and `/health/live` does not', async (t) => {
  const failing = () => {
    throw new Error('The address is 10.1.2.3')
  }
  for (const [title, isReady, status] of [
    ['nothing to ask', undefined, 200],
    ['true', () => true, 200],
    ['nothing', async () => {}, 200],
    ['rows', async () => [{ one: 1 }], 200],
    ['false', () => false, 503],
    ['a promise of false', async () => false, 503],
    ['an error', failing, 503],
    ['a promise that is rejected', async () => failing(), 503]
  ] as const) {
    const app = await createApp(t, isReady && { isReady })
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers, body } = await app.inject({ method, url: '/health' })
      t.equal(statusCode, status, title)
      t.match(headers, { 'cache-control': 'no-store', ...(status === 503 && { 'retry-after': '5' }) })
      t.notMatch(body, '10.1.2.3')
      if (method === 'HEAD') continue
      const expected = status === 200 ? { status: 'ok' } : { name: 'Unavailable', message: 'The server is not ready' }
      t.match(JSON.parse(body), expected)
    }
    const { statusCode, headers, body } = await app.inject('/health/live')
    t.strictSame([statusCode, headers['cache-control'], body], [200, 'no-store', '{"status":"ok"}'], title)
  }
})

t.test('the reason is logged', async (t) => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const isReady = () => {
    throw new Error('connect ECONNREFUSED')
  }
  const app = await createApp(t, { isReady }, { logger: { level: 'error', stream } })
  await app.inject('/health')
  t.match(lines, [/connect ECONNREFUSED/])
})

t.test('requests at the same time share one question, and the next one asks again', async (t) => {
  let count = 0
  let answer = () => {}
  const isReady = () => {
    count++
    return new Promise<void>((resolve) => {
      answer = resolve
    })
  }
  const app = await createApp(t, { isReady })
  for (const asked of [1, 2]) {
    const answers = ['/health', '/health', '/health'].map((path) => app.inject(path))
    while (count < asked) await new Promise((resolve) => setImmediate(resolve))
    // All three have been routed by now.
    await app.inject('/health/live')
    answer()
    for (const { statusCode } of await Promise.all(answers)) t.equal(statusCode, 200)
    t.equal(count, asked)
  }
})

t.test('a path of its own, or none', async (t) => {
  const own = await createApp(t, { healthPath: '/status' })
  const none = await createApp(t, { healthPath: false })
  for (const [app, path, status] of [
    [own, '/status', 200],
    [own, '/status/live', 200],
    [own, '/health', 404],
    [none, '/health', 404],
    [none, '/health/live', 404]
  ] as const)
    t.equal((await app.inject(path)).statusCode, status, path)
})

t.test('rate limits do not count it, and the document does not show it', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'a', version: '1.0.0' } }))
  await app.register(production, { rateLimit: { max: 1 } })
  await app.register(services)
  app.service('notes', { find: async () => [] })
  for (const path of ['/health', '/health', '/health/live', '/health/live'])
    t.equal((await app.inject(path)).statusCode, 200, path)
  t.strictSame(Object.keys(app.swagger().paths ?? {}), ['/notes'])
})

t.test('while the server closes, `/health` answers 503', async (t) => {
  const app = await createApp(t, {}, { return503OnClosing: false })
  const closing = new Promise<void>((resolve) => {
    app.addHook('preClose', async () => resolve())
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  // The second request is not complete when the server starts to close, so its connection stays open.
  const sent = ['GET /health/live HTTP/1.1', 'Host: a', '', 'GET /health HTTP/1.1', ''].join('\r\n')
  const { socket, received } = await open(t, Number(new URL(url).port), sent)
  await once(socket, 'data')
  const closed = app.close()
  await closing
  socket.write('Host: a\r\n\r\n')
  t.match(await received, /HTTP\/1.1 503 [\s\S]*The server is shutting down/)
  await closed
})
