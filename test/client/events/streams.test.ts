import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createClient, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import t, { type Test } from 'tap'
import { clientsOf, type Note, until } from '../../support/events-site.js'

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

/** A server whose streams go as they are told to, one after the other; lists have a record. */
async function openStreams(t: Test, ...answers: Answer[]) {
  const records = [{ id: 1 }]
  const requests: { method: string | undefined; url: string; position: string | undefined; body: string }[] = []
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    if (!url.startsWith('/events')) {
      response.setHeader('content-type', 'application/json')
      return response.end(method === 'GET' ? JSON.stringify(records) : '{"id":2}')
    }
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push({ method, url: decodeURIComponent(url), position: headers['last-event-id'] as string, body })
    ;(answers.shift() ?? hold())(response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { address, records, requests, createStreamClient: clientsOf(t, address) }
}

const head = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const frame = (data: object, id?: string) => `${id ? `id: ${id}\n` : ''}data: ${JSON.stringify(data)}\n\n`
const connected = (more: object = {}, id?: string) => frame({ path: 'events', event: 'connected', ...more }, id)
const created = (id: number, more: object = {}) =>
  frame({ path: 'notes', event: 'created', data: { id }, ...more }, `p${id}`)

/** Begins a stream with these frames, and keeps it open. */
const hold =
  (...frames: string[]): Answer =>
  (response) =>
    head(response).write(connected({ heartbeat: 60_000 }, 'p0') + frames.join(''))
/** A stream that ends behind these frames. */
const end =
  (...frames: string[]): Answer =>
  (response) =>
    head(response).end(`retry: 1\n\n${frames.join('')}`)
const refuse =
  (status: number, headers = {}): Answer =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ message: 'no' }))

function listenTo(app: ReturnType<ReturnType<typeof clientsOf>>) {
  const heard: number[] = []
  app.service('notes').on('created', ({ id }: Note) => heard.push(id))
  return heard
}

// A stream that ends at once is not useful: this one lasts a second. What is not asked at once would be asked in 15 seconds at the earliest.
t.test(
  'a stream that ends goes on where it was, at once when the login had expired',
  { timeout: 10_000 },
  async (t) => {
    const stopped = frame({ path: 'events', event: 'stopped', reason: 'expired' })
    const expire: Answer = async (response) => {
      head(response).write(`retry: 60000\n\n${connected({}, 'p0')}${created(1)}`)
      await setTimeout(1100)
      response.end(stopped)
    }
    const { requests, createStreamClient } = await openStreams(t, expire, hold(created(2)))
    const app = createStreamClient()
    const states: string[] = []
    for (const state of ['live', 'stale'] as const) app.events.on(state, () => states.push(state))
    const heard = listenTo(app)
    await until(() => heard.length === 2)
    t.same(states, ['live', 'stale', 'live'])
    t.same(
      requests.map(({ position }) => position),
      [undefined, 'p1']
    )
    t.match(requests[0]?.url, '/events?subscribe[0][path]=notes')
  }
)

t.test('a silent stream is given up: before it begins, and between heartbeats', async (t) => {
  const { requests, createStreamClient } = await openStreams(
    t,
    (response) => head(response).flushHeaders(),
    (response) => head(response).write(connected({ heartbeat: 20 }, 'a'))
  )
  const app = createStreamClient({ heartbeat: 40 })
  listenTo(app)
  await until(() => requests.length === 3)
  t.equal(requests[2]?.position, 'a')
})

t.test(
  'a stream that a proxy holds back, or that never answers: the list is read all the same, with a warning',
  async (t) => {
    const heldBack: Answer = (response) => head(response).flushHeaders()
    for (const answer of [heldBack, () => {}]) {
      const { createStreamClient } = await openStreams(t, answer, answer, hold())
      const patient = createStreamClient().service('notes').live()
      const states = new Set<string>()
      const stop = patient.subscribe(({ state }) => states.add(state))
      await until(() => patient.current.data.length === 1)
      t.same([...states], ['loading', 'stale'])
      stop()
      const warnings: string[] = []
      const app = createStreamClient({ heartbeat: 40, logger: { warn: (text) => warnings.push(text) } })
      const list = app.service('notes').live()
      list.subscribe(() => {})
      await until(() => list.current.state === 'live')
      t.same(warnings, ['Streams of events are silent: a proxy between here and the server may buffer or cut them'])
      app.events.close()
    }
  }
)

