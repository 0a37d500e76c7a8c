import Fastify, { type FastifyInstance } from 'fastify'
import services, { frameworkErrors } from 'fastify-services'
import { answerQuestions, type ServerOptions } from './control.js'
import { registerNever } from './never.js'
import { registerPlaces } from './places.js'
import { registerProtected } from './protected.js'
import { registerResponses } from './responses.js'
import { registerStreams } from './streams.js'
import { registerThings } from './things.js'

// Started as a process of its own: a row that ends it ends no test.
const options = JSON.parse(process.argv[2] ?? '{}') as ServerOptions
const app = Fastify({
  frameworkErrors,
  forceCloseConnections: true,
  logger: { level: 'info', stream: { write() {} } },
  ...(options.http2 && { http2: true }),
  ...options.server
} as object) as unknown as FastifyInstance
if (options.plugins) {
  await app.register(import('@fastify/formbody'))
  await app.register(import('@fastify/jwt'), { secret: 'a secret of 32 bytes for the tests' })
  await app.register(import('@fastify/multipart'))
  await app.register(import('@fastify/cors'))
}
if (options.late) {
  app.addHook('preSerialization', async (_request, _reply, payload) => payload)
  app.addHook('onSend', async (_request, _reply, payload) => payload)
}
await app.register(services, { notFound: { verbose: true }, ...options.plugin })
await registerThings(app)
await registerStreams(app)
await registerPlaces(app)
await registerNever(app)
await registerProtected(app)
await registerResponses(app, options.upstream ?? '')
app.get('/alive', async () => 'alive')

await app.listen({ port: 0, host: '127.0.0.1' })
answerQuestions()
process.send?.(app.server.address())
process.once('disconnect', () => app.close())
