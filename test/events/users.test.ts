import { feathers } from '@feathersjs/feathers'
import { MemoryService } from '@feathersjs/memory'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import services, { type HookContext, type Params } from '../../index.js'
import authentication, { type AuthenticationOptions, type Strategy } from '../../lib/authentication/index.js'
import events, { type EventsOptions, type LogEntry, memoryLog } from '../../lib/events/index.js'
import mounted from '../../lib/feathers/index.js'
import { type Subscriber, subscribersTo } from '../support/event-stream.js'
import { list, memory, serviceAt, startEvents } from '../support/events-app.js'

/** A strategy that finds the user whose id is in a header. */
function byHeader(name: string): Strategy {
  const strategy: Strategy = {
    parse: ({ headers }) => (headers[name] === undefined ? null : { id: String(headers[name]) }),
    setup({ entities }) {
      strategy.authenticate = async ({ id }, params) => ({ [String(entities.name)]: await userAt(String(id), params) })
      const userAt = async (id: string, params: Params) => {
        const user = await entities.get(id, params)
        if (user === undefined) throw Object.assign(new Error('No user'), { statusCode: 401 })
        return user
      }
    },
    authenticate: () => ({})
  }
  return strategy
}

const login = (options: Partial<AuthenticationOptions> = {}): AuthenticationOptions => ({
  strategies: { key: byHeader('x-user') },
  guard: 'key',
  public: ['users'],
  ...options
})

const turns = async (number: number) => {
  for (let turn = 0; turn < number; turn++) await new Promise((resolve) => setImmediate(resolve))
}

interface World {
  readonly register?: (app: FastifyInstance) => unknown
  readonly users?: MemoryService
  readonly find?: (context: HookContext) => unknown
}

async function startUsers(t: Test, options: Partial<EventsOptions> = {}, world: World = {}) {
  const { register = (app) => app.register(authentication, login()), users = memory(), find = () => {} } = world
  const asked: unknown[] = []
  // A user sees the notes of the group that their record names.
  const ofGroup = ({ params }: HookContext) => {
    asked.push(params.user?.group)
    params.query = { ...params.query, group: params.user?.group }
  }
  const api = await startEvents(
    t,
    async (app) => {
      app.service('users', users)
      app.service('notes', memory(), { hooks: { before: { find: [ofGroup, find] } } })
      await register(app)
    },
    { services: { notes: true }, ...options }
  )
  const notes = serviceAt(api.app, 'notes')
  const all = api.app.service<MemoryService>('users')
  /** Waits until the rule was asked for so often, and the answer was there. */
  const askedFor = async (number: number) => {
    while (asked.length < number) await turns(1)
    await turns(20)
  }
  return { ...api, notes, users: all, asked, askedFor }
}

const ann = { 'x-user': '1' }
const ids = ({ events }: Subscriber) => events.flatMap(({ data }) => data ?? [])

t.test('the stream of a removed user ends at once', async (t) => {
  const { users, subscribe } = await startUsers(t)
  await users.create([{ group: 'a' }, { group: 'a' }])
  const [stream, other] = [subscribe(list('notes'), ann), subscribe(list('notes'), { 'x-user': '2' })]
  await Promise.all([stream.connected, other.connected])
  await users.remove(1)
  t.match((await stream.end()).events, [{ event: 'stopped', reason: 'revoked' }])
  t.notOk(other.isOver)
})

t.test('a user of another group hears no id of the former one', async (t) => {
  const { users, notes, subscribe, askedFor, asked } = await startUsers(t)
  await users.create({ group: 'a' })
  const stream = await subscribe(list('notes'), ann).connected
  const changes = [() => users.patch(1, { group: 'b' }), () => users.update(1, { group: 'c' })]
  for (const [index, change] of changes.entries()) {
    await change()
    await notes.create({ group: 'abc'[index] })
    await askedFor(index + 2)
  }
  t.same(asked, ['a', 'b', 'c'])
  await notes.create([{ group: 'b' }, { group: 'c' }])
  await stream.until((subscriber) => ids(subscriber).length > 0)
  t.same(ids(stream), [{ id: 4 }])
})

