import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter, HookContext } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp, getJSON } from '../support/response-app.js'

const service = { get: async (id: string) => ({ id }), create: async () => ({ id: '1' }), remove: async () => null }
const text = (_request: FastifyRequest, reply: FastifyReply) => {
  reply.type('text/plain; charset=utf-8')
  return `The message is: ${(reply.data as { id: string }).id}`
}

t.test('Custom formatter: a `text/plain` representation in place of the default, read from `reply.data`', async (t) => {
  const app = await createApp(t, { service, plugin: { formatter: text } })
  const response = await app.inject('/things/7')
  t.equal(response.statusCode, 200)
  t.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  t.equal(response.body, 'The message is: 7')
  t.equal(
    (await app.inject({ method: 'POST', url: '/things', payload: {} })).statusCode,
    201,
    'the status is that of the method'
  )
})

t.test("a custom formatter's return value is sent as Fastify sends it: a string is no JSON", async (t) => {
  const app = await createApp(t, { service, plugin: { formatter: () => 'plain' } })
  const response = await app.inject('/things/7')
  t.equal(response.body, 'plain')
  t.match(response.headers['content-type'], 'text/plain')
})

t.test(
  "a custom formatter's return value is sent as Fastify sends it: an object is JSON, a Buffer bytes",
  async (t) => {
    const object = await createApp(t, { service, plugin: { formatter: (_request, reply) => ({ data: reply.data }) } })
    t.strictSame((await object.inject('/things/7')).json(), { data: { id: '7' } })
    const bytes = await createApp(t, { service, plugin: { formatter: () => Buffer.from('abc') } })
    t.equal((await bytes.inject('/things/7')).headers['content-type'], 'application/octet-stream')
  }
)

t.test('a custom formatter may be async', async (t) => {
  const app = await createApp(t, {
    service,
    plugin: { formatter: async (_request, reply) => ({ late: await Promise.resolve(reply.data) }) }
  })
  t.strictSame((await app.inject('/things/7')).json(), { late: { id: '7' } })
})

t.test('a formatter that returns nothing and sends itself', async (t) => {
  const now = await createApp(t, {
    service,
    plugin: {
      formatter: (_request, reply) => {
        reply.code(202).send({ own: true })
      }
    }
  })
  const response = await now.inject('/things/7')
  t.equal(response.statusCode, 202)
  t.strictSame(response.json(), { own: true })
  const later = await createApp(t, {
    service,
    plugin: {
      formatter: (_request, reply) => {
        setImmediate(() => reply.send({ later: true }))
      }
    }
  })
  t.strictSame((await later.inject('/things/7')).json(), { later: true })
})

t.test('an async formatter that sends itself, on a host whose `onSend` hooks take their time', async (t) => {
  let sent = 0
  const host = (app: FastifyInstance) =>
    app.addHook('onSend', (_request, _reply, payload, done) => {
      sent++
      setImmediate(done, null, payload)
    })
  for (const formatter of [
    async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.send({ own: true })
    },
    async (_request: FastifyRequest, reply: FastifyReply) => reply.send({ own: true })
  ]) {
    const app = await createApp(t, { service, plugin: { formatter }, host })
    t.strictSame((await app.inject('/things/7')).json(), { own: true })
  }
  t.equal(sent, 2, 'each answer is sent once')
})

t.test('a formatter whose object can not be serialized: nothing of the reason is told', async (t) => {
  const formatter = () => ({ count: 1n })
  const app = await createApp(t, { service, plugin: { formatter, errorHandler: { expose: true } } })
  const response = await app.inject({ url: '/things/7', headers: { accept: 'application/json' } })
  t.match(response.json(), { code: 500, message: 'The result is not JSON (BigInt or a cycle?)' })
})

t.test('a formatter per service stands in for that of the plugin', async (t) => {
  const app = await createApp(t, {
    service,
    options: { formatter: () => 'own' },
    plugin: { formatter: () => 'common' }
  })
  app.service('others', service)
  t.equal((await app.inject('/things/7')).body, 'own')
  t.equal((await app.inject('/others/7')).body, 'common')
})

