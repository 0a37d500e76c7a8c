import { join } from 'node:path'
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