t.test('a user with another name misses nothing, and reads nothing again', async (t) => {
  const { users, notes, subscribe, askedFor } = await startUsers(t)
  await users.create({ group: 'a' })
  const stream = await subscribe(list('notes'), ann).connected
  await notes.create({ group: 'a' })
  await users.patch(1, { name: 'Ann' })
  await askedFor(2)
  await notes.create({ group: 'a' })
  await stream.count(2)
  t.same(ids(stream), [{ id: 1 }, { id: 2 }])
  t.equal(stream.events.length, 2)
})

t.test('several authentications that are registered after the events, with users below prefixes', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(events, { services: { 'inner/notes': true, 'outer/notes': true } })
  const staff = { service: 'staff', entity: 'member', entityId: 'number', public: [] }
  for (const [prefix, strategy, options] of [
    ['inner', 'x-staff', staff],
    ['outer', 'x-user', { public: [] }]
  ] as const)
    await app.register(
      async (child) => {
        child.service(options.service ?? 'users', memory({ id: options.entityId ?? 'id' }))
        await child.register(authentication, login({ ...options, strategies: { key: byHeader(strategy) } }))
        child.service('notes', memory())
      },
      { prefix }
    )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const subscribe = subscribersTo(t, app)
  const [members, users] = [app.service<MemoryService>('inner/staff'), app.service<MemoryService>('outer/users')]
  await members.create([{}, {}])
  await users.create({})
  const inner = await subscribe(list('inner/notes'), { 'x-staff': '2' }).connected
  const outer = await subscribe(list('outer/notes'), ann).connected
  await users.remove(1)
  await outer.end()
  t.notOk(inner.isOver)
  await members.remove(2)
  await inner.end()
})

t.test('a change in a transaction counts when it is committed', async (t) => {
  const { users, subscribe, asked } = await startUsers(t)
  await users.create({ group: 'a' })
  await subscribe(list('notes'), ann).connected
  const patch = async (isCommitted: boolean | undefined) => {
    asked.length = 0
    let end = (_isCommitted: boolean | undefined) => {}
    const committed = new Promise<boolean | undefined>((resolve) => {
      end = resolve
    })
    await users.patch(1, { group: 'b' }, { transaction: { committed } } as object)
    await turns(20)
    t.same(asked, [])
    end(isCommitted)
    while (isCommitted !== false && asked.length === 0) await turns(1)
    await turns(20)
    return asked
  }
  t.same(await patch(false), [])
  t.same(await patch(true), ['b'])
  t.same(await patch(undefined), ['b'], 'the answer to the commit was lost')
})

t.test('a hook that writes to the user at each call', async (t) => {
  const heartbeat = 100
  const touch = async ({ app, params }: HookContext) => {
    await (app as FastifyInstance).service<MemoryService>('users').patch(Number(params.user?.id), { seen: 'now' })
  }
  const { users, notes, subscribe, asked, askedFor } = await startUsers(t, { heartbeat }, { find: touch })
  await users.create({ group: 'a' })
  const start = performance.now()
  const stream = await subscribe(list('notes'), ann).connected
  await askedFor(10)
  const beats = Math.ceil((performance.now() - start) / heartbeat)
  t.ok(asked.length <= 6 + beats, `asked ${asked.length} times in ${beats} heartbeats`)
  await users.patch(1, { group: 'b' })
  await stream.until(({ events }) => events.some(({ event }) => event === 'changed'))
  await notes.create([{ group: 'a' }, { group: 'b' }])
  await stream.until((subscriber) => ids(subscriber).length > 0)
  t.same(ids(stream), [{ id: 2 }])
  await users.remove(1)
  await stream.end()
})

