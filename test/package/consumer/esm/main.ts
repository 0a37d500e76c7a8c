import Fastify from 'fastify'
import services, { type Id, NotFound, type Params } from 'fastify-services'

interface Message {
  id: Id
  text: string
}

class MessageService {
  #messages = new Map<Id, Message>([['1', { id: '1', text: 'hello' }]])

  async find(_params: Params): Promise<Message[]> {
    return [...this.#messages.values()]
  }

  async get(id: Id, params: Params): Promise<Message & { user: unknown }> {
    const message = this.#messages.get(id)
    if (message === undefined) throw new NotFound(`No message ${id}`)
    return { ...message, user: params.user }
  }
}

declare module 'fastify-services' {
  interface Services {
    messages: MessageService
  }
}

const app = Fastify()
app.addHook('onRequest', async (request) => {
  request.feathers = { user: request.headers['x-user'] }
})
await app.register(services)
app.service('messages', new MessageService(), {
  after: [
    async (_request, reply) => {
      const path: string | undefined = reply.hook?.path
      reply.header('x-service', path)
      reply.data = { record: reply.data }
    }
  ]
})

const messages: Message[] = await app.service('messages').find({ query: {} })
// @ts-expect-error: the service has no such method
app.service('messages').archive

const found = await app.inject({ url: '/messages/1', headers: { 'x-user': 'ada' } })
const missing = await app.inject('/messages/2')
const answers = [messages, found.json(), found.headers['x-service'], missing.statusCode]
console.log(JSON.stringify(answers))
await app.close()
