import { type EventEmitter, once } from 'node:events'
import Fastify, { type FastifyInstance } from 'fastify'
import services, { type AroundHook, GeneralError, type HookOptions, idempotency, type Params } from 'fastify-services'
import { databaseErrors, inTransaction, type TransactionalDatabase, transaction } from 'fastify-services/database'
import events, { type EventLog, memoryLog } from 'fastify-services/events'
import { Pool } from 'pg'
import t, { type Test } from 'tap'
import { createDatabase, PostgresWay, skipPostgres } from '../support/postgres.js'
import { type AnyDatabase, libraries, run } from '../support/transaction-libraries.js'

/** A transaction of any of the libraries. */
interface AnyTransaction extends AnyDatabase {
  readonly client?: { acquireConnection(): Promise<unknown> }
}

type Serve = (database: TransactionalDatabase, pay: Pay) => { hooks: HookOptions; pay?: Pay }
type Pay = (params: Params) => Promise<unknown>

const failAnew = () => {
  throw new GeneralError('The payment has failed')
}
const wordAnew: AroundHook = (_context, next) => next().catch(failAnew)

/** Where the transaction begins: around the key, within it, and in the method alone. */
const places: Record<string, Serve> = {
  around: (database) => ({ hooks: { around: { all: [inTransaction(database), idempotency()] } } }),
  within: (database) => ({ hooks: { around: { all: [idempotency(), databaseErrors(), inTransaction(database)] } } }),
  'within a hook that words errors anew': (database) => ({
    hooks: { around: { all: [idempotency(), wordAnew, inTransaction(database)] } }
  }),
  'in the method': (database, pay) => ({
    hooks: { around: { all: [idempotency()] } },
    pay: (params) => transaction(database, pay, { params })
  }),
  'in the method, which words errors anew': (database, pay) => ({
    hooks: { around: { all: [idempotency()] } },
    pay: (params) => transaction(database, pay, { params: { ...params } }).catch(failAnew)
  })
}

const url = new URL(process.env.TEST_DATABASE_URL ?? 'postgres://localhost')

