import cors from '@fastify/cors'
import Fastify, { type FastifyServerOptions } from 'fastify'
import services, { frameworkErrors, type ServicesOptions } from 'fastify-services'
import { createRecorder, six } from './recorder.js'

/** What the server is made of; handed over as JSON. */
export interface RequestServerOptions {
  server?: FastifyServerOptions
  plugin?: ServicesOptions
  cors?: boolean
}

// Started as a process of its own: a request that ends it ends no test.
const options = JSON.parse(process.argv[2] ?? '{}') as RequestServerOptions
const app = Fastify({ frameworkErrors, forceCloseConnections: true, ...options.server })
if (options.cors) await app.register(cors)
await app.register(services, options.plugin ?? {})
const { service, calls } = createRecorder([...six, 'archive', 'own', '_find', 'setup', 'emit'])
app.service('things', service, { methods: [...six, 'archive'] })
app.service('rooms/:query/:provider/seats', createRecorder().service)

/** How far the server is, and which calls it has got since the last look. */
app.get('/state', async () => ({
  port: (app.server.address() as { port: number }).port,
  polluted: String(({} as { polluted?: unknown }).polluted),
  keys: Object.keys(Object.prototype),
  calls: calls.splice(0).map(({ method, args }) => ({ method, id: typeof args[0] === 'string' ? args[0] : null }))
}))

await app.listen({ port: 0, host: '127.0.0.1' })
calls.length = 0
process.send?.(app.server.address())
process.once('disconnect', () => app.close())
