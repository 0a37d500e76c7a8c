import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import services, { type ServicesOptions } from 'fastify-services'
import authentication, { type AuthenticationOptions, hashPassword } from 'fastify-services/authentication'
import type { Test } from 'tap'
import { secret } from './tokens.js'

export const user = { email: 'ada@example.com', password: 'a long secret' }
const hashed = [hashPassword('password')]

export interface UsersOptions {
  options?: Partial<AuthenticationOptions>
  plugin?: ServicesOptions
  /** Runs before anything is ready. */
  before?: (app: FastifyInstance) => unknown
}

/** An application with authentication and one user; closed when the test ends. */
export async function createUsersApp(t: Test, { options, plugin, before }: UsersOptions = {}) {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services, plugin ?? {})
  app.service('users', memory({ startId: 1, multi: true }) as object, {
    hooks: { before: { create: hashed, update: hashed, patch: hashed } }
  })
  await app.register(authentication, { secret, ...options })
  await before?.(app)
  await app.ready()
  await app.service('users').create({ ...user })
  return app
}

interface Result {
  accessToken: string
  refreshToken: string
  message: string
  user: Record<string, unknown>
  authentication: { strategy: string; payload: Record<string, unknown> }
}

/** Sends a login, and gives the status and the body of the answer. */
export async function login(app: FastifyInstance, changes: object = {}, path = 'authentication') {
  const payload = { strategy: 'local', ...user, ...changes }
  const response = await app.inject({ method: 'POST', url: `/${path}`, payload })
  return { status: response.statusCode, body: response.json() as Result }
}

/** Sends a request with a token, and gives the status and the body of the answer. */
export async function ask(app: FastifyInstance, token: string, options: InjectOptions | string) {
  const given = typeof options === 'string' ? { url: options } : options
  const headers = { accept: 'application/json', authorization: `Bearer ${token}`, ...given.headers }
  const response = await app.inject({ ...given, headers })
  return { status: response.statusCode, body: response.body === '' ? undefined : response.json() }
}
