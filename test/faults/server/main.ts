import Fastify, { type FastifyInstance } from 'fastify'
import services, { frameworkErrors } from 'fastify-services'
import { answerQuestions, type Room, type ServerOptions } from './control.js'
import { registerThings } from './things.js'
import { hurry } from './waiting.js'

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
hurry(app)
const { host } = options.mounted ? await (await import('./mounted.js')).mountedHost(app) : { host: app }
await registerThings(host)
const rooms: Record<Room, () => Promise<void>> = {
  streams: async () => (await import('./streams.js')).registerStreams(host),
  places: async () => (await import('./places.js')).registerPlaces(host),
  never: async () => (await import('./never.js')).registerNever(app),
  protected: async () => (await import('./protected.js')).registerProtected(app),
  files: async () => (await import('./files.js')).registerFiles(app),
  responses: async () => (await import('./responses.js')).registerResponses(app, options.upstream ?? '')
}
if (options.room) await rooms[options.room]()
app.get('/alive', async () => 'alive')

await app.listen({ port: 0, host: '127.0.0.1' })
answerQuestions()
process.send?.(app.server.address())
process.once('disconnect', () => app.close())
