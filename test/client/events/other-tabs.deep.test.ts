import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import auth, { authenticate, own } from 'fastify-services/authentication'
import { createClient, authentication as login, rest } from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import t, { type Test } from 'tap'
import eventsOfServer from '../../../lib/events/index.js'
import { openBrowser } from '../../support/events-browser.js'
import { openEventsSite, type SiteClient, type SiteServices, until } from '../../support/events-site.js'
import { toHash } from '../../support/stored-password.js'

const logIn = (tab: SiteClient, email: string) =>
  tab.authenticate({ strategy: 'local', email, password: email }) as Promise<unknown>

/** A server with logins by cookie and notes that each user has alone, and a browser whose tabs share the cookie. */
async function openCookieSite(t: Test) {
  openBrowser(t)
  const app = Fastify({ forceCloseConnections: true })
  await app.register(services)
  await app.register(auth, { secret: 's'.repeat(32), cookie: { secure: false } })
  app.service('users', new MemoryService({ startId: 1 }) as object, { methods: [] })
  app.service('notes', new MemoryService({ startId: 1 }) as object, {
    hooks: { around: { all: [authenticate('jwt'), own('user')] } }
  })
  await app.register(eventsOfServer, { services: { notes: true } })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  for (const email of ['ada', 'bob']) await app.service('users').create({ email, password: toHash(email) })
  let cookie = ''
  const library = async (url: string, init: RequestInit) => {
    const headers = { ...(init.headers as object), 'sec-fetch-site': 'same-origin', ...(cookie && { cookie }) }
    const response = await fetch(url, { ...init, headers })
    for (const set of response.headers.getSetCookie()) cookie = set.split(';')[0] as string
    return response
  }
  const openTab = (): SiteClient => {
    const tab = createClient<SiteServices>({ logger: false })
      .configure(rest(address).fetch(library as typeof fetch))
      .configure(login({ cookie: true }))
      .configure(events({ logger: false }))
    t.teardown(() => tab.events.close())
    return tab
  }
  const createNote = (user: number) =>
    (app.service('notes') as unknown as { create(data: object): Promise<{ id: number }> }).create({ user })
  return { app, openTab, createNote }
}

t.test('a login by cookie in one tab begins the lists of all tabs anew', async (t) => {
  const { app, openTab, createNote } = await openCookieSite(t)
  const [first, second] = [openTab(), openTab()]
  const lists = [first, second].map((tab) => tab.service('notes').live())
  for (const list of lists) list.subscribe(() => {})
  await until(() => first.events.state === 'stopped' && second.events.state === 'stopped')
  await logIn(second, 'bob')
  await until(() => lists.every(({ current }) => current.state === 'live'))
  t.equal(app.events.streams, 1)
  await createNote(2)
  await until(() => lists.every(({ current }) => current.data.length === 1))
})

t.test('a login by cookie in a tab that has no list: the others hear nothing of the former user', async (t) => {
  const { app, openTab, createNote } = await openCookieSite(t)
  const [first, second] = [openTab(), openTab()]
  await logIn(first, 'ada')
  const list = first.service('notes').live()
  const heard: unknown[] = []
  list.subscribe(() => {})
  first.service('notes').on('created', ({ id }) => heard.push(id))
  await until(() => list.current.state === 'live')
  await logIn(second, 'bob')
  const states: string[] = []
  first.events.on('live', () => states.push('live'))
  second.service('notes').on('created', ({ id }) => heard.push(id))
  await until(() => states.length > 0 && second.events.state === 'live')
  t.equal(app.events.streams, 1)
  await createNote(1)
  await createNote(2)
  await until(() => heard.length === 2)
  t.same(heard, [2, 2])

  const begun = states.length
  await second.reAuthenticate(true)
  await createNote(2)
  await until(() => heard.length === 4)
  t.equal(states.length, begun, 'who is the same changes nothing')

  await second.logout()
  await until(() => list.current.state === 'error')
})

t.test('a tab that had no list has those of who is logged in, whoever was before', async (t) => {
  const { openTab, createNote } = await openCookieSite(t)
  const [idle, second] = [openTab(), openTab()]
  for (const user of [1, 2]) await createNote(user)
  await logIn(idle, 'ada')
  await logIn(second, 'bob')
  const list = idle.service('notes').live()
  list.subscribe(() => {})
  const idsOf = () => (list.current.state === 'live' ? list.current.data.map(({ id }) => id) : [])
  await until(() => idsOf().join() === '2')
  await logIn(second, 'ada')
  await until(() => idsOf().join() === '1')
  t.same(idsOf(), [1])
})

t.test('while the server is away, tabs leave each other alone', async (t) => {
  openBrowser(t)
  const { app, address } = await openEventsSite(t)
  const tabs = [0, 1].map(() => {
    const tab = createClient<SiteServices>({ logger: false })
      .configure(rest(address).fetch(fetch))
      .configure(events({ logger: false }))
    t.teardown(() => tab.events.close())
    return tab
  })
  const lists = tabs.map((tab) => tab.service('notes').live())
  for (const list of lists) list.subscribe(() => {})
  await until(() => lists.every(({ current }) => current.state === 'live'))
  const { postMessage } = BroadcastChannel.prototype
  t.teardown(() => {
    BroadcastChannel.prototype.postMessage = postMessage
  })
  let messages = 0
  BroadcastChannel.prototype.postMessage = function (message) {
    messages++
    return postMessage.call(this, message)
  }
  await app.close()
  await until(() => lists.every(({ current }) => current.state === 'stale'))
  await new Promise((resolve) => setTimeout(resolve, 2000))
  t.ok(messages < 40, `${messages} messages`)
})

t.test(
  'a token that is new in one tab is used by the one with the stream, for all lists that were refused',
  async (t) => {
    openBrowser(t)
    let isRefused = false
    const { address, createServerNote } = await openEventsSite(t, {}, (app) => {
      app.addHook('onRequest', async ({ url }, reply) => {
        if (isRefused && url.startsWith('/events')) return reply.code(401).send({ message: 'log in', code: 401 })
      })
    })
    const stored = new Map<string, string>()
    const storage = {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => void stored.set(name, value),
      removeItem: (name: string) => void stored.delete(name)
    }
    const [first, second] = [0, 1].map(() => {
      const tab = createClient<SiteServices>({ logger: false })
        .configure(rest(address).fetch(fetch))
        .configure(login({ storage }))
        .configure(events({ logger: false }))
      t.teardown(() => tab.events.close())
      return tab
    }) as [SiteClient, SiteClient]
    await logIn(first, 'ada')
    isRefused = true
    const queries = [{ kind: 'a' }, { kind: 'b' }]
    const lists = [first, second].flatMap((tab) => queries.map((query) => tab.service('notes').live({ query })))
    for (const list of lists) list.subscribe(() => {})
    await until(() => first.events.state === 'stopped')
    isRefused = false
    await logIn(second, 'ada')
    await until(() => lists.every(({ current }) => current.state === 'live'))
    await createServerNote({ kind: 'b' })
    await until(() => lists.filter(({ current }) => current.data.length === 1).length === 2)
  }
)
