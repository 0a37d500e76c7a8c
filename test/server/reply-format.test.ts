import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp } from '../support/response-app.js'

const service = { get: async () => ({ text: 'hi' }) }
const types = {
  'text/plain': () => 'hi',
  'application/json': (_request: FastifyRequest, reply: FastifyReply) => reply.data,
  'text/html; charset=utf-8': () => '<p>hi</p>'
}

const ask = async (t: Test, formatter: Formatter, accept?: string) => {
  const app = await createApp(t, { service, plugin: { formatter } })
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
  t.equal((await ask(t, (_request, reply) => reply.format({ default: () => 'only' }), 'image/png')).body, 'only')
})

t.test('`reply.format` may be async, and may send itself', async (t) => {
  t.equal(
    (await ask(t, (_request, reply) => reply.format({ 'text/plain': async () => 'later' }), 'text/plain')).body,
    'later'
  )
  const own = await ask(
    t,
    async (_request, reply) =>
      reply.format({
        'text/plain': () => {
          reply.send('own')
        }
      }),
    'text/plain'
  )
  t.equal(own.body, 'own')
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
  const app = await createApp(t, { service })
  app.get('/own', (_request, reply) =>
    reply.format({ 'application/json': () => ({ own: true }), 'text/plain': () => 'own' })
  )
  t.equal((await app.inject({ url: '/own', headers: { accept: 'text/plain' } })).body, 'own')
  t.equal((await app.inject({ url: '/own', headers: { accept: 'image/png' } })).statusCode, 406)
})
