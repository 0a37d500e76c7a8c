import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import services from '../../index.js'
import type { LogEntry } from '../../lib/events/index.js'
import events from '../../lib/events/index.js'
import {
  type PostgresClient,
  type PostgresLogOptions,
  type PostgresPool,
  postgresLog,
  postgresStore,
  postgresTables
} from '../../lib/events/postgres/index.js'
import { list, startEvents } from '../support/events-app.js'
import { createGate } from '../support/gate.js'
import { logContract, loggedEvent } from '../support/log-contract.js'
import { createDatabase, createTables, PostgresWay, skipPostgres } from '../support/postgres.js'
import { storeContract } from '../support/store-contract.js'

const until = async (holds: () => unknown) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** A log, once it has reached the database, with what its listener was told. A process that gives no sign for 1.8 s is given up, which a slow machine must not do. */
async function openLog(t: Test, pool: PostgresPool, table: string, options: PostgresLogOptions = {}) {
  const log = postgresLog(pool, { table, beat: 600, ...options })
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
  return { log, told, ids: () => told.entries.map(({ event }) => event.id) }
}

/** A pool each of whose queries a function sends: it may hold them up, and their answers, or fail. */
const poolThrough = (
  pool: PostgresPool,
  through: (text: string, send: () => ReturnType<PostgresClient['query']>) => ReturnType<PostgresClient['query']>
): PostgresPool => ({
  on: (event, listener) => pool.on(event, listener),
  async connect() {
    const client = await pool.connect()
    const query: PostgresClient['query'] = (text, values) => through(text, () => client.query(text, values))
    return Object.assign(Object.create(client), { query })
  }
})

t.test('options that can not be used', async (t) => {
  const pool = {} as PostgresPool
  t.throws(() => postgresLog(pool, { tables: 'a' } as object), /no option 'tables'.+Did you mean 'table'/)
  for (const beat of [1, '600'])
    t.throws(() => postgresLog(pool, { beat } as object), /`beat` of postgresLog must be a time in ms/)
  for (const make of [
    postgresTables,
    (options: object) => postgresLog(pool, options),
    (options: object) => postgresStore(pool, options)
  ])
    for (const table of ['a"; drop table b', ['x'], 1, null])
      t.throws(() => make({ table } as object), /`table` of postgres\w+ must be a name of 1 to 40 lower-case letters/)
  for (const [timeout, message] of [
    ['1s', /`timeout` of postgresStore must be a time in ms/],
    [0, /`timeout`/]
  ])
    t.throws(() => postgresStore(pool, { timeout } as object), message as RegExp)
  t.throws(
    () => postgresStore(pool, { tables: 'a' } as object),
    /PostgresStore has no option 'tables'|postgresStore has no option 'tables'/
  )
  t.throws(() => postgresTables({ tables: 'a' } as object), /postgresTables has no option 'tables'/)
  t.throws(
    () => postgresLog(pool),
    /postgresLog needs a pool of pg, as new Pool\(\{ connectionString \}\), got an object/
  )
  t.throws(() => postgresStore(pool), /postgresStore needs a pool of pg/)
})

