import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type HookContext, type Id, type NullableId, type Params } from 'fastify-services'
import { same, untyped } from './same.js'

interface Message {
  id: number
  text: string
}

interface MessageQuery {
  text?: string
}

interface MessageParams extends Params<MessageQuery> {
  trace?: string
}

export class Messages {
  async find(_params: MessageParams): Promise<Message[]> {
    return []
  }
  async get(id: number, _params: MessageParams): Promise<Message | null> {
    return { id, text: '' }
  }
  async create(data: { text: string }): Promise<Message>
  async create(data: { text: string }[]): Promise<Message[]>
  async create(_data: { text: string } | { text: string }[]): Promise<Message | Message[]> {
    return []
  }
  async patch(_id: number | null, data: { text?: string }, _params: MessageParams): Promise<Message> {
    return { id: 1, text: '', ...data }
  }
  async remove(_id: NullableId): Promise<Message[]> {
    return []
  }
  async archive(data: { before: Date }): Promise<number> {
    return data.before.getTime()
  }
}

// A hook that is written apart.
async function trim(context: HookContext<Messages, 'create'>) {
  const records = Array.isArray(context.data) ? context.data : [context.data]
  context.data = records.map(({ text }) => ({ text: text.trim() }))
}
const either = ({ data }: HookContext<Messages, 'create' | 'patch'>) =>
  same<typeof data extends object ? 1 : 2, 1>(true)
const anywhere = (context: HookContext) => {
  context.data.anything = context.params.query?.anything
}
const ofService = ({ id, result }: HookContext<Messages>) => {
  same<typeof id, Id | undefined>(true)
  same<typeof result, Message | Message[] | null | undefined>(true)
}

const app = Fastify()
await app.register(services, {
  hooks: { before: { all: [anywhere], create: [(context) => void context.data.text] } }
})

const messages = app.service('messages', new Messages(), {
  methods: ['find', 'get', 'create', 'patch', 'remove', 'archive'],
  schema: { archive: {} },
  hooks: {
    around: {
      all: [
        async ({ method, result }, next) => {
          same<typeof method, string>(true)
          same<typeof result, Message | Message[] | null | undefined>(true)
          await next()
        }
      ],
      archive: [
        async (context, next) => {
          same<typeof context.data, { before: Date }>(true)
          await next()
        }
      ]
    },
    before: {
      all: [ofService],
      find: [
        ({ params, id, data }) => {
          same<typeof params.trace, string | undefined>(true)
          same<NonNullable<typeof params.query>['text'], string | undefined>(true)
          same<typeof id, undefined>(true)
          same<typeof data, undefined>(true)
          params.query = { ...params.query, userId: 1 }
        }
      ],
      get: (context) => {
        same<typeof context.id, number>(true)
        context.params = { ...context.params, trace: 'a' }
      },
      create: [
        trim,
        either,
        anywhere,
        ofService,
        ({ data, method }) => {
          same<typeof data, { text: string } | { text: string }[]>(true)
          same<typeof method, 'create'>(true)
        }
      ],
      patch: [
        either,
        (context) => {
          same<typeof context.data.text, string | undefined>(true)
          if (context.id === null) context.id = 1
          context.id = null
        }
      ],
      update: [({ data }) => same<typeof data, unknown>(true)]
    },
    after: {
      find: [({ result }) => same<typeof result, Message[]>(true)],
      get: [({ result }) => same<typeof result, Message | null>(true)],
      create: [({ result }) => same<typeof result, Message | Message[]>(true)],
      archive: [({ result }) => same<typeof result, number>(true)],
      all: [({ result }) => same<typeof result, Message | Message[] | null>(true)]
    },
    error: { all: [({ error }) => untyped<typeof error>(true)] }
  }
})
messages.hooks({
  before: { create: [trim, ({ data }) => void data] },
  after: { remove: ({ result }) => void result.length }
})
messages.hooks({ around: async (context, next) => void (context.path && (await next())) })

// An object is a service as it stands; its methods have the types of params and ids.
app.service(
  'literal',
  {
    get: async (id, params) => ({ id, provider: params.provider }),
    create: async ({ text }: { text: string }) => ({ text })
  },
  { hooks: { before: { create: ({ data }) => void data.text.length, get: ({ id }) => void id.length } } }
)

// Adapters, with their overloads.
app.service('notes', memory<Message>(), {
  hooks: {
    before: {
      create: [({ data }) => same<typeof data, Partial<Message> | Partial<Message>[]>(true)],
      patch: [({ id }) => same<typeof id, Id>(true)]
    },
    after: { get: [({ result }) => same<typeof result, Message>(true)] }
  }
})
