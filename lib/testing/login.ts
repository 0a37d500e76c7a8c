import { randomBytes, scryptSync } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Id } from '../../types/service.js'
import { anyAuthenticationOf } from '../authentication/lookup.js'

/**
 * Returns an access token for a user, as after a login, without a password. Call it after
 * `app.ready()`.
 *
 * @param user the user, or their id
 * @throws {Error} if there is no authentication with a `secret`
 * @example
 * const headers = { authorization: `Bearer ${tokenFor(app, ada)}` }
 * await app.inject({ url: '/notes', headers })
 */
export function tokenFor(app: FastifyInstance, user: object | Id): string {
  const { tokens, users } = anyAuthenticationOf(app)
  if (tokens === undefined) throw new Error('tokenFor() needs an authentication that issues tokens: set its `secret`')
  const id = typeof user === 'object' ? users.idOf(user) : user
  const time = Math.floor(Date.now() / 1000)
  return tokens.sign({ sub: String(id), iat: time, auth_time: time }).accessToken
}

/**
 * Hashes a password so that it takes no time to verify it. For tests alone: anybody could guess the
 * password of such a hash. The service of the users stores the hash of the server as it is.
 *
 * @example
 * await app.service('users').create({ email: 'ada@example.com', password: cheapHash('correct horse') })
 */
export function cheapHash(password: string): string {
  const toText = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const salt = randomBytes(16)
  return `$scrypt$ln=4,r=8,p=1$${toText(salt)}$${toText(scryptSync(password, salt, 32, { N: 16 }))}`
}
