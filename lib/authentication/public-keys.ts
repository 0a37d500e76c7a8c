import { createHash, createPublicKey } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** A public key as a JSON Web Key (RFC 7517). */
export interface PublicKey {
  readonly kid: string
  readonly alg: string
  readonly use: 'sig'
  readonly [member: string]: unknown
}

/** Converts a public key in PEM form. Its `kid` is its thumbprint (RFC 7638). */
export function toPublicKey(pem: string | Buffer, alg: string): PublicKey {
  // The export has exactly the members that a thumbprint covers.
  const members = createPublicKey(pem).export({ format: 'jwk' })
  const kid = createHash('sha256')
    .update(JSON.stringify(members, Object.keys(members).sort()))
    .digest('base64url')
  return { ...members, kid, alg, use: 'sig' }
}

/**
 * Serves public keys at `/.well-known/jwks.json`, for servers that verify tokens.
 * @throws when there are none
 */
export function servePublicKeys(app: FastifyInstance, keys: readonly PublicKey[]): void {
  if (keys.length === 0)
    throw new Error(
      "The option `jwt.jwks` of authentication needs a key pair as `secret`, and `jwt.algorithm`, such as 'ES256'"
    )
  app.get('/.well-known/jwks.json', { schema: { hide: true } as object }, async (_request, reply) => {
    reply.type('application/jwk-set+json').header('cache-control', 'public, max-age=300')
    return JSON.stringify({ keys })
  })
}
