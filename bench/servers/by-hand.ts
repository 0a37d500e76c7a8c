import type { Server } from 'node:http'
import Fastify from 'fastify'
import qs from 'qs'
import type { Messages } from '../messages.js'

export async function serve(messages: Messages): Promise<Server> {
  const app = Fastify({ routerOptions: { querystringParser: (text) => qs.parse(text) } })
  app.get('/messages', async ({ query }) => messages.find({ query: query as object }))
  app.get<{ Params: { id: string } }>('/messages/:id', async ({ params }) => messages.get(params.id))
  app.post('/messages', async ({ body }, reply) => {
    reply.code(201)
    return messages.create(body)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.server
}
