import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { NotAuthenticated, NotFound, type Params, type ServicesOptions } from 'fastify-services'
import authentication, { type AuthenticationOptions, type Guard, type Strategy } from 'fastify-services/authentication'
import type { Test } from 'tap'
import { toHash } from './auth-passwords.js'
import { request } from './host.js'
import { forge, secret } from './tokens.js'

export const [ada, bob] = [
  { id: 1, email: 'ada@example.com' },
  { id: 2, email: 'bob@example.com' }
] as const
export const password = 'a long secret'

/** A service of users that counts how often it is asked for one. Its hashes cost next to nothing. */
export function createPeople(people: readonly { id: number; email: string }[] = [ada, bob]) {
  const records = people.map((one) => ({ ...one, password: toHash(password) }))
  const service = {
    gets: 0,
    async find({ query }: Params) {
      const wanted = Object.entries(query ?? {}).filter(([name]) => !name.startsWith('$'))
      return records.filter((record) => wanted.every(([name, value]) => record[name as 'email'] === value))
    },
    async get(id: string | number) {
      service.gets++
      const found = records.find((record) => String(record.id) === String(id))
      if (found === undefined) throw new NotFound(`No record found for id '${id}'`)
      return { ...found }
    }
  }
  return service
}

export interface GuardsOptions {
  options?: Partial<AuthenticationOptions>
  plugin?: ServicesOptions
  server?: FastifyServerOptions
  people?: object
  /** Runs before anything is ready. */
  before?: (app: FastifyInstance) => unknown
}

/** An application with two users and their authentication, closed when the test ends. */
export async function createGuardsApp(t: Test, { options, plugin, server, people, before }: GuardsOptions = {}) {
  const app = Fastify({ forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  await app.register(services, plugin ?? {})
  app.service('users', people ?? createPeople())
  await app.register(authentication, { secret, ...options })
  await before?.(app)
  await app.ready()
  return app
}

/** A service that tells what is in its params. */
export const whoami = {
  find: async ({ user, authentication, authenticated, provider }: Params) => ({
    user: user ?? null,
    strategy: (authentication as { strategy?: string } | undefined)?.strategy ?? null,
    authenticated: authenticated ?? null,
    provider: provider ?? null
  })
}

export const around = (...guards: Guard[]) => ({ hooks: { around: { all: guards } } })

/** An API key in a header: `good` is that of Bob, all others are bad. */
export const apiKey: Strategy = {
  parse: ({ headers }) => (headers['x-api-key'] === undefined ? null : { apiKey: headers['x-api-key'] }),
  authenticate({ apiKey }) {
    if (apiKey !== 'good') throw new NotAuthenticated('Invalid API key')
    return { user: bob }
  }
}

export const bearer = (token = forge()) => ({ authorization: `Bearer ${token}` })

/** The answer to a request with headers; by default those of Ada. */
export const ask = (app: FastifyInstance, url: string, headers: Record<string, string> = bearer(), method = 'GET') =>
  request(app, method, url, { headers })

/** The answer to a login, by default that of Ada. */
export const login = (app: FastifyInstance, changes: object = {}, url = '/authentication') =>
  request(app, 'POST', url, { payload: { strategy: 'local', email: ada.email, password, ...changes } })
