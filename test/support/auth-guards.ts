import type { FastifyInstance } from 'fastify'
import { NotAuthenticated, NotFound, type Params } from 'fastify-services'
import type { Guard, Strategy } from 'fastify-services/authentication'
import type { Test } from 'tap'
import { request } from './host.js'
import { toHash } from './stored-password.js'
import { forge } from './tokens.js'
import { createUsersApp, type UsersOptions, user } from './users-app.js'

export { login } from './users-app.js'

export const [ada, bob] = [
  { id: 1, email: 'ada@example.com' },
  { id: 2, email: 'bob@example.com' }
] as const
export const { password } = user

/** A service of users that counts how often it is asked for one. Its hashes cost next to nothing. */
export function createPeople(people: readonly { id: number; email: string }[] = [ada, bob]) {
  const records = people.map((person) => ({ ...person, password: toHash(password) }))
  const service = {
    gets: 0,
    async find({ query }: Params) {
      const wanted = Object.entries(query ?? {}).filter(([name]) => !name.startsWith('$'))
      return records.filter((record) => wanted.every(([name, value]) => record[name as 'email'] === value))
    },
    async get(id: string | number) {
      service.gets++
      const match = records.find((record) => String(record.id) === String(id))
      if (match === undefined) throw new NotFound(`No record found for id '${id}'`)
      return { ...match }
    }
  }
  return service
}

/** An application with two users and their authentication, closed when the test ends. */
export const createGuardsApp = (t: Test, options: UsersOptions = {}) =>
  createUsersApp(t, { people: createPeople(), ...options })

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
