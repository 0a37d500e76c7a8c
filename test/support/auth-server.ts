import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { frameworkErrors } from 'fastify-services'
import { secret } from './tokens.js'

// Counted, to see that no hash is computed for what can be no password.
let hashes = 0
const { scrypt } = crypto
crypto.scrypt = ((...args: Parameters<typeof scrypt>) => {
  hashes++
  scrypt(...args)
}) as typeof scrypt
syncBuiltinESMExports()
const { authenticate, hashPassword, default: authentication } = await import('fastify-services/authentication')

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
  const seen = [...calls.splice(0), ...Array(hashes).fill({ method: 'hash', id: null }), { method: 'plain', id: null }]
  hashes = 0
  return {
    port: (app.server.address() as { port: number }).port,
    polluted: String(({} as { polluted?: unknown }).polluted),
    keys: Object.keys(Object.prototype),
    calls: seen
  }
})

await app.listen({ port: 0, host: '127.0.0.1' })
await app.service('users').create({ email: 'ada@example.com', password: 'a long secret' } as never)
hashes = 0
process.send?.(app.server.address())
process.once('disconnect', () => app.close())
