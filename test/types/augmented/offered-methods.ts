import Fastify from 'fastify'
import services, { type Params, type WithMethods } from 'fastify-services'
import type { AuthenticationService } from 'fastify-services/authentication'
import { createClient, iterate, rest } from 'fastify-services/client'
import { same } from '../programs/same.js'

interface Item {
  id: string
  at: Date
}

class Items {
  async find(_params?: Params<{ a?: string }>): Promise<Item[]> {
    return []
  }
  async get(id: string): Promise<Item> {
    return { id, at: new Date() }
  }
  async create(data: { id: string }): Promise<Item> {
    return { ...data, at: new Date() }
  }
  async recount(): Promise<number> {
    return 1
  }
}

const methods = ['get', 'create'] as const
interface Listed {
  items: WithMethods<Items, typeof methods>
  all: Items
}

declare module 'fastify-services' {
  interface Services {
    'offered-items': WithMethods<Items, typeof methods>
  }
}

const app = Fastify()
await app.register(services)
const items = app.service('offered-items', new Items(), { methods })
// @ts-expect-error: clients are not told of it
app.service('offered-items', new Items(), { methods: ['recount'] })

// The server has all of its methods.
const count = await app.service('offered-items').recount()
same<typeof count, number>(true)
same<Awaited<ReturnType<typeof items.find>>, Item[]>(true)

// A service that the list lacks is there by its type.
app.service<AuthenticationService>('authentication').on('login', (_result: object) => undefined)
// @ts-expect-error: the list lacks it
app.service('authentication')

// A client has those that are offered.
const client = createClient<Listed>().configure(rest('http://localhost').fetch(fetch))
const item = await client.service('items').get('1')
same<typeof item, { id: string; at: string }>(true)
client.service('items').create({ id: '1' })
// @ts-expect-error: only the server calls it
client.service('items').recount()
// @ts-expect-error: only the server calls it
client.service('items').find()
// @ts-expect-error: there is no find to go through
iterate(client.service('items'))
client.service('all').recount()
iterate(client.service('all'), { query: { a: '1' } })

// An object literal uses its own members by `this`, with the arguments typed by their places.
const notes = app.service('offered-notes', {
  rows: new Map<string, Item>(),
  async find(): Promise<Item[]> {
    return [...this.rows.values()]
  },
  async get(id, { query }): Promise<Item | undefined> {
    same<typeof id, string>(true)
    return query?.a === '1' ? this.rows.get(id) : (await this.find())[0]
  }
})
same<Awaited<ReturnType<typeof notes.find>>, Item[]>(true)

// So it does where the option names its methods.
const named = app.service(
  'offered-named',
  {
    async get(id) {
      same<typeof id, string>(true)
      return { id }
    },
    async archive(data: { why: string }) {
      await this.get(data.why)
      return [data.why]
    }
  },
  { methods: ['get', 'archive'], hooks: { after: { get: [(context) => context.result?.id.toUpperCase()] } } }
)
same<Awaited<ReturnType<typeof named.get>>, { id: string }>(true)
same<Awaited<ReturnType<typeof named.archive>>, string[]>(true)
app.service(
  'offered-misspelt',
  {
    async get(id) {
      return { id }
    }
  },
  // @ts-expect-error: the service has no such method
  { methods: ['get', 'archiv'] }
)

interface Tag {
  name: string
}
declare module 'fastify-services' {
  interface Services {
    'offered-tags': { find(): Promise<Tag[]>; create(data: { name: string }): Promise<Tag> }
  }
}
app.service('offered-tags', {
  tags: [] as Tag[],
  async find() {
    return this.tags
  },
  async create(data) {
    same<typeof data, { name: string }>(true)
    this.tags.push(data)
    return data
  }
})
app.service(
  'offered-tags',
  {
    async find() {
      return []
    },
    async create(data) {
      same<typeof data, { name: string }>(true)
      return data
    }
  },
  { methods: ['find', 'create'] }
)
// @ts-expect-error: it is no such service
app.service('offered-tags', { find: async () => [] })
