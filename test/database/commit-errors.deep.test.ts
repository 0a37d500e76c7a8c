import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import services, { type Params } from 'fastify-services'
import {
  databaseErrors,
  inTransaction,
  type TransactionalDatabase,
  type TransactionParams
} from 'fastify-services/database'
import createKnex from 'knex'
import { Pool, type PoolClient } from 'pg'
import t from 'tap'
import { openPGlite } from '../support/pglite.js'
import { skipPostgres } from '../support/postgres.js'

t.test('what the database says of the begin and the commit of a call is said in plain words', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table rooms (id serial primary key)')
  await Model.raw(`create table seats (id serial primary key, n int not null, room int references rooms deferrable initially deferred,
      constraint seats_n unique (n) deferrable initially deferred)`)
  const away = createKnex({
    client: 'pg',
    connection: 'postgres://127.0.0.1:1/nowhere',
    log: { warn() {}, error() {} }
  })
  t.teardown(() => away.destroy())
  const errors = databaseErrors({ messages: { seats_n: 'The seat is taken' } })
  const serve = async (hooks: object, ofSeats: object = {}) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { hooks })
    app.service('seats', new KnexService({ Model, name: 'seats' }), { hooks: ofSeats })
    return async (payload: object) => {
      const headers = { accept: 'application/json' }
      const answer = await app.inject({ method: 'POST', url: '/seats', payload, headers })
      return [answer.statusCode, answer.json().message, answer.headers['retry-after']]
    }
  }
  await Model('seats').insert({ n: 1 })
  const around = (database: TransactionalDatabase) => ({ around: { all: [errors, inTransaction(database)] } })
  for (const places of [
    (database: TransactionalDatabase) => serve(around(database)),
    (database: TransactionalDatabase) => serve({}, around(database)),
    (database: TransactionalDatabase) =>
      serve({ error: { all: [errors] } }, { around: { all: [inTransaction(database)] } })
  ]) {
    const create = await places(Model)
    t.strictSame(await create({ n: 1 }), [409, 'The seat is taken', undefined], 'at the commit')
    t.strictSame(await create({ n: 2, room: 9 }), [400, 'room refers to no record that there is', undefined])
    t.strictSame(await create({}), [400, 'n is required', undefined], 'at a statement')
    t.strictSame(await (await places(away))({ n: 2 }), [503, 'The database is not available', '5'], 'at the begin')
  }
  t.strictSame(await Model('seats').select('n'), [{ n: 1 }])
})

t.test("calls that are in each other's way are told to try again at once", { skip: skipPostgres }, async (t) => {
  const pool = new Pool({ connectionString: process.env.TEST_DATABASE_URL })
  const table = `accounts_${process.pid}`
  t.teardown(async () => {
    await pool.query(`drop table ${table}`)
    await pool.end()
  })
  await pool.query(`create table ${table} (id int primary key, n int)`)
  await pool.query(`insert into ${table} values (1, 0), (2, 0)`)
  const app = Fastify()
  t.teardown(() => app.close())
  const all = [databaseErrors(), inTransaction(pool, { isolationLevel: 'serializable' })]
  await app.register(services, { hooks: { around: { all } } })
  // Each call reads what the other one writes, before either of them is committed.
  let meet: (() => void)[] = []
  const sums = {
    async create({ id }: { id: number }, { transaction }: Params & Partial<TransactionParams<PoolClient>>) {
      const { trx } = transaction as TransactionParams<PoolClient>['transaction']
      await trx.query(`select sum(n) from ${table}`)
      await new Promise<void>((resolve) => {
        meet.push(resolve)
        if (meet.length === 2) for (const go of meet) go()
      })
      await trx.query(`update ${table} set n = n + 1 where id = $1`, [id])
      return { id }
    }
  }
  app.service('sums', sums)
  const create = async (id: number) => {
    const headers = { accept: 'application/json' }
    const answer = await app.inject({ method: 'POST', url: '/sums', payload: { id }, headers })
    return [answer.statusCode, answer.json().message, answer.headers['retry-after']]
  }
  const answers = await Promise.all([create(1), create(2)])
  const refusal = [503, 'Another call was busy with the same records: try again', '1']
  t.strictSame(answers.map(([status]) => status).sort(), [201, 503])
  t.strictSame(
    answers.find(([status]) => status === 503),
    refusal
  )
  meet = [() => {}]
  t.equal((await create(1))[0], 201, 'the same call again')
})