t.test('a list that was read before its stream began is read again: nothing in between is lost', async (t) => {
  let begin = () => {}
  const late: Answer = (response) => {
    begin = () => hold()(response, undefined as never)
  }
  const { records, createStreamClient } = await openStreams(t, late)
  const list = createStreamClient().service('notes').live()
  const states: string[] = []
  list.subscribe(({ state, data }) => states.push(`${state} ${data.length}`))
  await until(() => list.current.data.length === 1)
  records.push({ id: 2 })
  begin()
  await until(() => list.current.state === 'live')
  t.same(states, ['loading 0', 'stale 1', 'live 2'])
})

t.test('without a network, a list that was read is stale, and not in error by turns', async (t) => {
  const { createStreamClient } = await openStreams(t)
  let isAway = false
  let failures = 0
  const app = createStreamClient({}, async (url: string, init: object) => {
    if (!isAway) return fetch(url, init)
    if (!url.includes('/events')) failures++
    throw new TypeError('Failed to fetch')
  })
  const list = app.service('notes').live()
  const states: string[] = []
  list.subscribe(({ state }) => states.push(state))
  await until(() => list.current.state === 'live')
  isAway = true
  // The stream is opened again for another list, and is away.
  app.service('rooms').on('created', () => {})
  await until(() => failures > 1)
  t.equal(list.current.state, 'stale')
  t.notOk(states.includes('error'))
  isAway = false
  await until(() => list.current.state === 'live')
})

t.test('a server that is away is tried again, and one that refuses is not', async (t) => {
  const { requests, createStreamClient } = await openStreams(
    t,
    refuse(503, { 'retry-after': '0' }),
    refuse(403),
    hold(created(3))
  )
  const app = createStreamClient()
  const errors: unknown[] = []
  app.events.on('stale', ({ error }: { error: Error }) => errors.push([app.events.state, error.name]))
  app.events.on('stopped', ({ error }: { error: Error }) => errors.push([app.events.state, error.name, error.message]))
  const heard = listenTo(app)
  await until(() => errors.length === 2)
  t.same(errors, [
    ['stale', 'Unavailable'],
    ['stopped', 'Forbidden', 'no']
  ])
  const list = app.service('notes').live()
  list.subscribe(() => {})
  await until(() => list.current.data.length === 1)
  t.match(
    list.current,
    { state: 'stale', data: [{ id: 1 }], error: { name: 'Forbidden' } },
    'a list that is read, but not live'
  )
  t.equal(requests.length, 2)
  app.service('rooms').on('created', () => {})
  await until(() => heard.length === 1 && list.current.state === 'live')
})

t.test('streams that end at once: the developer is told once', async (t) => {
  const { requests, createStreamClient } = await openStreams(t, ...Array.from({ length: 6 }, () => end()))
  const warnings: string[] = []
  const app = createStreamClient({ logger: { warn: (text) => warnings.push(text) } })
  listenTo(app)
  await until(() => requests.length === 7)
  t.same(warnings, ['Streams of events end at once: a proxy between here and the server may buffer or cut them'])
})

t.test('streams that end at once since a login has expired are not opened without a pause', async (t) => {
  const stopped = frame({ path: 'events', event: 'stopped', reason: 'expired' })
  const { createStreamClient } = await openStreams(t, ...Array.from({ length: 3 }, () => end(connected(), stopped)))
  const warned = new Promise((resolve) => listenTo(createStreamClient({ logger: { warn: resolve } })))
  t.match(await warned, 'Streams of events end at once')
})

t.test('what is no stream is told', async (t) => {
  const page: Answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')
  const { address, createStreamClient } = await openStreams(t, page)
  const app = createStreamClient()
  const told = new Promise<{ error: Error }>((resolve) => app.events.once('stopped', resolve as never))
  listenTo(app)
  t.equal((await told).error.message, `${address}/events answers with no stream of events`)

  const bodiless = async (url: string, init: object) => {
    const { status, headers } = await fetch(url, init)
    return { status, headers, body: null, text: async () => '' }
  }
  const without = createStreamClient({ fetch: bodiless })
  const bodilessTold = new Promise<{ error: Error }>((resolve) => without.events.once('stopped', resolve as never))
  listenTo(without)
  t.match((await bodilessTold).error.message, 'This fetch gives no streams')
})