t.test('a formatter runs for a `null` result too, whose status is 204', async (t) => {
  const seen: unknown[] = []
  const app = await createApp(t, {
    service,
    plugin: {
      formatter: (_request, reply) => {
        seen.push(reply.data)
        return reply.data
      }
    }
  })
  const response = await app.inject({ method: 'DELETE', url: '/things/7' })
  t.equal(response.statusCode, 204)
  t.equal(response.body, '')
  t.strictSame(seen, [null])
})

t.test('a formatter sees `reply.hook`, and gets the request', async (t) => {
  const formatter = (request: FastifyRequest, reply: FastifyReply) => {
    const { method, id, type } = reply.hook as HookContext
    return { method, id, type, url: request.url }
  }
  const app = await createApp(t, { service, plugin: { formatter } })
  t.match((await app.inject('/things/7')).json(), { method: 'get', id: '7', url: '/things/7' })
})

t.test('a formatter that throws or rejects is answered in the error format', async (t) => {
  for (const formatter of [
    () => {
      throw new Error('broken')
    },
    async () => {
      throw new Error('broken')
    }
  ]) {
    const app = await createApp(t, { service, plugin: { formatter } })
    const response = await getJSON(app, '/things/7')
    t.equal(response.statusCode, 500)
    t.strictSame(response.json(), { name: 'GeneralError', message: 'broken', code: 500, className: 'general-error' })
  }
})

t.test('HEAD with a custom formatter: as GET, no body', async (t) => {
  const app = await createApp(t, { service, plugin: { formatter: text } })
  const response = await app.inject({ method: 'HEAD', url: '/things/7' })
  t.equal(response.statusCode, 200)
  t.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  t.equal(response.body, '')
})

t.test('a server-side call is not formatted', async (t) => {
  const app = await createApp(t, { service, plugin: { formatter: () => 'formatted' } })
  t.strictSame(await app.service<typeof service>('things').get('7'), { id: '7' })
})

const formatted = { get: async () => ({ text: 'hi' }) }
const types = {
  'text/plain': () => 'hi',
  'application/json': (_request: FastifyRequest, reply: FastifyReply) => reply.data,
  'text/html; charset=utf-8': () => '<p>hi</p>'
}

const ask = async (t: Test, formatter: Formatter, accept?: string) => {
  const app = await createApp(t, { service: formatted, plugin: { formatter } })
  return app.inject({ url: '/things/1', headers: accept === undefined ? {} : { accept } })
}

const picked: Record<string, [accept: string | undefined, type: string, body: string]> = {
  'a type by name': ['application/json', 'application/json', '{"text":"hi"}'],
  'another type by name': ['text/plain', 'text/plain', 'hi'],
  'a type with parameters': ['text/html', 'text/html; charset=utf-8', '<p>hi</p>'],
  'a list of types, the first that fits': ['image/png, application/json', 'application/json', '{"text":"hi"}'],
  'q-values': ['text/plain;q=0.2, application/json;q=0.9', 'application/json', '{"text":"hi"}'],
  'q=0, not that one': ['text/plain;q=0, */*;q=0.1', 'application/json', '{"text":"hi"}'],
  'a range': ['text/*', 'text/plain', 'hi'],
  '`*/*`, the first one offered': ['*/*', 'text/plain', 'hi'],
  'no `Accept`, the first one offered': [undefined, 'text/plain', 'hi']
}

for (const [name, [accept, type, body]] of Object.entries(picked)) {
  t.test(`\`reply.format\` picks by \`Accept\`, sets \`Vary: Accept\`: ${name}`, async (t) => {
    const response = await ask(t, (_request, reply) => reply.format(types), accept)
    t.equal(response.statusCode, 200)
    t.match(response.headers['content-type'], type)
    t.equal(response.body, body)
    t.equal(response.headers.vary, 'Accept')
  })
}

t.test('`reply.format` is 406 NotAcceptable where nothing fits and there is no `default`', async (t) => {
  const response = await ask(t, (_request, reply) => reply.format({ 'text/plain': () => 'hi' }), 'application/json')
  t.equal(response.statusCode, 406)
  t.match(response.json(), { name: 'NotAcceptable', code: 406, className: 'not-acceptable' })
  t.equal(response.headers.vary, 'Accept', 'a cache may not keep it for others')
})

