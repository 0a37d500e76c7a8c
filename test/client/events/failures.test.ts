import { authentication, createClient, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import t from 'tap'
import { type Note, openEventsSite, until } from '../../support/events-site.js'

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
