import t from 'tap'
import { type LogListener, memoryLog } from '../../lib/events/index.js'
import { list, memory, serviceAt, startEvents } from '../support/events-app.js'

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
  for (const { onEvent } of listeners)
    onEvent({ id: 'a', event: { ...event, id: 1n as never, call: undefined, record: undefined } })
  await serviceAt(app, 'notes').create({})
  for (const stream of streams)
    t.match(await stream.count(2), [{ event: 'reset' }, { event: 'created', data: { id: 1 } }])
  t.match(logs, [{ msg: /could not be told/ }, { msg: /could not be told/ }])
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
