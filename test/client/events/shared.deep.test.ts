import { Forbidden } from 'fastify-services'
import t, { type Test } from 'tap'
import { openBrowser } from '../../support/events-browser.js'
import { openEventsSite, until } from '../../support/events-site.js'

t.test('tabs share a stream, and the next one goes on with it; hidden pages do not read', async (t) => {
  const { document, dispatch, listeners } = openBrowser(t)
  const { app, createEventsClient, createServerNote } = await openEventsSite(t)
  const tabs = [createEventsClient(), createEventsClient(), createEventsClient()]
  const lists = tabs.map((tab) => tab.service('notes').live())
  const heard: unknown[] = []
  tabs[1]?.service('notes').on('created', (record) => heard.push(record))
  for (const list of lists) list.subscribe(() => {})
  const areAll = (length: number) =>
    lists.every(({ current }) => current.state === 'live' && current.data.length === length)
  await until(() => areAll(0))
  t.equal(app.events.streams, 1)
  tabs[2]
    ?.service('rooms')
    .live({ query: { kind: 'a' } })
    .subscribe(() => {})

  await createServerNote({ text: 'a' })
  await until(() => areAll(1))
  await tabs[2]?.service('notes').create({ text: 'b' })
  await until(() => areAll(2) && heard.length === 2)

  dispatch('pageshow')
  dispatch('online')
  dispatch('pageshow', { persisted: true })
  tabs[0]?.events.close()
  lists.shift()
  await createServerNote({ text: 'c' })
  await until(() => areAll(3) && heard.length === 3)
  t.same(heard, [{ id: 1 }, { id: 2 }, { id: 3 }])

  document.hidden = true
  await createServerNote({ text: 'd' })
  await until(() => heard.length === 4)
  t.ok(areAll(3), 'nothing is read')
  document.hidden = false
  dispatch('visibilitychange')
  await until(() => areAll(4))

  const further = tabs[1]?.service('notes').live({ query: { text: 'e' } })
  const unsubscribe = further?.subscribe(() => {})
  await until(() => further?.current.state === 'live')
  unsubscribe?.()
  app.server.closeAllConnections()
  await createServerNote({ text: 'e' })
  await until(() => areAll(5))

  for (const tab of tabs) tab.events.close()
  t.same(
    [...listeners].filter(([type, set]) => type !== 'visibilitychange' && set.size > 0),
    []
  )
})

t.test('a list that is refused is asked for again by the tab that has the stream', async (t) => {
  openBrowser(t)
  let isMember = true
  const { app: server, createEventsClient } = await openEventsSite(t)
  const requireMember = () => {
    if (!isMember) throw new Forbidden('not a member')
  }
  server.service('private').hooks({ before: { find: [requireMember] } })
  const tabs = [createEventsClient(), createEventsClient()] as const
  for (const tab of tabs) await tab.authenticate({ strategy: 'local', email: 'ada', password: 'ada' })
  const notes = tabs[0].service('notes').live()
  notes.subscribe(() => {})
  await until(() => notes.current.state === 'live')
  const list = tabs[1].service('private').live()
  list.subscribe(() => {})
  await until(() => list.current.state === 'live')
  t.equal(server.events.streams, 1)
  isMember = false
  await server.events.recheck(1)
  await until(() => list.current.state === 'error')
  isMember = true
  await until(() => list.current.state === 'live')
  t.equal(server.events.streams, 1)
})

/** A site whose tabs share a stream; from `hold` on, what a tab says of lists with `rooms` is said by `sayLists`. */
async function openLateSite(t: Test) {
  openBrowser(t)
  const site = await openEventsSite(t, { services: { notes: true, rooms: true } })
  const Channel = globalThis.BroadcastChannel
  t.teardown(() => Object.assign(globalThis, { BroadcastChannel: Channel }))
  let isHeld = false
  const late = {
    sayLists: () => {},
    hold() {
      isHeld = true
    }
  }
  globalThis.BroadcastChannel = class extends Channel {
    override postMessage(message: { lists?: unknown }): void {
      const send = () => super.postMessage(message)
      if (isHeld && JSON.stringify(message.lists ?? '').includes('rooms')) late.sayLists = send
      else send()
    }
  }
  return { ...site, late }
}

interface List {
  readonly current: { readonly data: readonly unknown[] }
}

/** A record of rooms comes between two of notes, whose list hears of both; the list of rooms has it once its tab is heard. */
async function sayListsLate(t: Test, site: Awaited<ReturnType<typeof openLateSite>>, notes: List, rooms: List) {
  await site.createServerNote({ text: 'a' })
  await until(() => notes.current.data.length === 1)
  await site.app.service('rooms').create({ kind: 'a' } as never)
  await site.createServerNote({ text: 'b' })
  await until(() => notes.current.data.length === 2)
  t.equal(rooms.current.data.length, 0)
  site.late.sayLists()
  await until(() => rooms.current.data.length === 1)
}

