import { setTimeout } from 'node:timers/promises'
import { Forbidden } from 'fastify-services'
import { authentication, createClient, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import t, { type Test } from 'tap'
import { type Note, openEventsSite, until } from '../../support/events-site.js'

/** A site whose notes stand within rooms. */
async function openRooms(t: Test) {
  const site = await openEventsSite(t, { services: { 'rooms/:roomId/notes': { rule: 'hooks' } } }, (app) => {
    const records: object[] = []
    app.service('rooms/:roomId/notes', {
      find: async () => records,
      create: async (data: object) => {
        records.push(data)
        return data
      }
    })
  })
  const notes = site.app.service('rooms/:roomId/notes' as never) as {
    create(data: object, params: object): Promise<unknown>
  }
  return { ...site, createRoomNote: (roomId: number) => notes.create({ id: 1 }, { route: { roomId } }) }
}

t.test('a call that has failed, and a digest that is not there: events of the server are heard', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  let isAway = false
  const app = createEventsClient({}, (url: string, init: { method: string }) =>
    isAway && init.method === 'POST' ? Promise.reject(new Error('away')) : fetch(url, init)
  )
  const heard: number[] = []
  app.service('notes').on('created', ({ id }: Note) => heard.push(id))
  await until(() => app.events.state === 'live')
  isAway = true
  await t.rejects(app.service('notes').create({ text: 'lost' }), { name: 'Unavailable' })
  isAway = false
  const { subtle } = crypto
  const digest = () => Promise.reject(new Error('no digest'))
  Object.defineProperty(crypto, 'subtle', { value: { digest }, configurable: true })
  await app.service('notes').create({ text: 'of this client' })
  Object.defineProperty(crypto, 'subtle', { value: subtle, configurable: true })
  await createServerNote({ text: 'of the server' })
  await until(() => heard.includes(2))
  t.equal(heard[0], 1)
})

t.test('more calls than are remembered', async (t) => {
  const { createEventsClient } = await openEventsSite(t)
  const answer = async () => new Response('{"id":1}', { headers: { 'content-type': 'application/json' } })
  const app = createEventsClient({}, (url: string, init: { method: string }) =>
    init.method === 'POST' ? answer() : fetch(url, init)
  )
  for (let i = 0; i < 1001; i++) await app.service('notes').create({ text: 'a' })
  t.equal(app.events.state, 'idle')
})

t.test('a listener that throws is logged, and stops nothing', async (t) => {
  const { createEventsClient } = await openEventsSite(t)
  const app = createEventsClient()
  const logged = t.capture(console, 'error')
  app.events.on('live', () => {
    throw new Error('of a listener')
  })
  const list = app.service('notes').live()
  list.subscribe(({ state }) => {
    if (state === 'live') throw new Error('of a list')
  })
  await until(() => list.current.state === 'live')
  t.same(
    logged.args().map(([error]) => (error as Error).message),
    ['of a listener', 'of a list']
  )
})

t.test('a list that comes and goes while a stream is connecting changes nothing', async (t) => {
  const { createEventsClient } = await openEventsSite(t)
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let streams = 0
  const app = createEventsClient({}, async (url: string, init: object) => {
    if (url.includes('/events')) {
      streams++
      await opened
    }
    return fetch(url, init)
  })
  const list = app.service('notes').live()
  list.subscribe(() => {})
  await until(() => streams === 1)
  const stop = app
    .service('notes')
    .live({ query: { id: 1 } })
    .subscribe(() => {})
  stop()
  // Longer than changes are collected.
  await setTimeout(150)
  open()
  await until(() => list.current.state === 'live')
  t.equal(streams, 1)
})

t.test('a library that refuses the verb QUERY is asked by GET', async (t) => {
  const { createEventsClient } = await openEventsSite(t)
  const methods: string[] = []
  const app = createEventsClient({}, (url: string, init: { method: string }) => {
    if (url.includes('/events')) methods.push(init.method)
    return init.method === 'QUERY' ? Promise.reject(new TypeError('no such verb')) : fetch(url, init)
  })
  for (let part = 0; part < 20; part++)
    app
      .service('notes')
      .live({ query: { text: `${'x'.repeat(100)}${part}` } })
      .subscribe(() => {})
  await until(() => app.events.state === 'live')
  t.same(methods.slice(0, 2), ['QUERY', 'GET'])
})