t.test('with a PostgreSQL server', { skip: skipPostgres }, async (t) => {
  await t.test('the store is a store', async (t) => {
    const { pool, table } = await createTables(t)
    await storeContract(t, postgresStore(pool, { table }))
  })

  await t.test(
    'without the tables the server does not start, and the store says in the log what is missing',
    async (t) => {
      const way = await PostgresWay.open(t)
      const pool = way.pool(t)
      const app = Fastify()
      t.teardown(() => app.close())
      await app.register(services)
      app.service('notes', new MemoryService())
      await app.register(events, { services: { notes: true }, log: postgresLog(pool, { table: 'nowhere' }) })
      await t.rejects(
        app.ready() as PromiseLike<unknown> as Promise<unknown>,
        /run `await pool.query\(postgresTables\(\)\)`/
      )
      const asked = postgresStore(pool, { table: 'nowhere' }).get('a') as Promise<unknown>
      await t.rejects(asked, { name: 'Unavailable', cause: { message: /postgresTables\(\)/ } })
      const log = postgresLog(pool, { table: `late_${process.pid}`, beat: 100 })
      t.teardown(() => log.close?.())
      await t.rejects(async () => log.open?.(), /postgresTables/)
      await t.rejects(async () => log.open?.(), /postgresTables/, 'as often as it is asked')
    }
  )

  await t.test('what is over goes from the table of the store', async (t) => {
    const { pool, table } = await createTables(t)
    const { now } = Date
    t.teardown(() => Object.assign(Date, { now }))
    const store = postgresStore(pool, { table })
    await store.set('short', 'x', 0.01)
    await until(async () => (await store.get('short')) === undefined)
    Date.now = () => now() + 61_000
    await store.add('long', 'x', 100)
    await until(async () => (await pool.query(`select 1 from ${table}_store`)).rows.length === 1)
    t.equal(await store.get('long'), 'x')
  })

  await t.test('a store that is away is 503, and soon', async (t) => {
    const { table } = await createTables(t)
    const way = await PostgresWay.open(t)
    const ways = way.pool(t)
    const patient = postgresStore(ways, { table, timeout: 30_000 })
    const store = postgresStore(ways, { table, timeout: 200 })
    await patient.set('b', 'c', 600)
    const { now } = Date
    t.teardown(() => Object.assign(Date, { now }))
    way.hold()
    await t.rejects(store.get('b') as Promise<unknown>, { name: 'Unavailable', data: { retryAfter: 5 } })
    await way.cut()
    // What is over can't be removed now, either.
    Date.now = () => now() + 61_000
    await t.rejects(store.set('b', 'd', 10) as Promise<unknown>, { name: 'Unavailable' })
    Date.now = now
    await way.restore()
    t.equal(await patient.get('b'), 'c')
  })

  await t.test('a connection that ends during a question ends no process', async (t) => {
    const { table } = await createTables(t)
    const way = await PostgresWay.open(t)
    const store = postgresStore(way.pool(t), { table, timeout: 5000 })
    await store.get('a')
    way.hold()
    const asked = t.rejects(store.get('a') as Promise<unknown>, { name: 'Unavailable' })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await way.cut()
    await asked
  })

  await t.test('a connection that comes too late is given back to the pool', async (t) => {
    const { pool, table } = await createTables(t)
    const { opened, open } = createGate()
    const connect = () => opened.then(() => pool.connect())
    const store = postgresStore({ connect, on: () => {} }, { table, timeout: 20 })
    await t.rejects(store.get('a') as Promise<unknown>, { name: 'Unavailable' })
    const released = once(pool, 'release')
    open()
    await released
    t.equal(pool.idleCount, pool.totalCount)
    const refuse = () => new Promise<never>((_, reject) => setTimeout(reject, 40, new Error('too many')))
    const refusing = postgresStore({ connect: refuse, on: () => {} }, { table, timeout: 20 })
    await t.rejects(refusing.get('a') as Promise<unknown>, { name: 'Unavailable' }, 'one that fails late harms nobody')
    await new Promise((resolve) => setTimeout(resolve, 40))
  })

  await t.test('an event that is given before the log has reached the database is in it', async (t) => {
    const { pool, table } = await createTables(t)
    const log = postgresLog(pool, { table, beat: 5000 })
    t.teardown(() => log.close?.())
    log.listen({ onEvent() {}, onLoss() {} })
    await log.append(loggedEvent(1))
    const { rows } = await pool.query(`select count(event)::int from ${table}_log`)
    t.same(rows, [{ count: 1 }])
  })

  await t.test('the log is a log', (t) =>
    logContract(t, async (events) => {
      const { pool, table } = await createTables(t)
      return (await openLog(t, pool, table, { events })).log
    })
  )

  await t.test('tables are made again without harm', async (t) => {
    const { pool, table } = await createTables(t)
    const { log, ids } = await openLog(t, pool, table)
    await log.append(loggedEvent(1))
    await Promise.all([pool.query(postgresTables({ table })), pool.query(postgresTables({ table }))])
    await log.append(loggedEvent(2))
    await until(() => ids().length === 2)
    t.same(ids(), [1, 2])
  })

  await t.test(
    'two applications: what one changes is heard at the other, and read there by who comes back',
    async (t) => {
      const { table } = await createTables(t)
      const way = await PostgresWay.open(t)
      const notes = new MemoryService({ startId: 1 })
      const start = () =>
        startEvents(t, (app) => void app.service('notes', notes), {
          services: { notes: { records: true } },
          log: postgresLog(way.pool(t), { table, beat: 600 })
        })
      const [here, there] = [await start(), await start()]
      const stream = await there.subscribe(list('notes')).connected
      await here.call('POST', '/notes', { text: 'a' })
      t.same(await stream.count(1), [{ path: 'notes', event: 'created', data: { id: 1, text: 'a' } }])
      stream.socket.destroy()
      for (const text of ['b', 'c']) await there.call('POST', '/notes', { text })
      const again = here.subscribe(list('notes'), { 'last-event-id': String(stream.id) })
      // An event that this process had not read yet comes live, with its record.
      t.match(await again.count(2), [{ data: { id: 2 } }, { data: { id: 3 } }])
      t.same(
        [here, there].flatMap(({ logs }) => logs),
        []
      )
      await Promise.all([here.app.close(), there.app.close()])
    }
  )

  await t.test(
    'a process that ends without a goodbye makes the others read anew; one that leaves does not',
    async (t) => {
      const { pool, table } = await createTables(t)
      const { log, told, ids } = await openLog(t, pool, table)
      const leaving = await openLog(t, pool, table)
      await leaving.log.append(loggedEvent(1))
      await leaving.log.close?.()
      const way = await PostgresWay.open(t)
      const dying = await openLog(t, way.pool(t), table)
      await dying.log.append(loggedEvent(2))
      await until(() => ids().length === 2)
      const before = log.newest()
      t.equal(told.losses, 0)
      await way.cut()
      await until(() => told.losses > 0)
      t.equal(await log.read(before), undefined, 'who comes back over the loss reads anew, too')
      t.same(ids(), [1, 2])
      // It is not dead after all.
      await way.restore()
      await dying.log.append(loggedEvent(3))
      await until(() => ids().length === 3)
      await until(() => told.losses > 1)
    }
  )

  await t.test('a process that closes while its events wait says goodbye behind them, however late', async (t) => {
    const { pool, table } = await createTables(t)
    const { log, told, ids } = await openLog(t, pool, table, { beat: 5000 })
    const { opened, open } = createGate()
    let appends = 0
    const slow = poolThrough(pool, async (text, send) => {
      if (text.includes(`${table}_append(`) && ++appends === 1) await opened
      return send()
    })
    const closing = await openLog(t, slow, table, { beat: 5000 })
    void closing.log.append(loggedEvent(1))
    await until(() => appends === 1)
    void closing.log.append(loggedEvent(2))
    await closing.log.close?.()
    open()
    await until(async () => (await pool.query(`select 1 from ${table}_processes`)).rows.length === 1)
    await log.append(loggedEvent(3))
    await until(() => ids().includes(3))
    t.same([ids(), told.losses], [[1, 2, 3], 0])
  })

  await t.test('a sign of life that is on its way does not stay behind the goodbye', async (t) => {
    const { pool, table } = await createTables(t)
    const { opened, open } = createGate()
    let signs = 0
    const late = poolThrough(pool, async (text, send) => {
      if (text.includes(`${table}_sign(`) && ++signs === 2) await opened
      return send()
    })
    const { log } = await openLog(t, late, table, { beat: 300 })
    await until(() => signs === 2)
    const closing = log.close?.()
    // As long as a goodbye takes that waits for nothing.
    await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, 100))])
    open()
    await closing
    await new Promise((resolve) => setTimeout(resolve, 100))
    t.same((await pool.query(`select 1 from ${table}_processes`)).rows, [])
  })

  await t.test(
    'an event that is given while a closing process waits for a sign of life comes before the goodbye',
    async (t) => {
      const { pool, table } = await createTables(t)
      const [sign, append] = [createGate(), createGate()]
      let signs = 0
      const late = poolThrough(pool, async (text, send) => {
        if (text.includes(`${table}_sign(`) && ++signs === 2) await sign.opened
        if (text.includes(`${table}_append(`)) await append.opened
        return send()
      })
      const { log } = await openLog(t, late, table, { beat: 300 })
      await until(() => signs === 2)
      const closing = log.close?.()
      const appended = log.append(loggedEvent(1))
      sign.open()
      // As long as a goodbye takes that waits for nothing.
      await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, 100))])
      append.open()
      await appended
      await closing
      t.same((await pool.query(`select 1 from ${table}_processes`)).rows, [])
    }
  )

  await t.test('nor does one that the process has given up, and that waits for the log', async (t) => {
    const { pool, table } = await createTables(t)
    const admin = await pool.connect()
    t.teardown(() => admin.release())
    let failures = 0
    const counted = poolThrough(pool, async (text, send) => {
      const sent = send()
      if (text.includes(`${table}_sign(`)) sent.catch(() => failures++)
      return sent
    })
    const { log } = await openLog(t, counted, table, { beat: 100 })
    await admin.query('begin')
    await admin.query('select pg_advisory_xact_lock(hashtext($1), 1)', [table])
    // Others give it up meanwhile, so that its signs insert it anew.
    await admin.query(`delete from ${table}_processes`)
    await until(() => failures > 0)
    await log.close?.()
    await admin.query('commit')
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and classid = hashtext($1)::bit(32)::bigint and objid = 1`
    await until(async () => (await pool.query(waiting, [table])).rows.length === 0)
    t.same((await pool.query(`select 1 from ${table}_processes`)).rows, [])
  })

  await t.test('a process that could not give all its events does not say goodbye: the others read anew', async (t) => {
    const { pool, table } = await createTables(t)
    const { log, told, ids } = await openLog(t, pool, table)
    const { opened, open } = createGate()
    const ended = poolThrough(pool, async (text, send) => {
      if (!text.includes(`${table}_append(`)) return send()
      await opened
      throw new Error('The pool has ended')
    })
    const closing = await openLog(t, ended, table)
    void closing.log.append(loggedEvent(1))
    await closing.log.close?.()
    open()
    await until(async () => (await pool.query(`select 1 from ${table}_processes`)).rows.length === 1)
    await log.append(loggedEvent(2))
    await until(() => ids().includes(2))
    t.same([ids(), told.losses], [[2], 1])
  })

  for (const encoding of ['LATIN1', 'SQL_ASCII'])
    await t.test(`events of all characters come through a database of ${encoding}`, async (t) => {
      const address = await createDatabase(t, `encoding '${encoding}' template template0 lc_collate 'C' lc_ctype 'C'`)
      const { pool, table } = await createTables(t, address)
      const { log, told } = await openLog(t, pool, table)
      const text = 'Küche 台所 🍳 \u0000 \ud800 \u2028'
      await log.append(loggedEvent(1, { text, [text]: 1 }))
      await until(() => told.entries.length === 1)
      t.match(told.entries[0]?.event.facts, { text, [text]: 1 })
      const log2 = postgresLog(pool, { table, outbox: true })
      t.teardown(() => log2.close?.())
      await log2.appendWithin?.({ query: pool.query.bind(pool) }, [loggedEvent(2, { text })])
      await log.append(loggedEvent(3))
      await until(() => told.entries.length === 3)
      t.same([told.entries[1]?.event.facts.text, told.losses], [text, 0])
    })

  await t.test('events that the database refuses for good are a loss, and later ones come', async (t) => {
    const { pool, table } = await createTables(t)
    const { log, told, ids } = await openLog(t, pool, table)
    await pool.query(`
      create function ${table}_refuse() returns trigger language plpgsql as
        $$ begin raise exception 'bad' using errcode = '22021'; end $$;
      create trigger refuse before insert on ${table}_log for each row when (new.event like '%"bad"%')
        execute function ${table}_refuse()`)
    t.teardown(() => pool.query(`drop function ${table}_refuse cascade`))
    const appended = [1, 2, 3, 4, 5].map((id) => log.append(loggedEvent(id, { text: id === 3 ? 'bad' : 'good' })))
    for (const { status } of await Promise.allSettled(appended)) t.equal(status, 'rejected')
    await log.append(loggedEvent(6))
    await until(() => ids().length === 1 && told.losses > 0)
    t.same([ids(), told.losses, told.states], [[6], 1, []])
  })

  await t.test('an event that is too large to wait is a loss for all, though no event comes behind it', async (t) => {
    const { pool, table } = await createTables(t)
    const { log, told } = await openLog(t, pool, table, { waiting: 1000 })
    const large = loggedEvent(1, { text: 'x'.repeat(1000) })
    await t.rejects(log.append(large) as Promise<void>, { name: 'Unavailable' })
    await until(() => told.losses > 0)
    t.equal(told.losses, 1)
  })

  await t.test(
    'the database is away: calls go on, events wait and come in order, once, and one line is logged',
    async (t) => {
      const { table } = await createTables(t)
      const way = await PostgresWay.open(t)
      const log = postgresLog(way.pool(t), { table, beat: 600 })
      const register = (app: Parameters<Parameters<typeof startEvents>[1]>[0]) =>
        void app.service('notes', new MemoryService({ startId: 1 }))
      const { app, subscribe, call, logs } = await startEvents(t, register, { services: { notes: true }, log })
      const stream = await subscribe(list('notes')).connected
      await call('POST', '/notes', {})
      await stream.count(1)
      await way.cut()
      await until(() => !app.events.isLogReachable)
      for (let i = 0; i < 300; i++) t.equal((await call('POST', '/notes', {})).statusCode, 201)
      await way.restore()
      const events = await stream.count(301)
      t.same(
        events.map(({ data }) => (data as { id: number }).id),
        Array.from({ length: 301 }, (_, index) => index + 1)
      )
      await until(() => app.events.isLogReachable)
      t.match(logs, [{ msg: /log of events can not be reached/ }])
      await app.close()
    }
  )

  await t.test('what is held up on its way, and is sent again, is there once', async (t) => {
    const { table, pool } = await createTables(t)
    const way = await PostgresWay.open(t)
    const { log, told, ids } = await openLog(t, way.pool(t), table, { beat: 200 })
    const other = await openLog(t, pool, table, { beat: 2000 })
    way.hold()
    await until(() => told.states.includes('away'))
    const appended = [1, 2, 3].map((id) => log.append(loggedEvent(id)))
    way.goOn()
    await Promise.all(appended)
    await until(() => ids().length === 3 && other.ids().length === 3)
    t.same(
      [ids(), other.ids()],
      [
        [1, 2, 3],
        [1, 2, 3]
      ]
    )
    await until(() => told.states.at(-1) === 'back')
  })

  await t.test('a process that was given up while it had nothing to say is one loss', async (t) => {
    const { pool, table } = await createTables(t)
    const { log, told, ids } = await openLog(t, pool, table, { beat: 300 })
    await log.append(loggedEvent(1))
    await pool.query(`delete from ${table}_processes`)
    await until(() => told.losses > 0)
    await log.append(loggedEvent(2))
    await until(() => ids().length === 2)
    t.equal(told.losses, 1)
  })

  await t.test('what the application says behind the goodbye is told, and leaves nobody behind', async (t) => {
    const { pool, table } = await createTables(t)
    const { told, ids } = await openLog(t, pool, table)
    const closing = await openLog(t, pool, table)
    await closing.log.close?.()
    await closing.log.append(loggedEvent(1))
    await until(() => ids().length === 1)
    await until(async () => (await pool.query(`select 1 from ${table}_processes`)).rows.length === 1)
    t.equal(told.losses, 0)
  })

  await t.test('a process whose log is away ends when its application has closed, and not before', async (t) => {
    const door = new URL('../../lib/events/postgres/index.js', import.meta.url)
    const program = `import { Pool } from 'pg'
import { postgresLog } from '${door}'
const log = postgresLog(new Pool({ connectionString: 'postgres://127.0.0.1:9' }))
log.append({ service: 'notes', event: 'created', id: 1, facts: {}, touched: [], route: {}, callers: [] })
await log.close()
console.log('closed')`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    t.equal(stdout, 'closed\n')
  })

  await t.test('what a process sends again that was given up meanwhile has a loss behind it', async (t) => {
    const { pool, table } = await createTables(t)
    let [signs, appends] = [0, 0]
    const cut = poolThrough(pool, async (text, send) => {
      const result = await send()
      if (text.includes(`${table}_sign(`)) signs += 1
      if (!text.includes(`${table}_append(`) || ++appends > 1) return result
      // The others give it up, and it comes back.
      await pool.query(`delete from ${table}_processes`)
      const before = signs
      await until(() => signs > before)
      throw new Error('The answer is lost')
    })
    const { log } = await openLog(t, cut, table, { beat: 300 })
    const told: unknown[] = []
    log.listen({ onEvent: ({ event }) => void told.push(event.id), onLoss: () => void told.push('loss') })
    for (const id of [1, 2, 3]) await log.append(loggedEvent(id))
    await until(() => told.includes(3))
    t.same(told, [1, 'loss', 1, 'loss', 2, 3])
  })

  await t.test('a connection that is gone without a word is given up for a new one', async (t) => {
    const { table, pool } = await createTables(t)
    const way = await PostgresWay.open(t)
    const { told, ids } = await openLog(t, way.pool(t), table, { beat: 100 })
    const other = await openLog(t, pool, table, { beat: 5000 })
    way.hold()
    await until(() => told.states.includes('away'))
    await other.log.append(loggedEvent(1))
    await until(() => ids().length === 1)
    t.same(ids(), [1])
  })

  await t.test('a log that is emptied, or cut faster than it is read, is a loss', async (t) => {
    const { pool, table } = await createTables(t)
    const { log, told, ids } = await openLog(t, pool, table, { events: 10 })
    await log.append(loggedEvent(1))
    await until(() => ids().length === 1)
    const before = log.newest()
    await pool.query(`truncate ${table}_log`)
    await until(() => told.losses > 0)
    await log.append(loggedEvent(2))
    await until(() => ids().length === 2)
    t.equal(await log.read(before), undefined)
    told.losses = 0
    await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(loggedEvent(index + 10))))
    await until(() => ids().at(-1) === 59)
    t.same([ids().length, told.losses], [12, 1])
  })

  await t.test('the answer to a sign of life that comes behind newer events is no loss', async (t) => {
    const { pool, table } = await createTables(t)
    const { opened, open } = createGate()
    let isHeld = false
    let answers = 0
    const late = poolThrough(pool, async (text, send) => {
      const result = await send()
      if (text.includes(`${table}_sign(`) && answers++ === 1) {
        isHeld = true
        await opened
      }
      return result
    })
    const { log, told, ids } = await openLog(t, late, table)
    const other = await openLog(t, pool, table)
    await until(() => isHeld)
    await other.log.append(loggedEvent(1))
    await until(() => ids().length === 1)
    const newest = log.newest()
    open()
    await until(() => answers > 3)
    await other.log.append(loggedEvent(2))
    await until(() => ids().length === 2)
    t.same([ids(), told.losses], [[1, 2], 0])
    t.equal((await log.read(newest))?.length, 1)
  })

  await t.test(
    'an entry of a program that is not understood is a loss; old entries go, and the newest stays',
    async (t) => {
      const { pool, table } = await createTables(t)
      const { log, told, ids } = await openLog(t, pool, table, { age: 50, beat: 200 })
      await pool.query(`select ${table}_add($1, false, '{"facts":1}')`, [log.newest()])
      await log.append(loggedEvent(1))
      await until(() => ids().length === 1)
      t.equal(told.losses, 1)
      await until(async () => (await pool.query(`select 1 from ${table}_log`)).rows.length === 1)
      await log.append(loggedEvent(2))
      await until(() => ids().length === 2)
      t.equal(told.losses, 1)
      t.equal(await log.read('999999999999999999'), undefined, 'a position of the future')
    }
  )

  await t.test('a pool without a free connection: the log is away, and closes', async (t) => {
    const { table } = await createTables(t)
    const way = await PostgresWay.open(t)
    const pool = way.pool(t, { max: 1 })
    const { log, told } = await openLog(t, pool, table, { beat: 50 })
    // Its only connection listens.
    await until(() => told.states.includes('away'))
    const begin = Date.now()
    await log.close?.()
    t.ok(Date.now() - begin < 10_000)
  })
})
