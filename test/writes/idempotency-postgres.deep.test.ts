import Fastify from 'fastify'
import services, { type HookContext, idempotency, type Params } from 'fastify-services'
import { databaseErrors, inTransaction, type TransactionalDatabase } from 'fastify-services/database'
import { postgresStore } from 'fastify-services/events/postgres'
import { Pool } from 'pg'
import t, { type Test } from 'tap'
import { eventually } from '../support/eventually.js'
import { createTables, PostgresWay, skipPostgres } from '../support/postgres.js'
import { libraries, run } from '../support/transaction-libraries.js'

const connectionString = process.env.TEST_DATABASE_URL as string

/** Creates the tables of a store, and one of orders. @returns `count` to count these */
async function createOrders(t: Test) {
  const { table, pool } = await createTables(t)
  await pool.query(`create table ${table}_orders (id serial)`)
  t.teardown(async () => {
    const cleaner = new Pool({ connectionString })
    await cleaner.query(`drop table ${table}_orders`)
    await cleaner.end()
  })
  const count = async () => Number((await pool.query(`select count(*) from ${table}_orders`)).rows[0].count)
  return { table, pool, count }
}

let orders = 0

/** A process that takes orders. @param stop ends what it has of the store */
async function serve(t: Test, library: string, pool: Pool, table: string, stop: () => unknown) {
  const database = libraries[library]?.(t, connectionString) as TransactionalDatabase
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const create = async (_data: object, { transaction }: Params) => {
    await run(Object(transaction).trx, `insert into ${table}_orders default values`)
    orders += 1
    await stop()
    return { order: orders }
  }
  const store = postgresStore(pool, { table, timeout: 500, sameDatabase: true })
  const all = [databaseErrors(), inTransaction(database), idempotency({ store, lock: 1 })]
  app.service('orders', { create }, { hooks: { around: { all }, after: { create: [fail] } } })
  const send = async (item = 'book') => {
    const headers = { 'idempotency-key': 'a' }
    const answer = await app.inject({ method: 'POST', url: '/orders', payload: { item }, headers })
    return { status: answer.statusCode, body: answer.json(), replayed: answer.headers['idempotency-replayed'] }
  }
  return { send }
}

function fail({ data }: HookContext) {
  if (data.item === 'broken') throw new Error('It has failed')
}

for (const library of Object.keys(libraries))
  t.test(`the answer is kept in the transaction of the call: ${library}`, { skip: skipPostgres }, async (t) => {
    const { table, pool, count } = await createOrders(t)
    const way = await PostgresWay.open(t)
    // Whatever it would do after the commit, it can't, as a process that has died.
    const dying = await serve(t, library, way.pool(t), table, () => way.cut())
    const living = await serve(t, library, pool, table, () => {})

    t.equal((await living.send('broken')).status, 500)
    t.equal(await count(), 0)
    const first = await dying.send()
    t.equal(first.status, 201)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    t.same(await living.send(), { ...first, replayed: 'true' }, 'it is there as soon as the change is, for others')
    t.equal(await count(), 1)
  })

t.test('a call whose key has gone to another one commits nothing', { skip: skipPostgres }, async (t) => {
  const { table, pool, count } = await createOrders(t)
  const { send } = await serve(t, 'knex', pool, table, () => pool.query(`delete from ${table}_store`))
  t.match(await send(), { status: 409, body: { message: /has gone to another one/ } })
  await eventually(t).equal(count, 0)
})
