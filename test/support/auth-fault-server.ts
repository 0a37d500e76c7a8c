import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { frameworkErrors } from 'fastify-services'
import authentication, { type Algorithm, authenticate } from 'fastify-services/authentication'
import { createPairFor, type Pair } from './auth-fault-tokens.js'

// Started as a process of its own: a request that ends it ends no test.
const app = Fastify({ frameworkErrors, forceCloseConnections: true })
await app.register(services)
app.service('users', memory({ startId: 1 }) as object)
app.service('things', { find: async () => [] })

// An authentication service for each kind of key, under the name of its algorithm.
const algorithms: Algorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA']
// Making an RSA key takes a while: one is for both.
const rsa = createPairFor('RS256')
const [ec, ed] = [createPairFor('ES256'), createPairFor('EdDSA')]
const pairs: Record<string, Pair> = { RS256: rsa, PS256: rsa, ES256: ec, EdDSA: ed }
for (const algorithm of algorithms) {
  const options = { secret: pairs[algorithm] as Pair, path: algorithm, jwt: { algorithm }, strategies: { jwt: true } }
  await app.register(authentication, options)
  const guard = authenticate({ service: algorithm, strategies: ['jwt'] })
  app.service(`guarded/${algorithm}`, { find: async () => ['let in'] }, { hooks: { around: { all: [guard] } } })
  app.get(`/route/${algorithm}`, { preHandler: guard }, () => ['let in'])
}

/** The key pairs, for tokens that are signed by them and not good all the same. */
app.get('/keys', () => pairs)
app.get('/state', () => ({
  port: (app.server.address() as { port: number }).port,
  polluted: String(({} as { polluted?: unknown }).polluted),
  keys: Object.keys(Object.prototype),
  calls: [{ method: 'plain', id: null }]
}))

await app.listen({ port: 0, host: '127.0.0.1' })
await app.service('users').create({ email: 'ada@example.com' } as never)
process.send?.(app.server.address())
process.once('disconnect', () => app.close())