t.test('many changes of other fields do not delay that of a group', async (t) => {
  const { users, notes, subscribe, asked, askedFor } = await startUsers(t)
  await users.create({ group: 'a' })
  const stream = await subscribe(list('notes'), ann).connected
  for (let seen = 0; seen < 20; seen++) await users.patch(1, { seen })
  await askedFor(6)
  // Names of fields that look like several, or like those of the key, have counts of their own.
  for (const name of ['group,seen', '["group","seen"]'])
    for (let count = 0; count < 20; count++) await users.patch(1, { [name]: count })
  await users.patch(1, { group: 'b', seen: 20 })
  await notes.create({ group: 'a' })
  while (asked.at(-1) !== 'b') await turns(1)
  await turns(20)
  await notes.create([{ group: 'a' }, { group: 'b' }])
  await stream.until((subscriber) => ids(subscriber).length > 0)
  t.same(ids(stream), [{ id: 3 }])
})

t.test('other work has its turn while the rules of many streams are asked for', async (t) => {
  const { app, users, subscribe, asked, askedFor } = await startUsers(t)
  await users.create({ group: 'a' })
  await Promise.all(Array.from({ length: 80 }, () => subscribe(list('notes'), ann).connected))
  asked.length = 0
  const recheck = app.events.recheck(1)
  await turns(1)
  t.ok(asked.length < 80, `${asked.length} were asked for in one turn`)
  await recheck
  await askedFor(80)
  t.equal(asked.length, 80)
})

t.test('many changes of the same fields do not fill a shared log', async (t) => {
  const log = { ...memoryLog(), isShared: true }
  const entries: LogEntry[] = []
  log.listen({ onEvent: (entry) => entries.push(entry), onLoss() {} })
  const { app, users } = await startUsers(t, { log })
  await users.create(Array.from({ length: 250 }, () => ({ group: 'a' })))
  const told = () => new Set(entries.flatMap(({ event }) => event.callers.slice(1)))
  const start = performance.now()
  for (let id = 1; id <= 250; id++) {
    await users.patch(id, { seen: 'now' })
    if (id === 1) t.same([...told()], ['user 1'], 'the first one does not wait')
  }
  while (told().size < 250) await turns(1)
  const pauses = (performance.now() - start) / 50
  t.ok(entries.length <= 2 + pauses, `${entries.length} entries in ${pauses} pauses`)
  await users.remove(1)
  await users.remove(2)
  const before = entries.length
  await app.close()
  t.ok(told().has('user 2'))
  t.ok(entries.length <= before + 1)
})

t.test('processes that share a log hear of changed users, and of `recheck`', async (t) => {
  const log = { ...memoryLog(), isShared: true }
  const entries: LogEntry[] = []
  log.listen({ onEvent: (entry) => entries.push(entry), onLoss() {} })
  const users = memory()
  const [here, there] = [await startUsers(t, { log }, { users }), await startUsers(t, { log }, { users })]
  await here.users.create([{ group: 'a' }, { group: 'a' }])
  const [stream, other] = [here.subscribe(list('notes'), ann), there.subscribe(list('notes'), ann)]
  await Promise.all([stream.connected, other.connected])
  await here.users.patch(null, { name: 'x' })
  t.equal(entries.length, 1, 'one entry for both users')
  await there.askedFor(2)
  await here.app.events.recheck(1)
  await there.askedFor(3)
  t.equal(here.asked.length, 3)
  await here.users.remove(1)
  await Promise.all([stream.end(), other.end()])
})

t.test('a log that has lost events may have lost the change of a user', async (t) => {
  const log = memoryLog()
  const { users, subscribe, asked, askedFor } = await startUsers(t, { log, heartbeat: 20 })
  await users.create({ group: 'a' })
  const stream = await subscribe(list('notes'), ann).connected
  log.lose?.()
  await askedFor(2)
  t.same(asked, ['a', 'a'])
  t.match(stream.events, [{ event: 'reset' }])
})

t.test('users of a mounted Feathers application', async (t) => {
  const theirs = feathers().use('users', new MemoryService({ startId: 1 }))
  const { app, subscribe } = await startEvents(
    t,
    async (app) => {
      await app.register(mounted, { app: theirs })
      app.service('notes', memory())
      await app.register(authentication, login({ public: [] }))
    },
    { services: { notes: true } }
  )
  await theirs.service('users').create({})
  const stream = await subscribe(list('notes'), ann).connected
  t.equal(app.events.streams, 1)
  await theirs.service('users').remove(1)
  t.match((await stream.end()).events, [{ event: 'stopped' }])
})
