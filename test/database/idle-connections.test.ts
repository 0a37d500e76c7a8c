import { once } from 'node:events'
import { inTransaction, transaction } from 'fastify-services/database'
import type { EventLog } from 'fastify-services/events'
import { postgresLog, postgresStore } from 'fastify-services/events/postgres'
import type { Pool } from 'pg'
import t from 'tap'
import { eventually } from '../support/eventually.js'
import { createTables, PostgresWay, skipPostgres } from '../support/postgres.js'

t.test('the end of an idle connection of a pool ends no process', { skip: skipPostgres }, async (t) => {
  const { table } = await createTables(t)
  const logs: EventLog[] = []
  const uses: Record<string, (pool: Pool) => unknown> = {
    inTransaction: (pool) => inTransaction(pool),
    transaction: (pool) => transaction(pool, async () => {}),
    postgresStore: (pool) => postgresStore(pool, { table }),
    postgresLog: (pool) => logs.push(postgresLog(pool, { table })),
    'all of them, many times': (pool) => {
      for (let i = 0; i < 4; i++)
        for (const name of ['inTransaction', 'postgresStore', 'postgresLog']) uses[name]?.(pool)
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

t.test('a pool that tells no errors is used as it is', async (t) => {
  const query = async () => ({ command: 'COMMIT' })
  const client = { query, on() {}, removeListener() {}, release() {} }
  t.equal(await transaction({ connect: async () => client }, async () => 'done'), 'done')
})
