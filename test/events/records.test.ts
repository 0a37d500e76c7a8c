import t, { type Test } from 'tap'
import type { HookContext } from '../../index.js'
import { type EventsOptions, memoryLog } from '../../lib/events/index.js'
import { list, memory, readUser, startEvents } from '../support/events-app.js'

const bob = { 'x-user': 'bob' }

/** A server on which Bob sees the notes of his groups, and gets records. */
async function startGroups(t: Test, options: Partial<EventsOptions> = {}, after: object = {}) {
  const groups = new Set<string>()
  const ofGroups = ({ params }: HookContext) => {
    if (params.user) params.query = { ...params.query, group: { $in: [...groups, 'none'] } }
  }
  const api = await startEvents(
    t,
    (app) =>
      app.service('notes', memory(), {
        hooks: { before: { all: [readUser], find: [ofGroups], get: [ofGroups] }, after }
      }),
    { services: { notes: { records: true, rule: 'hooks' } }, ...options }
  )
  return { ...api, groups }
}

const told = (frames: readonly { event: string; data?: unknown }[]) => frames.map(({ event, data }) => [event, data])

t.test('who joins a group and goes on behind an older position gets ids, and no text of before', async (t) => {
  const { subscribe, call, groups } = await startGroups(t)
  const first = await subscribe(list('notes'), bob).connected
  await call('POST', '/notes', { group: 'a', text: 'SECRET' })
  await call('PATCH', '/notes/1', { text: 'clean' })
  await call('POST', '/notes', { group: 'a', text: 'SECRET' })
  await call('DELETE', '/notes/2')
  groups.add('a')
  const again = await subscribe(list('notes'), { ...bob, 'last-event-id': first.id as string }).connected
  t.same(told(await again.count(4)), [
    ['created', { id: 1 }],
    ['patched', { id: 1 }],
    ['created', { id: 2 }],
    ['removed', { id: 2 }]
  ])
  await call('PATCH', '/notes/1', { text: 'new' })
  t.same(told(await again.count(5))[4], ['patched', { group: 'a', text: 'new', id: 1 }])
})

t.test('an event that comes late, as from another process, has the record of now', async (t) => {
  const log = memoryLog()
  const late: (() => void)[] = []
  const { subscribe, call, groups } = await startGroups(t, {
    log: { ...log, append: (event) => void late.push(() => void log.append(event)) }
  })
  // It wants events from now on.
  await subscribe(list('notes')).connected
  await call('POST', '/notes', { group: 'a', text: 'SECRET' })
  await call('PATCH', '/notes/1', { text: 'clean' })
  await call('POST', '/notes', { group: 'a', text: 'SECRET' })
  await call('DELETE', '/notes/2')
  groups.add('a')
  const stream = await subscribe(list('notes'), bob).connected
  for (const come of late) come()
  const clean = { group: 'a', text: 'clean', id: 1 }
  t.same(told(await stream.count(4)), [
    ['created', clean],
    ['patched', clean],
    ['created', { id: 2 }],
    ['removed', { id: 2 }]
  ])
})

t.test('a change whose hook takes long is told behind a later one with the record of now', async (t) => {
  let release = () => {}
  const slow = async ({ data }: HookContext) => {
    if (data.text !== 'old') return
    await new Promise<void>((resolve) => {
      release = resolve
    })
  }
  const { subscribe, call } = await startGroups(t, {}, { patch: [slow] })
  const stream = await subscribe(list('notes')).connected
  await call('POST', '/notes', { text: 'a' })
  const first = call('PATCH', '/notes/1', { text: 'old' })
  while ((await call('GET', '/notes/1')).body.includes('"a"')) await new Promise(setImmediate)
  await call('PATCH', '/notes/1', { text: 'new' })
  release()
  await first
  t.same(told(await stream.count(3)).slice(1), [
    ['patched', { text: 'new', id: 1 }],
    ['patched', { text: 'new', id: 1 }]
  ])
})

t.test('lists of a stream that show the same record ask for it once', async (t) => {
  let gets = 0
  const count = () => {
    gets += 1
  }
  const { subscribe, call } = await startGroups(t, {}, { get: [count] })
  const url = '/events?subscribe[0][path]=notes&subscribe[1][path]=notes&subscribe[1][query][text]=a'
  const stream = await subscribe(url).connected
  await call('POST', '/notes', { text: 'a' })
  t.match(await stream.count(1), [{ subscriptions: [0, 1], data: { text: 'a', id: 1 } }])
  t.equal(gets, 1)
})

t.test('an event that `publish` holds up has no id for a user whose membership has ended meanwhile', async (t) => {
  for (const isResumed of [false, true]) {
    const gates: ((isAllowed: boolean) => void)[] = []
    let isHeld = false
    const publish = () => !isHeld || new Promise<boolean>((resolve) => gates.push(resolve))
    const { app, subscribe, call, groups } = await startGroups(t, { publish })
    groups.add('a')
    let stream = await subscribe(list('notes'), bob).connected
    const begin = stream.id as string
    isHeld = !isResumed
    await call('POST', '/notes', { group: 'a', text: 'SECRET' })
    if (isResumed) {
      await stream.count(1)
      isHeld = true
      stream = subscribe(list('notes'), { ...bob, 'last-event-id': begin })
    }
    while (gates.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    groups.clear()
    await app.events.recheck('bob')
    for (const open of gates) open(true)
    await stream.count(1)
    t.match(stream.events[0], { event: 'reset', data: undefined }, isResumed ? 'of a replay' : 'of a live stream')
    t.notMatch(JSON.stringify(stream.events), /"id"|SECRET/)
  }
})

t.test('another route at the URL of a record gives no record', async (t) => {
  const { subscribe, call } = await startEvents(
    t,
    (app) => {
      app.get('/notes/stats', async () => ({ total: 5 }))
      app.service('notes', memory())
    },
    { services: { notes: { records: true } } }
  )
  const stream = await subscribe(list('notes')).connected
  await call('POST', '/notes', { id: 'stats' })
  await call('POST', '/notes', { id: 'others' })
  t.same(told(await stream.count(2)), [
    ['created', { id: 'stats' }],
    ['created', { id: 'others' }]
  ])
  await call('PATCH', '/notes/others', { text: 'a' })
  t.same(told(await stream.count(3))[2], ['patched', { id: 'others', text: 'a' }])
})
