import { once } from 'node:events'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import services, { Conflict, type HookContext } from 'fastify-services'
import t from 'tap'
import { createCertificate } from '../support/certificate.js'

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
