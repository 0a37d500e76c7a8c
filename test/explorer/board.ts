import '../support/auth-scrypt.js'
import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import authentication from 'fastify-services/authentication'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import type { Test } from 'tap'

const text = { type: 'string', minLength: 1 } as const
const integer = { type: 'integer' } as const
const user = {
  type: 'object',
  required: ['id', 'email', 'password'],
  properties: { id: integer, email: text, password: text }
} as const
const message = { type: 'object', required: ['id', 'text'], properties: { id: integer, text } } as const

/** An application in which everybody signs up and writes, and who has logged in reads. */
export async function openBoard(t: Test): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Board', version: '1.0.0' } }))
  await app.register(services)
  app.service('users', memory({ startId: 1 }), {
    methods: ['get', 'create'],
    schema: resource(user, { readOnly: ['id'], writeOnly: ['password'] })
  })
  app.service('messages', memory({ startId: 1 }), {
    methods: ['find', 'create'],
    schema: resource(message, { readOnly: ['id'] })
  })
  await app.register(authentication, {
    secret: 's'.repeat(32),
    guard: 'jwt',
    public: ['users.create', 'messages.create']
  })
  await app.register(explorer)
  return app.listen({ port: 0, host: '127.0.0.1' })
}