t.test('a storage that fails once: the stream is opened all the same', async (t) => {
  const { address } = await openEventsSite(t)
  let failures = 1
  const storage = {
    getItem() {
      if (failures-- > 0) throw new Error('The storage is locked')
      return null
    },
    setItem() {},
    removeItem() {}
  }
  const app = createClient({ logger: false })
    .configure(rest(address).fetch(fetch))
    .configure(authentication({ storage }))
    .configure(events({ logger: false }))
  t.teardown(() => app.events.close())
  app.service('notes').on('created', () => {})
  await until(() => app.events.state === 'live')
})

t.test('a listener that ends a list at once', async (t) => {
  const { createEventsClient } = await openEventsSite(t)
  const app = createEventsClient()
  app.service('notes').on('created', () => {})
  await until(() => app.events.state === 'live')
  const list = app.service('notes').live()
  const { next } = list[Symbol.asyncIterator]()
  await next()
  const states: string[] = []
  const stop = list.subscribe(({ state }) => void states.push(state))
  stop()
  t.same(states, ['live'])
})

t.test('credentials that are no token, and an answer that is no list', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t, {}, (app) => {
    app.addHook('onSend', async (request, _reply, payload) =>
      request.headers['x-odd'] === 'yes' ? '{"odd":true}' : payload
    )
  })
  for (const Authorization of ['Basic abc', 'a.b.c', `a.${btoa('null')}.c`]) {
    const app = createEventsClient({}, (url: string, init: { headers: Record<string, string> }) =>
      fetch(url, { ...init, headers: url.includes('/events') ? init.headers : { ...init.headers, 'x-odd': 'yes' } })
    )
    app.service('events' as 'notes').hooks({
      before: {
        all: [
          ({ params }) => {
            params.headers = { ...params.headers, Authorization }
          }
        ]
      }
    })
    const list = app.service('notes').live()
    list.subscribe(() => {})
    await until(() => list.current.result !== undefined)
    t.same(list.current.data, [], Authorization)
  }
  await createServerNote({ text: 'a' })
})

t.test('what is left while it is under way ends', async (t) => {
  const { createEventsClient } = await openEventsSite(t)
  const closed = createEventsClient()
  closed.service('notes').on('created', () => {})
  closed.events.close()
  t.equal(closed.events.state, 'closed')

  const early = createEventsClient()
  early.events.on('live', () => early.events.close())
  early.service('notes').on('created', () => {})
  await until(() => early.events.state === 'closed')

  let reads = 0
  const app = createEventsClient({}, (url: string, init: { method: string; signal: AbortSignal }) => {
    if (url.includes('/events')) return fetch(url, init)
    reads += 1
    return new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(init.signal.reason)))
  })
  const list = app.service('notes').live()
  const stop = list.subscribe(() => {})
  await until(() => reads === 1)
  stop()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(list.current.state, 'loading', 'no error is shown of it')

  const slow = createEventsClient()
  const waiting: (() => void)[] = []
  const wait = () => new Promise<void>((resolve) => waiting.push(resolve))
  slow.service('notes').hooks({ after: { find: [wait] } })
  const slowList = slow.service('notes').live()
  const leave = slowList.subscribe(() => {})
  await until(() => waiting.length)
  leave()
  for (const goOn of waiting) goOn()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(slowList.current.state, 'loading', 'nor an answer')
})

t.test('a stream that is cut says why, and nothing of it is told after it was left', async (t) => {
  const { createEventsClient } = await openEventsSite(t)
  const connected = 'data: {"event":"connected","path":"/events","heartbeat":0,"wait":0}\n\n'
  const streamOf = (text: string, error?: Error) =>
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
      pull: (controller) => error && controller.error(error)
    })
  const clientOf = (body: () => ReadableStream) =>
    createEventsClient({}, (url: string, init: object) =>
      url.includes('/events')
        ? Promise.resolve(new Response(body(), { headers: { 'content-type': 'text/event-stream' } }))
        : fetch(url, init)
    )

  const cut = clientOf(() => streamOf(connected, new Error('cut')))
  const list = cut.service('notes').live()
  list.subscribe(() => {})
  await until(() => list.current.error)
  t.match(list.current, { state: 'stale', error: { code: 503, message: 'cut' } })

  const left = clientOf(() => streamOf(`${connected}data: {"event":"created","path":"notes","id":1}\n\n`))
  const heard: unknown[] = []
  left.service('notes').on('created', (record) => heard.push(record))
  left.events.on('live', () => left.events.close())
  await until(() => left.events.state === 'closed')
  await new Promise((resolve) => setImmediate(resolve))
  t.same(heard, [])
})

