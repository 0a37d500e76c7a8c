import { once } from 'node:events'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import services, { Conflict, type HookContext, type Http, type Middleware } from 'fastify-services'
import t, { type Test } from 'tap'
import { createCertificate } from '../support/certificate.js'
import { createApp, getJSON } from '../support/response-app.js'

const answer = async (t: Test, http: unknown, after: Middleware[] = []) => {
  const hook = (context: HookContext) => {
    context.http = http as Http
  }
  const app = await createApp(t, {
    service: { get: async () => ({ id: 1 }) },
    options: { hooks: { after: { get: [hook] } }, after }
  })
  return getJSON(app, '/things/1')
}

t.test('`context.http.headers` become headers', async (t) => {
  const { statusCode, headers, body } = await answer(t, {
    headers: { 'X-Total': '5', 'cache-control': 'no-store', 'x-many': ['a', 'b'] }
  })
  t.equal(statusCode, 200)
  t.equal(body, '{"id":1}')
  t.match(headers, { 'x-total': '5', 'cache-control': 'no-store' })
  t.match(String(headers['x-many']), /^a, ?b$/)
})

t.test('`context.http.headers` may say of the connection what they like, over HTTP/1', async (t) => {
  t.match((await answer(t, { headers: { connection: 'close' } })).headers, { connection: 'close' })
})

t.test('`context.http.headers`: each `set-cookie` is a header of its own, beside those of a middleware', async (t) => {
  const hook = (context: HookContext) => {
    context.http.headers = { 'set-cookie': ['a=1', 'b=2; HttpOnly'] }
  }
  const app = await createApp(t, {
    service: { get: async () => ({ id: 1 }) },
    options: {
      hooks: { after: { get: [hook] } },
      before: async (_request, reply) => {
        reply.header('set-cookie', 'c=3')
      }
    }
  })
  const { headers } = await app.inject('/things/1')
  t.strictSame([headers['set-cookie']].flat().sort(), ['a=1', 'b=2; HttpOnly', 'c=3'])
})

t.test('`context.http.headers`: a number is written out, `undefined` is left out', async (t) => {
  const { statusCode, headers } = await answer(t, { headers: { 'x-total': 5, 'x-none': undefined } })
  t.equal(statusCode, 200)
  t.equal(headers['x-total'], '5')
  t.notOk('x-none' in headers)
})

t.test('the encoded `context.http.location` becomes a header', async (t) => {
  const location = async (value: string) => (await answer(t, { location: value })).headers.location
  t.equal(await location('/messages/1'), '/messages/1')
  t.equal(await location('/messages/ä b?q=ü#x'), '/messages/%C3%A4%20b?q=%C3%BC#x')
  t.equal(await location('/already/%20encoded'), '/already/%20encoded', 'once')
  t.equal(await location('https://example.com/a'), 'https://example.com/a')
})

t.test('the location with CR/LF is encoded: nothing injected', async (t) => {
  const { statusCode, headers } = await answer(t, { location: '/a\r\nSet-Cookie: owned=1' })
  t.equal(statusCode, 303)
  t.equal(headers.location, '/a%0D%0ASet-Cookie:%20owned=1')
  t.notOk('set-cookie' in headers)
})

const bad: Record<string, unknown> = {
  '`http.headers` with CR/LF': { headers: { 'x-bad': 'a\r\nSet-Cookie: owned=1' } },
  '`http.headers` with LF alone': { headers: { 'x-bad': 'a\nSet-Cookie: owned=1' } },
  '`http.headers` with CR/LF in an item of a list': { headers: { 'x-bad': ['ok', 'a\r\nSet-Cookie: owned=1'] } },
  '`http.headers` with NUL': { headers: { 'x-bad': 'a\0b' } },
  '`http.headers` with a character past Latin-1': { headers: { 'x-bad': '→' } },
  '`http.headers` with an illegal name': { headers: { 'x bad': 'a' } },
  '`http.headers` with CR/LF in a name': { headers: { 'x-bad: a\r\nSet-Cookie': 'owned=1' } },
  '`http.headers` with an empty name': { headers: { '': 'a' } },
  '`http.headers` with CR/LF in a Location': { headers: { Location: '/a\r\nSet-Cookie: owned=1' } },
  '`http.status` 99': { status: 99 },
  '`http.status` 1000': { status: 1000 },
  "`http.status` 'abc'": { status: 'abc' },
  '`http.status` 100': { status: 100 },
  '`http.status` 200.5': { status: 200.5 }
}

