import {
  authentication,
  createClient,
  FetchClient,
  iterate,
  NotFound,
  rest,
  type Services
} from 'fastify-services/client'

interface Message {
  id: number
  text: string
  at: Date
}

interface MessageService {
  find(params?: { query?: { text?: string } }): Promise<Message[]>
  create(data: { text: string }): Promise<Message>
}

declare module 'fastify-services/client' {
  interface Services {
    messages: MessageService
  }
}

class Own extends FetchClient {
  override getQuery(query: object): string {
    return `?${JSON.stringify(query)}`
  }
}

const app = createClient<Services>()
  .configure(rest('https://api.example.com').fetch(window.fetch, Own))
  .configure(authentication({ storage: localStorage }))

export async function main(signal: AbortSignal): Promise<string> {
  await app.authenticate({ strategy: 'local', email: 'ada@example.com', password: 'x' })
  const messages = app.service('messages')
  messages.on('created', (message) => console.log(message))
  for await (const { at } of iterate(messages, {
    query: { text: 'a' },
    connection: { signal, credentials: 'include' }
  }))
    console.log(at.toUpperCase())
  // @ts-expect-error: the service has no such method
  messages.remove(1)
  try {
    return (await messages.create({ text: 'Hi' })).at
  } catch (error) {
    return error instanceof NotFound ? error.className : ''
  }
}
