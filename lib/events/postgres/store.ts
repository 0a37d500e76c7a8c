import { listenForPoolErrors } from '../../core/adapters/pg-pool.js'
import { Unavailable } from '../../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { TransactionalStore } from '../../core/store.js'
import { time } from '../options.js'
import { statementsOf } from './outbox.js'
import { askWithin, checkPool, defaultTable, type PostgresPool, tableName } from './pool.js'

export interface PostgresStoreOptions {
  /**
   * What the name of its table begins with: that of `postgresTables`. Default `'fastify_services'`.
   */
  table?: string
  /** How long the database may take for an answer, in ms. Default 2,000. */
  patience?: number
  /**
   * Whether the transactions of calls are in this database. Then `idempotency()` within
   * `inTransaction` keeps its answer in the transaction of the call: if the process dies, both are
   * there or none. Default `false`.
   */
  sameDatabase?: boolean
}

const ofPostgresStore: OptionTable<PostgresStoreOptions> = {
  table: tableName,
  patience: time,
  sameDatabase: kinds.flag
}

/** How often what is over is removed, in ms. */
const sweepTime = 60_000

/**
 * A store in PostgreSQL, for several processes: revoked tokens, refresh tokens and the answers of
 * `idempotency()` are the same for all of them (docs/scaling.md). While the database is away, what
 * needs the store is answered with Unavailable (503).
 *
 * @param pool a pool of `pg`
 * @throws {TypeError} where it is none
 * @example
 * await pool.query(postgresTables())
 * await app.register(authentication, { secret, revocation: true, refresh: true, store: postgresStore(pool) })
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): TransactionalStore {
  checkOptions('postgresStore', ofPostgresStore, options)
  const { table = defaultTable, patience = 2000, sameDatabase = false } = options
  checkPool('postgresStore', pool, ['connect', 'on'])
  listenForPoolErrors(pool)
  const name = `${table}_store`
  const until = "clock_timestamp() + $3 * interval '1 second'"
  const insert = `insert into ${name} (key, value, until) values ($1, $2, ${until}) on conflict (key) do update set value = excluded.value, until = excluded.until`
  let swept = Date.now()

  async function ask(text: string, values: unknown[]) {
    try {
      return await askWithin(patience, pool, text, values)
    } catch (cause) {
      throw new Unavailable('The store is not available', { retryAfter: 5 }, { cause })
    }
  }

  /**
   * Removes what is over, now and then: nobody waits for it, and what fails is done the next time.
   */
  function sweep(): void {
    if (Date.now() - swept < sweepTime) return
    swept = Date.now()
    ask(`delete from ${name} where until < clock_timestamp()`, []).catch(() => {})
  }

  return {
    async get(key) {
      const { rows } = await ask(`select value from ${name} where key = $1 and until > clock_timestamp()`, [key])
      return rows[0]?.value as string | undefined
    },
    async set(key, value, seconds) {
      sweep()
      await ask(insert, [key, value, seconds])
    },
    async add(key, value, seconds) {
      sweep()
      const { rowCount } = await ask(`${insert} where ${name}.until <= clock_timestamp()`, [key, value, seconds])
      return rowCount === 1
    },
    ...(sameDatabase && {
      async replaceWithin(transaction: object, key: string, value: string, newValue: string, seconds: number) {
        const statement = `update ${name} set value = $1, until = clock_timestamp() + $2 * interval '1 second' where key = $3 and value = $4 returning key`
        const run = statementsOf(transaction, 'The option `sameDatabase` of postgresStore')
        const { rows } = (await run(statement, [newValue, seconds, key, value])) as { rows: readonly unknown[] }
        return rows.length === 1
      }
    }),
    delete: (key) => ask(`delete from ${name} where key = $1`, [key])
  }
}
