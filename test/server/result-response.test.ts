import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import t, { type Test } from 'tap'

const body = 'a text that is long enough to be compressed, compressed, compressed, compressed'
const hopByHop = {
  connection: 'keep-alive, x-of-the-hop',
  'keep-alive': 'timeout=9',
  'proxy-authenticate': 'Basic',
  'proxy-connection': 'keep-alive',
  'x-of-the-hop': 'yes'
}
const encodings: Record<string, { encoding?: string; bytes: Buffer }> = {
  plain: { bytes: Buffer.from(body) },
  gzip: { encoding: 'gzip', bytes: gzipSync(body) },
  twice: { encoding: 'gzip, br', bytes: brotliCompressSync(gzipSync(body)) },
  unknown: { encoding: 'x-own', bytes: Buffer.from(body) },
  zstd: { encoding: 'zstd', bytes: zstdOf(body) }
}

/** A text as a frame of zstd: one block that is not compressed. */
function zstdOf(text: string): Buffer {
  const { length } = text
  return Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, length, ((length << 3) & 255) | 1, length >> 5, 0]),
    Buffer.from(text)
  ])
}

/** The server that a method fetches from. */
async function createUpstream(t: Test): Promise<string> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { encoding, bytes } = encodings[String(request.url).slice(1)] ?? { bytes: Buffer.alloc(0) }
    response.writeHead(206, {
      ...hopByHop,
      'content-type': 'text/x-own',
      'x-own': 'yes',
      etag: '"1"',
      'set-cookie': ['a=1', 'b=2'],
      ...(encoding && { 'content-encoding': encoding }),
      ...(request.url === '/chunked' ? {} : { 'content-length': bytes.length })
    })
    response.end(bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
type Ask = (method: string, path: string) => Promise<Answer>

async function overHTTP1(t: Test, service: object, options = {}): Promise<Ask> {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services)
  app.service('files', service as Record<string, unknown>, options)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return async (method, path) => {
    const outgoing = request({ port, method, path, headers: { connection: 'close' } })
    outgoing.end()
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { status: response.statusCode as number, headers: response.headers, body: await text(response) }
  }
}

async function overHTTP2(t: Test, service: object, options = {}): Promise<Ask> {
  const app = Fastify({ http2: true })
  await app.register(services)
  app.service('files', service as Record<string, unknown>, options)
  const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }))
  t.teardown(async () => {
    session.close()
    await app.close()
  })
  return async (method, path) => {
    const exchange = session.request({ ':method': method, ':path': path })
    const [headers] = await once(exchange, 'response')
    return { status: headers[':status'], headers, body: await text(exchange) }
  }
}

for (const [name, create] of Object.entries({ 'HTTP/1': overHTTP1, 'HTTP/2': overHTTP2 })) {
  t.test(`a fetched \`Response\`: its status, its end-to-end headers, its body: ${name}`, async (t) => {
    const upstream = await createUpstream(t)
    const ask = await create(t, { get: (id: string) => fetch(`${upstream}/${id}`) })
    // Not every version of Node decodes it.
    const decoded = await fetch(`${upstream}/zstd`).then((response) => response.text())
    const unread = decoded === body ? ['unknown'] : ['unknown', 'zstd']
    for (const [kind, { encoding, bytes }] of Object.entries(encodings))
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(method, `/files/${kind}`)
        t.equal(answer.status, 206)
        const isKept = unread.includes(kind)
        const length = isKept ? bytes.length : body.length
        if (kind !== 'zstd' || !isKept) t.equal(answer.body, method === 'GET' ? body : '', `${method} ${kind}`)
        t.match(answer.headers, {
          'content-type': 'text/x-own',
          'x-own': 'yes',
          etag: '"1"',
          'set-cookie': ['a=1', 'b=2']
        })
        t.notMatch(answer.headers.connection, /keep-alive|hop/)
        for (const key of Object.keys(hopByHop).slice(1)) t.notOk(key in answer.headers, key)
        t.equal(answer.headers['content-encoding'], isKept ? encoding : undefined)
        const told = answer.headers['content-length']
        t.ok(told === undefined || Number(told) === length, `${method} ${kind}: the length is not that of the encoding`)
        t.notOk(told !== undefined && 'transfer-encoding' in answer.headers)
      }
  })

  t.test(`a \`Response\` without a body, and one that gives a length: ${name}`, async (t) => {
    const headers = { 'content-length': '4' }
    const ask = await create(t, {
      get: async (id: string) => (id === 'none' ? new Response(null, { headers }) : new Response('text', { headers }))
    })
    t.match(await ask('GET', '/files/none'), { status: 200, body: '' })
    t.match(await ask('GET', '/files/text'), { status: 200, body: 'text', headers })
    t.match(await ask('HEAD', '/files/text'), { status: 200, body: '', headers })
  })

  t.test(`a custom formatter may return one: ${name}`, async (t) => {
    const upstream = await createUpstream(t)
    const formatter = () => fetch(`${upstream}/gzip`)
    const ask = await create(t, { get: async () => ({}) }, { formatter })
    t.match(await ask('GET', '/files/1'), { status: 206, body, headers: { 'x-own': 'yes' } })
  })

  t.test(`headers of a hook that speak of the connection do not end the process: ${name}`, async (t) => {
    const hook = (context: HookContext) => {
      context.http.headers = { connection: 'close', 'keep-alive': 'timeout=9', 'x-own': 'yes' }
    }
    const ask = await create(t, { get: async () => ({ id: 1 }) }, { hooks: { after: { get: [hook] } } })
    t.match(await ask('GET', '/files/1'), { status: 200, body: '{"id":1}', headers: { 'x-own': 'yes' } })
  })
}

t.test('HEAD of a stream says nothing of its length', async (t) => {
  const ask = await overHTTP1(t, { get: async () => new Response('text').body, find: async () => null })
  t.notOk('content-length' in (await ask('HEAD', '/files/1')).headers)
  const none = await ask('HEAD', '/files')
  t.equal(none.status, 204)
  t.notOk('content-length' in none.headers)
})
