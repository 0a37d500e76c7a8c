import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import t from 'tap'
import { root } from '../package/sources.js'
import { memory, startEvents } from '../support/events-app.js'
import { installIn } from '../support/install.js'

interface Client {
  configure(plugin: unknown): Client
  setup(): Promise<unknown>
  service(path: string): {
    on(event: string, listener: (data: unknown) => void): void
    create(data: object): Promise<unknown>
  }
}

t.test('the client of Feathers 6 hears this server', async (t) => {
  const folder = join(root, 'test/events/feathers-6')
  await installIn(folder)
  const { feathers } = await import(join(folder, 'node_modules/feathers/lib/index.js'))
  const { fetchClient } = await import(join(folder, 'node_modules/feathers/lib/client/index.js'))
  const { app, call } = await startEvents(
    t,
    (app) => {
      app.service('notes', memory())
      app.service('chats', memory())
    },
    { services: { notes: true, chats: { records: true } } }
  )
  const { port } = app.server.address() as { port: number }
  const leave = new AbortController()
  t.teardown(() => leave.abort())
  const fetchUntil = (url: string, init: RequestInit) =>
    fetch(url, { ...init, signal: AbortSignal.any([leave.signal, ...(init.signal ? [init.signal] : [])]) })
  const client: Client = feathers().configure(
    fetchClient(fetchUntil, { baseUrl: `http://127.0.0.1:${port}`, sse: 'events' })
  )
  const connected = new Promise((resolve) => client.service('events').on('connected', resolve))
  const heard: [string, unknown][] = []
  const all = new Promise<void>((resolve) => {
    for (const [path, event] of [
      ['notes', 'created'],
      ['notes', 'removed'],
      ['chats', 'created']
    ] as const)
      client.service(path).on(event, (data) => {
        heard.push([`${path} ${event}`, data])
        if (heard.length === 3) resolve()
      })
  })
  await client.setup()
  await connected
  await client.service('notes').create({ text: 'a' })
  await call('POST', '/chats', { text: 'b' })
  await call('DELETE', '/notes/1')
  await all
  t.same(heard, [
    ['notes created', { id: 1 }],
    ['chats created', { id: 1, text: 'b' }],
    ['notes removed', { id: 1 }]
  ])
})

t.test('our client hears a server of Feathers 6, and its lists stay true', async (t) => {
  const folder = join(root, 'test/events/feathers-6')
  await installIn(folder)
  const part = (name: string) => import(join(folder, 'node_modules/feathers/lib', name))
  const [{ feathers }, { createHandler, SseService }, { toNodeHandler }] = await Promise.all(
    ['index.js', 'http/index.js', 'http/node.js'].map(part)
  )
  const server = feathers()
  const notes: object[] = []
  server.use('notes', {
    find: async () => notes,
    async create(data: object) {
      const note = { id: notes.length + 1, ...data }
      notes.push(note)
      return note
    }
  })
  server.use('events', new SseService())
  server.on('connection', (connection: unknown) => server.channel('all').join(connection))
  server.publish(() => server.channel('all'))
  await server.setup()
  const listening = createServer(toNodeHandler(createHandler(server))).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  t.teardown(() => {
    listening.closeAllConnections()
    listening.close()
  })
  const { port } = listening.address() as AddressInfo
  const client = createClient()
    .configure(rest(`http://127.0.0.1:${port}`).fetch(fetch))
    .configure(events())
  t.teardown(() => client.events.close())
  const service = client.service('notes')
  const created = new Promise((resolve) => service.once('created', resolve))
  const states: [state: string, count: number][] = []
  const list = service.live({})
  const isTrue = new Promise<void>((resolve) =>
    list.subscribe(({ state, data }) => {
      states.push([state, data.length])
      if (data.length === 1) resolve()
    })
  )
  await new Promise((resolve) => client.events.once('live', resolve))
  while (list.current.state !== 'live') await wait(5)
  await server.service('notes').create({ text: 'a' })
  t.same(await created, { id: 1, text: 'a' })
  await isTrue
  t.same(states.at(0), ['loading', 0])
  t.same(states.at(-1), ['live', 1])
})
