import type { FastifyInstance } from 'fastify'
import { type AuthenticationOptions, authenticate, memoryStore, type Store } from 'fastify-services/authentication'
import type { Test } from 'tap'
import { ask, createUsersApp, login } from './users-app.js'

const guarded = { hooks: { around: { all: [authenticate('jwt')] } } }

/** An application with one user, a guarded service `/me` and a guarded route `/route`. */
export function createSessionsApp(
  t: Test,
  options: Partial<AuthenticationOptions> = {},
  before: (app: FastifyInstance) => unknown = () => {}
) {
  return createUsersApp(t, {
    options,
    before: async (app) => {
      app.service('me', { find: async ({ user, authentication }) => ({ user, authentication }) }, guarded)
      app.get('/route', { preHandler: authenticate('jwt') }, () => 'hi')
      await before(app)
    }
  })
}

/** The status of each way in which a token is verified: the hook, the route, the log-in with it. */
export async function waysIn(app: FastifyInstance, token: string, path = 'authentication'): Promise<number[]> {
  const hook = await ask(app, token, '/me')
  const route = await app.inject({ url: '/route', headers: { authorization: `Bearer ${token}` } })
  const again = await login(app, { strategy: 'jwt', accessToken: token }, path)
  return [hook.status, route.statusCode, again.status]
}

export const logout = (app: FastifyInstance, token: string, path = 'authentication') =>
  ask(app, token, { method: 'DELETE', url: `/${path}` })

/** Trades a refresh token. */
export const refresh = (
  app: FastifyInstance,
  refreshToken: unknown,
  path = 'authentication'
): ReturnType<typeof login> =>
  login(app, { strategy: 'refresh', refreshToken, email: undefined, password: undefined }, path)

/** A clock that is put forward by hand; right again when the test ends. */
export function createClock(t: Test) {
  const { now } = Date
  let ahead = 0
  Date.now = () => now() + ahead
  t.teardown(() => {
    Date.now = now
  })
  return {
    forward: (seconds: number) => {
      ahead += seconds * 1000
    }
  }
}

/** A store that answers later, keeps a list of what it got, and fails where it is told to. */
export function createStore() {
  const inner = memoryStore()
  const sets: { key: string; value: string; seconds: number }[] = []
  const failing = { get: (_key: string) => false, set: (_key: string) => false }
  const store: Store = {
    async get(key) {
      await new Promise(setImmediate)
      if (failing.get(key)) throw new Error('The store is down')
      return (await inner.get(key)) ?? null
    },
    async set(key, value, seconds) {
      await new Promise(setImmediate)
      if (failing.set(key)) throw new Error('The store is down')
      sets.push({ key, value, seconds })
      await inner.set(key, value, seconds)
    }
  }
  return { store, sets, failing }
}
