import type { Server } from 'node:http'
import Fastify from 'fastify'
import services, { type AroundHook, NotFound, resource, type ServiceOptions } from 'fastify-services'
import authentication, { allow, authenticate, own } from 'fastify-services/authentication'
import { z } from 'zod'
import {
  Messages,
  messageResourceSchema,
  messageSchema,
  newMessageSchema,
  PagedMessages,
  recordsOf
} from '../messages.js'
import { secret, users } from '../users.js'

/** A service: plain, with schemas, with a resource, with pages, with a guard, or among so many others. */
export async function start(kind: string | undefined): Promise<Server> {
  const app = Fastify()
  await app.register(services)
  const messages = kind === 'schema' || kind?.endsWith('paged') ? new PagedMessages() : new Messages()
  messages.missing = (message) => new NotFound(message)
  app.service('messages', messages as object, { schema: schemaOf(kind) })
  if (kind === 'stream') app.service('records', { get: async (id: string) => recordsOf(Number(id)) })
  if (kind === 'guarded') {
    app.service('users', users)
    await app.register(authentication, { secret, strategies: { jwt: true } })
    app.service('messages').hooks({ around: { all: [authenticate('jwt')] } })
  }
  const hook = hooksOfUser[kind ?? '']
  if (hook !== undefined) {
    app.addHook('onRequest', async (request) => {
      request.feathers = { user: { id: '500', role: 'member' } }
    })
    // An adapter of Feathers selects by the query itself.
    Object.assign(messages, { sanitizeQuery: () => ({}) })
    app.service('messages').hooks({ around: { all: hook } })
  }
  for (let i = 1; i < Number(kind); i++) app.service(`others-${i}`, new Messages())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.server
}

/** Who calls is known without a log-in: what is measured is the hook alone. */
const hooksOfUser: Readonly<Record<string, AroundHook[]>> = {
  user: [],
  scoped: [own('id')],
  allowed: [allow({ member: { get: ['id', 'createdAt', 'text', 'status'] } })]
}

// Only the server sets these.
const options = { readOnly: ['id', 'createdAt'] as const }

function schemaOf(kind: string | undefined): NonNullable<ServiceOptions['schema']> {
  if (kind === 'batch') return { create: { body: newMessageSchema, response: messageSchema } }
  if (kind === 'schema') return { get: { response: messageSchema }, find: { response: messageSchema } }
  if (kind === 'resource-zod')
    return resource(z.object({ id: z.string(), createdAt: z.int(), text: z.string(), status: z.string() }), options)
  return kind?.startsWith('resource') ? resource(messageResourceSchema, options as object) : {}
}
