import { Readable } from 'node:stream'
import type { KnexService } from '@feathersjs/knex'
import type { Paginated, Params } from 'fastify-services'
import {
  type AroundHook,
  type ClientService,
  createClient,
  type Hook,
  type HookContext,
  type HookMap,
  type HookOptions,
  type HookType,
  iterate,
  type Jsonify,
  type Listener,
  type NextFunction,
  type RecordListener,
  rest,
  type ServiceAddons
} from 'fastify-services/client'
import t from 'tap'
import { createClientOfEcho } from '../support/client-app.js'

interface Message {
  id: number
  text: string
  at: Date
  tags?: string[]
}

class MessageService {
  #secret = 1
  async find(_params?: Params<{ text?: string; $limit?: number }>): Promise<Paginated<Message>> {
    return { total: this.#secret, limit: 0, skip: 0, data: [] }
  }
  async get(id: number): Promise<Message> {
    return { id, text: '', at: new Date() }
  }
  async create(data: { text: string }, _params?: Params): Promise<Message> {
    return { id: 1, at: new Date(), ...data }
  }
  async archive(data: { before: string }): Promise<{ count: bigint; done: Date }> {
    return { count: 1n, done: new Date(data.before) }
  }
  async count(): Promise<number> {
    return 1
  }
  async touch(_data?: { at: string }, _params?: Params): Promise<void> {}
  async file(_data: object): Promise<Buffer | undefined> {
    return undefined
  }
  async stream(_data: object): Promise<Readable> {
    return new Readable()
  }
  async maybe(_data: object): Promise<Message | undefined> {
    return undefined
  }
  setup() {}
}

type JSONColumn = string | number | boolean | null | JSONColumn[] | { [key: string]: JSONColumn }

class NoteService {
  async find(): Promise<{ meta: JSONColumn; more?: JSONColumn; at: Date }[]> {
    return []
  }
}

// Never called.
declare const libraries: {
  request: typeof import('request')
  axios: typeof import('axios')['default']
  superagent: typeof import('superagent')
  jquery: typeof import('jquery')['default']
}

class ListService {
  async find(): Promise<(Date | undefined)[]> {
    return []
  }
  // biome-ignore lint/suspicious/noExplicitAny: what is not typed
  async get(_id: number, _params: any): Promise<any> {
    return 1
  }
}

interface Services {
  messages: MessageService
  notes: KnexService<Message>
  lists: ListService
  columns: NoteService
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_is: Same<A, B>) => {}

// Compiled, and never run: what is right has its type, and what is wrong is an error.
export async function proofs() {
  const app = createClient<Services>().configure(rest('http://localhost').fetch(fetch))
  const messages = app.service('messages')
  void messages.find({ connection: { signal: undefined } })

  const page = await messages.find({ query: { text: 'a', $limit: 1 }, headers: { 'X-A': '1' } })
  same<(typeof page)['data'][number], { id: number; text: string; at: string; tags?: string[] }>(true)
  const message = await messages.get(1)
  same<typeof message.at, string>(true)
  const archived = await messages.archive({ before: '2026' })
  same<typeof archived.done, string>(true)
  same<typeof archived.count, never>(true)
  for await (const item of iterate(messages, { query: { text: 'a' } })) same<typeof item.at, string>(true)
  same<Awaited<ReturnType<typeof messages.count>>, number>(true)
  await messages.count()
  await messages.count(undefined, { headers: { 'X-A': '1' } })
  await messages.touch()
  await messages.touch({ at: '2026' })
  same<Awaited<ReturnType<typeof messages.touch>>, null>(true)
  same<Awaited<ReturnType<typeof messages.file>>, Blob | string | null>(true)
  same<Awaited<ReturnType<typeof messages.stream>>, unknown>(true)
  const result = await messages.maybe({})
  same<typeof result, { id: number; text: string; at: string; tags?: string[] } | null>(true)
  const lists = app.service('lists')
  same<Awaited<ReturnType<typeof lists.find>>, (string | null)[]>(true)
  await lists.find({ query: { $limit: 1 } })
  await lists.get(1, { query: { a: 1 } })
  messages.on('created', (record) => same<typeof record.at, string>(true))
  for await (const { meta, more, at } of iterate(app.service('columns')))
    same<[typeof meta, typeof more, typeof at], [JSONColumn, JSONColumn | undefined, string]>(true)
  const { request, axios, superagent, jquery } = libraries
  for (const library of [request, request.defaults({ auth: { user: 'a' } })]) rest('http://localhost').request(library)
  for (const library of [axios, axios.create()]) rest('http://localhost').axios(library)
  for (const library of [superagent, superagent.agent()]) rest('http://localhost').superagent(library)
  rest('http://localhost').jquery(jquery)
  app.use('/messages', rest('http://localhost').fetch(fetch).service('messages'), { methods: ['find', 'archive'] })

  // @ts-expect-error: the query has no such field
  await messages.find({ query: { nobody: 1 } })
  // @ts-expect-error: a query is an object, where the class has no params
  await lists.find({ query: 5 })
  // @ts-expect-error: nor where they are not typed
  await lists.get(1, { query: 'a=1' })
  // @ts-expect-error: in every walk, too
  iterate(lists, { query: 7 })
  // @ts-expect-error: ids are numbers
  await messages.get('1')
  // @ts-expect-error: a message has a text
  await messages.create({})
  // @ts-expect-error: the class has no `remove`
  await messages.remove(1)
  // @ts-expect-error: it is not for clients
  messages.setup()
  // @ts-expect-error: dates come as strings
  message.at.getTime()
  // @ts-expect-error: it is a text
  await messages.touch({ at: 1 })
  // @ts-expect-error: there is no such service
  app.use('nowhere', {})
  // @ts-expect-error: there is no such service
  app.service('mesages')
  await app.service('/messages').archive({ before: '2026' })

  const notes = await app.service('notes').patch(1, { text: 'a' })
  same<typeof notes, { id: number; text: string; at: string; tags?: string[] }>(true)
  const untyped = createClient().service('anything')
  const [record] = [await untyped.get(1)]
  same<typeof record, Record<string, unknown>>(true)
  const ownService = app.service<{ find(): Promise<number[]> }>('own/path')
  same<Awaited<ReturnType<typeof ownService.find>>, number[]>(true)
}

t.test('types: results are JSON, methods and queries are those of the class', async (t) => {
  same<
    Jsonify<{ a: Date; b: undefined | Date; f(): void; u: unknown }>,
    { a: string; b: undefined | string; u: unknown }
  >(true)
  same<Jsonify<[Date, 1]>, [string, 1]>(true)
  same<keyof ClientService<MessageService> & ('find' | 'get' | 'archive' | 'setup'), 'find' | 'get' | 'archive'>(true)
  t.type(proofs, 'function')
})

class PlainService {
  async get(id: number) {
    return { id, text: '' }
  }
}

same<HookType, 'around' | 'before' | 'after' | 'error'>(true)
same<Parameters<Hook>, [HookContext]>(true)
same<Parameters<AroundHook>, [HookContext, NextFunction]>(true)
same<HookOptions['before'], HookMap<unknown, 'before'> | undefined>(true)
same<HookContext<PlainService>['result'], { id: number; text: string } | undefined>(true)
same<Parameters<ServiceAddons<PlainService>['off']>, [string, Listener]>(true)

t.test('hooks and listeners may stand alone, with their types from the door of the client', async (t) => {
  const { address } = await createClientOfEcho(t, ({ url }) => ({ id: Number(url.split('/').at(-1)), text: 'Hi' }))
  const app = createClient<{ messages: PlainService }>().configure(rest(address).fetch(fetch))
  const calls: string[] = []
  const log: AroundHook = async (context: HookContext, next: NextFunction) => {
    calls.push(`${context.path}.${context.method}`)
    await next()
  }
  const shout: Hook<HookContext<PlainService>> = ({ result }) => ({
    result: { ...result, text: `${result?.text.toUpperCase()}!` }
  })
  const listen: RecordListener<PlainService> = ({ text }, { method }) => void calls.push(`${method}: ${text}`)
  const hooks: HookOptions = { around: log }
  app.hooks(hooks)
  app.service('messages').hooks({ after: { get: shout } })
  app.service('messages').on('created', listen)
  t.same(await app.service('messages').get(7), { id: 7, text: 'HI!' })
  app.service('messages').emit('created', { id: 8, text: 'Ho' }, { method: 'create' })
  t.same(calls, ['messages.get', 'create: Ho'])
})