t.test('`reply.format` calls `default` where nothing fits', async (t) => {
  const formatter: Formatter = (_request, reply) =>
    reply.format({ 'text/plain': () => 'hi', default: () => ({ fallback: true }) })
  const response = await ask(t, formatter, 'image/png')
  t.equal(response.statusCode, 200)
  t.strictSame(response.json(), { fallback: true })
  t.equal(response.headers.vary, 'Accept')
  t.equal((await ask(t, formatter, 'text/plain')).body, 'hi')
})

t.test('`reply.format` of `default` alone', async (t) => {
  const formatter: Formatter = (_request, reply) => reply.format({ default: () => ({ only: true }) })
  for (const accept of ['image/png', undefined]) {
    const response = await ask(t, formatter, accept)
    t.strictSame(response.json(), { only: true })
    t.equal(response.headers['content-type'], 'application/json; charset=utf-8', `Accept: ${accept}`)
  }
})

t.test('`reply.format` may be async, and may send itself', async (t) => {
  t.equal(
    (await ask(t, (_request, reply) => reply.format({ 'text/plain': async () => 'later' }), 'text/plain')).body,
    'later'
  )
  const answer = await ask(
    t,
    async (_request, reply) =>
      reply.format({
        'text/plain': () => {
          reply.send('own')
        }
      }),
    'text/plain'
  )
  t.equal(answer.body, 'own')
})

t.test('`reply.format` adds to a `Vary` that stands there, once', async (t) => {
  const vary =
    (value: string | string[]): Formatter =>
    (_request, reply) =>
      reply.header('vary', value).format(types)
  t.equal((await ask(t, vary('Origin'))).headers.vary, 'Origin, Accept')
  t.equal((await ask(t, vary(['Origin', 'Cookie']))).headers.vary, 'Origin, Cookie, Accept')
  t.equal((await ask(t, vary('Origin, accept'))).headers.vary, 'Origin, accept')
  t.equal((await ask(t, vary('*'))).headers.vary, '*')
  t.equal((await ask(t, vary('Accept-Encoding'))).headers.vary, 'Accept-Encoding, Accept')
})

t.test("`reply.format` works in the host's own routes", async (t) => {
  const app = await createApp(t, { service: formatted })
  app.get('/own', (_request, reply) =>
    reply.format({ 'application/json': () => ({ own: true }), 'text/plain': () => 'own' })
  )
  t.equal((await app.inject({ url: '/own', headers: { accept: 'text/plain' } })).body, 'own')
  t.equal((await app.inject({ url: '/own', headers: { accept: 'image/png' } })).statusCode, 406)
})

t.test('a stream that a formatter makes when the client has had an answer is closed', async (t) => {
  const stream = Readable.from(['late'])
  const late: Formatter = async (request) => {
    while (!request.signal.aborted) await turn()
    await turn()
    return stream
  }
  const app = await createApp(t, { service, options: { formatter: late, handlerTimeout: 20 } })
  t.equal((await app.inject('/things/7')).statusCode, 503)
  while (!stream.destroyed) await turn()
  t.ok(stream.destroyed)
})

t.test('a formatter that returns `null` sends an empty body, with the status of the call or its own', async (t) => {
  const answer: Formatter = (_request, reply) => {
    reply.code(204)
    return null
  }
  for (const [status, formatter] of [[200, () => null] as const, [204, answer] as const]) {
    const app = await createApp(t, { service, options: { formatter } })
    const { statusCode, body } = await app.inject('/things/1')
    t.strictSame([statusCode, body], [status, ''])
  }
})

t.test('a formatter that returns a symbol or a function is 500 with a sentence, unless it has answered', async (t) => {
  for (const value of [Symbol('a'), () => 'a']) {
    const app = await createApp(t, { service, options: { formatter: () => value } })
    const { statusCode, body } = await app.inject({ url: '/things/1', headers: { accept: 'application/json' } })
    t.equal(statusCode, 500)
    t.match(JSON.parse(body).message, `A formatter has returned a ${typeof value}, which can't be sent`)
  }
  const sending: Formatter = (_request, reply) => {
    reply.send('sent')
    return Symbol('a')
  }
  const app = await createApp(t, { service, options: { formatter: sending } })
  t.equal((await app.inject('/things/1')).body, 'sent')
})
