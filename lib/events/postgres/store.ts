import { listenForPoolErrors } from '../../core/adapters/pg-pool.js'
import { Unavailable } from '../../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { TransactionalStore } from '../../core/store.js'
import { time } from '../options.js'
import { statementRunnerOf } from './outbox.js'
import { checkPool, defaultTable, type PostgresPool, queryWithin, tableName } from './pool.js'

/** Options of `postgresStore()`. */
export interface PostgresStoreOptions {
  /** The prefix of its table, as for `postgresTables`. Default `'fastify_services'`. */
  table?: string
  /** How long to wait for an answer of the database, in ms. Default 2,000. */
  timeout?: number
  /**
   * Whether the transactions of calls are in this database. Then `idempotency()` within
   * `inTransaction` stores its answer in the transaction of the call: after a crash, either both
   * are there or neither. Default `false`.
   */
  sameDatabase?: boolean
}

const postgresStoreOptions: OptionTable<PostgresStoreOptions> = {
  table: tableName,
  timeout: time,
  sameDatabase: kinds.flag
}

const asker = 'The option `sameDatabase` of postgresStore'

/** How often expired rows are deleted, in ms. */
const sweepTime = 60_000

/**
 * Creates a store in PostgreSQL, so that several processes share revoked tokens, refresh tokens and
 * the answers of `idempotency()` (docs/scaling.md). While the database can't be reached, calls that
 * need the store fail with Unavailable (503).
 *
 * @param pool a pool of `pg`
 * @throws {TypeError} if it is no such pool
 * @example
 * await pool.query(postgresTables())
 * const store = postgresStore(pool)
 * await app.register(authentication, { secret, revocation: true, refresh: true, store })
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): TransactionalStore {
  checkOptions('postgresStore', postgresStoreOptions, options)
  const { table: prefix = defaultTable, timeout = 2000, sameDatabase = false } = options
  checkPool('postgresStore', pool, ['connect', 'on'])
  listenForPoolErrors(pool)
  const table = `${prefix}_store`
  const insert = `insert into ${table} (key, value, until) values ($1, $2, clock_timestamp() + $3 * interval '1 second') on conflict (key) do update set value = excluded.value, until = excluded.until`
  let swept = Date.now()
  async function run(text: string, values: unknown[]) {
    try {
      return await queryWithin(timeout, pool, text, values)
    } catch (cause) {
      throw new Unavailable('The store is not available', { retryAfter: 5 }, { cause })
    }
  }
  /** Deletes expired rows in the background. Failures are retried next time. */
  function sweep(): void {
    if (Date.now() - swept < sweepTime) return
    swept = Date.now()
    run(`delete from ${table} where until < clock_timestamp()`, []).catch(() => {})
  }
  const store: TransactionalStore = {
    async get(key) {
      const { rows } = await run(`select value from ${table} where key = $1 and until > clock_timestamp()`, [key])
      return rows[0]?.value as string | undefined
    },
    set(key, value, seconds) {
      sweep()
      return run(insert, [key, value, seconds])
    },
    async add(key, value, seconds) {
      sweep()
      const { rowCount } = await run(`${insert} where ${table}.until <= clock_timestamp()`, [key, value, seconds])
      return rowCount === 1
    },
    delete: (key) => run(`delete from ${table} where key = $1`, [key])
  }
  if (sameDatabase)
    store.replaceWithin = async (transaction, key, value, newValue, seconds) => {
      const text = `update ${table} set value = $1, until = clock_timestamp() + $2 * interval '1 second' where key = $3 and value = $4 returning key`
      const { rows } = await statementRunnerOf(transaction, asker)(text, [newValue, seconds, key, value])
      return rows.length === 1
    }
  return store
}
