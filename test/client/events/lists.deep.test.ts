import { MemoryService } from '@feathersjs/memory'
import type { HookContext } from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import t from 'tap'
import { type LogListener, memoryLog } from '../../../lib/events/index.js'
import { openEventsSite, until } from '../../support/events-site.js'

t.test('a loop over a list gets what it is now, and ends with the client', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  const app = createEventsClient()
  const lengths: number[] = []
  for await (const { data, state } of app.service('notes').live()) {
    // Where a machine is slow, the list is read before its stream is there.
    if (state === 'stale') continue
    t.equal(state, 'live')
    lengths.push(data.length)
    if (data.length === 1) break
    await createServerNote({ text: 'a' })
  }
  t.same(lengths, [0, 1])
  t.equal(app.events.state, 'idle')

  const iterator = app.service('notes').live()[Symbol.asyncIterator]()
  const other = app.service('notes').live()[Symbol.asyncIterator]()
  await Promise.all([iterator.next(), other.next()])
  const next = [iterator.next(), other.next()]
  await iterator.return?.()
  app.events.close()
  t.same(await Promise.all(next), [
    { done: true, value: undefined },
    { done: true, value: undefined }
  ])
  t.equal(app.events.state, 'closed')
  app
    .service('notes')
    .live()
    .subscribe(() => {})()
})

t.test('another user gets a list of their own', async (t) => {
  const { createEventsClient } = await openEventsSite(t)
  const app = createEventsClient()
  const logIn = (email: string) => app.authenticate({ strategy: 'local', email, password: email })
  await logIn('ada')
  await app.service('private').create({ text: 'secret' })
  const list = app.service('private').live()
  const texts: string[] = []
  list.subscribe(({ data, state }) => texts.push(`${state} ${data.map(({ text }) => text)}`))
  await until(() => list.current.state === 'live')
  await app.reAuthenticate(true)
  await logIn('bob')
  await until(() => list.current.state === 'live' && list.current.data.length === 0)
  await app.logout()
  await until(() => list.current.state === 'error')
  t.equal(app.events.state, 'stopped')
  await logIn('ada')
  await until(() => list.current.data.length === 1)
  t.same(texts.slice(0, 5), ['loading ', 'live secret', 'loading ', 'live ', 'loading '])
})

t.test('a list that needs a login does not keep others from being live', async (t) => {
  const { app: server, createEventsClient, createServerNote } = await openEventsSite(t)
  const app = createEventsClient()
  const [secret, list] = [app.service('private').live(), app.service('notes').live()]
  secret.subscribe(() => {})
  const stop = list.subscribe(() => {})
  await until(() => list.current.state === 'live' && secret.current.state === 'error')
  await createServerNote({ text: 'a' })
  await until(() => list.current.data.length === 1)
  t.equal(secret.current.error?.name, 'NotAuthenticated')
  stop()
  await until(() => server.events.streams === 0)
  list.subscribe(() => {})
  await until(() => list.current.state === 'live')
})

t.test('a page that is read, a read that fails, and listeners that throw', async (t) => {
  const { app: server, address, createEventsClient } = await openEventsSite(t)
  t.equal(typeof address, 'string')
  let failures = 2
  server.service('notes').hooks({
    before: {
      find: [
        ({ params }) => {
          if (params.headers?.accept === 'application/json' && failures-- > 0)
            throw Object.assign(new Error('away'), { code: 503, className: 'unavailable' })
        }
      ]
    },
    after: {
      find: [
        (context) => {
          context.result = { total: 7, data: context.result } as never
        }
      ]
    }
  })
  const app = createEventsClient()
  const list = app.service('notes').live()
  const states = new Set<string>()
  list.subscribe(({ state }) => states.add(state))
  const { error } = console
  const errors: unknown[] = []
  console.error = (reason) => errors.push(reason)
  t.teardown(() => {
    console.error = error
  })
  let calls = 0
  const stop = list.subscribe(() => {
    if (calls++ > 0) throw new Error('of a listener')
  })
  await until(() => list.current.state === 'live')
  t.ok(states.has('error'))
  t.match(list.current.result, { total: 7, data: [] })
  t.ok(errors.length > 0)
  stop()
})

t.test('listeners that are taken off end the stream', async (t) => {
  const { createEventsClient } = await openEventsSite(t)
  const app = createEventsClient()
  const listener = () => {}
  app.service('notes').on('created', listener)
  await until(() => app.events.state === 'live')
  app.service('notes').off('created', listener)
  t.equal(app.events.state, 'idle')
})

