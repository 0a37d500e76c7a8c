import { scryptSync } from 'node:crypto'
import { memory } from '@feathersjs/memory'
import type { FastifyServerOptions } from 'fastify'
import type { RegisteredService, Service, ServiceOptions, ServicesOptions } from 'fastify-services'
import authentication, { type AuthenticationOptions } from 'fastify-services/authentication'
import type { Test } from 'tap'
import { request } from './host.js'
import { secret } from './tokens.js'
import { createServicesApp, hashes } from './users-app.js'

export type User = Record<string, unknown>
export type Users = RegisteredService<Required<Service<User | User[]>>>

export interface PasswordApp {
  /** The object at `/users`. Default: one in memory. */
  object?: object
  /** Options of the service of the users. Default: it hashes passwords. */
  options?: object
  authentication?: Partial<AuthenticationOptions>
  server?: FastifyServerOptions
  plugin?: ServicesOptions
}

/** An application with users, none as yet, and their login, closed when the test ends; it is not ready. */
export async function createUsers(t: Test, { object, options, ...appOptions }: PasswordApp = {}) {
  const app = await createServicesApp(t, appOptions)
  const source = object ?? memory({ startId: 1, multi: true })
  app.service('users', source, (options ?? { hooks: { before: hashes } }) as ServiceOptions<object>)
  await app.register(authentication, { secret, ...appOptions.authentication })
  const send = (method: string, url: string, payload?: unknown, headers: Record<string, string> = {}) =>
    request(app, method, url, {
      headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(payload !== undefined && { payload: JSON.stringify(payload) })
    })
  return {
    app,
    users: app.service('users') as unknown as Users,
    send,
    login: (email: string, password: unknown) => send('POST', '/authentication', { strategy: 'local', email, password })
  }
}

/** Whether a hash is that of a password, told without the library. */
export function isHashOf(stored: unknown, password: string): boolean {
  const [, ln, r, p, salt, hash] = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$(.+)\$(.+)$/.exec(String(stored)) ?? []
  if (hash === undefined) return false
  const options = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: 2 ** 30 }
  const expected = Buffer.from(hash, 'base64')
  return scryptSync(password, Buffer.from(String(salt), 'base64'), expected.length, options).equals(expected)
}

/** A hash of bcrypt of `correct horse`, of the cost 4. */
export const bcryptHash = '$2b$04$jEBe6nJbemkMMg0DczBFr.9rvqRcryguNWn6g5EFgDwoaeygLhF3.'
