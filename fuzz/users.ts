import type { FastifyInstance } from 'fastify'
import { NotFound, type Params } from 'fastify-services'
import authentication, { authenticate, hashPassword } from 'fastify-services/authentication'
import { secret } from './tokens.js'

interface User {
  id: number
  email: unknown
}
const ada = { email: 'ada@example.com', password: 'correct horse' }
const hash = [hashPassword('password')]
const guard = authenticate('jwt')

/** Users, what only they may see, and their logins. */
export async function registerUsers(app: FastifyInstance): Promise<void> {
  const users = new Map<string, User>()
  const refused = new Map<string, string>()
  app.service(
    'users',
    {
      find: async ({ query }: Params) => [...users.values()].filter(({ email }) => email === query?.email),
      get: async (id: unknown) => {
        const user = users.get(String(id))
        if (user === undefined) throw new NotFound(`No user '${id}'`)
        return user
      },
      create: async (data: { email: unknown }) => {
        // Of the many only the first is kept.
        const id = users.size === 0 ? 1 : 2
        const user = { ...data, id }
        users.set(String(id), user)
        return user
      }
    },
    { hooks: { before: { create: hash }, around: { find: [guard] } } }
  )
  app.service(
    'guarded',
    { find: async ({ query, user }: Params) => ({ query, user }) },
    { hooks: { around: { all: [guard] } } }
  )
  app.get('/route', { preHandler: guard }, (request) => request.user)
  await app.register(authentication, {
    secret,
    refresh: true,
    revocation: true,
    store: {
      get: (key) => refused.get(key),
      // The oldest ones are of logins that are over: what is kept does not grow.
      set: (key, value) => {
        refused.set(key, value)
        for (const [oldest] of refused) if (refused.size > 1000) refused.delete(oldest)
      }
    },
    // What waits for its turn is no fault of the server.
    passwords: { waiting: 100_000 },
    strategies: { jwt: true, local: true }
  })
  app.addHook('onReady', async () => void (await app.service('users').create(ada as never)))
}

/** A refresh token that is good for one use. */
export async function createRefreshToken(app: FastifyInstance): Promise<string> {
  const login = (await app.service('authentication').create({ strategy: 'local', ...ada } as never)) as unknown
  return (login as { refreshToken: string }).refreshToken
}
