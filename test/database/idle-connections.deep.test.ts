import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { drizzle as connectDrizzle } from 'drizzle-orm/node-postgres'
import { pgTable, serial } from 'drizzle-orm/pg-core'
import { inTransaction, transaction } from 'fastify-services/database'
import { drizzle } from 'fastify-services/drizzle'
import type { EventLog } from 'fastify-services/events'
import { postgresLog, postgresStore } from 'fastify-services/events/postgres'
import { Client, Pool, type PoolClient } from 'pg'
import t, { type Test } from 'tap'
import { eventually } from '../support/eventually.js'
import { createTables, PostgresWay, skipPostgres } from '../support/postgres.js'

t.test('the end of an idle connection of a pool ends no process', { skip: skipPostgres }, async (t) => {
  const { table } = await createTables(t)
  const logs: EventLog[] = []
  const uses: Record<string, (pool: Pool) => unknown> = {
    inTransaction: (pool) => inTransaction(pool),
    transaction: (pool) => transaction(pool, async () => {}),
    drizzle: (pool) => drizzle(connectDrizzle(pool), pgTable('notes', { id: serial() })),
    postgresStore: (pool) => postgresStore(pool, { table }),
    postgresLog: (pool) => logs.push(postgresLog(pool, { table })),
    'all of them, many times': (pool) => {
      for (let i = 0; i < 4; i++)
        for (const name of ['inTransaction', 'drizzle', 'postgresStore', 'postgresLog']) uses[name]?.(pool)
    }
  }
  for (const [name, use] of Object.entries(uses)) {
    const way = await PostgresWay.open(t)
    const pool = way.pool(t)
    await use(pool)
    t.equal(pool.listenerCount('error'), 1, `${name}: one listener`)
    await pool.query('select 1')
    const ended = once(pool, 'remove')
    await way.cut()
    await ended
    await way.restore()
    const ask = async () => (await pool.query('select 1 as n').catch(() => ({ rows: [] }))).rows
    await eventually(t).strictSame(ask, [{ n: 1 }], `${name}: a later call has another connection`)
    await Promise.all(logs.splice(0).map((log) => log.close?.()))
  }
})

/** What PostgreSQL says to a connection when it stops: a message of its type, its length, and fields. */
const farewell = (() => {
  const fields = Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
})()
/** What it says to one that it has taken. */
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1')

/** A server that stops in the moment in which it has taken a connection, for the first one. @returns its address */
async function openStoppingServer(t: Test): Promise<string> {
  const url = new URL(process.env.TEST_DATABASE_URL as string)
  const { hostname, port } = url
  let connections = 0
  const server = createServer((socket) => {
    const isFirst = ++connections === 1
    const target = connect(Number(port || 5432), hostname)
    socket.on('data', (bytes) => target.write(bytes))
    target.on('data', (bytes) => {
      if (isFirst && bytes.subarray(-ready.length).equals(ready)) socket.end(Buffer.concat([bytes, farewell]))
      else socket.write(bytes)
    })
    for (const [end, other] of [[socket, target] as const, [target, socket] as const])
      end.on('close', () => other.destroy()).on('error', () => {})
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return url.href
}

t.test('a server that stops as it takes a connection ends no process', { skip: skipPostgres }, async (t) => {
  const { table } = await createTables(t)
  const uses: Record<string, (pool: Pool) => unknown> = {
    transaction: (pool) => transaction(pool, async () => {}),
    postgresStore: (pool) => postgresStore(pool, { table }).get('a'),
    postgresLog: async (pool) => {
      const log = postgresLog(pool, { table })
      await log.open?.()
      await log.close?.()
    }
  }
  for (const [name, use] of Object.entries(uses)) {
    const pool = new Pool({ connectionString: await openStoppingServer(t) })
    await Promise.resolve(use(pool)).catch(() => {})
    await use(pool)
    t.pass(`${name} goes on with the next connection`)
    await pool.end()
  }
})

t.test('the end of a connection within a transaction ends no process', { skip: skipPostgres }, async (t) => {
  const pool = new Pool({ connectionString: process.env.TEST_DATABASE_URL, max: 1 })
  t.teardown(() => pool.end())
  const db = connectDrizzle(pool)
  // A migration, say: the connection is older than the adapter.
  await pool.query('select 1')
  drizzle(db, pgTable('notes', { id: serial() }))
  const admin = new Client(process.env.TEST_DATABASE_URL)
  await admin.connect()
  t.teardown(() => admin.end())
  let held: PoolClient | undefined
  pool.once('acquire', (client) => {
    held = client
  })
  const work = db.transaction(async (trx) => {
    const { rows } = await trx.execute<{ pid: number }>('select pg_backend_pid() as pid')
    const ended = new Promise((resolve) => held?.on('end', () => resolve(undefined)))
    await admin.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await ended
    await trx.execute('select 1')
  })
  await t.rejects(work)
  t.match((await pool.query('select 1 as n')).rows, [{ n: 1 }], 'a later call has another connection')
})

t.test('a pool that tells no errors is used as it is', async (t) => {
  const query = async () => ({ command: 'COMMIT' })
  const client = { query, on() {}, removeListener() {}, release() {} }
  t.equal(await transaction({ connect: async () => client }, async () => 'done'), 'done')
})

t.test(
  'a connection in the place of a pool fails its calls, and ends no process',
  { skip: skipPostgres },
  async (t) => {
    const client = new Client(process.env.TEST_DATABASE_URL)
    inTransaction(client as never)
    await client.connect()
    t.teardown(() => client.end())
    await t.rejects(transaction(client as never, async () => {}))
  }
)
