import Fastify, { type FastifyInstance } from 'fastify'
import services, { type AroundHook, type HookContext, type NextFunction, type Params } from 'fastify-services'
import { same, untyped } from './same.js'

/*
 * Hooks as applications of Feathers have them. Only the file that they import their types from is another one: it says what the application is, and that
 * `HookContext` is ours.
 */
type Application = FastifyInstance
// biome-ignore lint/suspicious/noExplicitAny: it is theirs
type Context<S = any> = HookContext<S>

interface Message {
  id: number
  text: string
  userId?: number
}
interface MessageParams extends Params<{ text?: string }> {
  slow?: boolean
}
class MessageService {
  async find(_params?: MessageParams): Promise<Message[]> {
    return []
  }
  async get(id: number, _params?: MessageParams): Promise<Message> {
    return { id, text: '' }
  }
  async create(data: Pick<Message, 'text'>, _params?: MessageParams): Promise<Message> {
    return { id: 1, ...data }
  }
}

/** What each one does is what its types must allow. */
const before = {
  'sets a field of the data': (context: Context) => {
    context.data.createdAt = new Date().toISOString()
  },
  'takes a field out of the data': (context: Context) => {
    if (context.data?.slug === '') delete context.data.slug
  },
  'asks for the user': (context: Context) => {
    if (context.params.user) context.data.userId = context.params.user.id
    return Number.parseInt(context.params.user.id, 10)
  },
  'asks for an entity by its name': (context: Context) => {
    const entity: string = 'user'
    const permissions = context.params[entity].roles
    if (!permissions.some((role: string) => role === 'admin')) throw new Error('No')
    context.params = { permissions, ...context.params }
    return context
  },
  'reads the query': (context: Context) => {
    const { tenantId } = context.params.query
    if (!tenantId) throw new Error('Missing tenantId')
    context.params.route.provider = tenantId
  },
  'takes a field out of the query': ({ params }: Context) => {
    if (params.query?.ownedOnly) delete params.query.ownedOnly
    params.query = { ...params.query, id: { $in: [] } }
  },
  'takes a header out': (context: Context) => {
    if (context.params.headers['user-agent']) delete context.params.headers['user-agent']
  },
  'sets a result': async (context: Context) => {
    context.result = { total: 0, data: [], limit: 0, skip: 0 }
    return context
  },
  'hands its params on': async ({ app, params, id }: Context) => {
    const messages = app.service('messages') as unknown as MessageService
    return messages.get(Number(id), { ...params, provider: undefined as never })
  },
  'is typed by the application': async (context: HookContext<Application>) => {
    context.data.userId = context.params.user.id
    context.params.query.userId = context.result?.length
  }
}

const after = {
  'changes the records of a page': (context: Context) => {
    context.result.data = context.result.data.map((item: Message) => ({ ...item, text: '' }))
    delete context.result.data[0].id
  },
  'changes one record or several': ({ result }: Context) => {
    for (const item of [result].flat()) item.link = `/${item.id}`
  },
  'sets what is sent': (context: Context) => {
    context.dispatch = { ...context.dispatch, ...context.result }
    delete context.dispatch.password
  },
  'reads an argument': ({ arguments: [first] }: Context) => first?.query.text.trim(),
  'knows the records of its service': (context: Context<MessageService>) => {
    same<typeof context.result, Message | Message[] | undefined>(true)
    for (const { text } of [context.result ?? []].flat()) console.log(text.trim())
  }
}

const error = {
  'reads the message': async (context: Context) => {
    const message = context.error?.message?.toLowerCase()
    if (message.includes('duplicate key')) context.result = await context.service.create(context.data)
  },
  'replaces the error': (context: Context) => {
    context.error = Object.assign(new Error('Another one'), { code: context.error.code })
  },
  'reads the message, with the name of its service': ({ error, id }: Context<MessageService>) =>
    console.log(id, error.message, error.data?.length)
}

const around = {
  'calls the service once more': async (context: Context, next: NextFunction) => {
    if (context.params.query.slug) {
      context.result = await context.service.find({ query: { slug: context.params.query.slug } })
      const [url] = context.result.data
      await context.service.patch(url.id, { visits: url.visits + 1 })
      return context
    }
    return next()
  },
  'logs an error': async ({ app, path }: Context, next: NextFunction) => {
    try {
      await next()
      // biome-ignore lint/suspicious/noExplicitAny: it is theirs
    } catch (error: any) {
      app.log.error(error.stack, path)
      throw error
    }
  }
}

const hooks = {
  before: { all: Object.values(before) },
  after: { all: Object.values(after).slice(0, 4) },
  error: { all: [error['reads the message'], error['replaces the error']] },
  around: { all: Object.values(around) }
}

// They fit as hooks of all services, and of one whose type is known.
const app = Fastify()
await app.register(services, { hooks })
app.service('messages', new MessageService(), { hooks }).hooks({
  before: { find: Object.values(before), create: [...Object.values(before), ({ data }) => void data.text.trim()] },
  after: { get: Object.values(after), all: Object.values(after) },
  error: Object.values(error),
  around: Object.values(around)
})

// What is not named is not checked, what is named is.
const unnamed = (context: HookContext) => {
  untyped<typeof context.data>(true)
  untyped<typeof context.result>(true)
  untyped<typeof context.error>(true)
  untyped<typeof context.params.user>(true)
  context.startedAt = Date.now()
  context.self.emit('seen', context.startedAt)
}
const timed: AroundHook = async (context, next) => {
  context.startedAt = Date.now()
  await next()
}
const named = (context: HookContext<MessageService, 'create'>) => {
  same<typeof context.data, Pick<Message, 'text'>>(true)
  // @ts-expect-error: it may be there or not
  console.log(context.params.query.text)
  // @ts-expect-error: what is misspelt is no property of a hook
  context.reslt = context.self.get
}
app.service('more', new MessageService(), {
  hooks: { around: { all: [timed] }, before: { all: [unnamed], create: [named] } }
})
