import { MemoryService } from '@feathersjs/memory'
import t, { type Test } from 'tap'
import { Forbidden, memoryStore, type Store } from '../../index.js'
import { factsOfRecord } from '../../lib/core/matching.js'
import type { EventLog, LogEntry } from '../../lib/events/index.js'
import { type RedisClient, type RedisLogOptions, redisLog, redisStore } from '../../lib/events/redis/index.js'
import { list, readUser, serviceAt, startEvents } from '../support/events-app.js'
import { createGate } from '../support/gate.js'
import { logContract, loggedEvent } from '../support/log-contract.js'
import { RedisServer, skipRedis } from '../support/redis.js'
import { storeContract } from '../support/store-contract.js'
import { Way } from '../support/way.js'

const until = async (holds: () => unknown) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** A client each of whose calls over its own connection a function makes: it may hold them up, and their answers, or fail. */
const clientThrough = (
  client: RedisClient,
  through: (args: unknown[], call: () => ReturnType<RedisClient['callBuffer']>) => ReturnType<RedisClient['callBuffer']>
): RedisClient => ({
  duplicate: () => client.duplicate(),
  on: (event, listener) => client.on(event, listener),
  disconnect: () => client.disconnect(),
  callBuffer: (...args) => through(args, () => client.callBuffer(...args))
})

const isAppend = ([command, script]: unknown[]) => command === 'EVAL' && String(script).includes(`'MAXLEN'`)

let keys = 0
const nextKey = () => `log-${++keys}`

/** A log, once it has reached Redis, with what its listener was told. A process that gives no sign for 1.8 s is given up, which a slow machine must not do. */
async function openLog(t: Test, client: RedisClient, options: RedisLogOptions = {}) {
  const log = redisLog(client, { key: nextKey(), beat: 600, ...options })
  const told: { entries: LogEntry[]; losses: number; states: string[] } = { entries: [], losses: 0, states: [] }
  log.listen({
    onEvent: (entry) => void told.entries.push(entry),
    onLoss() {
      told.losses += 1
    },
    onAway: () => void told.states.push('away'),
    onBack: () => void told.states.push('back')
  })
  t.teardown(() => log.close?.())
  await until(() => log.newest() !== 'none')
  told.losses = 0
  const ids = () => told.entries.map(({ event }) => event.id)
  return { log, told, ids }
}

t.test('options that can not be used', async (t) => {
  const client = {} as RedisClient
  t.throws(() => redisLog(client, { event: 1 } as object), /no option 'event'.+Did you mean 'events'/)
  t.throws(() => redisLog(client), /redisLog needs a client of ioredis, as new Redis\(url\), got an object/)
  t.throws(() => redisStore(client), /redisStore needs a client of ioredis/)
  t.throws(() => redisLog(client, { beat: 1 }), /`beat` of redisLog must be a time in ms, from 10 to a day, got 1/)
  t.throws(() => redisStore(client, { timeout: '1s' } as object), /`timeout` of redisStore must be a time in ms/)
  t.throws(() => redisStore(client, { key: 'a' } as object), /edisStore has no option 'key'/)
  t.throws(() => redisLog(client, { events: 0.5 }), /`events` of redisLog must be a whole number above 0/)
})

t.test('the store in memory is a store', (t) => storeContract(t, memoryStore() as Required<Store>))