t.test('a tab that says its lists late to the next one with the stream reads them anew', async (t) => {
  const site = await openLateSite(t)
  const { createEventsClient, late } = site
  const [first, second, third] = [createEventsClient(), createEventsClient(), createEventsClient()]
  const notes = second.service('notes').live()
  const rooms = third.service('rooms').live()
  const resets: unknown[] = []
  third.events.on('reset', ({ keys }: { keys?: readonly string[] }) => resets.push(keys))
  const lists = [first.service('notes').live(), notes, rooms]
  for (const list of lists) {
    list.subscribe(() => {})
    await until(() => list.current.state === 'live')
  }
  late.hold()
  first.events.close()
  await sayListsLate(t, site, notes, rooms)
  t.same(resets, [['["rooms",{}]']])
})

t.test('so does a tab that has opened a list that the stream had for another tab', async (t) => {
  const site = await openLateSite(t)
  const { createEventsClient, late } = site
  const [first, second, third] = [createEventsClient(), createEventsClient(), createEventsClient()]
  const notes = second.service('notes').live()
  const lists = [first.service('rooms').live(), notes, third.service('notes').live()]
  for (const list of lists) {
    list.subscribe(() => {})
    await until(() => list.current.state === 'live')
  }
  late.hold()
  const rooms = third.service('rooms').live()
  rooms.subscribe(() => {})
  await until(() => rooms.current.state === 'live')
  first.events.close()
  await sayListsLate(t, site, notes, rooms)
})

t.test(
  'a tab that opens lists that the stream has already moves no other back: the next one tells nothing twice',
  async (t) => {
    openBrowser(t)
    const { createEventsClient, createServerNote } = await openEventsSite(t)
    const [first, second, third] = [createEventsClient(), createEventsClient(), createEventsClient()]
    const lists = [first, second, third].map((tab) => tab.service('notes').live())
    const heard: number[] = []
    for (const list of lists.slice(0, 2)) {
      list.subscribe(() => {})
      await until(() => list.current.state === 'live')
    }
    second.service('notes').on('created', ({ id }) => heard.push(id))
    await createServerNote({ text: 'a' })
    await until(() => heard.length === 1)
    lists[2]?.subscribe(() => {})
    await until(() => lists[2]?.current.state === 'live')
    first.events.close()
    await createServerNote({ text: 'b' })
    await until(() => heard.at(-1) === 2)
    t.same(heard, [1, 2])
  }
)

t.test('tabs of two users have a stream each, and hear what is told to their user alone', async (t) => {
  openBrowser(t)
  const { app, createEventsClient } = await openEventsSite(t)
  const open = async (email: string) => {
    const tab = createEventsClient()
    await tab.authenticate({ strategy: 'local', email, password: email })
    return { tab, heard: [] as number[] }
  }
  const [ada, bob] = [
    [await open('ada'), await open('ada')],
    [await open('bob'), await open('bob')]
  ]
  const all = [...ada, ...bob]
  for (const { tab, heard } of all) tab.service('private').on('created', ({ id }) => heard.push(id))
  await until(() => all.every(({ tab }) => tab.events.state === 'live'))
  t.equal(app.events.streams, 2)
  await bob[0]?.tab.service('private').create({ text: 'of Bob' })
  await until(() => bob.every(({ heard }) => heard.length === 1))
  await ada[0]?.tab.service('private').create({ text: 'of Ada' })
  await until(() => ada.every(({ heard }) => heard.length >= 1))
  t.same(
    all.map(({ heard }) => heard),
    [[2], [2], [1], [1]]
  )
})

t.test('pages that may use no locks have a stream each, whether they may tell others of logins or not', async (t) => {
  openBrowser(t, false)
  const { app, createEventsClient, createServerNote } = await openEventsSite(t)
  const tabs = [createEventsClient(), createEventsClient()]
  const { BroadcastChannel } = globalThis
  t.teardown(() => Object.assign(globalThis, { BroadcastChannel }))
  const open = (tab: (typeof tabs)[number]) => {
    const list = tab.service('notes').live()
    list.subscribe(() => {})
    return list
  }
  const first = open(tabs[0] as never)
  await until(() => first.current.state === 'live')
  class Refused {
    constructor() {
      throw new DOMException('Access is denied', 'SecurityError')
    }
  }
  Object.assign(globalThis, { BroadcastChannel: Refused })
  await tabs[1]?.authenticate({ strategy: 'local', email: 'ada', password: 'ada' })
  const second = open(tabs[1] as never)
  await until(() => second.current.state === 'live')
  t.equal(app.events.streams, 2)
  await createServerNote({ text: 'a' })
  await until(() => [first, second].every(({ current }) => current.data.length === 1))
  const stopped = createEventsClient()
  open(stopped)
  stopped.events.close()
  await until(() => stopped.events.state === 'closed')
})

t.test('a page that goes takes its lists with it, and has them again when it is shown again', async (t) => {
  const { dispatch } = openBrowser(t)
  const { app, createEventsClient, createServerNote } = await openEventsSite(t)
  const list = createEventsClient().service('notes').live()
  list.subscribe(() => {})
  await until(() => list.current.state === 'live')
  dispatch('pagehide')
  await createServerNote({ text: 'a' })
  dispatch('pageshow', { persisted: true })
  await until(() => app.events.streams === 1 && list.current.data.length === 1)
  createEventsClient()
  dispatch('pagehide')
  dispatch('pageshow', { persisted: true })
  await until(() => app.events.streams === 1)
})
