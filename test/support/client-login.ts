import './auth-scrypt.js'
import { memory } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import authentication, { type AuthenticationOptions, authenticate } from 'fastify-services/authentication'
import { createClient, authentication as login, memoryStorage, rest, type Storage } from 'fastify-services/client'
import type { Test } from 'tap'
import { createHost } from './host.js'
import { toHash } from './stored-password.js'

export const user = { email: 'ada@example.com', password: 'a long secret' }
export const credentials = { strategy: 'local', ...user }

/** A server with one user, and a service at `/me` that only those may call who have logged in; closed when the test ends. */
export async function createLoginServer(
  t: Test,
  options: Partial<AuthenticationOptions> = {},
  before: (app: FastifyInstance) => unknown = () => undefined
) {
  const { app, calls } = await createHost(t, {
    before,
    after: async (app) => {
      app.service('users', memory() as object)
      await app.register(authentication, { secret: 's'.repeat(32), ...options })
      const hooks = { around: { all: [authenticate('jwt')] } }
      app.service('me', { find: async ({ user }) => user, create: async (data) => data }, { hooks })
    }
  })
  await app.service('users').create({ ...user, password: toHash(user.password) })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, address, calls }
}

/** A client of that server, what it has asked, and where it keeps tokens. An answer waits for what `hold` returns. */
export function createLoginClient(
  address: string,
  storage: Storage = memoryStorage(),
  hold: (url: string) => Promise<void> | undefined = () => undefined
) {
  const requests: { method: string; url: string; token: string | undefined; body: string }[] = []
  const library = async (url: string, init: { headers: Record<string, string>; method: string; body?: string }) => {
    requests.push({
      method: init.method,
      url: url.slice(address.length),
      token: init.headers.Authorization,
      body: init.body ?? ''
    })
    const [response] = await Promise.all([fetch(url, init), hold(url.slice(address.length))])
    return response
  }
  const app = createClient().configure(rest(address).fetch(library)).configure(login({ storage }))
  return { app, asked: requests, storage }
}
