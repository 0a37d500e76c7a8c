import { generateKeyPairSync } from 'node:crypto'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationOptions } from 'fastify-services/authentication'
import { memory } from 'fastify-services/memory'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import '../support/auth-scrypt.js'
import { secret } from '../support/tokens.js'

const ada = { email: 'ada@example.com', password: 'correct horse' }

async function start(t: Test, options: AuthenticationOptions, prefix = '') {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(
    async (child) => {
      await child.register(authentication, options)
      await child.service('users', memory(), { methods: [] }).create(ada)
    },
    { prefix }
  )
  return { app, address: await app.listen({ host: '127.0.0.1', port: 0 }) }
}

function createPair(kind: 'ec' | 'ed25519') {
  const { publicKey, privateKey } = generateKeyPairSync(kind as 'ec', { namedCurve: 'P-256' })
  return {
    public: publicKey.export({ type: 'spki', format: 'pem' }),
    private: privateKey.export({ type: 'pkcs8', format: 'pem' })
  }
}

for (const [algorithm, kind, prefix] of [
  ['ES256', 'ec', ''],
  ['EdDSA', 'ed25519', '/v1']
] as const)
  t.test(`other servers verify tokens of ${algorithm} by our public keys, also after a rotation`, async (t) => {
    const [next, old] = [createPair(kind), createPair(kind)]
    const { app, address } = await start(t, { secret: [next, old], jwt: { algorithm, jwks: true } }, prefix)
    const url = new URL(`${prefix}/.well-known/jwks.json`, address)
    const answer = await fetch(url)
    t.match(answer.headers.get('content-type'), /^application\/jwk-set\+json/)
    const { keys } = (await answer.json()) as { keys: Record<string, unknown>[] }
    t.equal(new Set(keys.map(({ kid }) => kid)).size, 2)
    t.notOk(keys.some((key) => 'd' in key))
    const earlier = await start(t, { secret: old, jwt: { algorithm } }, prefix)
    t.equal((await fetch(new URL(url.pathname, earlier.address))).status, 404)
    for (const server of [app, earlier.app]) {
      const login = { method: 'POST', url: `${prefix}/authentication`, payload: { strategy: 'local', ...ada } } as const
      const { accessToken } = (await server.inject(login)).json()
      const claims = { issuer: 'fastify-services', audience: `${prefix}/authentication`.slice(1) }
      t.match((await jwtVerify(accessToken, createRemoteJWKSet(url), claims)).payload, { sub: '1' })
    }
  })

t.test('a secret of HS256 has no public key', async (t) => {
  await t.rejects(start(t, { secret, jwt: { jwks: true } }), /`jwt.jwks` of authentication needs a key pair/)
})
