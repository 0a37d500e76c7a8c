import fastifyJwt from '@fastify/jwt'
import Fastify from 'fastify'

export const secret = 'a secret of the benchmark, of more than 32 bytes'

/** A service with one user. Guards look it up on every request. */
export const users = {
  async get(id: string) {
    return { id, email: 'ada@example.com', name: 'Ada', role: 'member' }
  }
}

/** What a guard by hand checks of a token: the same as ours. */
export const tokenOptions = {
  secret,
  sign: { iss: 'fastify-services', aud: 'authentication', expiresIn: '1d' },
  verify: {
    algorithms: ['HS256' as const],
    allowedIss: 'fastify-services',
    allowedAud: 'authentication',
    requiredClaims: ['iss', 'aud', 'exp', 'sub']
  }
}

/** A token of the user, for all servers. */
export async function createToken(): Promise<string> {
  const app = Fastify()
  await app.register(fastifyJwt, tokenOptions)
  const token = app.jwt.sign({ sub: '500', jti: 'b5b4e2b0-7c56-4e6e-9c3b-0f2b7a1b6d11' })
  await app.close()
  return token
}
