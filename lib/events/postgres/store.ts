import { listenForPoolErrors } from '../../core/adapters/pg-pool.js'
import { Unavailable } from '../../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { TransactionalStore } from '../../core/store.js'
import { time } from '../options.js'
import { statementRunnerOf } from './outbox.js'
import { checkPool, defaultTable, type PostgresPool, queryWithin, tableName } from './pool.js'

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
  const { table = defaultTable, timeout = 2000, sameDatabase = false } = options
  checkPool('postgresStore', pool, ['connect', 'on'])
  listenForPoolErrors(pool)
  const store = new PostgresStore(pool, `${table}_store`, timeout)
  if (!sameDatabase) return store
  return Object.assign(store, { replaceWithin: createReplaceWithin(`${table}_store`) })
}

/** Its methods are fields, so that applications can spread a store and replace some of them. */
class PostgresStore implements TransactionalStore {
  readonly #pool: PostgresPool
  readonly #table: string
  readonly #timeout: number
  readonly #insert: string
  #swept = Date.now()

  constructor(pool: PostgresPool, table: string, timeout: number) {
    this.#pool = pool
    this.#table = table
    this.#timeout = timeout
    const until = "clock_timestamp() + $3 * interval '1 second'"
    this.#insert = `insert into ${table} (key, value, until) values ($1, $2, ${until}) on conflict (key) do update set value = excluded.value, until = excluded.until`
  }

  readonly get = async (key: string): Promise<string | undefined> => {
    const text = `select value from ${this.#table} where key = $1 and until > clock_timestamp()`
    const { rows } = await this.#query(text, [key])
    return rows[0]?.value as string | undefined
  }

  readonly set = async (key: string, value: string, seconds: number): Promise<void> => {
    this.#sweep()
    await this.#query(this.#insert, [key, value, seconds])
  }

  readonly add = async (key: string, value: string, seconds: number): Promise<boolean> => {
    this.#sweep()
    const text = `${this.#insert} where ${this.#table}.until <= clock_timestamp()`
    const { rowCount } = await this.#query(text, [key, value, seconds])
    return rowCount === 1
  }

  readonly delete = (key: string): Promise<unknown> => this.#query(`delete from ${this.#table} where key = $1`, [key])

  async #query(text: string, values: unknown[]): ReturnType<typeof queryWithin> {
    try {
      return await queryWithin(this.#timeout, this.#pool, text, values)
    } catch (cause) {
      throw new Unavailable('The store is not available', { retryAfter: 5 }, { cause })
    }
  }

  /** Deletes expired rows in the background. Failures are retried next time. */
  #sweep(): void {
    if (Date.now() - this.#swept < sweepTime) return
    this.#swept = Date.now()
    this.#query(`delete from ${this.#table} where until < clock_timestamp()`, []).catch(() => {})
  }
}

const createReplaceWithin =
  (table: string): Required<TransactionalStore>['replaceWithin'] =>
  async (transaction, key, value, newValue, seconds) => {
    const text = `update ${table} set value = $1, until = clock_timestamp() + $2 * interval '1 second' where key = $3 and value = $4 returning key`
    const run = statementRunnerOf(transaction, asker)
    const { rows } = (await run(text, [newValue, seconds, key, value])) as { rows: readonly unknown[] }
    return rows.length === 1
  }