t.test('a page of an address without TLS has no hashes of its own', async (t) => {
  const { app: server, address } = await openEventsSite(t)
  const { subtle } = crypto
  Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true })
  t.teardown(() => Object.defineProperty(crypto, 'subtle', { value: subtle, configurable: true }))
  const app = createClient().configure(rest(address).fetch(fetch)).configure(events())
  t.teardown(() => app.events.close())
  const heard: unknown[] = []
  app.service('notes').on('created', (record) => heard.push(Object(record).text))
  await until(() => app.events.state === 'live')
  await app.service('notes').create({ text: 'own' })
  await server.service('notes').create({ text: 'other' } as never)
  await until(() => heard.length === 2)
  t.same(heard, ['own', undefined])
})

t.test('a second list of a query is as the first: after a reset, and of a service without events', async (t) => {
  const log = memoryLog()
  const listeners: LogListener[] = []
  const listen = (listener: LogListener) => {
    listeners.push(listener)
    return log.listen(listener)
  }
  const { createEventsClient, createServerNote } = await openEventsSite(t, { log: { ...log, listen } })
  const app = createEventsClient()
  const [first, missing] = [app.service('notes').live(), app.service('rooms').live()]
  for (const list of [first, missing]) list.subscribe(() => {})
  await until(() => first.current.state === 'live' && missing.current.state === 'stale')
  const reset = new Promise((resolve) => app.events.once('reset', resolve))
  for (const { onLoss } of listeners) onLoss()
  await reset
  const [second, missingToo] = [app.service('notes').live(), app.service('rooms').live()]
  for (const list of [second, missingToo]) list.subscribe(() => {})
  await until(() => second.current.state === 'live' && missingToo.current.result)
  t.match(missingToo.current, { state: 'stale', error: { code: 404 } })
  await createServerNote({ text: 'a' })
  await until(() => second.current.data.length === 1)
})

t.test('one list that needs a login and one that has no events leave the third live', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  const app = createEventsClient()
  const lists = (['private', 'rooms', 'notes'] as const).map((name) => app.service(name).live())
  for (const list of lists) list.subscribe(() => {})
  await until(() => lists[2]?.current.state === 'live')
  await createServerNote({ text: 'a' })
  await until(() => lists[2]?.current.data.length === 1)
  t.match(
    lists.map(({ current }) => [current.state, current.error?.name]),
    [
      ['error', 'NotAuthenticated'],
      ['stale', 'NotFound'],
      ['live', undefined]
    ]
  )
})

t.test('a clock that is set back delays no list', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  const list = createEventsClient().service('notes').live()
  list.subscribe(() => {})
  await until(() => list.current.state === 'live')
  const { now } = Date
  Date.now = () => now() - 600_000
  t.teardown(() => Object.assign(Date, { now }))
  await createServerNote({ text: 'a' })
  await until(() => list.current.data.length === 1)
})

t.test('a list of a query that JSON has no value for', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  const list = createEventsClient()
    .service('notes')
    .live({ query: { text: 1n } })
  list.subscribe(() => {})
  await until(() => list.current.state === 'live')
  await createServerNote({ text: '1' })
  await until(() => list.current.data.length === 1)
})

t.test('the event of an own custom method is heard, as by the others', async (t) => {
  class Tasks extends MemoryService {
    close({ id }: { id: number }) {
      return this._patch(id, { kind: 'closed' } as never)
    }
  }
  const emitPatched = (context: HookContext) => {
    context.event = 'patched'
  }
  const { createEventsClient } = await openEventsSite(t, { services: { tasks: true } }, (app) => {
    app.service(
      'tasks',
      new Tasks({ startId: 1 }) as object,
      {
        methods: ['find', 'create', 'patch', 'close'],
        hooks: { before: { close: [emitPatched] } }
      } as never
    )
  })
  const apps = [createEventsClient(), createEventsClient()]
  const heard = apps.map((app) => {
    const told: unknown[] = []
    for (const event of ['created', 'patched'])
      app.service('tasks' as 'notes').on(event, ({ id }) => told.push([event, id]))
    return told
  })
  await until(() => apps.every((app) => app.events.state === 'live'))
  const tasks = apps[0]?.service('tasks' as 'notes') as unknown as {
    create(data: object): Promise<object>
    close(data: object): Promise<object>
    patch(id: number, data: object): Promise<object>
  }
  await tasks.create({})
  await tasks.close({ id: 1 })
  await tasks.create({})
  await tasks.patch(2, {})
  await until(() => heard.every((told) => told.length === 4))
  const expected = [
    ['created', 1],
    ['patched', 1],
    ['created', 2],
    ['patched', 2]
  ]
  t.same(heard[1], expected)
  t.same(
    heard.map((told) => told.map(String).sort()),
    [expected, expected].map((told) => told.map(String).sort())
  )
})
