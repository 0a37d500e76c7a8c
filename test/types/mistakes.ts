/*
 * What users of the package do wrong, with the first line of what TypeScript says: TypeScript 7, and behind `| or` version 5.9, where it says something else. `…` is
 * anything. The right one stands above.
 */
import Fastify from 'fastify'
import services, {
  type AroundHook,
  type HookContext,
  type Paginated,
  type Params,
  type Service,
  type Services
} from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'

interface Message {
  id: number
  text: string
  at: Date
}

class Messages {
  async find(_params?: Params<{ text?: string; $limit?: number }>): Promise<Paginated<Message>> {
    return { total: 0, limit: 0, skip: 0, data: [] }
  }
  async get(id: number, _params?: Params): Promise<Message> {
    return { id, text: '', at: new Date() }
  }
  async create(data: { text: string }, _params?: Params): Promise<Message> {
    return { id: 1, at: new Date(), ...data }
  }
  async archive(data: { before: string }): Promise<{ count: number }> {
    return { count: data.before.length }
  }
}

class Replies {
  async find(params: Params): Promise<string[]> {
    return [params.route?.messageId ?? '']
  }
}

declare module 'fastify-services' {
  interface Services {
    messages: Messages
    'messages/:messageId/replies': Replies
  }
}

const app = Fastify()
await app.register(services)
const client = createClient<Services>().configure(rest('http://localhost').fetch(fetch))
const received = client.service('messages')

// 1. An option of a service.
app.service('messages', new Messages(), { bodyLimit: 1 })
// @ts-expect-error: Object literal may only specify known properties, but 'bodylimit' does not exist in type 'ServiceOptions<NoInfer<Messages>, …>'. Did you mean to write 'bodyLimit'?
app.service('messages', new Messages(), { bodylimit: 1 })

// 2. A type of hooks.
app.service('messages').hooks({ before: { create: [] } })
// @ts-expect-error: Object literal may only specify known properties, but 'befor' does not exist in type 'HookOptions<Messages, HookApplication>'. Did you mean to write 'before'?
app.service('messages').hooks({ befor: { create: [] } })

// 3. Hooks of a method that there is not.
app.service('messages', new Messages(), { hooks: { before: { create: [] } } })
// @ts-expect-error: Object literal may only specify known properties, and 'crate' does not exist in type 'HookMap<NoInfer<Messages>, "before", HookApplication>'.
app.service('messages', new Messages(), { hooks: { before: { crate: [] } } })

// 4. A custom method that there is not.
app.service('messages', new Messages(), { methods: ['find', 'archive'] })
// @ts-expect-error: Type '"achive"' is not assignable to type '…'. Did you mean '"archive"'?
app.service('messages', new Messages(), { methods: ['find', 'achive'] })

// 5. A schema of a method that there is not.
app.service('messages', new Messages(), { schema: { find: {} } })
// @ts-expect-error: Object literal may only specify known properties, but 'fnd' does not exist in type '…'. Did you mean to write 'find'?
app.service('messages', new Messages(), { schema: { fnd: {} } })

// 6. An object of another shape than the path has in `Services`.
app.service('messages', new Messages())
// @ts-expect-error: Argument of type 'Replies' is not assignable to parameter of type 'Replies & Messages & ThisType<any>'.
app.service('messages', new Replies())

// 7. A service that is not listed, on the server.
app.service('messages')
// @ts-expect-error: Argument of type '"mesages"' is not assignable to parameter of type '…"messages"…'.
app.service('mesages')

// 8. A service that is not listed, on the client.
client.service('messages')
// @ts-expect-error: Argument of type '"mesages"' is not assignable to parameter of type '…"messages"…'.
client.service('mesages')

// 9. No value for a placeholder of the path.
app.service('messages/:messageId/replies').find({ route: { messageId: '1' } })
app.service('messages/:messageId/replies').find({ route: { messageId: 1 } })
client.service('messages/:messageId/replies').find({ route: { messageId: 1 } })
// @ts-expect-error: Argument of type '{ query: { text: string; }; }' is not assignable to parameter of type 'ClientParams<Query> & Routed<"messageId", string | number>'.
client.service('messages/:messageId/replies').find({ query: { text: 'a' } })

