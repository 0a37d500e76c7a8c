import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request as requestAt } from 'node:http'
import { connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import t from 'tap'
import services, { type HookContext } from '../../index.js'
import events, { type EventLog, type EventsOptions, type LogListener, memoryLog } from '../../lib/events/index.js'
import { list, memory, serviceAt, startEvents } from '../support/events-app.js'
import { loggedEvent } from '../support/log-contract.js'

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
    [{}, /needs the services whose events it sends: \{ services/],
    [{ services: {} }, /needs the services whose events it sends/],
    [{ services: { notes: 5 } }, /`services\['notes'\]`.+must be true or an object, got 5/],
    [
      { services: { notes: Promise.resolve({}) } },
      /`services\['notes'\]`.+must be true or an object, got a promise: await it/
    ],
    [{ services: new Map([['notes', true]]) }, /`services` of .+ must be an object, .+, got an object \(Map\)/],
    [{ services: { notes: { rule: 'query' } } }, /rule.+must be 'hooks'/],
    [{ services: { notes: { record: true } } }, /no option 'services\['notes'\]\.record'.+Did you mean .+\.records'/],
    [{ services: notes, heartbeat: 1 }, /heartbeat.+from 10 to a day/],
    [{ services: notes, path: 'a b' }, /path.+as in `\/events`/],
    [{ services: notes, log: { append() {} } }, /log.+as `memoryLog\(\)` makes it/],
    [{ services: notes, limits: { depth: 0 } }, /limits\.depth.+whole number above 0/],
    [{ services: { note: true } }, /has 'note', but there is no such service\. Registered: 'notes'/],
    [{ services: { note: true } }, /no such service\. Registered: none/, () => {}],
    [{ services: notes }, /'notes': it has no 'find'/, (app) => void app.service('notes', { async get() {} })],
    [
      { services: { notes: { records: true } } },
      /can't send records of 'notes', which has no 'get'/,
      (app) => void app.service('notes', { find: async () => [] })
    ],
    [
      { services: notes },
      /can't send the event 'reset' of 'notes': the stream itself has/,
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
    },
    close() {
      for (const { onLoss } of listeners) onLoss()
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
  for (const { onLoss } of [...listeners, ...listeners]) onLoss()
  t.match(await subscriber.count(2), [{ event: 'created', data: { id: 3 } }, { event: 'reset' }])
  const late = subscribe(list('notes'), { 'last-event-id': String(subscriber.id) })
  t.match(await late.count(1), [{ event: 'reset' }])
  t.match(logs.at(-1)?.msg, /could not be read/)
  await app.close()
  t.match((await late.end()).events.at(-1), { event: 'stopped', reason: 'closing' }, 'no reset comes behind it')
})

t.test('a log that is away is told of once; calls that wait for it are 503, others are answered', async (t) => {
  const log = memoryLog()
  const listeners: LogListener[] = []
  let append: EventLog['append'] = (event) => log.append(event)
  const opened: string[] = []
  const remote: EventLog = {
    newest: () => log.newest(),
    append: (event) => append(event),
    read: (after) => log.read(after),
    open: async () => void opened.push('opened'),
    listen(listener) {
      listeners.push(listener)
      return log.listen(listener)
    }
  }
  const { app, logs, call, subscribe } = await startEvents(t, (app) => void app.service('notes', memory()), {
    services: { notes: true },
    log: remote,
    durable: true,
    limits: { timeout: 50 }
  })
  t.same(opened, ['opened'])
  const stream = await subscribe(list('notes')).connected
  t.equal((await call('POST', '/notes', {})).statusCode, 201)
  for (const { onAway } of listeners) onAway?.(new Error('No connection'))
  t.equal(app.events.isLogReachable, false)
  append = () => Promise.reject(new Error('Too much waits'))
  t.match(await call('POST', '/notes', {}), { statusCode: 503, body: /'create' of 'notes' is done, but its event/ })
  append = () => new Promise(() => {})
  t.match(await call('POST', '/notes', [{}, {}]), { statusCode: 503, body: /is done/ })
  t.equal((await call('GET', '/notes')).statusCode, 200)
  for (const more of [[], ['by hand'], [{}]])
    t.equal(app.service('notes').emit('created', { id: 9 }, ...more), true, 'what is emitted by hand waits for nothing')
  for (const { onBack } of listeners) onBack?.()
  t.equal(app.events.isLogReachable, true)
  const unavailable = [{ err: { type: 'Unavailable' } }, { err: { type: 'Unavailable' } }]
  t.match(logs, [{ err: { message: 'No connection' }, msg: /can not be reached: events wait/ }, ...unavailable])
  t.equal(logs.length, 3)
  t.equal((await stream.count(1)).length, 1)
})

t.test('requests that are under way while the server closes are refused', async (t) => {
  const held: (() => void)[] = []
  const hold = () => new Promise<void>((resolve) => void held.push(resolve))
  const { app, subscribe } = await startEvents(
    t,
    (app) => {
      app.addHook('onRequest', async ({ headers }) => {
        if (headers['x-early'] !== undefined) await hold()
      })
      app.service('notes', memory(), { before: hold })
    },
    { services: { notes: true } }
  )
  const subscribers = [subscribe(list('notes')), subscribe(list('notes'), { 'x-early': 'yes' })]
  while (held.length < 2) await new Promise((resolve) => setImmediate(resolve))
  const closed = app.close()
  await new Promise((resolve) => setImmediate(resolve))
  for (const release of held) release()
  for (const subscriber of subscribers) t.equal((await subscriber.end()).status, 503)
  await closed
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

t.test('an application at a socket of a file, whose callers have no address', async (t) => {
  const app = Fastify()
  await app.register(services)
  app.service('notes', memory())
  await app.register(events, { services: { notes: true } })
  // Fixtures of a test have longer paths than a socket may have.
  const folder = mkdtempSync(join(tmpdir(), 'socket-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const socketPath = join(folder, 'socket')
  await app.listen({ path: socketPath })
  t.teardown(() => app.close())
  const sent = requestAt({ socketPath, path: list('notes') }).end()
  t.teardown(() => sent.destroy())
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const [text] = await once(answer.setEncoding('utf8'), 'data')
  t.match(text, /"event":"connected"/)
})

t.test('a list that is answered with another address is none', async (t) => {
  const redirect = ({ http }: HookContext) => {
    Object.assign(http as object, { location: '/elsewhere' })
  }
  const { subscribe } = await startEvents(
    t,
    (app) => app.service('notes', memory(), { hooks: { before: { find: [redirect] } } }),
    { services: { notes: true } }
  )
  t.equal((await subscribe(list('notes')).end()).status, 500)
})

t.test('services that answer pages; records that come with an id; objects that look like adapters', async (t) => {
  const answered: unknown[] = []
  const count = ({ result }: HookContext) => void answered.push(result.total)
  const { app, logs, subscribe } = await startEvents(
    t,
    (app) => {
      app.service('notes', memory({ paginate: { default: 10, max: 10 } }), { hooks: { after: { find: [count] } } })
      app.service('odd', { find: async () => [], _find: async () => [] })
    },
    { services: { notes: { rule: 'hooks' }, odd: true } }
  )
  t.match(logs, [{ msg: /'odd'.+is not the unchanged one of a database adapter/ }])
  const subscriber = await subscribe(list('notes', '&subscribe[0][query][kind]=x')).connected
  t.same(answered, [0, 0], 'the list, and what its caller may find at all')
  await serviceAt(app, 'notes').create({ id: 7, kind: 'y' })
  await serviceAt(app, 'notes').create({ kind: 'y' })
  await serviceAt(app, 'notes').create({ kind: 'x' })
  t.match(await subscriber.count(2), [{ event: 'changed' }, { event: 'created', data: { id: 2 } }])
})

t.test('who comes back to two lists; `publish` and lists that may have changed', async (t) => {
  const { app, subscribe } = await startEvents(
    t,
    (app) => {
      app.service('notes', memory())
      app.service('rooms', memory())
    },
    { services: { notes: true, rooms: true }, publish: ({ path }) => path === 'notes' }
  )
  const url = `${list('notes', '&subscribe[0][query][kind]=x')}&subscribe[1][path]=rooms`
  const first = await subscribe(url).connected
  const position = String(first.id)
  await serviceAt(app, 'notes').create({ kind: 'X' })
  await serviceAt(app, 'rooms').create({ kind: 'x' })
  await serviceAt(app, 'notes').create({ kind: 'x' })
  const heard = [
    { path: 'notes', event: 'changed', subscriptions: [0] },
    { path: 'notes', event: 'created', subscriptions: [0] }
  ]
  t.match(await first.count(2), heard)
  t.match(await subscribe(url, { 'last-event-id': position }).count(2), heard)
})

t.test('more events wait for `publish` than are kept: a reset', async (t) => {
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true },
    publish: async () => {
      await gate
      return true
    },
    limits: { timeout: 60_000 }
  })
  const subscriber = await subscribe(list('notes')).connected
  for (let id = 0; id < 1002; id++) await serviceAt(app, 'notes').create({ text: 'a' })
  t.match(await subscriber.count(1), [{ event: 'reset' }])
  goOn()
})

t.test('a rule that can not be asked for again is kept, and the log says so', async (t) => {
  let isBroken = false
  let asked = 0
  const { app, logs, subscribe } = await startEvents(
    t,
    (app) => {
      app.service('notes', memory(), {
        before: async (request, reply) => {
          asked += 1
          request.feathers.user = { _id: 'ann' }
          if (isBroken) reply.raw.destroy()
        }
      })
    },
    { services: { notes: true } }
  )
  await subscribe(list('notes')).connected
  await app.events.recheck({ _id: 'ann' })
  t.equal(asked, 2)
  isBroken = true
  await app.events.recheck('ann')
  t.match(logs.at(-1)?.msg, /could not be asked for again/)
})

t.test('a condition with more values than an index has', async (t) => {
  const kinds = Array.from({ length: 70 }, (_, kind) => `k${kind}`)
  const within = ({ params }: HookContext) => {
    params.query = { ...params.query, kind: { $in: kinds } }
  }
  const { app, subscribe } = await startEvents(
    t,
    (app) => app.service('notes', memory(), { hooks: { before: { find: [within] } } }),
    { services: { notes: true } }
  )
  const subscriber = await subscribe(list('notes')).connected
  await serviceAt(app, 'notes').create([{ kind: 'other' }, { kind: 'k69' }])
  t.match(await subscriber.count(1), [{ event: 'created', data: { id: 2 } }])
})

t.test('all lists at once, of which one is refused later; two lists that need a login which has ended', async (t) => {
  let status = 0
  const refuse = ({ path }: HookContext) => {
    if (status === 401 || (status === 403 && path === 'rooms'))
      throw Object.assign(new Error('Not any more'), { statusCode: status })
  }
  const { app, subscribe } = await startEvents(
    t,
    (app) => {
      const before = async (request: FastifyRequest) => {
        request.feathers.user = { id: 'ann' }
      }
      for (const path of ['notes', 'rooms'])
        app.service(path, memory(), { before, hooks: { before: { find: [refuse] } } })
    },
    { services: { notes: true, rooms: true } }
  )
  const all = await subscribe('/events').connected
  const both = await subscribe(`${list('notes')}&subscribe[1][path]=rooms`).connected
  status = 403
  await app.events.recheck('ann')
  t.match(await all.count(1), [{ event: 'stopped', reason: 'forbidden' }])
  status = 401
  await app.events.recheck('ann')
  t.match((await both.end()).events.at(-1), { event: 'stopped', reason: 'revoked' })
  status = 0
  const again = await subscribe(`${list('notes')}&subscribe[1][path]=rooms`).connected
  status = 401
  await Promise.all([app.events.recheck('ann'), app.events.recheck('ann')])
  t.equal((await again.end()).events.filter(({ event }) => event === 'stopped').length, 1)
})

t.test(
  'what was missed: of services that are not told of, too long for one answer, for one who has left',
  async (t) => {
    const log = memoryLog()
    let gate: Promise<void> | undefined
    const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
      services: { notes: true },
      log: {
        ...log,
        async read(after) {
          await gate
          return log.read(after)
        }
      },
      limits: { waiting: 1000 }
    })
    const first = await subscribe(list('notes')).connected
    const position = String(first.id)
    log.append({ ...loggedEvent(1), service: 'other' })
    await serviceAt(app, 'notes').create({})
    const headers = { 'last-event-id': position }
    t.match(await subscribe(list('notes'), headers).count(1), [{ event: 'created', data: { id: 1 } }])
    for (let id = 2; id < 30; id++) await serviceAt(app, 'notes').create({})
    t.match(await subscribe(list('notes'), headers).count(1), [{ event: 'reset' }])
    let goOn = () => {}
    gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const open = app.events.streams
    const gone = subscribe(list('notes'), headers)
    while (app.events.streams === open) await new Promise((resolve) => setImmediate(resolve))
    gone.socket.destroy()
    while (app.events.streams > open) await new Promise((resolve) => setTimeout(resolve, 5))
    goOn()
    t.match(await subscribe(list('notes'), headers).count(1), [{ event: 'reset' }])
  }
)
