import { createReadStream } from 'node:fs'
import { KnexService } from '@feathersjs/knex'
import { type MemoryService, memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type Paged, type Paginated, type Unpaged } from 'fastify-services'
import { createClient, iterate, rest } from 'fastify-services/client'
import type { Knex } from 'knex'
import { same } from './same.js'

interface Message {
  id: number
  text: string
  at: Date
}
type Received = { id: number; text: string; at: string }

declare class Messages {
  find(): Promise<Message[]>
  create(data: { text: string }): Promise<Message>
  create(data: { text: string }[]): Promise<Message[]>
  create(data: { text: string } | { text: string }[]): Promise<Message | Message[]>
  update(id: number, data: { text: string }): Promise<Message | null>
  remove(id: number): Promise<void>
  upload(data: { name: string }): Promise<{ size: number } | undefined>
}

const app = createClient<{
  messages: Messages
  pages: Paged<KnexService<Message>>
  lists: Unpaged<MemoryService<Message>>
  either: MemoryService<Message>
}>().configure(rest('http://localhost').fetch(fetch))
const messages = app.service('messages')

// Forms, files, bytes and streams.
same<Awaited<ReturnType<typeof messages.upload>>, { size: number } | null>(true)
await messages.create(new FormData())
await messages.create(new URLSearchParams({ text: 'a' }))
await messages.update(1, new Blob(['a']))
await messages.upload(new Uint8Array(1))
await messages.upload(createReadStream('a'))
await messages.upload(new ReadableStream())

// A listener gets one record, whatever `create` takes and gives.
messages.on('created', (record) => same<typeof record, Received>(true))
messages.hooks({
  before: { create: ({ data }) => same<typeof data, { text: string } | { text: string }[]>(true) },
  after: { update: ({ result }) => same<typeof result, Received | null>(true) }
})

// No record is `null`.
same<Awaited<ReturnType<typeof messages.update>>, Received | null>(true)
same<Awaited<ReturnType<typeof messages.remove>>, null>(true)

// An adapter that pages, one that does not, and one of which nothing is said.
const page = await app.service('pages').find({ query: { $limit: 1 } })
same<typeof page, { total: number; limit: number; skip: number; data: Received[] }>(true)
const list = await app.service('lists').find({ query: { $limit: 1 } })
same<typeof list, Received[]>(true)
for await (const record of iterate(app.service('lists'))) same<typeof record, Received>(true)
const one = await app.service('pages').get(1)
same<typeof one, Received>(true)

// The adapters are what these types say.
const server = Fastify()
await server.register(services)
const pages: Paged<KnexService<Message>> = new KnexService<Message>({
  Model: {} as Knex,
  name: 'a',
  paginate: { default: 1 }
})
const lists: Unpaged<MemoryService<Message>> = memory<Message>()
same<Awaited<ReturnType<typeof pages.find>>, Paginated<Message>>(true)
same<Awaited<ReturnType<typeof lists.find>>, Message[]>(true)
server.service('pages', pages).on('created', (record) => same<typeof record, Message>(true))
