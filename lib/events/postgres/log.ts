import { listenForPoolErrors } from '../../core/adapters/pg-pool.js'
import { pause, withTimeout } from '../../core/async.js'
import { readProperty } from '../../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { EventLog } from '../log.js'
import { type EventBatch, type LogServer, pageSize, type StoredEntry, toEntry } from '../log-server.js'
import { SharedLog, type SharedLogOptions, sharedLogDefaults, sharedLogOptions } from '../shared-log.js'
import { writeOutbox } from './outbox.js'
import {
  checkPool,
  connectWithin,
  defaultTable,
  type PostgresClient,
  type PostgresPool,
  queryWithin,
  tableName
} from './pool.js'
import { lockLog } from './tables.js'

/** Options of `postgresLog()`. */
export interface PostgresLogOptions extends SharedLogOptions {
  /**
   * The prefix of its tables, as for `postgresTables`. Applications that share a database need
   * different ones. Default `'fastify_services'`.
   */
  table?: string
  /**
   * Whether events of a call with `params.transaction` are written in that transaction, which must
   * be in the same database. Then no event is lost, even if the process crashes during the commit,
   * and none is sent without a commit. Default `false`: events wait for the commit in memory.
   */
  outbox?: boolean
}

const postgresLogOptions: OptionTable<PostgresLogOptions> = {
  ...sharedLogOptions,
  table: tableName,
  outbox: kinds.flag
}

/**
 * In ms. Events of this time are sent together, since commits with NOTIFY wait for each other in
 * the whole server.
 */
const batchTime = 10

/** An event log in a table of PostgreSQL. NOTIFY only wakes the processes that read it. */
class PostgresServer implements LogServer {
  readonly name = 'PostgreSQL'
  onAway: LogServer['onAway'] = () => {}
  readonly #pool: PostgresPool
  readonly #table: string
  /** The statement for a page of entries. */
  readonly #page: string
  readonly #options: Required<PostgresLogOptions>
  readonly #timeout: number
  #reader: PostgresClient | undefined
  #lastBatch = 0
  #isDisconnected = false
  #wake: (() => void) | undefined

  constructor(pool: PostgresPool, options: Required<PostgresLogOptions>) {
    this.#pool = pool
    this.#options = options
    this.#table = options.table
    this.#page = `select id, previous, loss, event from ${options.table}_log where id > $1 order by id limit ${pageSize}`
    this.#timeout = options.beat * 3
    listenForPoolErrors(pool, (error) => this.onAway(error))
  }

  async append(process: string, { number, events, isLoss }: EventBatch): Promise<unknown> {
    await pause(Math.max(0, this.#lastBatch + batchTime - Date.now()))
    this.#lastBatch = Date.now()
    return this.#call('append', [process, number, this.#options.events, isLoss, events])
  }

  /** Whether PostgreSQL can't store the data (class 22), or a limit is exceeded (class 54). */
  isRefusal(error: unknown): boolean {
    return /^(22|54)/.test(String(readProperty(error, 'code')))
  }

  appendWithin(transaction: object, events: readonly string[]): PromiseLike<unknown> | undefined {
    return this.#options.outbox ? writeOutbox(this.#table, transaction, events) : undefined
  }

  beat(process: string, batches: number, hasJoined: boolean): Promise<string> {
    return this.#call('sign', [process, batches, hasJoined, this.#timeout, this.#options.age])
  }

  leave(process: string): Promise<unknown> {
    // Earlier calls that wait for the lock come first. The statement begins when it has the lock,
    // so it sees their changes.
    const text = `do $$ begin ${lockLog(this.#table)}; delete from ${this.#table}_processes where process = '${process}'; end $$`
    return queryWithin(this.#timeout, this.#pool, text, [])
  }

  isPosition(text: string): boolean {
    return /^\d{1,18}$/.test(text)
  }

  isOlder(position: string, other: string): boolean {
    return BigInt(position) < BigInt(other)
  }

  async range(after: string): Promise<readonly StoredEntry[]> {
    return readRows(await queryWithin(this.#timeout, this.#pool, this.#page, [after]))
  }

  async next(after: string): Promise<readonly StoredEntry[]> {
    // Before the read, so that no notification is missed.
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    try {
      const entries = await this.#read(after)
      if (entries.length > 0) return entries
      await withTimeout(Math.min(this.#options.beat, 1000), woken).catch(() => {})
      return await this.#read(after)
    } catch (error) {
      this.#release()
      throw error
    }
  }

  disconnect(): void {
    this.#isDisconnected = true
    this.#wake?.()
    this.#release()
  }

  async #read(after: string): Promise<readonly StoredEntry[]> {
    const reader = this.#reader ?? (await this.#connect())
    return readRows(await withTimeout(this.#timeout, reader.query(this.#page, [after])))
  }

  /** Takes a connection for good: LISTEN needs its own. */
  async #connect(): Promise<PostgresClient> {
    const reader = await connectWithin(this.#timeout, this.#pool)
    this.#reader = reader
    reader.on('notification', () => this.#wake?.())
    reader.on('error', (error) => this.onAway(error))
    if (this.#isDisconnected) this.#release()
    await withTimeout(this.#timeout, reader.query(`listen ${this.#table}`))
    return reader
  }

  #release(): void {
    this.#reader?.release(true)
    this.#reader = undefined
  }

  async #call(name: 'append' | 'sign', values: unknown[]): Promise<string> {
    const placeholders = values.map((_, index) => `$${index + 1}`)
    const { rows } = await queryWithin(
      this.#timeout,
      this.#pool,
      `select ${this.#table}_${name}(${placeholders}) as newest`,
      values
    )
    return String(rows[0]?.newest)
  }
}

const readRows = ({ rows }: { readonly rows: readonly Record<string, unknown>[] }): StoredEntry[] =>
  rows.map(({ id, previous, loss, event }) => toEntry(id, previous, loss === true, event))

/**
 * Creates an event log in PostgreSQL (13 or later) for several processes (docs/scaling.md).
 * Subscribers get each event once, whichever process they are connected to, or `reset` if events
 * may be missing. While the database can't be reached, events wait.
 *
 * @param pool a pool of `pg`. One of its connections is kept for LISTEN
 * @throws {TypeError} if it is no such pool. If the tables do not exist, the server does not start
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL })
 * await pool.query(postgresTables())
 * await app.register(events, { services: { notes: true }, log: postgresLog(pool) })
 */
export function postgresLog(pool: PostgresPool, options: PostgresLogOptions = {}): EventLog {
  checkOptions('postgresLog', postgresLogOptions, { ...options })
  const settings = { ...sharedLogDefaults, table: defaultTable, outbox: false, ...options }
  checkPool('postgresLog', pool, ['connect', 'on'])
  return new SharedLog(new PostgresServer(pool, settings), settings)
}
