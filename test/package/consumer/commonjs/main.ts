import Fastify = require('fastify')
import services = require('fastify-services')

interface Message {
  id: services.Id
  text: string
}

class MessageService {
  #messages = new Map<services.Id, Message>([['1', { id: '1', text: 'hello' }]])

  async find(_params: services.Params): Promise<Message[]> {
    return [...this.#messages.values()]
  }

  async get(id: services.Id, params: services.Params): Promise<Message & { user: unknown }> {
    const message = this.#messages.get(id)
    if (message === undefined) throw new services.NotFound(`No message ${id}`)
    return { ...message, user: params.user }
  }
}

declare module 'fastify-services' {
  interface Services {
    messages: MessageService
  }
}

async function main(): Promise<void> {
  const app = Fastify()
  app.addHook('onRequest', async (request) => {
    request.feathers = { user: request.headers['x-user'] }
  })
  await app.register(services.default)
  app.service('messages', new MessageService(), {
    after: async (_request, reply) => {
      const path: string | undefined = reply.hook?.path
      reply.header('x-service', path)
      reply.data = { record: reply.data }
    }
  })

  const messages: Message[] = await app.service('messages').find({ query: {} })
  // @ts-expect-error: the service has no such method
  app.service('messages').archive

  const found = await app.inject({ url: '/messages/1', headers: { 'x-user': 'ada' } })
  const missing = await app.inject('/messages/2')
  console.log(JSON.stringify([messages, found.json(), found.headers['x-service'], missing.statusCode]))
  await app.close()
}

main()