t.test('with a Redis', { skip: skipRedis }, async (t) => {
  const server = await RedisServer.start(t)

  await t.test('the store in Redis is a store', (t) => storeContract(t, redisStore(server.client(t))))

  await t.test('a store that is away is 503, and soon', async (t) => {
    const away = await RedisServer.start(t)
    const client = away.client(t)
    const store = redisStore(client, { prefix: 'a:' })
    const hasty = redisStore(client, { prefix: 'a:', timeout: 50 })
    await store.set('b', 'c', 10)
    t.equal(await away.client(t).get('a:b'), 'c')
    away.signal('SIGSTOP')
    await t.rejects(hasty.get('b') as Promise<unknown>, { name: 'Unavailable', data: { retryAfter: 5 } })
    away.signal('SIGCONT')
    t.equal(await store.get('b'), 'c')
  })

  for (const protocol of [2, 3] as const)
    await t.test(`the log in Redis is a log, by RESP${protocol}`, (t) =>
      logContract(t, async (events) => (await openLog(t, server.client(t, { protocol }), { events })).log)
    )

  await t.test('a client that waits for nothing: it is not away when it starts, nor when it is idle', async (t) => {
    const timeouts = { commandTimeout: 1500, connectTimeout: 1500, socketTimeout: 1500 }
    const client = server.client(t, { ...timeouts, enableOfflineQueue: false, maxRetriesPerRequest: 0 })
    const { log, told, ids } = await openLog(t, client, { beat: 5000 })
    await new Promise((resolve) => setTimeout(resolve, 2500))
    await log.append(loggedEvent(1))
    await until(() => ids().length === 1)
    await log.open?.()
    t.same(told.states, [])
  })

  await t.test('facts of all kinds arrive', async (t) => {
    const { log, told } = await openLog(t, server.client(t))
    const facts = factsOfRecord({
      none: null,
      no: false,
      big: 5n ** 30n,
      at: new Date(5),
      id: { toHexString: () => 'a' }
    })
    const event = { ...loggedEvent(1), facts, touched: true as const, route: { a: 'b' }, callers: ['x'], call: 'y' }
    await log.append(event)
    await until(() => told.entries.length === 1)
    t.same(told.entries[0]?.event, event)
  })

  await t.test(
    'two applications: what one changes is heard at the other, and read there by who comes back',
    async (t) => {
      const key = nextKey()
      const store = new MemoryService({ startId: 1 })
      const start = () => {
        const log = redisLog(server.client(t), { key, beat: 600 })
        return startEvents(t, (app) => void app.service('notes', store), {
          services: { notes: { records: true } },
          log
        })
      }
      const [here, there] = [await start(), await start()]
      const stream = await there.subscribe(list('notes')).connected
      const ownStream = await here.subscribe(list('notes')).connected
      await here.call('POST', '/notes', { text: 'a' })
      const events = [{ path: 'notes', event: 'created', data: { id: 1, text: 'a' } }]
      t.same(await stream.count(1), events)
      t.same(await ownStream.count(1), events)
      stream.socket.destroy()
      for (const text of ['b', 'c']) await there.call('POST', '/notes', { text })
      const again = here.subscribe(list('notes'), { 'last-event-id': String(stream.id) })
      // An event that this process had not read yet comes live, with its record.
      t.match(await again.count(2), [{ data: { id: 2 } }, { data: { id: 3 } }])
      t.same(
        [here, there].flatMap(({ logs }) => logs),
        []
      )
    }
  )

  await t.test('a recheck counts in all processes, and is no event for who comes back', async (t) => {
    const key = nextKey()
    let isMember = true
    const checkMember = () => {
      if (!isMember) throw new Forbidden('Not any more')
    }
    const hooks = { before: { all: [readUser], find: [checkMember] } }
    const store = new MemoryService({ startId: 1 })
    const start = () => {
      const log = redisLog(server.client(t), { key, beat: 600 })
      return startEvents(t, (app) => void app.service('notes', store, { hooks }), { services: { notes: true }, log })
    }
    const [here, there] = [await start(), await start()]
    const ann = { 'x-user': 'ann' }
    const stream = await there.subscribe(list('notes'), ann).connected
    isMember = false
    await here.app.events.recheck('ann')
    t.match((await stream.end()).events, [{ event: 'stopped', reason: 'forbidden' }])
    isMember = true
    await here.call('POST', '/notes', { text: 'a' })
    const again = there.subscribe(list('notes'), { ...ann, 'last-event-id': String(stream.id) })
    t.same(await again.count(1), [{ path: 'notes', event: 'created', data: { id: 1 } }])
  })

  await t.test(
    'a process that ends without a goodbye makes the others read anew; one that leaves does not',
    async (t) => {
      const key = nextKey()
      const { log, told, ids } = await openLog(t, server.client(t), { key })
      const leaving = await openLog(t, server.client(t), { key })
      await leaving.log.append(loggedEvent(1))
      await leaving.log.close?.()
      const client = server.client(t)
      const dying = await openLog(t, client, { key })
      await dying.log.append(loggedEvent(2))
      const before = log.newest()
      t.equal(told.losses, 0)
      client.disconnect()
      await until(() => told.losses > 0)
      t.equal(told.losses, 1)
      t.equal(await log.read(before), undefined, 'who comes back over the loss reads anew, too')
      t.same(ids(), [1, 2])
      // It is not dead after all.
      await client.connect()
      await dying.log.append(loggedEvent(3))
      await until(() => ids().length === 3)
      await until(() => told.losses > 1)
    }
  )

  await t.test('Redis is away: calls go on, events wait and come in order, once, and one line is logged', async (t) => {
    const away = await RedisServer.start(t)
    const log = redisLog(away.client(t), { beat: 100 })
    const notes = new MemoryService({ startId: 1 })
    const { app, subscribe, call, logs } = await startEvents(t, (app) => void app.service('notes', notes), {
      services: { notes: true },
      log
    })
    await until(() => log.newest() !== 'none')
    const stream = await subscribe(list('notes')).connected
    await call('POST', '/notes', {})
    await stream.count(1)
    t.equal(app.events.isLogReachable, true)
    await away.kill()
    await until(() => !app.events.isLogReachable)
    for (let i = 0; i < 300; i++) t.equal((await call('POST', '/notes', {})).statusCode, 201)
    await away.start()
    await until(() => app.events.isLogReachable)
    const events = await stream.count(301)
    t.same(
      events.map(({ data }) => (data as { id: number }).id),
      Array.from({ length: 301 }, (_, index) => index + 1)
    )
    t.match(logs, [{ msg: /log of events can not be reached/ }])
  })

  await t.test(
    'an application closes while Redis is away; what it gives up meanwhile is no further line',
    async (t) => {
      const away = await RedisServer.start(t)
      const log = redisLog(away.client(t), { beat: 100, waiting: 1 })
      const { app, call, logs } = await startEvents(t, (app) => void app.service('notes', new MemoryService()), {
        services: { notes: true },
        log
      })
      await away.kill()
      await until(() => !app.events.isLogReachable)
      t.equal((await call('POST', '/notes', {})).statusCode, 201)
      await app.close()
      t.match(logs, [{ msg: /log of events can not be reached/ }])
    }
  )

  await t.test('a connection that is gone without a word is given up for a new one', async (t) => {
    const way = await new Way('127.0.0.1', Number(new URL(server.url).port)).open(t)
    const client = server.client(t)
    // The connection that waits for entries goes this way.
    const byWay: RedisClient = {
      duplicate: () => client.duplicate({ port: way.port }),
      on: (event, listener) => client.on(event, listener),
      disconnect: () => client.disconnect(),
      callBuffer: (...args) => client.callBuffer(...args)
    }
    const { log, told, ids } = await openLog(t, byWay, { beat: 100 })
    way.hold()
    await until(() => told.states.includes('away'))
    await log.append(loggedEvent(1))
    await until(() => ids().length === 1)
    t.same([ids(), told.losses], [[1], 0])
  })

  await t.test('Redis stops in the middle, and goes on', async (t) => {
    const paused = await RedisServer.start(t)
    const { log, told, ids } = await openLog(t, paused.client(t))
    paused.signal('SIGSTOP')
    await until(() => told.states.includes('away'))
    const appended = [1, 2, 3].map((id) => log.append(loggedEvent(id)))
    paused.signal('SIGCONT')
    await Promise.all(appended)
    await until(() => ids().length === 3)
    t.same(ids(), [1, 2, 3])
    await until(() => told.states.at(-1) === 'back')
  })

  await t.test('more waits than may: it is given up, and all read anew', async (t) => {
    const away = await RedisServer.start(t)
    const { log, told, ids } = await openLog(t, away.client(t), { waiting: 1000 })
    await away.kill()
    const appended = [log.append(loggedEvent(1)), log.append(loggedEvent(2))]
    await t.rejects(log.append(loggedEvent(3, { text: 'x'.repeat(1000) })) as Promise<void>, {
      name: 'Unavailable',
      message: /too many events wait/
    })
    await away.start()
    await Promise.all(appended)
    await until(() => told.losses > 0)
    await log.append(loggedEvent(4))
    await until(() => ids().length === 3)
    t.same([ids(), told.losses], [[1, 2, 4], 1])
  })

  await t.test('a log that is emptied, or cut faster than it is read, is a loss', async (t) => {
    const client = server.client(t)
    const key = nextKey()
    const { log, told, ids } = await openLog(t, client, { key, events: 10 })
    await log.append(loggedEvent(1))
    await until(() => ids().length === 1)
    const before = log.newest()
    await client.del(`{${key}}:log`, `{${key}}:processes`)
    await log.append(loggedEvent(2))
    await until(() => ids().length === 2)
    t.ok(told.losses > 0)
    t.equal(await log.read(before), undefined)
    told.losses = 0
    await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(loggedEvent(index + 10))))
    await until(() => ids().at(-1) === 59)
    t.same([ids().length, told.losses], [12, 1])
  })

  await t.test('a log that is emptied under a clock that was set back goes on', async (t) => {
    const client = server.client(t)
    const key = nextKey()
    const { log, told, ids } = await openLog(t, client, { key })
    await client.xadd(`{${key}}:log`, '99999999999999-0', 'previous', log.newest(), 'begin', '1')
    await until(() => log.newest() === '99999999999999-0')
    await client.del(`{${key}}:log`)
    await until(() => told.losses > 0)
    await log.append(loggedEvent(1))
    await until(() => ids().length === 1)
  })

  await t.test('an entry of a program that is not understood is a loss, and the next is read', async (t) => {
    const client = server.client(t)
    const key = nextKey()
    const { log, told, ids } = await openLog(t, client, { key })
    const before = log.newest()
    await client.xadd(`{${key}}:log`, '*', 'event', '{"facts":1}')
    await log.append(loggedEvent(1))
    await until(() => ids().length === 1)
    t.equal(told.losses, 1)
    t.equal(await log.read(before), undefined)
  })

  await t.test('a sign of life that is on its way does not stay behind the goodbye', async (t) => {
    const client = server.client(t)
    const key = nextKey()
    const { opened, open } = createGate()
    let signs = 0
    const late = clientThrough(client, async (args, call) => {
      if (args.includes('EVAL') && ++signs === 2) await opened
      return call()
    })
    const { log } = await openLog(t, late, { key, beat: 300 })
    await until(() => signs === 2)
    const closing = log.close?.()
    // As long as a goodbye takes that waits for nothing.
    await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, 100))])
    open()
    await closing
    await new Promise((resolve) => setTimeout(resolve, 100))
    t.same(await client.hkeys(`{${key}}:processes`), [])
  })

  await t.test('what was sent, and whose answer was lost, is there once', async (t) => {
    const client = server.client(t)
    let failures = 2
    const cut = clientThrough(client, async (args, call) => {
      const answer = await call()
      if (isAppend(args) && failures-- > 0) throw new Error('The connection has ended')
      return answer
    })
    const { log, ids, told } = await openLog(t, cut)
    await Promise.all([1, 2].map((id) => log.append(loggedEvent(id))))
    await log.append(loggedEvent(3))
    await until(() => ids().length === 3)
    t.same([ids(), told.losses], [[1, 2, 3], 0])
  })

  await t.test('what a process sends again that was given up meanwhile has a loss behind it', async (t) => {
    const client = server.client(t)
    const key = nextKey()
    let [signs, appends] = [0, 0]
    const cut = clientThrough(client, async (args, call) => {
      const answer = await call()
      if (!args.includes('EVAL')) return answer
      if (!isAppend(args)) signs += 1
      else if (++appends === 1) {
        // The others give it up, and it comes back.
        await client.del(`{${key}}:processes`)
        const before = signs
        await until(() => signs > before)
        throw new Error('The answer is lost')
      }
      return answer
    })
    const { log } = await openLog(t, cut, { key, beat: 300 })
    const told: unknown[] = []
    log.listen({ onEvent: ({ event }) => void told.push(event.id), onLoss: () => void told.push('loss') })
    for (const id of [1, 2, 3]) await log.append(loggedEvent(id))
    await until(() => told.includes(3))
    t.same(told, [1, 'loss', 1, 'loss', 2, 3])
  })

  await t.test('old entries go, and the newest stays', async (t) => {
    const client = server.client(t)
    const key = nextKey()
    const { log, told } = await openLog(t, client, { key, age: 50 })
    await Promise.all([1, 2, 3].map((id) => log.append(loggedEvent(id))))
    await until(async () => (await client.xlen(`{${key}}:log`)) === 1)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    t.equal(await client.xlen(`{${key}}:log`), 1)
    await log.append(loggedEvent(4))
    await until(() => told.entries.length === 4)
    t.equal(told.losses, 0)
  })

  await t.test('more than 2,000 missed events are not read', async (t) => {
    const { log, ids } = await openLog(t, server.client(t))
    const before = log.newest()
    await Promise.all(Array.from({ length: 2001 }, (_, index) => log.append(loggedEvent(index))))
    await until(() => ids().length === 2001)
    t.equal(await log.read(before), undefined)
    t.equal(await log.read('99999999999999-0'), undefined, 'nor is a position of the future')
  })

  await t.test('durable: a call is answered when its event is in the log, and is 503 where it is not', async (t) => {
    const away = await RedisServer.start(t)
    const notes = new MemoryService({ startId: 1 })
    const key = nextKey()
    const log = redisLog(away.client(t), { key, beat: 100 })
    const options = { services: { notes: true }, log, durable: true, limits: { timeout: 1500 } }
    const { app, call, logs } = await startEvents(t, (app) => void app.service('notes', notes), options)
    const client = away.client(t)
    for (let id = 1; id <= 3; id++) {
      t.equal((await call('POST', '/notes', {})).statusCode, 201)
      t.equal(await client.xlen(`{${key}}:log`), id + 1)
    }
    t.equal((await call('GET', '/notes')).statusCode, 200)
    await away.kill()
    const refused = await call('PATCH', '/notes/1', { text: 'a' })
    t.match(refused, { statusCode: 503, body: /'patch' of 'notes' is done, but its event is not in the log yet/ })
    await t.rejects(serviceAt(app, 'notes').create({}), { name: 'Unavailable' })
    await away.start()
    await until(() => app.events.isLogReachable)
    t.equal((await call('POST', '/notes', {})).statusCode, 201)
    t.equal(await client.xlen(`{${key}}:log`), 7, 'what was 503 came later')
    t.match(logs.slice(0, 1), [{ msg: /log of events can not be reached/ }])
  })

  await t.test('a server that starts while Redis is away: it answers, and hears when Redis is there', async (t) => {
    const late = await RedisServer.start(t)
    await late.kill()
    const log: EventLog = redisLog(late.client(t), { beat: 100 })
    const { app, subscribe, call } = await startEvents(
      t,
      (app) => void app.service('notes', new MemoryService({ startId: 1 })),
      { services: { notes: true }, log }
    )
    const stream = await subscribe(list('notes'), { 'last-event-id': '1-0' }).connected
    t.equal((await call('POST', '/notes', {})).statusCode, 201)
    t.same(await log.read('1-0'), undefined)
    t.same(await stream.count(1), [{ path: 'events', event: 'reset' }], 'nobody knows what was missed')
    await late.start()
    // The event is heard, or is one of those that were missed: it may be in Redis before this process reads from there.
    await stream.until(({ events }) => events.slice(1).some(({ event }) => event === 'created' || event === 'reset'))
    t.equal(app.events.isLogReachable, true)
    t.equal(serviceAt(app, 'notes') !== undefined, true)
  })
})
