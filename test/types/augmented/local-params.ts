import { createClient, rest } from 'fastify-services/client'

interface Item {
  id: number
}
declare class Items {
  find(): Promise<Item[]>
  remove(id: number | null): Promise<Item>
}

// What the hooks of the client read.
declare module 'fastify-services/client' {
  interface LocalParams {
    quiet?: boolean
  }
}

const client = createClient<{ items: Items; 'lists/:listId/items': Items }>().configure(rest('http://a').fetch(fetch))
client.hooks({ before: { all: ({ params }) => void (params.quiet === true) } })
const items = client.service('items')
await items.find({ query: {}, quiet: true })
await items.remove(null, { quiet: true, headers: {} })
await client.service('lists/:listId/items').find({ route: { listId: 1 }, quiet: true })
// @ts-expect-error: another type
await items.find({ quiet: 1 })
// @ts-expect-error: no hook reads it
await items.remove(null, { id: 1 })
// @ts-expect-error: no hook reads it
await client.service('lists/:listId/items').find({ route: { listId: 1 }, loud: true })
// @ts-expect-error: it is misspelt, for a service without types too
await createClient().service('items').remove(null, { qeury: {} })