t.test('many lists are asked for by QUERY, and by GET where the server does not know it', async (t) => {
  const { requests, createStreamClient } = await openStreams(t, hold(), refuse(405), hold())
  const app = createStreamClient()
  const text = 'x'.repeat(2000)
  app
    .service('notes')
    .live({ query: { text } })
    .subscribe(() => {})
  await until(() => app.events.state === 'live')
  app
    .service('notes')
    .live({ query: { kind: 'a' } })
    .subscribe(() => {})
  await until(() => requests.length === 3)
  t.same(
    requests.map(({ method }) => method),
    ['QUERY', 'QUERY', 'GET']
  )
  t.same(JSON.parse(requests[0]?.body ?? ''), { subscribe: [{ path: 'notes', query: { text } }] })
})

t.test('one list that is refused, and events of two lists', async (t) => {
  const error = { name: 'Forbidden', code: 403, message: 'not yours' }
  const { createStreamClient } = await openStreams(
    t,
    hold(
      frame({ path: 'events', event: 'stopped', reason: 'forbidden', subscriptions: [0], error }),
      created(5, { subscriptions: [1, 7] }),
      frame({ path: 'events', event: 'reset' }, 'r'),
      'data: no JSON\n\ndata: 1\n\ndata: {"event":1}\n\n'
    )
  )
  const app = createStreamClient()
  const told: unknown[] = []
  app.events.on('stopped', ({ error }: { error: Error }) => told.push(error.message))
  app.events.on('reset', () => told.push('reset'))
  const rooms = app.service('rooms').live({ query: { a: 1 } })
  const list = app.service('private').live()
  list.subscribe(() => {})
  rooms.subscribe(() => {})
  const heard: unknown[] = []
  app.service('rooms').on('created', (record) => heard.push(record))
  await until(() => told.length === 2 && list.current.data.length === 1)
  t.same(told, ['not yours', 'reset'])
  t.equal(heard.length, 1)
})

t.test('a server of Feathers 6, which knows no positions', async (t) => {
  const events =
    (...frames: object[]): Answer =>
    (response) =>
      head(response).end(frames.map((data) => frame(data)).join(''))
  const begin = { path: 'events', event: 'connected', data: {} }
  const { requests, createStreamClient } = await openStreams(
    t,
    events(begin, { path: 'notes', event: 'created', data: { id: 4, text: 'whole' } }),
    events(begin)
  )
  const app = createStreamClient()
  const heard: unknown[] = []
  app.service('notes').on('created', (record) => heard.push(record))
  const list = app.service('notes').live()
  let reads = 0
  app.service('notes').hooks({ before: { find: [() => void reads++] } })
  list.subscribe(() => {})
  await until(() => requests.length === 2 && reads > 1)
  t.same(heard, [{ id: 4, text: 'whole' }])
})

t.test('events() needs a server, and leaves services of other servers alone', async (t) => {
  t.throws(() => createClient().configure(events()), { message: /^events\(\) needs a server/ })
  const { address, createStreamClient } = await openStreams(t)
  const app = createStreamClient()
  app.use('other' as 'notes', rest('http://other.example').fetch(fetch).service('other'))
  t.equal('live' in app.service('other' as 'notes'), false)
  t.equal('live' in app.service('notes'), true)
  const axios = Object.assign(() => {}, { get() {} })
  const library = createClient()
    .configure(rest(address).axios(axios as never))
    .configure(events())
  t.equal(library.events.state, 'idle')
})

t.test('a list that is wanted twice while the first stream is not there yet has missed nothing', async (t) => {
  const { createStreamClient } = await openStreams(t, refuse(503, { 'retry-after': '0' }), hold(created(1)))
  const app = createStreamClient()
  const told: string[] = []
  app.events.on('reset', () => told.push('reset'))
  const stale = new Promise((resolve) => app.events.once('stale', resolve))
  const heard = listenTo(app)
  await stale
  app
    .service('notes')
    .live()
    .subscribe(() => {})
  await until(() => heard.length === 1)
  t.same(told, [])
})
