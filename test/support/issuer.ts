import Fastify, { type FastifyReply } from 'fastify'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import type { Test } from 'tap'
import { now } from './tokens.js'

export const audience = 'https://api.example.com'

/** An issuer of tokens on a port of its own, as Auth0 or Keycloak are. */
export async function startIssuer(t: Test, alg = 'ES256') {
  const app = Fastify({ forceCloseConnections: true })
  const keys: JWK[] = []
  let requests = 0
  let signing: Awaited<ReturnType<typeof generateKeyPair>>
  const issuer = {
    url: '',
    keys,
    /** Answers a request for the keys. */
    answer: (reply: FastifyReply): unknown => reply.send({ keys }),
    get requests() {
      return requests
    },
    /** Replaces the key. */
    async rotate(kid: string) {
      signing = await generateKeyPair(alg, { extractable: true })
      keys.splice(0, 1, { ...(await exportJWK(signing.publicKey)), kid, alg, use: 'sig' })
    },
    /** Signs a good token for Ada, with other claims and another header. */
    sign: (claims: { [claim: string]: unknown } = {}, header: object = {}) => {
      const payload = { iss: issuer.url, aud: audience, sub: 'ext|ada', iat: now(), exp: now() + 600, ...claims }
      return new SignJWT(payload as JWTPayload)
        .setProtectedHeader({ alg, kid: String(keys[0]?.kid), ...header })
        .sign(signing.privateKey)
    }
  }
  await issuer.rotate('first')
  app.get('/.well-known/jwks.json', (_request, reply) => {
    requests++
    return issuer.answer(reply)
  })
  issuer.url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  return issuer
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>
