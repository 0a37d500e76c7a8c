import type { Server } from 'node:https'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import production, { serverOptions } from 'fastify-services/production'
import t from 'tap'
import { createCertificate } from '../support/certificate.js'

t.test('requests, answers and connections have limits', async (t) => {
  const app = Fastify(serverOptions())
  t.match(app.initialConfig, {
    requestTimeout: 20_000,
    handlerTimeout: 20_000,
    connectionTimeout: 60_000,
    bodyLimit: 100_000,
    routerOptions: { ignoreTrailingSlash: true }
  })
  t.match(app.server, { requestTimeout: 20_000, headersTimeout: 20_000, timeout: 60_000 })
  await app.register(services)
  const { statusCode, body } = await app.inject('/a/%zz')
  t.match([statusCode, JSON.parse(body)], [400, { name: 'BadRequest' }], 'errors of the router are JSON')
})

t.test('options of the host win, also in `http`, `https` and `routerOptions`', async (t) => {
  const { http, routerOptions, ...others } = serverOptions({
    bodyLimit: 5,
    requestTimeout: 3000,
    http: { connectionsCheckingInterval: 7 },
    routerOptions: { maxParamLength: 9 }
  })
  t.match(others, { bodyLimit: 5, requestTimeout: 3000, handlerTimeout: 20_000 })
  t.strictSame(http, { headersTimeout: 3000, connectionsCheckingInterval: 7 }, 'headers follow requestTimeout')
  t.strictSame(routerOptions, { ignoreTrailingSlash: true, maxParamLength: 9 })
  t.match(serverOptions({ http: { headersTimeout: 5 }, routerOptions: { ignoreTrailingSlash: false } }), {
    http: { headersTimeout: 5 },
    routerOptions: { ignoreTrailingSlash: false }
  })
})

t.test('a server with TLS has the limits too', async (t) => {
  const app: FastifyInstance<Server> = Fastify(serverOptions({ https: createCertificate() }))
  t.teardown(() => app.close())
  await app.register(production)
  t.match(app.server, { requestTimeout: 20_000, headersTimeout: 20_000 })
  t.notOk('https' in serverOptions({ https: null }))
})

t.test('the types of HTTP/2 and of a logger of the host stay', async (t) => {
  const app = Fastify(serverOptions({ http2: true }))
  t.teardown(() => app.close())
  await app.register(production)
  app.get('/', async ({ raw }) => raw.stream.sentHeaders)
  const { log } = Fastify(serverOptions({ logger: true }))
  const level: string = log.level
  t.equal(level, 'info')
  const loggerInstance: FastifyBaseLogger & { own?: number } = Object.assign(log, { own: 1 })
  t.equal(Fastify(serverOptions({ loggerInstance })).log.own, 1)
})

t.test('`trustProxy: true` is refused, and the message says what to set', async (t) => {
  t.throws(() => serverOptions({ trustProxy: true }), { message: /List the addresses of your proxies/ })
  for (const trustProxy of ['127.0.0.1', ['10.0.0.0/8'], false]) serverOptions({ trustProxy })
})
