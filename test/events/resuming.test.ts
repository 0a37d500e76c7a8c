import t from 'tap'
import type { HookContext } from '../../index.js'
import { type EventLog, memoryLog } from '../../lib/events/index.js'
import { list, memory, readUser, serviceAt, startEvents } from '../support/events-app.js'

const mine = (context: HookContext) => {
  context.params.query = { ...context.params.query, userId: context.params.user?.id }
}
const register = (app: Parameters<Parameters<typeof startEvents>[1]>[0]) =>
  app.service('notes', memory(), { hooks: { before: { all: [readUser], find: [mine] } } })
const options = { services: { notes: true } }
const ann = { 'x-user': 'ann' }
const bob = { 'x-user': 'bob' }

t.test('who comes back has what was missed, in order, and by the rule of now', async (t) => {
  const { subscribe, call } = await startEvents(t, register, options)
  const first = await subscribe(list('notes'), ann).connected
  await call('POST', '/notes', { userId: 'ann' })
  const [event] = await first.count(1)
  const id = first.id as string
  t.match(id, /^[\w-]{1,64}$/)
  first.socket.destroy()
  for (const userId of ['ann', 'bob', 'ann']) await call('POST', '/notes', { userId })
  const again = await subscribe(list('notes'), { ...ann, 'last-event-id': id }).connected
  await call('DELETE', '/notes/2')
  t.same(
    (await again.count(3)).map(({ event, data }) => [event, data]),
    [
      ['created', { id: 2 }],
      ['created', { id: 4 }],
      ['removed', { id: 2 }]
    ]
  )
  t.match(event, { event: 'created', data: { id: 1 } })
  const other = await subscribe(list('notes'), { ...bob, 'last-event-id': id }).connected
  t.same(
    (await other.count(1)).map(({ data }) => data),
    [{ id: 3 }],
    'a position of another user gives nothing of theirs'
  )
  const newest = await subscribe(list('notes'), { ...ann, 'last-event-id': again.id as string }).connected
  await call('POST', '/notes', { userId: 'ann' })
  t.same(
    (await newest.count(1)).map(({ data }) => data),
    [{ id: 5 }]
  )
})

t.test('a position that is not known is answered with a reset', async (t) => {
  const { subscribe, call } = await startEvents(t, register, { ...options, log: memoryLog({ events: 2 }) })
  const first = await subscribe(list('notes'), ann).connected
  const begin = first.id as string
  for (const userId of ['ann', 'ann', 'ann']) await call('POST', '/notes', { userId })
  await first.count(3)
  for (const id of [
    begin,
    'x',
    `${begin}x`,
    '0123456789abcdef-1',
    'x'.repeat(10_000),
    '%0d%0a',
    begin.replace(/-.*/, '-zz'),
    begin.replace(/-.*/, '--1')
  ]) {
    const { events } = await (await subscribe(list('notes'), { ...ann, 'last-event-id': id }).connected).until(
      ({ events }) => events.length > 0
    )
    t.same(events, [{ path: 'events', event: 'reset' }], id.slice(0, 30))
  }
  const resumed = await subscribe(list('notes'), { ...ann, 'last-event-id': first.id as string }).connected
  await call('POST', '/notes', { userId: 'ann' })
  t.same(
    (await resumed.count(1)).map(({ data }) => data),
    [{ id: 4 }]
  )
})

t.test('what happens while nobody listens is not kept for ever', async (t) => {
  const { subscribe, call } = await startEvents(t, register, options)
  await call('POST', '/notes', { userId: 'ann' })
  const first = await subscribe(list('notes'), ann).connected
  const id = first.id as string
  await call('POST', '/notes', { userId: 'ann' })
  await first.count(1)
  first.socket.destroy()
  const again = await subscribe(list('notes'), { ...ann, 'last-event-id': id }).connected
  t.same(
    (await again.count(1)).map(({ data }) => data),
    [{ id: 2 }]
  )
})

t.test('one that does not read gets a reset in place of what it has missed, and delays nobody', async (t) => {
  const settings = { services: { notes: { records: true } }, limits: { waiting: 200_000 } }
  const { subscribe, call } = await startEvents(t, (app) => app.service('notes', memory()), settings)
  const slow = await subscribe(list('notes')).connected
  const quick = await subscribe(list('notes')).connected
  slow.socket.pause()
  // More than the system keeps for a socket.
  const text = 'x'.repeat(90_000)
  const number = 200
  for (let count = 1; count <= number; count++) await call('POST', '/notes', { text })
  await quick.count(number)
  slow.socket.resume()
  await slow.until(({ events }) => events.some(({ event }) => event === 'reset'))
  t.ok(slow.events.length < number)
  await call('DELETE', '/notes/1')
  await slow.until(({ events }) => events.at(-1)?.event === 'removed')
})

t.test('a service that is patched 1,000 times in a tick is told of in order, or with a reset', async (t) => {
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), options)
  const service = app.service<Record<string, ReturnType<typeof memory>>>('notes') as unknown as ReturnType<
    typeof memory
  >
  await service.create({ n: 0 })
  const stream = await subscribe(list('notes')).connected
  await Promise.all(Array.from({ length: 1000 }, (_, n) => service.patch(1, { n })))
  await stream.until(({ events }) => events.length === 1000 || events.some(({ event }) => event === 'reset'))
  await service.remove(1)
  await stream.until(({ events }) => events.at(-1)?.event === 'removed')
})

t.test('a stream that loses events while it is being opened is connected all the same, and told of it', async (t) => {
  const log = memoryLog()
  const losses: (() => void)[] = []
  const losing: EventLog = {
    ...log,
    listen(listener) {
      losses.push(() => listener.onLoss())
      return log.listen(listener)
    },
    async read(...position) {
      await new Promise(setImmediate)
      for (const lose of losses) lose()
      await new Promise(setImmediate)
      return log.read(...position)
    }
  }
  const { subscribe } = await startEvents(t, register, { ...options, log: losing })
  await subscribe(list('notes'), ann).connected
  const stream = await subscribe(list('notes'), { ...ann, 'last-event-id': log.newest() }).connected
  t.match(await stream.count(1), [{ event: 'reset' }])
})

t.test('what happens in the moment in which missed events have been read comes behind them', async (t) => {
  const inner = memoryLog()
  let reads = 0
  let open = () => {}
  const read = async (after: string) => {
    const entries = inner.read(after)
    reads += 1
    await new Promise<void>((resolve) => {
      open = resolve
    })
    return entries
  }
  const { app, subscribe } = await startEvents(t, register, { ...options, log: { ...inner, read } })
  const happen = (id: number) => serviceAt(app, 'notes').emit('created', { id, userId: 'ann' })
  for (let steps = 0; steps < 16; steps++) {
    const first = await subscribe(list('notes'), ann).connected
    first.socket.destroy()
    happen(1)
    const again = subscribe(list('notes'), { ...ann, 'last-event-id': first.id as string })
    while (reads <= steps) await new Promise((resolve) => setTimeout(resolve, 2))
    open()
    for (let step = 0; step < steps; step++) await undefined
    happen(2)
    await again.until(({ frames }) => frames.length === 3)
    t.same(
      [again.frames.map(({ event, data }) => (data as { id: number })?.id ?? event), again.id],
      [['connected', 1, 2], inner.newest()]
    )
    again.socket.destroy()
  }
})
