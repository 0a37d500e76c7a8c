import './auth-scrypt.js'
import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance, type FastifyServerOptions, type InjectOptions } from 'fastify'
import services, { type ServiceOptions, type ServicesOptions } from 'fastify-services'
import authentication, { type AuthenticationOptions, hashPassword } from 'fastify-services/authentication'
import type { Test } from 'tap'
import { secret } from './tokens.js'

export const user = { email: 'ada@example.com', password: 'a long secret' }

/** The hook of the documentation, on all methods that write. */
export const hashes = {
  create: [hashPassword('password')],
  update: [hashPassword('password')],
  patch: [hashPassword('password')]
}

/** A service in memory whose passwords are hashed. */
export const addUsers = (app: FastifyInstance, path = 'users', object: object = memory({ startId: 1, multi: true })) =>
  app.service(path, object, { hooks: { before: hashes } } as ServiceOptions<object>)

export interface UsersOptions {
  options?: Partial<AuthenticationOptions>
  plugin?: ServicesOptions
  server?: FastifyServerOptions
  /** The object at `/users`, as it is. Default: one in memory that hashes passwords and has one user. */
  people?: object
  /** Runs before anything is ready. */
  before?: (app: FastifyInstance) => unknown
}

/** An application with our plugin alone, closed when the test ends. */
export async function createServicesApp(t: Test, { plugin, server }: UsersOptions = {}) {
  const app = Fastify({ forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  await app.register(services, plugin ?? {})
  return app
}

/** An application with users and their authentication, closed when the test ends. */
export async function createUsersApp(t: Test, options: UsersOptions = {}) {
  const app = await createServicesApp(t, options)
  if (options.people === undefined) addUsers(app)
  else app.service('users', options.people)
  await app.register(authentication, { secret, ...options.options })
  await options.before?.(app)
  await app.ready()
  if (options.people === undefined) await app.service('users').create({ ...user })
  return app
}

interface Result {
  accessToken: string
  refreshToken: string
  message: string
  user: Record<string, unknown>
  authentication: { strategy: string; payload: Record<string, unknown> }
  [name: string]: unknown
}

/** Sends a login, and gives the status and the body of the answer. */
export async function login(app: FastifyInstance, changes: object = {}, path = 'authentication') {
  const payload = { strategy: 'local', ...user, ...changes }
  const response = await app.inject({ method: 'POST', url: path.replace(/^\/?/, '/'), payload })
  return { status: response.statusCode, body: response.json() as Result }
}

/** Sends a request with a token, and gives the status and the body of the answer. */
export async function ask(app: FastifyInstance, token: string, options: InjectOptions | string) {
  const request = typeof options === 'string' ? { url: options } : options
  const headers = { accept: 'application/json', authorization: `Bearer ${token}`, ...request.headers }
  const response = await app.inject({ ...request, headers })
  return { status: response.statusCode, body: response.body === '' ? undefined : response.json() }
}
