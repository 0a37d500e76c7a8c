import type { HookContext } from 'fastify-services'
import t from 'tap'
import { openEventsSite, until } from '../../support/events-site.js'

type AnyContext = HookContext & { result: unknown }

const replaceConnection = ({ params }: AnyContext) => {
  params.connection = { cache: 'no-store' }
}
const mapResult = (context: AnyContext) => {
  context.result = (context.result as object[]).map((record) => ({ ...record, isSeen: true }))
}
const cache = new Map<string, unknown>()
const readCache = (context: AnyContext) => {
  if (context.path === 'events' && cache.has(context.path)) context.result = cache.get(context.path)
}
const fillCache = ({ path, result }: AnyContext) => void cache.set(path, result)
const addQuery = ({ params }: AnyContext) => {
  params.query = { ...params.query, $limit: 5 }
  params.headers = { 'X-Tenant': 'a' }
}

const cases = {
  'replace the options of the library': { before: { all: [replaceConnection] } },
  'make another result of each list': { after: { find: [mapResult] } },
  'answer from a cache': { before: { find: [readCache] }, after: { find: [fillCache] } },
  'replace headers and the query': { before: { all: [addQuery] } }
}

for (const [name, hooks] of Object.entries(cases))
  t.test(`hooks of all services that ${name} leave the stream as it is`, async (t) => {
    const positions: unknown[] = []
    const tenants = new Set<unknown>()
    const {
      app: server,
      createEventsClient,
      createServerNote
    } = await openEventsSite(t, {}, (app) => {
      app.addHook('onRequest', async ({ url, headers }) => {
        if (!url.startsWith('/events')) return
        positions.push(headers['last-event-id'])
        tenants.add(headers['x-tenant'])
      })
    })
    const app = createEventsClient()
    app.hooks(hooks as never)
    const list = app.service('notes').live()
    list.subscribe(() => {})
    await until(() => list.current.state === 'live')
    server.server.closeAllConnections()
    await until(() => list.current.state === 'stale')
    await until(() => list.current.state === 'live')
    await createServerNote({ text: 'a' })
    await until(() => list.current.data.length === 1)
    t.match(positions, [undefined, String])
    t.equal(tenants.has('a'), name.includes('headers'), 'headers that hooks add are sent')
  })
