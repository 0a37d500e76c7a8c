import type { Http2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import Fastify, { type FastifyHttpOptions } from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'

type Options = Pick<
  FastifyHttpOptions<never>,
  'requestTimeout' | 'connectionTimeout' | 'keepAliveTimeout' | 'handlerTimeout' | 'http'
>

/** An application with timeouts, and what it warns of. */
async function start(t: Test, { http, ...options }: Options) {
  const warnings: string[] = []
  const stream = { write: (line: string) => warnings.push(JSON.parse(line).msg) }
  const logger = { level: 'warn', stream }
  const checked = { connectionsCheckingInterval: 50, ...http }
  const app = Fastify({ ...options, http: checked, logger, forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', { create: async () => 1 })
  return { app, warnings }
}

const half = 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n{'

const both = { requestTimeout: 300, http: { headersTimeout: 300 } }
const ending: Record<string, Options> = {
  both,
  'a longer one for bodies': { requestTimeout: 400, http: { headersTimeout: 200 } },
  'a shorter one for bodies': { requestTimeout: 200, http: { headersTimeout: 400 } },
  'and one of connections': { ...both, connectionTimeout: 60_000 },
  'and one between requests': { ...both, keepAliveTimeout: 60_000 },
  'and one of handlers': { ...both, handlerTimeout: 60_000 },
  'and all others': { ...both, connectionTimeout: 60_000, keepAliveTimeout: 60_000, handlerTimeout: 60_000 }
}

for (const [name, options] of Object.entries(ending))
  t.test(`half a body that trickles ends: ${name}`, async (t) => {
    const { app } = await start(t, options)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.write(half)
    const timer = setInterval(() => socket.write('a'), 20)
    // What is written after the server has closed the connection resets it.
    socket.on('error', () => {})
    socket.once('end', () => socket.destroy())
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(timer)
    t.match(answer, /^HTTP\/1.1 408 /)
  })

t.test('a `requestTimeout` that does not end half a body is warned of at the start, once', async (t) => {
  const { app, warnings } = await start(t, { requestTimeout: 20_000 })
  await app.register(async (child) => child.service('others', { find: async () => [] }))
  await app.ready()
  await app.ready()
  t.strictSame(warnings, [
    'A request may take 60000 ms to arrive, not the 20000 ms of `requestTimeout`: Node ends half a body after the longer of it and `headersTimeout`. Set both: Fastify({ requestTimeout: 20000, http: { headersTimeout: 20000 } }), with TLS in `https`'
  ])
})

t.test('of two registrations of the plugin one tells', async (t) => {
  const warnings: string[] = []
  const stream = { write: (line: string) => warnings.push(JSON.parse(line).msg) }
  const app = Fastify({ requestTimeout: 1000, logger: { level: 'warn', stream } })
  t.teardown(() => app.close())
  for (const prefix of ['/one', '/two'])
    await app.register(async (child) => void (await child.register(services)), { prefix })
  await app.ready()
  t.equal(warnings.length, 1)
})

const silent: Record<string, Options> = {
  none: {},
  both: { requestTimeout: 20_000, http: { headersTimeout: 20_000 } },
  'a longer one for bodies': { requestTimeout: 60_000 },
  'that of headers alone': { http: { headersTimeout: 1000 } },
  'that of headers off': { requestTimeout: 1000, http: { headersTimeout: 0 } }
}

for (const [name, options] of Object.entries(silent))
  t.test(`nothing is said of other timeouts: ${name}`, async (t) => {
    const { app, warnings } = await start(t, options)
    await app.ready()
    t.strictSame(warnings, [])
  })

t.test('nor of a server of HTTP/2, which has none', async (t) => {
  const warnings: string[] = []
  const stream = { write: (line: string) => warnings.push(JSON.parse(line).msg) }
  const app = Fastify<Http2Server>({ http2: true, logger: { level: 'warn', stream } })
  t.teardown(() => app.close())
  await app.register(services)
  await app.ready()
  t.strictSame(warnings, [])
})
