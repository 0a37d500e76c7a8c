import { connect } from 'node:http2'
import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import services from '../../index.js'
import events, { type EventLog, type EventsOptions, type LogListener, memoryLog } from '../../lib/events/index.js'
import { list, memory, serviceAt, startEvents } from '../support/events-app.js'

/** The error with which an application does not start. */
async function startError(
  options: unknown,
  register = (app: FastifyInstance): void => void app.service('notes', memory())
) {
  const app = Fastify()
  await app.register(services)
  register(app)
  try {
    await app.register(events, options as EventsOptions)
    await app.ready()
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await app.close()
  }
}

t.test('options that can not be used stop the start, and say why', async (t) => {
  const notes = { notes: true }
  const rows: [unknown, RegExp, ((app: FastifyInstance) => void)?][] = [
    [{}, /needs the services that it tells of: \{ services/],
    [{ services: {} }, /needs the services that it tells of/],
    [{ services: { notes: 5 } }, /`services\['notes'\]`.+must be true or an object, got 5/],
    [{ services: { notes: { rule: 'query' } } }, /rule.+must be 'hooks'/],
    [{ services: { notes: { record: true } } }, /record/],
    [{ services: notes, heartbeat: 1 }, /heartbeat.+from 10 to a day/],
    [{ services: notes, path: 'a b' }, /path.+as in `\/events`/],
    [{ services: notes, log: { append() {} } }, /log.+as `memoryLog\(\)` makes it/],
    [{ services: notes, limits: { depth: 0 } }, /limits\.depth.+whole number above 0/],
    [{ services: { note: true } }, /'note', which is no service\. Registered: 'notes'/],
    [{ services: { note: true } }, /which is no service\. Registered: none/, () => {}],
    [{ services: notes }, /'notes', which has no 'find'/, (app) => void app.service('notes', { async get() {} })],
    [
      { services: { notes: { records: true } } },
      /can't send records of 'notes', which has no 'get'/,
      (app) => void app.service('notes', { find: async () => [] })
    ],
    [
      { services: notes },
      /can't tell of 'reset' of 'notes': streams have this name/,
      (app) => void app.service('notes', { find: async () => [] }, { events: ['reset'] })
    ]
  ]
  for (const [options, message, register] of rows)
    t.match(await startError(options, register), message, JSON.stringify(options))
  t.equal(await startError({ services: { notes: true, others: false } }), undefined)
})

t.test('it is registered behind the plugin of services, and once', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const options = { services: { notes: true } } as const
  await t.rejects(
    (async () => {
      await Fastify().register(events, options)
    })(),
    { message: /needs fastify-services: register that plugin first/ }
  )
  await app.register(services)
  app.service('notes', memory())
  await app.register(events, options)
  await t.rejects(
    (async () => {
      await app.register(events, options)
    })(),
    { message: /is registered here already/ }
  )
})

t.test('a log that fails is told of in the log of the server; one that has lost events resets', async (t) => {
  const log = memoryLog()
  const listeners: LogListener[] = []
  let fault: (() => void | Promise<void>) | undefined
  const broken: EventLog = {
    newest: () => log.newest(),
    append: (event) => (fault ? fault() : log.append(event)),
    read() {
      throw new Error('The log is away')
    },
    listen(listener) {
      listeners.push(listener)
      return log.listen(listener)
    }
  }
  const { app, logs, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true },
    log: broken
  })
  const notes = serviceAt(app, 'notes')
  const subscriber = await subscribe(list('notes')).connected
  fault = () => {
    throw new Error('It is full')
  }
  await notes.create({ text: 'a' })
  fault = async () => {
    throw new Error('It is slow')
  }
  await notes.create({ text: 'b' })
  fault = undefined
  await notes.create({ text: 'c' })
  await subscriber.count(1)
  t.match(
    logs.map(({ err, msg }) => [(err as Error).message, msg]),
    [
      ['It is full', 'The log of events has failed'],
      ['It is slow', 'The log of events has failed']
    ]
  )
  for (const { onLoss } of listeners) onLoss()
  t.match(await subscriber.count(2), [{ event: 'created', data: { id: 3 } }, { event: 'reset' }])
  const late = subscribe(list('notes'), { 'last-event-id': String(subscriber.id) })
  t.match(await late.count(1), [{ event: 'reset' }])
  t.match(logs.at(-1)?.msg, /could not be read/)
})

t.test('a request that is asked for while the server closes is refused', async (t) => {
  let goOn = () => {}
  let isAsked = () => {}
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve
  })
  const { app, subscribe } = await startEvents(
    t,
    (app) =>
      app.service('notes', memory(), {
        before: async () => {
          isAsked()
          await new Promise<void>((resolve) => {
            goOn = resolve
          })
        }
      }),
    { services: { notes: true } }
  )
  const subscriber = subscribe(list('notes'))
  await asked
  const closed = app.close()
  await new Promise((resolve) => setImmediate(resolve))
  goOn()
  await subscriber.end()
  await closed
  t.equal(subscriber.status, 503)
})

t.test('a field that a trigger changes is not believed', async (t) => {
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: { touches: ['rank'] } }
  })
  const notes = serviceAt(app, 'notes')
  const ranked = await subscribe(list('notes', '&subscribe[0][query][rank]=1')).connected
  const named = await subscribe(list('notes', '&subscribe[0][query][text]=a')).connected
  await notes.create({ text: 'a', rank: '1' })
  t.match(await ranked.count(1), [{ event: 'changed' }])
  t.match(await named.count(1), [{ event: 'created', data: { id: 1 } }])
})

t.test('what replaces a record, and what an operator changes, may have been in any list', async (t) => {
  const { subscribe, call } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true }
  })
  const headers = { 'content-type': 'application/json' }
  await call('POST', '/notes', { text: 'a', kind: 'x' }, headers)
  const subscriber = await subscribe(list('notes', '&subscribe[0][query][kind]=x')).connected
  await call('PUT', '/notes/1', { text: 'b', kind: 'y' }, headers)
  t.match(await subscriber.count(1), [{ event: 'changed' }])
  await call('PATCH', '/notes/1', { $set: { text: 'c' } }, headers)
  t.match(await subscriber.count(2), [{ event: 'changed' }, { event: 'changed' }])
})

t.test('conditions that stand in a list are looked up, too', async (t) => {
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory({ operators: ['$and'] })), {
    services: { notes: true }
  })
  const query = '&subscribe[0][query][$and][0][kind]=x&subscribe[0][query][$and][1][$or][0][text]=a'
  const subscriber = await subscribe(list('notes', query)).connected
  await serviceAt(app, 'notes').create([
    { text: 'a', kind: 'y' },
    { text: 'a', kind: 'x' }
  ])
  t.match(await subscriber.count(1), [{ event: 'created', data: { id: 2 } }])
})

t.test('HTTP/2 has streams, whose host stands under another name', async (t) => {
  const app = Fastify({ http2: true }) as unknown as FastifyInstance
  await app.register(services)
  const hosts: unknown[] = []
  app.service('notes', memory(), {
    hooks: { before: { find: [({ params }) => void hosts.push(params.headers?.host)] } }
  })
  await app.register(events, { services: { notes: true } })
  const session = connect(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.teardown(async () => {
    session.destroy()
    await app.close()
  })
  const request = session.request({ ':path': list('notes') })
  const text = await new Promise<string>((resolve) => request.once('data', (chunk) => resolve(String(chunk))))
  t.match(text, /"event":"connected"/)
  t.match(hosts, [/^127\.0\.0\.1:\d+$/])
})