// 10. A placeholder that is misspelt.
app.service('/messages/:messageId/replies').find({ route: { messageId: '1' }, query: {} })
// @ts-expect-error: Object literal may only specify known properties, but 'messageID' does not exist in type '{ readonly messageId: string | number; }'. Did you mean to write 'messageId'?
app.service('messages/:messageId/replies').find({ route: { messageID: '1' } })

// 11. A method that the service lacks.
received.get(1)
// @ts-expect-error: Property 'remove' does not exist on type 'ClientService<Messages, ClientApplication<Services>, "messages">'.
received.remove(1)

// 12. An id of another type.
received.get(1)
// @ts-expect-error: Argument of type 'string' is not assignable to parameter of type 'number'.
received.get('1')

// 13. Data that lacks a field.
received.create({ text: 'Hi' })
// @ts-expect-error: Argument of type '{}' is not assignable to parameter of type '{ text: string; } | Sendable'.
received.create({})

// 14. A field of data that is misspelt.
received.create({ text: 'Hi' })
// @ts-expect-error: Object literal may only specify known properties, and 'txt' does not exist in type '{ text: string; } | Sendable'.
received.create({ txt: 'Hi' })

// 15. A field of the query that the service does not take.
received.find({ query: { text: 'Hi' } })
// @ts-expect-error: Object literal may only specify known properties, but 'txt' does not exist in type '{ text?: string; $limit?: number; }'. Did you mean to write 'text'?
received.find({ query: { txt: 'Hi' } })

// 16. A page that is taken for a list.
const list = (await received.find()).data.map(({ id }) => id)
// @ts-expect-error: Property 'map' does not exist on type '{ total: number; limit: number; skip: number; data: …[]; }'.
const ids = (await received.find()).map(String)

// 17. A date that came through JSON.
const year = new Date((await received.get(1)).at).getFullYear()
// @ts-expect-error: Property 'getHours' does not exist on type 'string'.
const hour = (await received.get(1)).at.getHours()

// 18. A call without `await`.
const { text } = await app.service('messages').get(1)
// @ts-expect-error: Property 'text' does not exist on type 'Promise<Message>'.
const { text: sent } = app.service('messages').get(1)

// 19. A field of a record, in a hook.
const loud = ({ data }: HookContext<Messages, 'create'>) => data.text.toUpperCase()
// @ts-expect-error: Property 'txt' does not exist on type '{ text: string; }'. Did you mean 'text'?
const quiet = ({ data }: HookContext<Messages, 'create'>) => data.txt.toLowerCase()

// 20. A result of another shape than the class says that it has.
export class Notes implements Service<{ id: number }> {
  async get(id: string | number) {
    return { id: Number(id) }
  }
}
export class Drafts implements Service<{ id: number }> {
  // @ts-expect-error: Property 'get' in type 'Drafts' is not assignable to the same property in base type 'Service<{ id: number; }, …>'.
  async get(id: string | number) {
    return { key: id }
  }
}

// 21. A hook that is no function.
export const logged: AroundHook = async (_context, next) => next()
// @ts-expect-error: Type 'string' is not assignable to type 'AroundHook'.
export const silent: AroundHook = 'log'

// 22. A field of a user, where no `Identity` says what a user is.
const isSomebody = ({ params }: HookContext<Messages, 'find'>) => params.user !== undefined
// @ts-expect-error: Property 'nickname' does not exist on type 'UndeclaredUser | {}'. | or Property 'nickname' does not exist on type '{} | UndeclaredUser'.
const nickname = ({ params }: HookContext<Messages, 'find'>) => params.user?.nickname

// 23. Conditions that stand outside of the query, in a call of the client.
received.find({ query: { text: 'Hi' } })
// @ts-expect-error: Object literal may only specify known properties, and 'text' does not exist in type 'ClientParams<{ text?: string; $limit?: number; }>'.
received.find({ text: 'Hi' })

// 24. A query that is misspelt.
received.find({ query: { text: 'Hi' } })
// @ts-expect-error: Object literal may only specify known properties, but 'qeury' does not exist in type 'ClientParams<{ text?: string; $limit?: number; }>'. Did you mean to write 'query'?
received.find({ qeury: { text: 'Hi' } })

export const used = [list, ids, year, hour, text, sent, loud, quiet, isSomebody, nickname]
