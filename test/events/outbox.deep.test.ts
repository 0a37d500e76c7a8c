import { transaction as hooksOf, KnexService } from '@feathersjs/knex'
import { MemoryService } from '@feathersjs/memory'
import { drizzle } from 'drizzle-orm/node-postgres'
import type { HookContext } from 'fastify-services'
import { inTransaction, transaction } from 'fastify-services/database'
import { kysely } from 'fastify-services/kysely'
import createKnex from 'knex'
import { type Generated, Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'
import t, { type Test } from 'tap'
import { postgresLog, postgresStore } from '../../lib/events/postgres/index.js'
import { list, serviceAt, startEvents } from '../support/events-app.js'
import { createTables, PostgresWay, skipPostgres } from '../support/postgres.js'

/** Notes in a database, with a subscriber, and a log that is told of their changes in their transactions. */
async function start(
  t: Test,
  { hooks = {}, beat = 5000, way }: { hooks?: object; beat?: number; way?: PostgresWay } = {}
) {
  const { pool, table } = await createTables(t)
  const notes = `${table}_notes`
  const knex = createKnex({ client: 'pg', connection: process.env.TEST_DATABASE_URL as string })
  t.teardown(async () => {
    await knex.schema.dropTable(notes)
    await knex.destroy()
  })
  await knex.schema.createTable(notes, (columns) => {
    columns.increments('id')
    columns.text('text')
  })
  const startApp = (logPool: Pool, options: object = {}) =>
    startEvents(
      t,
      (app) => {
        app.service('notes', new KnexService({ Model: knex, name: notes, multi: true }), { hooks })
        app.service('kept', new MemoryService({ startId: 1 }))
      },
      {
        services: { notes: { records: true }, kept: true },
        log: postgresLog(logPool, { table, beat, outbox: true }),
        ...options
      }
    )
  const { app, subscribe } = await startApp(way?.pool(t) ?? pool)
  const stream = await subscribe(list('notes')).connected
  const written = async () => Number((await pool.query(`select count(*) from ${table}_outbox`)).rows[0].count)
  const create = (text: string | string[], params?: object) =>
    serviceAt(app, 'notes').create(
      [text].flat().map((text) => ({ text })),
      params
    )
  /** What the subscriber has heard, up to a last note. */
  const heard = async (subscriber = stream) => {
    await create('last')
    const texts = () => subscriber.events.map(({ data }) => (data as { text?: string }).text)
    await subscriber.until(() => texts().includes('last'))
    return texts().slice(0, -1)
  }
  return { app, pool, subscribe, table, knex, startApp, stream, written, create, heard }
}

t.test('events are written in the transaction of their call', { skip: skipPostgres }, async (t) => {
  const { app, knex, pool, create, written, heard, subscribe } = await start(t)
  const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  const others = await subscribe(list('kept')).connected
  for (const database of [knex, kysely, pool, drizzle(pool)]) {
    const fail = transaction(database, async (params) => {
      await serviceAt(app, 'kept').create({}, params)
      throw new Error('no')
    })
    await t.rejects(fail, { message: 'no' })
    await transaction(database, (params) => serviceAt(app, 'kept').create({}, params))
  }
  t.same(
    (await others.count(4)).map(({ data }) => data),
    [{ id: 2 }, { id: 4 }, { id: 6 }, { id: 8 }]
  )
  await transaction(knex, async (params) => {
    await create(['a', 'b'], params)
    await create('c', params)
    t.equal(await written(), 0, 'nobody else sees them yet')
  })
  t.same(await heard(), ['a', 'b', 'c'])
  t.equal(await written(), 0, 'they are moved')
})

t.test(
  'a table of kysely(): the events of calls that are committed, and no others',
  { skip: skipPostgres },
  async (t) => {
    const { pool, table } = await createTables(t)
    const db = new Kysely<Record<string, { id: Generated<number>; text: string }>>({
      dialect: new PostgresDialect({ pool })
    })
    const notes = `${table}_notes`
    await pool.query(`create table ${notes} (id serial primary key, text text not null)`)
    const refuse = ({ data }: HookContext) => {
      if (data.text === 'no') throw new Error('no')
    }
    const hooks = { around: { all: [inTransaction(db)] }, after: { create: [refuse], patch: [refuse] } }
    const { app, subscribe } = await startEvents(t, (app) => void app.service('notes', kysely(db, notes), { hooks }), {
      services: { notes: { records: true } },
      log: postgresLog(pool, { table, outbox: true })
    })
    t.teardown(() => pool.query(`drop table ${notes}`))
    const stream = await subscribe(list('notes')).connected
    const { create, patch } = serviceAt(app, 'notes') as unknown as {
      create(data: object): Promise<unknown>
      patch(id: number, data: object): Promise<unknown>
    }
    await create({ text: 'a' })
    await t.rejects(create({ text: 'no' }), { message: 'no' })
    await t.rejects(patch(1, { text: 'no' }), { message: 'no' })
    await patch(1, { text: 'b' })
    await create({ text: 'c' })
    t.same(
      (await stream.count(3)).map(({ event, data }) => [event, (data as { id: number }).id]),
      [
        ['created', 1],
        ['patched', 1],
        ['created', 3]
      ]
    )
    const { rows } = await pool.query(`select count(*) from ${table}_outbox`)
    t.equal(Number(rows[0].count), 0, 'they are moved')
  }
)

t.test('a store replaces a value in a transaction of each library', { skip: skipPostgres }, async (t) => {
  const { pool, table } = await createTables(t)
  const knex = createKnex({ client: 'pg', connection: process.env.TEST_DATABASE_URL as string })
  t.teardown(() => knex.destroy())
  const store = postgresStore(pool, { table, sameDatabase: true })
  const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  for (const database of [knex, kysely, pool, drizzle(pool)]) {
    await store.set('key', 'old', 60)
    const replace = (from: string) =>
      transaction(
        database,
        ({ transaction }) => store.replaceWithin?.(transaction, 'key', from, 'new', 60) as Promise<boolean>
      )
    t.equal(await replace('other'), false)
    t.equal(await store.get('key'), 'old')
    t.equal(await replace('old'), true)
    t.equal(await store.get('key'), 'new')
  }
})

t.test('without the option nothing is written in a transaction', { skip: skipPostgres }, async (t) => {
  const { pool, table } = await createTables(t)
  const log = postgresLog(pool, { table })
  t.equal(log.appendWithin?.({ trx: pool }, []), undefined)
  await log.close?.()
})

t.test('what a savepoint takes back is not told', { skip: skipPostgres }, async (t) => {
  const { knex, create, heard } = await start(t)
  await knex.transaction(async (trx) => {
    await create('a', { transaction: { trx } })
    const inner = transaction(trx, async (params) => {
      await create('b', params)
      throw new Error('no')
    })
    await inner.catch(() => {})
    await create('c', { transaction: { trx } })
  })
  t.same(await heard(), ['a', 'c'])
})

t.test('the transaction hooks of the adapter', { skip: skipPostgres }, async (t) => {
  const refuseBad = ({ result }: { result: { text: string }[] }) => {
    if (result[0]?.text === 'bad') throw new Error('no')
  }
  const { create, heard } = await start(t, {
    hooks: {
      before: { create: [hooksOf.start()] },
      after: { create: [refuseBad, hooksOf.end()] },
      error: { create: [hooksOf.rollback()] }
    }
  })
  await create('good')
  await t.rejects(create('bad'))
  t.same(await heard(), ['good'])
})

t.test('a process that dies after a commit: another one tells of it', { skip: skipPostgres }, async (t) => {
  const way = await PostgresWay.open(t)
  const { knex, pool, table, create, written, startApp } = await start(t, { way, beat: 200 })
  const other = await startApp(pool)
  const stream = await other.subscribe(list('notes')).connected
  await transaction(knex, async (params) => {
    await create(
      Array.from({ length: 1500 }, (_, index) => `note ${index}`),
      params
    )
    // From here on, the log of this process does not reach the database.
    await way.cut()
  })
  while ((await written()) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const { rows } = await pool.query(`select event from ${table}_log where event is not null`)
  t.equal(rows.length, 1500)
  const told = () => stream.events.filter(({ event }) => event === 'created').length
  await stream.until(() => told() === 1500 || stream.events.some(({ event }) => event === 'reset'))
  await way.restore()
})

t.test(
  'other transactions: one that has `query`, one that says how it ends, and one that is not known',
  { skip: skipPostgres },
  async (t) => {
    const { app, pool, subscribe } = await start(t)
    const auditLog = serviceAt(app, 'kept')
    const stream = await subscribe(list('kept')).connected
    const client = await pool.connect()
    const params = { transaction: { query: client.query.bind(client), committed: Promise.resolve(true) } }
    for (const end of ['rollback', 'commit']) {
      await client.query('begin')
      await auditLog.create({}, params)
      await client.query(end)
    }
    client.release()
    const unknown = auditLog.create({}, { transaction: { trx: {}, committed: Promise.resolve(true) } })
    await t.rejects(unknown, {
      message: /`outbox` of postgresLog needs transactions of knex, Kysely, Drizzle, Prisma or pg/
    })
    for (const isCommitted of [false, true])
      await auditLog.create({}, { transaction: { committed: Promise.resolve(isCommitted) } })
    t.same(
      (await stream.count(2)).map(({ data }) => data),
      [{ id: 2 }, { id: 5 }]
    )
  }
)

t.test(
  'where nobody knows whether a transaction was committed, what is written in it is told, and of what waits in memory all read anew',
  { skip: skipPostgres },
  async (t) => {
    const { app, pool, subscribe } = await start(t)
    const other = serviceAt(app, 'kept')
    const stream = await subscribe(list('kept')).connected
    const query = pool.query.bind(pool)
    await other.create({}, { transaction: { query, committed: Promise.resolve(undefined) } })
    await stream.count(1)
    await other.create({}, { transaction: { committed: Promise.resolve(undefined) } })
    t.same(
      (await stream.count(2)).map(({ event }) => event),
      ['created', 'reset']
    )
  }
)
