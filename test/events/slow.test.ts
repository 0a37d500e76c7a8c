import t, { type Test } from 'tap'
import { Forbidden } from '../../index.js'
import { type LogListener, memoryLog } from '../../lib/events/index.js'
import { list, memory, readUser, serviceAt, startEvents } from '../support/events-app.js'

t.test('one that reads slowly takes nothing from the others, however little may wait for it', async (t) => {
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true },
    limits: { waiting: 60 }
  })
  const slow = await subscribe(list('notes')).connected
  const stream = await subscribe(list('notes')).connected
  slow.socket.pause()
  const notes = serviceAt(app, 'notes')
  // Two frames of one turn are more than may wait.
  for (let count = 0; count < 3; count++) await Promise.all([notes.create({}), notes.create({})])
  t.match(await stream.count(1), [{ event: 'reset' }])
  slow.socket.resume()
  t.match(await slow.count(1), [{ event: 'reset' }])
})

t.test('one that has read too little hears a reset as soon as it reads again', async (t) => {
  const long = 'x'.repeat(7000)
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory(), { events: [long] }), {
    services: { notes: true },
    limits: { waiting: 8192 },
    heartbeat: 60_000
  })
  const slow = await subscribe(list('notes')).connected
  const stream = await subscribe(list('notes')).connected
  slow.socket.pause()
  const notes = serviceAt(app, 'notes')
  for (let count = 1; count <= 2000; count++) {
    notes.emit(long, { id: count })
    await stream.count(count)
  }
  t.equal(stream.events.filter(({ event }) => event === long).length, 2000)
  slow.socket.resume()
  await slow.until(({ events }) => events.some(({ event }) => event === 'reset'))
})

t.test('an event that can not be told is logged, and those whom it concerns are told to ask again', async (t) => {
  const log = memoryLog()
  const listeners: LogListener[] = []
  const listen = (listener: LogListener) => {
    listeners.push(listener)
    return log.listen(listener)
  }
  const { app, subscribe, logs } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true },
    log: { ...log, listen }
  })
  const streams = [await subscribe(list('notes')).connected, await subscribe(list('notes')).connected]
  const event = { service: 'notes', event: 'created', facts: {}, touched: true, route: {}, callers: [] } as const
  for (const { onEvent } of listeners) onEvent({ id: 'a', event: { ...event, id: 1n as never, call: undefined } })
  await serviceAt(app, 'notes').create({})
  for (const stream of streams)
    t.match(await stream.count(2), [{ event: 'reset' }, { event: 'created', data: { id: 1 } }])
  t.match(logs, [{ msg: /An event could not be sent/ }, { msg: /An event could not be sent/ }])
})

t.test('what becomes of an event may not be known, as when the log of the server fails: a reset', async (t) => {
  const write = () => {
    throw new Error('The disk is full')
  }
  const { app, subscribe } = await startEvents(
    t,
    (app) => app.service('notes', memory()),
    {
      services: { notes: true },
      publish() {
        throw new Error('Not known')
      }
    },
    { logger: { level: 'error', stream: { write } } }
  )
  const stream = await subscribe(list('notes')).connected
  await serviceAt(app, 'notes').create({})
  t.match(await stream.count(1), [{ event: 'reset' }])
})

/** Two lists, of which one ends for the user, in an application whose log loses events and is slow. */
async function startLosing(t: Test) {
  const log = memoryLog()
  const listeners: LogListener[] = []
  const gates: (() => void)[] = []
  const wait = () => new Promise<void>((resolve) => gates.push(resolve))
  let isMember = true
  const checkMember = () => {
    if (!isMember) throw new Forbidden('no member')
  }
  const { app, subscribe } = await startEvents(
    t,
    (app) => {
      app.service('notes', memory(), { hooks: { before: { all: [readUser], find: [checkMember] } } })
      app.service('rooms', memory(), { hooks: { before: { all: [readUser], get: [wait] } } })
    },
    {
      services: { notes: true, rooms: { records: true } },
      log: {
        ...log,
        listen(listener) {
          listeners.push(listener)
          return log.listen(listener)
        },
        async read() {
          await wait()
          return []
        }
      }
    }
  )
  return {
    rooms: serviceAt(app, 'rooms'),
    gates,
    open: (headers: object = {}) =>
      subscribe('/events?subscribe[0][path]=notes&subscribe[1][path]=rooms', { 'x-user': 'ann', ...headers }),
    until: async (holds: () => boolean) => {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2))
    },
    lose() {
      for (const listener of listeners) listener.onLoss()
    },
    async endMembership() {
      isMember = false
      await app.events.recheck('ann')
    }
  }
}

t.test('that a list has ended is told to one that misses events at that moment', async (t) => {
  const { rooms, gates, open, until, lose, endMembership } = await startLosing(t)
  const stream = open({ 'last-event-id': 'a' })
  await until(() => gates.length === 1)
  lose()
  await endMembership()
  gates[0]?.()
  await stream.connected
  await stream.until(({ events }) => events.some(({ event }) => event === 'reset'))
  rooms.emit('removed', { id: 1 })
  await stream.until(({ events }) => events.at(-1)?.event === 'removed')
  t.match(stream.events, [{ event: 'reset' }, { event: 'stopped', subscriptions: [0] }, { event: 'removed' }])
})

t.test('and to one that waits for a record when events are missed', async (t) => {
  const { rooms, gates, open, until, lose, endMembership } = await startLosing(t)
  const stream = await open().connected
  await rooms.create({})
  await until(() => gates.length === 1)
  await endMembership()
  lose()
  gates[0]?.()
  await stream.until(({ events }) => events.some(({ event }) => event === 'reset'))
  rooms.emit('removed', { id: 1 })
  await stream.until(({ events }) => events.at(-1)?.event === 'removed')
  t.match(stream.events, [{ event: 'reset' }, { event: 'stopped', subscriptions: [0] }, { event: 'removed' }])
})