t.test('a service whose path has placeholders', async (t) => {
  const { createEventsClient, createRoomNote } = await openRooms(t)
  const app = createEventsClient()
  const list = app.service('rooms/:roomId/notes' as 'notes').live({ route: { roomId: 7 } })
  list.subscribe(() => {})
  await until(() => list.current.state === 'live')
  await createRoomNote(7)
  await until(() => list.current.data.length === 1)
})

t.test('a login as the same user keeps a stream, and begins one again that was refused', async (t) => {
  let isRefused = false
  const { createEventsClient } = await openEventsSite(t, {}, (app) => {
    app.addHook('onRequest', async ({ url }, reply) => {
      if (isRefused && url.startsWith('/events')) return reply.code(403).send({ message: 'not now' })
    })
  })
  const app = createEventsClient()
  const login = { strategy: 'local', email: 'ada', password: 'ada' }
  await app.authenticate(login)
  const states: string[] = []
  for (const state of ['connecting', 'live', 'stopped'] as const) app.events.on(state, () => states.push(state))
  app.service('private').on('created', () => {})
  await until(() => app.events.state === 'live')
  await app.authenticate(login)
  t.same(states, ['connecting', 'live'])
  isRefused = true
  app.service('notes').on('created', () => {})
  await until(() => app.events.state === 'stopped')
  isRefused = false
  await app.authenticate(login)
  await until(() => app.events.state === 'live')
})

t.test('a list that is refused while it is live is in error, and live again with its permission', async (t) => {
  let isMember = true
  const refuse = () => {
    if (!isMember) throw new Forbidden('not a member')
  }
  const { app: server, createEventsClient } = await openEventsSite(t)
  server.service('private').hooks({ before: { find: [refuse] } })
  // One has no other list, the other one's stream goes on.
  const apps = [createEventsClient(), createEventsClient()] as const
  for (const app of apps) await app.authenticate({ strategy: 'local', email: 'ada', password: 'ada' })
  apps[1]
    .service('notes')
    .live()
    .subscribe(() => {})
  const lists = apps.map((app) => app.service('private').live())
  for (const list of lists) list.subscribe(() => {})
  const all = (state: string) => () => lists.every(({ current }) => current.state === state)
  await until(all('live'))
  await apps[0].service('private').create({ text: 'a' })
  await until(() => lists.every(({ current }) => current.data.length === 1))
  isMember = false
  await server.events.recheck(1)
  await until(all('error'))
  const error = { name: 'Forbidden', message: 'not a member' }
  for (const { current } of lists) t.match(current, { data: [], result: undefined, error })
  isMember = true
  await until(all('live'))
  await until(() => lists.every(({ current }) => current.data.length === 1))
})

t.test('another tab has logged in as somebody else: the stream begins anew, without its position', async (t) => {
  const { app: server, createEventsClient, createServerNote } = await openEventsSite(t)
  const app = createEventsClient()
  const other = createEventsClient()
  await app.authenticate({ strategy: 'local', email: 'ada', password: 'ada' })
  const { accessToken } = (await other.authenticate({ strategy: 'local', email: 'bob', password: 'bob' })) as {
    accessToken: string
  }
  const heard: unknown[] = []
  app.service('notes').on('created', (note: Note) => heard.push(note.id))
  await until(() => app.events.state === 'live')
  app.service('events' as 'notes').hooks({
    before: {
      all: [
        ({ params }) => {
          params.headers = { ...params.headers, Authorization: `Bearer ${accessToken}` }
        }
      ]
    }
  })
  server.server.closeAllConnections()
  await until(() => app.events.state === 'stale')
  await until(() => app.events.state === 'live')
  await createServerNote({ text: 'a' })
  await until(() => heard.length === 1)
})
