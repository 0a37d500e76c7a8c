import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { idempotency, resource, version } from 'fastify-services'
import authentication, { allow, own } from 'fastify-services/authentication'
import { type BatchCall, type BatchOptions, batch, databaseErrors, inTransaction } from 'fastify-services/database'
import { tokenFor } from 'fastify-services/testing'
import type { Test } from 'tap'

export const tables = `
  create table users (id serial primary key, role text);
  create table notes (id serial primary key, text text unique, "userId" int, version int default 1);
  create table rooms (id serial primary key, name text unique)`

/** A database of a library, with the services of its tables. */
export interface BatchDatabase {
  readonly database: BatchOptions['database']
  service(table: 'users' | 'notes' | 'rooms'): object
}

/** What a batch, or a request, was answered with. */
export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, unknown>>
}

export interface BatchApp {
  readonly app: FastifyInstance
  /** The ids of an admin and two members. */
  readonly users: Readonly<Record<'admin' | 'ada' | 'bob', number>>
  send(user: keyof BatchApp['users'] | undefined, calls: readonly BatchCall[], headers?: object): Promise<Answer>
  /** Sends the same call on its own. */
  sendAlone(user: keyof BatchApp['users'] | undefined, call: BatchCall, headers?: object): Promise<Answer>
  texts(): Promise<string[]>
}

const server = { type: ['integer', 'null'], readOnly: true } as const
const note = {
  type: 'object',
  required: ['text'],
  properties: { id: server, text: { type: 'string', maxLength: 20 }, userId: server, version: server }
} as const

const urls: Readonly<Record<string, (call: BatchCall) => [verb: string, path: string]>> = {
  create: () => ['POST', ''],
  update: ({ id }) => ['PUT', `/${id}`],
  patch: ({ id }) => ['PATCH', `/${id}`],
  remove: ({ id }) => ['DELETE', `/${id}`],
  shout: ({ id }) => ['POST', `/${id}/shout`]
}

/** The services, as the server calls them. */
interface Records {
  create(data: object): Promise<{ id: number }>
  patch(id: number, data: object, params: object): Promise<object>
  find(params: object): Promise<{ text: string }[]>
}

/** An application with a batch: users own notes, and admins make rooms. */
export async function startBatches(
  t: Test,
  { database, service }: BatchDatabase,
  register: (app: FastifyInstance) => unknown = () => {},
  serverOptions: FastifyServerOptions = {}
): Promise<BatchApp> {
  const app = Fastify(serverOptions as object) as FastifyInstance
  await app.register(services, {
    hooks: { around: { all: [databaseErrors(), inTransaction(database)] } }
  })
  await app.register(authentication, { secret: 'x'.repeat(32), guard: 'jwt' })
  app.service('users', service('users'), { methods: [] })
  let last = 0
  const notes = Object.assign(service('notes'), {
    // A custom method, which writes by a method of the adapter.
    async shout(id: number, data: { text?: string }, params: object) {
      if (data?.text === 'throw') throw new Error('Too loud')
      return app
        .service<Records>('notes')
        .patch(id, { text: `${data?.text ?? 'hey'}!` }, { ...params, provider: undefined })
    }
  })
  app.service<object>('notes', notes, {
    schema: resource<unknown>(note, { methods: { shout: { route: 'POST /:id/shout', body: note } } }),
    hooks: { around: { all: [own('userId'), version('version', { set: () => ++last })] } }
  })
  app.service<object>('rooms', service('rooms'), {
    methods: ['create', 'patch', 'remove'],
    hooks: { around: { all: [allow({ admin: true, member: { create: false, patch: true } })] } }
  } as object)
  await app.register(batch, { database, services: ['notes', 'rooms'] })
  app.service<object>('batch').hooks({ around: { create: [idempotency()] } })
  await register(app)
  t.teardown(() => app.close())
  await app.ready()
  const idOf = async (role: string) => (await app.service<Records>('users').create({ role })).id
  const users = { admin: await idOf('admin'), ada: await idOf('member'), bob: await idOf('member') }
  const request = async (
    user: keyof typeof users | undefined,
    url: string,
    method: string,
    payload: unknown,
    headers = {}
  ) => {
    const authorization = user && `Bearer ${tokenFor(app, users[user])}`
    const response = await app.inject({
      method: method as 'POST',
      url,
      headers: { ...(authorization && { authorization }), accept: 'application/json', ...headers },
      ...(payload !== undefined && { payload: payload as object })
    })
    return { status: response.statusCode, body: response.json(), headers: response.headers }
  }
  return {
    app,
    users,
    send: (user, calls, headers) => request(user, '/batch', 'POST', { calls }, headers),
    sendAlone(user, call, headers) {
      const [verb, path] = urls[call.method]?.(call) ?? ['POST', '']
      const match = call.ifMatch === undefined ? {} : { 'if-match': `"${call.ifMatch}"` }
      const named = urls[call.method] ? {} : { 'x-service-method': call.method }
      return request(user, `/${call.service}${path}`, verb, call.data, { ...match, ...named, ...headers })
    },
    texts: async () => {
      const found = await app.service<Records>('notes').find({ paginate: false, query: { $sort: { id: 1 } } })
      return found.map(({ text }) => text)
    }
  }
}