/** Payments in a database whose commits wait for the test, and what was told of them. */
async function start(t: Test, library: keyof typeof libraries, place: keyof typeof places) {
  const address = await createDatabase(t)
  const server = new Pool({ connectionString: address })
  server.on('error', () => {})
  t.teardown(() => server.end())
  const way = await PostgresWay.open(t)
  url.host = `127.0.0.1:${way.port}`
  url.pathname = new URL(address).pathname
  await server.query('create table payments (id serial primary key)')
  await server.query(`create function wait() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(1); return null; end $$`)
  await server.query(`create constraint trigger wait after insert on payments
    deferrable initially deferred for each row execute function wait()`)
  const database = libraries[library]?.(t, url.href) as TransactionalDatabase
  const app: FastifyInstance = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  let beforeCommit = async (_trx: AnyTransaction): Promise<unknown> => undefined
  const ends: Promise<unknown>[] = []
  const insert: Pay = async ({ transaction }) => {
    const { trx, committed } = transaction as { trx: AnyTransaction; committed: Promise<unknown> }
    ends.push(committed)
    await run(trx, 'insert into payments default values')
    await beforeCommit(trx)
    return { paid: true }
  }
  const told: string[] = []
  const log: EventLog = { ...memoryLog(), forget: undefined } as never
  log.listen({ onEvent: ({ event }) => void told.push(event.event), onLoss: () => void told.push('reset') })
  const { hooks, pay = insert } = (places[place] as Serve)(database, insert)
  const payments = { find: async () => [], create: async (_data: object, params: Params) => pay(params) }
  app.service('payments', payments as never, { hooks })
  await app.register(events, { services: { payments: true }, log })
  await app.ready()
  const send = async () => {
    const headers = { 'idempotency-key': 'a' }
    return (await app.inject({ method: 'POST', url: '/payments', payload: {}, headers })).statusCode
  }
  const readValue = async (text: string) => (await server.query(text)).rows[0]?.value
  /** Ends a commit in the middle. @returns the answer to the call */
  const loseCommit = async (end: (pid: number) => unknown) => {
    const holder = await server.connect()
    await holder.query('select pg_advisory_lock(1)')
    const answer = send()
    const waiting = `select pid as value from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
    let pid: number | undefined
    while (pid === undefined) pid = await readValue(waiting)
    await end(pid)
    const status = await answer
    await holder.query('select pg_advisory_unlock(1)')
    holder.release()
    while (
      (await readValue(`select pid as value from pg_stat_activity where pid = ${pid} and state <> 'idle'`)) === pid
    );
    return status
  }
  const count = async () => Number(await readValue('select count(*) as value from payments'))
  const waitBeforeCommit = (wait: typeof beforeCommit) => {
    beforeCommit = wait
  }
  const fail = async (trx: AnyTransaction) => run(trx, 'select nothing')?.catch(() => {})
  return { fail, send, loseCommit, count, told, ends, way, server, waitBeforeCommit }
}

for (const library of Object.keys(libraries))
  for (const place of Object.keys(places))
    t.test(
      `a transaction of ${library} ${place} whose commit gets no answer: nobody knows, and nothing is done twice`,
      { skip: skipPostgres },
      async (t) => {
        const { send, loseCommit, count, told, ends, way } = await start(t, library, place)
        t.ok((await loseCommit(() => way.cut())) >= 500)
        t.equal(await count(), 1, 'the database has committed')
        await way.restore()
        t.equal(await send(), 409, 'the key stays taken')
        t.same([await Promise.all(ends), await count()], [[undefined], 1])
        t.same(told, ['reset'], 'subscribers read anew')
      }
    )

for (const library of Object.keys(libraries))
  t.test(
    `a server that stops in the middle of the commit of ${library} may have done it`,
    { skip: skipPostgres },
    async (t) => {
      const { send, loseCommit, server, told } = await start(t, library, 'within')
      t.equal(await loseCommit((pid) => server.query(`select pg_terminate_backend(${pid})`)), 503)
      t.same([await send(), told], [409, ['reset']])
    }
  )

for (const library of ['pg', 'knex'])
  t.test(
    `a commit of ${library} that was not sent, since the connection had ended before, was not done`,
    { skip: skipPostgres },
    async (t) => {
      const { send, count, told, ends, way, waitBeforeCommit } = await start(t, library, 'within')
      waitBeforeCommit(async (trx) => {
        const ended = once(((await trx.client?.acquireConnection()) ?? trx) as EventEmitter, 'end')
        await way.cut()
        await ended
      })
      t.ok((await send()) >= 500)
      await way.restore()
      waitBeforeCommit(async () => {})
      t.equal(await send(), 201, 'the same request is carried out')
      t.same([await Promise.all(ends), await count(), told], [[false, true], 1, ['created']])
    }
  )

for (const library of Object.keys(libraries))
  t.test(
    `a commit of ${library} that the database refuses was not done: the same request is carried out again`,
    { skip: skipPostgres },
    async (t) => {
      const { send, count, told, server } = await start(t, library, 'within')
      await server.query(`create function refuse() returns trigger language plpgsql as $$
        begin raise 'refused' using errcode = '23514'; end $$`)
      await server.query(`create constraint trigger refuse after insert on payments
        deferrable initially deferred for each row execute function refuse()`)
      t.equal(await send(), 400)
      await server.query('drop function refuse cascade')
      t.same([await send(), await count(), told], [201, 1, ['created']])
    }
  )

for (const library of ['pg', 'Kysely'])
  t.test(
    `a transaction of ${library} that PostgreSQL rolls back in place of the commit was not done`,
    { skip: skipPostgres },
    async (t) => {
      const { send, count, waitBeforeCommit, fail } = await start(t, library, 'within')
      waitBeforeCommit(fail)
      t.equal(await send(), 500)
      waitBeforeCommit(async () => {})
      t.same([await send(), await count()], [201, 1])
    }
  )

t.test('a transaction that a library runs again was not done, where the work fails then', async (t) => {
  const database = { transaction: async (work: (trx: object) => unknown) => [await work({}), await work({})] }
  const ends: unknown[] = []
  const work = async ({ transaction }: Params) => {
    ends.push(Object(transaction).committed)
    if (ends.length === 2) throw new GeneralError('Sold out')
  }
  await t.rejects(transaction(database as TransactionalDatabase, work as never), { message: 'Sold out' })
  t.same(await Promise.all(ends), [false, false])
})

t.test('a commit that a driver of knex has not sent was not done', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const pay = async ({ text }: { text: string }) => {
    throw new Error(`COMMIT; - ${text}`)
  }
  app.service('payments', { create: pay }, { hooks: { around: { all: [idempotency()] } } })
  const texts = {
    "Can't add new command when connection is in closed state": 500,
    'Cannot enqueue Query after fatal error.': 500,
    'Client has encountered a connection error and is not queryable': 500,
    'Connection lost: The server closed the connection.': 409,
    'Connection terminated unexpectedly': 409
  }
  for (const [text, status] of Object.entries(texts)) {
    const headers = { 'idempotency-key': text }
    const send = () => app.inject({ method: 'POST', url: '/payments', payload: { text }, headers })
    t.same([(await send()).statusCode, (await send()).statusCode], [500, status], text)
  }
})