for (const [name, http] of Object.entries(bad)) {
  t.test(`${name}: 500 GeneralError, nothing injected`, async (t) => {
    const response = await answer(t, http)
    t.equal(response.statusCode, 500)
    t.match(response.json(), { name: 'GeneralError', code: 500, className: 'general-error' })
    t.notOk('set-cookie' in response.headers)
    t.notMatch(response.body, 'owned')
    t.notMatch(response.body, /ERR_|Invalid character|FST_/, 'no engine internals in the message')
  })
}

t.test('the error of a header that can not be carried has its cause, for logs', async (t) => {
  const causes: unknown[] = []
  const set = (context: HookContext) => void Object.assign(context, { http: { headers: { 'x-bad': 'a\0b' } } })
  const app = await createApp(t, {
    service: { get: async () => ({}) },
    options: { hooks: { after: { get: [set] } } },
    host: (app) => app.addHook('onError', async (_request, _reply, { cause }) => void causes.push(cause))
  })
  t.equal((await getJSON(app, '/things/1')).statusCode, 500)
  t.match(causes, [{ code: 'ERR_INVALID_CHAR' }])
})

t.test('what a hook said about a success is not said of the error: no location, no cookie of it', async (t) => {
  const said = { location: '/b', 'set-cookie': 'session=1', 'content-encoding': 'gzip' }
  const { location, ...headers } = said
  const fail: Middleware = async (_request, reply) => {
    t.match(reply.getHeaders(), said, 'the success would have had them')
    throw new Conflict('too late')
  }
  const response = await answer(t, { location, headers }, [fail])
  t.equal(response.statusCode, 409)
  t.notOk('location' in response.headers)
  t.notOk('set-cookie' in response.headers)
  t.notOk('content-encoding' in response.headers)
})

t.test('what the host has set by itself stays on an error: a header of the same name as one of a hook', async (t) => {
  const hook = (context: HookContext) => {
    context.http.headers = { 'cache-control': 'public', 'x-hook': '1' }
  }
  const app = await createApp(t, {
    service: {
      get: async () => {
        throw new Error('broken')
      }
    },
    options: { hooks: { before: { get: [hook] } } },
    host: (app) =>
      app.addHook('onRequest', async (_request, reply) => {
        reply.header('cache-control', 'no-store')
      })
  })
  const response = await getJSON(app, '/things/1')
  t.equal(response.statusCode, 500)
  t.equal(response.headers['cache-control'], 'no-store')
  t.notOk('x-hook' in response.headers)
})

t.test('`context.http` or its parts set to `null`: as if they were not set', async (t) => {
  for (const http of [null, undefined, { headers: null }, { location: undefined, headers: undefined }]) {
    const response = await answer(t, http)
    t.strictSame([response.statusCode, response.body], [200, '{"id":1}'], JSON.stringify(http))
  }
})

t.test('an error of a call whose `context.http` is `null` keeps its shape', async (t) => {
  for (const http of [null, { headers: null }, { headers: 'x', location: 1 }]) {
    const hook = (context: HookContext) => {
      context.http = http as unknown as Http
      throw new Error('broken')
    }
    const app = await createApp(t, {
      service: { get: async () => ({}) },
      options: { hooks: { before: { get: [hook] } } }
    })
    const response = await getJSON(app, '/things/1')
    t.equal(response.statusCode, 500)
    t.match(response.json(), { name: 'GeneralError', message: 'broken' }, JSON.stringify(http))
  }
})

const certificate = createCertificate()

class Messages {
  async find() {
    return [{ id: '1' }]
  }
  async get(id: string, params: { provider?: string }) {
    return { id, provider: params.provider }
  }
  async create(data: object) {
    return data
  }
  async update() {
    return Readable.from([{ id: 1 }, { id: 2 }])
  }
  async patch() {
    throw new Conflict('Taken')
  }
  async remove() {
    return null
  }
}

const hooks = {
  after: {
    create: [
      (context: HookContext<Messages>) => {
        context.http.headers = { 'x-own': 'yes' }
      }
    ]
  }
}

/** Asks an HTTPS server as an ordinary client, which trusts the certificate. */
async function ask(port: number, method: string, path: string, body?: object) {
  const outgoing = request({
    port,
    host: 'localhost',
    servername: 'localhost',
    ca: certificate.cert,
    method,
    path,
    headers: { 'content-type': 'application/json' }
  })
  outgoing.end(body && JSON.stringify(body))
  const [response] = await once(outgoing, 'response')
  return {
    status: response.statusCode as number,
    headers: response.headers as IncomingHttpHeaders,
    body: await text(response)
  }
}

