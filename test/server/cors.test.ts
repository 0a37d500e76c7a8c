import { setTimeout as wait } from 'node:timers/promises'
import cors from '@fastify/cors'
import limits from '@fastify/rate-limit'
import Fastify from 'fastify'
import services, { corsOptions, idempotency, version } from 'fastify-services'
import authentication from 'fastify-services/authentication'
import { createClient, authentication as login, memoryStorage, rest } from 'fastify-services/client'
import { events as streams } from 'fastify-services/client/events'
import events from 'fastify-services/events'
import { MemoryService } from 'fastify-services/memory'
import t, { type Test } from 'tap'

/** What a browser sends, or shows to a page, without a word of the server: https://fetch.spec.whatwg.org */
const sentAnyway = ['accept', 'accept-language', 'content-language', 'range']
const shownAnyway = ['cache-control', 'content-language', 'content-length', 'content-type', 'expires', 'last-modified']
/** What belongs to the connection, a proxy, or CORS itself. */
const ofBrowser =
  /^(access-control-.*|connection|content-encoding|date|keep-alive|transfer-encoding|vary|x-accel-buffering)$/

let last = 0
class Notes extends MemoryService<{ id: number; text: string; version: number }> {
  async count() {
    return { count: 2 }
  }
}

async function serve(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(cors, { origin: 'https://app.example.com', ...corsOptions })
  await app.register(limits, { max: 100 })
  await app.register(services)
  app.service('users', new MemoryService())
  await app.register(authentication, { secret: 's'.repeat(32), rateLimit: { user: 3 } })
  await app.register(events, { services: { notes: true } })
  app.service('notes', new Notes({}), {
    methods: ['find', 'get', 'create', 'patch', 'count'],
    hooks: { around: { all: [version('version', { set: () => ++last })], create: [idempotency()] } }
  })
  return { app, address: await app.listen({ port: 0, host: '127.0.0.1' }) }
}

t.test('`corsOptions` has all headers of a client that uses every feature', async (t) => {
  const { address } = await serve(t)
  const sent = new Set<string>()
  const received = new Set<string>()
  const listening = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init)
    for (const [name] of new Headers(init.headers)) sent.add(name)
    for (const [name] of response.headers) received.add(name)
    return response
  }
  const storage = memoryStorage()
  const client = createClient<{ notes: Notes }>()
    .configure(rest(address, { query: 'body' }).fetch(listening as never))
    .configure(login({ storage }))
    .configure(streams({ fetch: listening as never }))
  t.teardown(() => client.events.close())
  const notes = client.service('notes')
  const headers = { 'Idempotency-Key': 'a' }
  await notes.create({ text: 'a' }, { headers })
  const { id, version: first } = await notes.create({ text: 'a' }, { headers })
  await notes.patch(id, { text: 'b' }, { ifMatch: first })
  await notes.find({ query: { text: { $in: [] } } })
  await notes.count()
  const list = notes.live()
  t.teardown(list.subscribe(() => undefined))
  while (list.current.state !== 'live') await wait(10)
  await client.service('notes').create({ text: 'c' })
  for (const _ of [1, 2, 3, 4])
    await client.authenticate({ strategy: 'local', email: 'a', password: 'b' }).catch(() => undefined)
  await storage.setItem('feathers-jwt', 'a')
  await notes.find().catch(() => undefined)

  const lower = (names: string[]) => names.map((name) => name.toLowerCase())
  const allowed = lower(corsOptions.allowedHeaders)
  t.same(
    [...sent].filter((name) => ![...allowed, ...sentAnyway].includes(name)),
    [],
    'sent'
  )
  for (const name of ['authorization', 'idempotency-key', 'if-match', 'x-events-call', 'x-service-method'])
    t.ok(sent.has(name), name)
  const exposed = lower(corsOptions.exposedHeaders)
  const hidden = [...received].filter((name) => ![...exposed, ...shownAnyway].includes(name) && !ofBrowser.test(name))
  t.same(hidden, [], 'received')
  for (const name of ['etag', 'idempotency-replayed', 'retry-after']) t.ok(received.has(name), name)
})

t.test('a preflight gets them', async (t) => {
  const { app } = await serve(t)
  const { headers, statusCode } = await app.inject({
    method: 'OPTIONS',
    url: '/notes/1',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'PATCH' }
  })
  t.equal(statusCode, 204)
  t.match(headers['access-control-allow-methods'], /PATCH.*QUERY/)
  t.match(headers['access-control-allow-headers'], /Idempotency-Key.*Last-Event-ID.*X-Service-Method/)
})
