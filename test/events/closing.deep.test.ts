import { connect } from 'node:net'
import { feathers } from '@feathersjs/feathers'
import t from 'tap'
import type { HookContext } from '../../index.js'
import feathersDoor from '../../lib/feathers/index.js'
import { list, memory, readUser, serviceAt, startEvents } from '../support/events-app.js'

t.test('a server that closes ends its streams, and says when to come back', async (t) => {
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true }
  })
  const streams = await Promise.all(Array.from({ length: 50 }, () => subscribe(list('notes')).connected))
  await app.close()
  for (const stream of streams)
    t.same((await stream.end()).events, [{ path: 'events', event: 'stopped', reason: 'closing' }])
  t.equal(app.events.streams, 0)
})

t.test('one that does not read does not keep a server from closing, and is let go by itself', async (t) => {
  const open = async (heartbeat: number) => {
    const api = await startEvents(t, (app) => app.service('notes', memory()), {
      services: { notes: { records: true } },
      heartbeat,
      limits: { waiting: 1_000_000 }
    })
    const slow = await api.subscribe(list('notes')).connected
    slow.socket.pause()
    for (let count = 0; count < 40; count++) await api.call('POST', '/notes', { text: 'x'.repeat(900_000) })
    return api
  }
  const { app } = await open(10_000)
  await app.close()
  t.equal(app.events.streams, 0)
  const watched = await open(100)
  while (watched.app.events.streams > 0) await new Promise((resolve) => setTimeout(resolve, 20))
})

t.test('many that connect and leave while hooks are slow leave nothing behind', async (t) => {
  let running = 0
  const slow = async () => {
    running += 1
    await new Promise((resolve) => setTimeout(resolve, 10))
    running -= 1
  }
  const { app, call } = await startEvents(
    t,
    (app) => app.service('notes', memory(), { hooks: { before: { find: [slow] } } }),
    { services: { notes: true } }
  )
  const { port } = app.server.address() as { port: number }
  for (let round = 0; round < 10; round++)
    await Promise.all(
      Array.from(
        { length: 50 },
        (_, index) =>
          new Promise<void>((resolve) => {
            const socket = connect(port, '127.0.0.1', () => {
              socket.write(`GET ${list('notes')} HTTP/1.1\r\nhost: x\r\n\r\n`)
              setTimeout(() => socket.destroy(), index % 20)
            })
            socket.on('close', () => resolve()).on('error', () => {})
          })
      )
    )
  while (running > 0 || app.events.streams > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  t.equal((await call('POST', '/notes', {})).statusCode, 201)
  t.equal(app.events.streams, 0)
})

t.test('services of a mounted application are told of, by their own hooks', async (t) => {
  const theirs = feathers()
  theirs.use('notes', memory() as never)
  const mine = async (context: HookContext) => {
    readUser(context)
    if (context.params.headers?.['x-answered']) context.result = []
    if (context.params.provider) context.params.query = { ...context.params.query, userId: context.params.user?.id }
  }
  const hide = (context: { result: object }) => {
    context.result = { ...context.result, userId: 'hidden' }
  }
  theirs.service('notes').hooks({ before: { find: [mine] }, after: { create: [hide] } } as never)
  const { subscribe, call, app, logs } = await startEvents(
    t,
    (app) => app.register(feathersDoor, { app: theirs as never }),
    { services: { notes: { rule: 'hooks' } } }
  )
  const ann = await subscribe(list('notes'), { 'x-user': 'ann' }).connected
  const bob = await subscribe(list('notes'), { 'x-user': 'bob' }).connected
  const answered = await subscribe(list('notes'), { 'x-user': 'ann', 'x-answered': 'yes' }).connected
  await call('POST', '/notes', { userId: 'ann' }, { 'x-events-call': 'a1b2c3d4e5f6a7b8' })
  await (theirs.service('notes') as unknown as { create(data: object): Promise<unknown> }).create({ userId: 'bob' })
  serviceAt(app, 'notes').emit('removed', { id: 1, userId: 'ann' })
  t.match(await ann.count(2), [
    { event: 'created', data: { id: 1 } },
    { event: 'removed', data: { id: 1 } }
  ])
  t.same(await bob.count(1), [{ path: 'notes', event: 'created', data: { id: 2 } }])
  t.match(await answered.count(1), [{ event: 'changed' }], 'a hook has answered: the rule is not known')
  t.same(logs, [])
  const doubted = await startEvents(
    t,
    (app) => app.register(feathersDoor, { app: feathers().use('notes', memory() as never) as never }),
    { services: { notes: true } }
  )
  t.match(doubted.logs, [{ msg: /belongs to another application/ }])
})

t.test(
  '`handlerTimeout` ends no stream, at the door and at the service itself, and holds until it begins',
  async (t) => {
    const hooks = {
      before: { find: [({ params }: HookContext) => (params.query?.slow ? new Promise<never>(() => {}) : undefined)] }
    }
    const { subscribe, call } = await startEvents(
      t,
      (app) => app.service('notes', memory(), { hooks, handlerTimeout: 1000 }),
      { services: { notes: true }, heartbeat: 50 },
      { handlerTimeout: 1000 }
    )
    const begun = performance.now()
    const streams = await Promise.all([list('notes'), '/notes'].map((url) => subscribe(url).connected))
    // The signs of life wake it.
    await streams[0]?.until(() => performance.now() - begun > 1500)
    await call('POST', '/notes', {})
    for (const stream of streams) t.match(await stream.count(1), [{ event: 'created' }])
    const late = subscribe('/notes?slow=1')
    await late.end()
    t.equal(late.status, 503)
  }
)
