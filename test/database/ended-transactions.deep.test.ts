import Fastify from 'fastify'
import services, { type AroundHook, type HookContext, idempotency, type Params } from 'fastify-services'
import { databaseErrors, inTransaction, type TransactionalDatabase, transaction } from 'fastify-services/database'
import events, { type EventLog, memoryLog } from 'fastify-services/events'
import { Pool } from 'pg'
import t, { type Test } from 'tap'
import { createDatabase, PostgresWay, skipPostgres } from '../support/postgres.js'
import { type AnyDatabase, libraries, run } from '../support/transaction-libraries.js'

const tick = () => new Promise((resolve) => setTimeout(resolve, 5))

/** Orders, each of two rows: one by the method, and one by a call that a hook makes. Both run in the transaction of the call if there is one, as adapters do. */
async function start(t: Test, library: keyof typeof libraries, within: AroundHook[] = []) {
  const address = await createDatabase(t)
  const server = new Pool({ connectionString: address })
  t.teardown(() => server.end())
  await server.query('create table rows (id serial primary key, text text)')
  const way = await PostgresWay.open(t)
  const url = new URL(way.url)
  url.pathname = new URL(address).pathname
  const database = libraries[library]?.(t, url.href) as TransactionalDatabase & AnyDatabase
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const insert = async ({ text }: { text: string }, params?: Params) => {
    const { trx = database } = Object(params?.transaction)
    await run(trx, `insert into rows (text) values ('${text}')`)
    return { id: 1, text }
  }
  const log: EventLog = { ...memoryLog(), forget: undefined } as never
  const told: unknown[] = []
  log.listen({ onEvent: ({ event }) => void told.push(event.service), onLoss: () => void told.push('reset') })
  app.service('items', { find: async () => [], create: insert })
  app.service(
    'orders',
    { find: async () => [], create: insert },
    {
      hooks: {
        around: { create: [idempotency(), databaseErrors(), inTransaction(database), ...within] as never },
        before: { create: [tick] },
        after: { create: [addItem] }
      }
    }
  )
  async function addItem({ params, app }: HookContext) {
    await tick()
    await app.service('items').create({ text: 'item' }, params)
  }
  await app.register(events, { services: { orders: true, items: true }, log })
  await app.ready()
  const send = async () => {
    const headers = { 'idempotency-key': 'a' }
    return (await app.inject({ method: 'POST', url: '/orders', payload: { text: 'order' }, headers })).statusCode
  }
  const texts = async () => (await server.query('select text from rows order by id')).rows.map(({ text }) => text)
  return { app, database, send, texts, told, way }
}

const places = { 'at its begin': /begin/i, 'at its first statement': /'order'/, 'in between': /'item'/ }

for (const library of Object.keys(libraries))
  for (const [place, text] of Object.entries(places))
    t.test(
      `a transaction of ${library} whose connection ends ${place}: nothing of the call stays`,
      { skip: skipPostgres },
      async (t) => {
        const { database, send, texts, told, way } = await start(t, library)
        await run(database, 'select 1')
        way.cutAt(text)
        t.equal(await send(), 503)
        await new Promise((resolve) => setTimeout(resolve, 100))
        t.same([await texts(), told], [[], []])
        t.equal(await send(), 201, 'the same request is carried out')
        t.same(
          [await texts(), told],
          [
            ['order', 'item'],
            ['items', 'orders']
          ]
        )
      }
    )

for (const library of Object.keys(libraries))
  t.test(
    `a call in a transaction of ${library} that a hook gives up, and that goes on: nothing of it stays`,
    { skip: skipPostgres },
    async (t) => {
      let goOn = () => {}
      const held = new Promise<void>((resolve) => {
        goOn = resolve
      })
      const rest: Promise<unknown>[] = []
      const giveUp: AroundHook = async (_context, next) => {
        rest.push(next().catch((error: Error) => error.message))
        throw new Error('It takes too long')
      }
      const hold: AroundHook = (_context, next) => held.then(next)
      const { send, texts, told } = await start(t, library, [giveUp, hold])
      t.equal(await send(), 500)
      goOn()
      t.same(await Promise.all(rest), ['The transaction of this call has ended'])
      t.same([await texts(), told], [[], []])
    }
  )

for (const library of Object.keys(libraries))
  t.test(`a transaction of ${library} that is used after its end refuses`, { skip: skipPostgres }, async (t) => {
    const { database, texts } = await start(t, library)
    let pastTransaction: Params['transaction']
    let trx: AnyDatabase = {}
    let query: AnyDatabase['query']
    await transaction(database, async (params) => {
      pastTransaction = params.transaction
      trx = params.transaction.trx as AnyDatabase
      query = trx.query
    })
    t.throws(() => Object(pastTransaction).trx, { message: 'The transaction of this call has ended' })
    await t.rejects(async () => run(trx, "insert into rows (text) values ('late')"))
    if (library === 'pg') await t.rejects(async () => query?.("insert into rows (text) values ('late')"))
    const late = transaction(database, async () => {}, { params: { transaction: pastTransaction } })
    await t.rejects(late, { message: 'The transaction of this call has ended' })
    t.same(await texts(), [])
  })

t.test('a transaction that MariaDB has rolled back by a deadlock refuses, though the error was caught', async (t) => {
  const listeners: ((error: unknown) => void)[] = []
  const trx = {
    client: { dialect: 'mysql' },
    on: (_event: string, listener: (error: unknown) => void) => void listeners.push(listener)
  }
  const deadlock = Object.assign(new Error('Deadlock found'), { errno: 1213, sqlState: '40001' })
  const timeout = Object.assign(new Error('Lock wait timeout exceeded'), { errno: 1205, sqlState: 'HY000' })
  const database = { transaction: (work: (transaction: object) => Promise<unknown>) => work(trx) }
  const catching = (error: Error) =>
    transaction(database, async ({ transaction }) => {
      for (const tell of listeners) tell(error)
      return transaction.trx === trx
    })
  t.equal(await catching(timeout), true, 'a lock that took too long undoes its statement alone')
  await t.rejects(catching(deadlock), { message: 'The transaction of this call has ended' })
  const leaving = transaction(database, async () => {
    for (const tell of listeners) tell(deadlock)
  })
  await t.rejects(leaving, deadlock)
})
