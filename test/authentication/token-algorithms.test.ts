import { constants, createHmac, verify } from 'node:crypto'
import { type Algorithm, authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createPairFor, decode, handmade, type Pair } from '../support/auth-fault-tokens.js'
import { claims } from '../support/tokens.js'
import { ask, createUsersApp, login } from '../support/users-app.js'

const algorithms: Algorithm[] = [
  ...(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA'] as const)
]

/** Whether others can verify a token: by node:crypto, as the RFC says. */
function isSigned(algorithm: string, key: string, token: string): boolean {
  const [head, body, signature = ''] = token.split('.')
  const bytes = Buffer.from(`${head}.${body}`)
  const hash = `sha${algorithm.slice(2)}`
  const given = Buffer.from(signature, 'base64url')
  switch (algorithm.slice(0, 2)) {
    case 'HS':
      return createHmac(hash, key).update(bytes).digest().equals(given)
    case 'PS':
      return verify(
        hash,
        bytes,
        { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
        given
      )
    case 'ES':
      return verify(hash, bytes, { key, dsaEncoding: 'ieee-p1363' }, given)
    default:
      return verify(algorithm === 'EdDSA' ? null : hash, bytes, key, given)
  }
}

for (const algorithm of algorithms)
  t.test(`${algorithm}: others verify what is signed here, and what others have signed is verified`, async (t) => {
    const text = 's'.repeat(64)
    const pair: Pair = algorithm.startsWith('HS') ? { public: text, private: text } : createPairFor(algorithm)
    const secret = algorithm.startsWith('HS') ? text : pair
    const app = await createUsersApp(t as Test, {
      options: { secret, jwt: { algorithm } },
      before: (app) => app.get('/me', { preHandler: authenticate('jwt') }, (request) => request.user)
    })
    const { accessToken } = (await login(app)).body
    t.same(decode(accessToken, 0), { alg: algorithm, typ: 'JWT' })
    t.ok(isSigned(algorithm, pair.public, accessToken))
    t.equal((await ask(app, accessToken, '/me')).status, 200)
    t.equal((await ask(app, handmade(algorithm, pair.private), '/me')).status, 200)

    const refused = algorithms.filter((other) => other.slice(0, 2) === algorithm.slice(0, 2) && other !== algorithm)
    const sameKey = algorithm.startsWith('ES') ? [] : refused
    for (const other of sameKey)
      t.equal((await ask(app, handmade(other, pair.private), '/me')).status, 401, `${other} with the same key`)
    const strange = algorithm.startsWith('HS') ? 'x'.repeat(64) : createPairFor(algorithm).private
    t.equal((await ask(app, handmade(algorithm, strange, claims()), '/me')).status, 401, 'another key')
  })
