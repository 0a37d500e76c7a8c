import { createClient, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import t from 'tap'
import { openEventsSite, until } from '../../support/events-site.js'

t.test('a loop over a list gets what it is now, and ends with the client', async (t) => {
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  const app = createEventsClient()
  const lengths: number[] = []
  for await (const { data, state } of app.service('notes').live()) {
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
  const { createEventsClient, createServerNote } = await openEventsSite(t)
  const app = createEventsClient()
  const [secret, list] = [app.service('private').live(), app.service('notes').live()]
  secret.subscribe(() => {})
  list.subscribe(() => {})
  await until(() => list.current.state === 'live' && secret.current.state === 'error')
  await createServerNote({ text: 'a' })
  await until(() => list.current.data.length === 1)
  t.equal(secret.current.error?.name, 'NotAuthenticated')
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
