import './cheap-passwords.js'
import cors from '@fastify/cors'
import multipart from '@fastify/multipart'
import Fastify from 'fastify'
import services, { BadRequest, errorHandler, frameworkErrors } from 'fastify-services'
import { countHandles, findPollution } from '../test/support/process-state.js'
import { registerMounted } from './mounted.js'
import { registerServices } from './services.js'
import { sources } from './sources.js'
import { createRefreshToken, registerUsers } from './users.js'

// Started as a process of its own: what ends it does not end the search.
const app = Fastify({
  frameworkErrors,
  bodyLimit: 65_536,
  handlerTimeout: 30_000,
  keepAliveTimeout: 1000,
  // What is an error of the server is printed, and so found.
  logger: { level: 'error', stream: process.stderr }
})
let calls = 0
await app.register(cors, { origin: true, credentials: true })
await app.register(multipart)
await app.register(services, {
  notFound: { verbose: true },
  hooks: {
    around: {
      all: [
        async (_context, next) => {
          calls++
          await next().finally(() => calls--)
        }
      ]
    }
  }
})
app.setErrorHandler(errorHandler())
registerServices(app)
await registerMounted(app)
await registerUsers(app)
await app.register(async (part) => void part.service('things', { find: async ({ query }) => [query] }), {
  prefix: '/v1'
})
app.post('/upload', async (request) => {
  const parts: unknown[] = []
  try {
    for await (const part of request.parts())
      parts.push(part.type === 'file' ? (await part.toBuffer()).length : part.value)
  } catch (cause) {
    // The parser throws errors without a status.
    throw new BadRequest('Not multipart', undefined, { cause })
  }
  return parts
})

/** How the server is: what is open, what was polluted, a refresh token for the next round. */
async function state() {
  return {
    port: (app.server.address() as { port: number }).port,
    open: { sources: sources.open, calls, ...countHandles() },
    polluted: findPollution(),
    refreshToken: await createRefreshToken(app)
  }
}

await app.listen({ port: 0, host: '127.0.0.1' })
process.on('message', async () => process.send?.(await state()))
process.once('disconnect', () => process.exit())
process.send?.(await state())
