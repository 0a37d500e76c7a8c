import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import t, { type Test } from 'tap'
import { serializerOfReply } from '../../lib/compat/reply-serializer.js'
import { rewriteUrls } from '../../lib/compat/rewrite-url.js'
import { schemaErrorFormatterOf } from '../../lib/compat/schema-error-formatter.js'
import { skipFastifyTimeout } from '../../lib/compat/skip-timeout.js'

// With Fastify 5.12.8 and find-my-way 9. Each test says what to do when it fails.

function create(t: Test, options = {}): FastifyInstance {
  const app = Fastify(options)
  t.teardown(() => app.close())
  return app
}

t.test('the serializer of a reply is under a symbol. If Fastify has a getter, use that', async (t) => {
  const app = create(t)
  const serializer = () => 'own'
  const seen: unknown[] = []
  app.get('/', async (_request, reply) => {
    seen.push(serializerOfReply(reply))
    reply.serializer(serializer)
    seen.push(serializerOfReply(reply))
    reply.serializer(null as never)
    seen.push(serializerOfReply(reply))
    return {}
  })
  await app.inject('/')
  t.same(seen, [undefined, serializer, undefined])
})

t.test('the formatter of schema errors is under a symbol. If Fastify has a getter, use that', async (t) => {
  const root = create(t)
  const format = (instance: FastifyInstance) => schemaErrorFormatterOf(instance, root)?.([], 'body').message
  t.equal(format(root), undefined)
  root.setSchemaErrorFormatter(() => new Error('outer'))
  await root.register(async (child) => {
    t.equal(format(child), 'outer', 'inherited')
    child.setSchemaErrorFormatter(() => new Error('inner'))
    t.equal(format(child), 'inner')
  })
  t.equal(format(root), 'outer')
})

t.test('the router asks for constraints before it reads a URL. If plugins can rewrite URLs, do that', async (t) => {
  const app = create(t)
  rewriteUrls(app, /^\/\//, (url, verb) => (verb === 'GET' ? url.slice(1) : url))
  const seen: string[] = []
  app.addHook('onRequest', async ({ url, originalUrl }) => void seen.push(url, originalUrl))
  app.all('/x', async () => 'x')
  t.equal((await app.inject('//x?a=1')).body, 'x')
  t.same(seen, ['/x?a=1', '/x?a=1'], 'a guard sees the changed URL alone')
  t.equal((await app.inject({ method: 'DELETE', url: '//x' })).statusCode, 404)
  t.equal((await app.inject('///x')).statusCode, 404)
})

/** Sends a GET whose answer an `onSend` hook holds until after the timeout. */
async function getHeld(t: Test, hold: (reply: FastifyReply) => void): Promise<{ status?: number; sends: number }> {
  const app = create(t, { handlerTimeout: 50 })
  let sends = 0
  app.addHook('onSend', async (_request, _reply, payload) => {
    sends++
    await new Promise((resolve) => setTimeout(resolve, 150))
    return payload
  })
  app.get('/', (request, reply) => {
    request.signal.addEventListener('abort', () => hold(reply))
    reply.send({ done: true })
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const status = await new Promise<number | undefined>((resolve) => {
    request({ port, host: '127.0.0.1' }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    }).end()
  })
  return { ...(status !== undefined && { status }), sends }
}

t.test('the timeout of Fastify skips a reply that is sent. If it skips held answers, delete this', async (t) => {
  t.same(await getHeld(t, skipFastifyTimeout), { status: 200, sends: 1 })
  const { sends } = await getHeld(t, () => {})
  t.equal(sends, 2, 'without it, Fastify sends a second answer')
})

t.test('the timeout of Fastify ignores requests with a body (fastify/fastify#6725)', async (t) => {
  const app = create(t, { handlerTimeout: 50 })
  app.post('/', async () => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    return 'late'
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}'
  })
  t.equal(response.status, 200, 'if it is 503, delete lib/server/answer/timeout.ts')
})
