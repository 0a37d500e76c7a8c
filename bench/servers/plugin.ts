import type { Server } from 'node:http'
import Fastify from 'fastify'
import services from 'fastify-services'
import type { Messages } from '../messages.js'

export async function serve(messages: Messages): Promise<Server> {
  const app = Fastify()
  await app.register(services)
  app.service('messages', messages)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.server
}