t.test('an HTTPS instance', async (t) => {
  const app = Fastify({ https: certificate, forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services)
  app.service('messages', new Messages(), { hooks })
  await app.listen({ port: 0, host: 'localhost' })
  const { port } = app.server.address() as AddressInfo
  t.strictSame(await ask(port, 'GET', '/messages/1').then(({ body }) => JSON.parse(body)), {
    id: '1',
    provider: 'rest'
  })
  const created = await ask(port, 'POST', '/messages', { a: 1 })
  t.strictSame([created.status, created.body, created.headers['x-own']], [201, '{"a":1}', 'yes'])
  t.match(JSON.parse((await ask(port, 'PATCH', '/messages/1', {})).body), { name: 'Conflict', code: 409 })
  t.equal((await ask(port, 'DELETE', '/messages/1')).status, 204)
})

/** Asks over an HTTP/2 session. */
async function stream(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: object) {
  const exchange = session.request({ ...headers, ...(body && { 'content-type': 'application/json' }) })
  exchange.end(body && JSON.stringify(body))
  const [answer] = (await once(exchange, 'response')) as [IncomingHttpHeaders & { ':status': number }]
  return { status: answer[':status'], headers: answer, body: await text(exchange) }
}

async function checkHTTP2(t: Tap, session: ClientHttp2Session) {
  const get = await stream(session, { ':path': '/messages/1' })
  t.strictSame([get.status, JSON.parse(get.body)], [200, { id: '1', provider: 'rest' }])
  const created = await stream(session, { ':method': 'POST', ':path': '/messages' }, { a: 1 })
  t.strictSame([created.status, created.body, created.headers['x-own']], [201, '{"a":1}', 'yes'])
  const objects = await stream(session, { ':method': 'PUT', ':path': '/messages/1' }, {})
  t.strictSame([objects.status, objects.body], [200, '{"id":1}\n{"id":2}\n'])
  const failed = await stream(session, { ':method': 'PATCH', ':path': '/messages/1' }, {})
  t.strictSame([failed.status, JSON.parse(failed.body).name], [409, 'Conflict'])
  const none = await stream(session, { ':method': 'DELETE', ':path': '/messages/1' })
  t.strictSame([none.status, none.body], [204, ''])
  const head = await stream(session, { ':method': 'HEAD', ':path': '/messages/1' })
  t.strictSame([head.status, head.body], [200, ''])
  const unsupported = await stream(session, { ':method': 'POST', ':path': '/messages/1' }, {})
  t.strictSame([unsupported.status, unsupported.headers.allow], [405, 'GET, HEAD, PUT, PATCH, DELETE'])
  const lost = await stream(session, { ':path': '/nothing', accept: 'application/json' })
  t.strictSame([lost.status, JSON.parse(lost.body).name], [404, 'NotFound'])
}
type Tap = Pick<typeof t, 'strictSame'>

t.test('an HTTP/2 instance, in the clear', async (t) => {
  const app = Fastify({ http2: true })
  await app.register(services, { notFound: true })
  app.service('messages', new Messages(), { hooks })
  const session = connect(await app.listen({ port: 0, host: 'localhost' }))
  t.teardown(async () => {
    session.close()
    await app.close()
  })
  await checkHTTP2(t, session)
})

t.test('an HTTP/2 instance over TLS, with HTTP/1 for those who ask for it', async (t) => {
  const app = Fastify({ http2: true, https: { allowHTTP1: true, ...certificate } })
  await app.register(services, { notFound: true })
  app.service('messages', new Messages(), { hooks })
  await app.listen({ port: 0, host: 'localhost' })
  const { port } = app.server.address() as AddressInfo
  const session = connect(`https://localhost:${port}`, { ca: certificate.cert })
  t.teardown(async () => {
    session.close()
    await app.close()
  })
  await checkHTTP2(t, session)
  t.equal((await ask(port, 'GET', '/messages')).body, '[{"id":"1"}]')
})

t.test('`context.http.headers`: what is `null` or `undefined` is not sent', async (t) => {
  const { statusCode, headers } = await answer(t, {
    headers: { 'x-null': null, 'x-undefined': undefined, 'x-is': 'there', Location: null },
    location: null
  })
  t.equal(statusCode, 200, 'nor does it make a redirect')
  t.match(headers, { 'x-is': 'there' })
  for (const name of ['x-null', 'x-undefined', 'location']) t.notOk(name in headers, name)
  t.equal((await answer(t, { headers: { 'x-list': ['a', null] } })).statusCode, 500, 'a list has values')
})
