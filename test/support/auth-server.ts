import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { frameworkErrors } from 'fastify-services'
import { authenticate, default as authentication, hashPassword } from 'fastify-services/authentication'
import { scryptCalls } from './auth-scrypt.js'
import { secret } from './tokens.js'

// Started as a process of its own: a request that ends it ends no test.
const app = Fastify({ frameworkErrors, forceCloseConnections: true, bodyLimit: 4_000_000 })
await app.register(services)
await app.register(authentication, { secret })
const calls: object[] = []
app.service('users', memory({ startId: 1, multi: true }) as object, {
  hooks: {
    before: {
      find: [(context) => void calls.push({ method: 'find', id: JSON.stringify(context.params.query) })],
      create: [hashPassword('password')]
    }
  }
})
app.service('things', { find: async () => [] })
app.service(
  'me',
  { find: async ({ user, provider }) => ({ user, provider }), create: async (data) => data },
  {
    hooks: { around: { all: [authenticate('jwt')] } }
  }
)
app.get('/route', { preHandler: authenticate('jwt') }, (request) => request.user)

/** How far the server is, and which calls it has got since the last look: a hash is one too. */
app.get('/state', async () => {
  const hashes = scryptCalls().calls.map(() => ({ method: 'hash', id: null }))
  const counted = [...calls.splice(0), ...hashes, { method: 'plain', id: null }]
  return {
    port: (app.server.address() as { port: number }).port,
    polluted: String(({} as { polluted?: unknown }).polluted),
    keys: Object.keys(Object.prototype),
    calls: counted
  }
})

await app.listen({ port: 0, host: '127.0.0.1' })
await app.service('users').create({ email: 'ada@example.com', password: 'a long secret' } as never)
scryptCalls()
process.send?.(app.server.address())
process.once('disconnect', () => app.close())
