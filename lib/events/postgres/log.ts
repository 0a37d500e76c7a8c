import { listenForPoolErrors } from '../../core/adapters/pg-pool.js'
import { pause, withTimeout } from '../../core/async.js'
import { readProperty } from '../../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import { type StoredEntry, toEntry } from '../entries.js'
import type { EventLog } from '../log.js'
import { type EventBatch, type LogServer, pageSize } from '../log-server.js'
import { time, wholeNumber } from '../options.js'
import { SharedLog } from '../shared-log.js'
import { writeOutbox } from './outbox.js'
import {
  askWithin,
  checkPool,
  connectWithin,
  defaultTable,
  type PostgresClient,
  type PostgresPool,
  tableName
} from './pool.js'
import { lockLog } from './tables.js'

export interface PostgresLogOptions {
  /**
   * What the names of its tables begin with: that of `postgresTables`. Applications that share a
   * database need names of their own. Default `'fastify_services'`.
   */
  table?: string
  /** How many events are kept for those who come back. Default 10,000. */
  events?: number
  /** How long they are kept, in ms. Default 3,600,000: an hour. */
  age?: number
  /**
   * How often a process gives a sign of life, in ms. One that has given none for three times as
   * long is given up: all subscribers read anew. Default 5,000.
   */
  beat?: number
  /**
   * How many bytes of events wait while the database can't be reached. More are given up: then all
   * subscribers read anew. Default 16 MiB.
   */
  waiting?: number
  /**
   * Whether events of a call with `params.transaction` are written in that transaction: it must be
   * one of the same database. None is lost then, even if the process dies in the moment of the
   * commit, and none is told without it. Default `false`: they wait for the commit in memory.
   */
  outbox?: boolean
}

const ofPostgresLog: OptionTable<PostgresLogOptions> = {
  table: tableName,
  events: wholeNumber,
  age: time,
  beat: time,
  waiting: wholeNumber,
  outbox: kinds.flag
}

/**
 * In ms: commits that notify wait for each other in the whole server, so events of this time go
 * together.
 */
const batchTime = 10
const columns = 'id, previous, loss, event'

/** PostgreSQL as the place of a log: a table delivers, and NOTIFY only wakes those who read it. */
class PostgresServer implements LogServer {
  readonly name = 'PostgreSQL'
  readonly #pool: PostgresPool
  readonly #table: string
  readonly #options: Required<PostgresLogOptions>
  readonly #patience: number
  readonly #listeners: ((error: unknown) => void)[] = []
  #reader: PostgresClient | undefined
  #lastBatch = 0
  #isDisconnected = false
  #wake: (() => void) | undefined

  constructor(pool: PostgresPool, options: Required<PostgresLogOptions>) {
    this.#pool = pool
    this.#options = options
    this.#table = options.table
    this.#patience = options.beat * 3
    listenForPoolErrors(pool, (error) => this.#tellAway(error))
  }

  async append(process: string, { number, events, isLoss }: EventBatch): Promise<unknown> {
    await pause(Math.max(0, this.#lastBatch + batchTime - Date.now()))
    this.#lastBatch = Date.now()
    return this.#call('append', [process, number, this.#options.events, isLoss, events])
  }

  /** Whether PostgreSQL can't hold the data (class 22), or it exceeds a limit (class 54). */
  isRefusal(error: unknown): boolean {
    return /^(22|54)/.test(String(readProperty(error, 'code')))
  }

  appendWithin(transaction: object, events: readonly string[]): Promise<unknown> | undefined {
    return this.#options.outbox ? writeOutbox(this.#table, transaction, events) : undefined
  }

  async sign(process: string, batches: number, hasSigned: boolean): Promise<string> {
    return this.#call('sign', [process, batches, hasSigned, this.#patience, this.#options.age])
  }

  leave(process: string): Promise<unknown> {
    // What waits for the lock comes before, and a statement begins when the lock is there: it sees
    // what they did.
    const text = `do $$ begin ${lockLog(this.#table)}; delete from ${this.#table}_processes where process = '${process}'; end $$`
    return askWithin(this.#patience, this.#pool, text, [])
  }

  isPosition(text: string): boolean {
    return /^\d{1,18}$/.test(text)
  }

  isOlder(position: string, other: string): boolean {
    return BigInt(position) < BigInt(other)
  }

  async range(after: string, end: string): Promise<readonly StoredEntry[]> {
    const text = `select ${columns} from ${this.#table}_log where id > $1 and id <= $2 order by id limit ${pageSize}`
    return readRows(await askWithin(this.#patience, this.#pool, text, [after, end]))
  }

  async next(after: string): Promise<readonly StoredEntry[]> {
    // What comes while it is read wakes, too.
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

  onAway(listener: (error: unknown) => void): void {
    this.#listeners.push(listener)
  }

  disconnect(): void {
    this.#isDisconnected = true
    this.#wake?.()
    this.#release()
  }

  async #read(after: string): Promise<readonly StoredEntry[]> {
    const text = `select ${columns} from ${this.#table}_log where id > $1 order by id limit ${pageSize}`
    const reader = this.#reader ?? (await this.#connect())
    return readRows(await withTimeout(this.#patience, reader.query(text, [after])))
  }

  /** Connects for good: who listens needs a connection of its own. */
  async #connect(): Promise<PostgresClient> {
    const reader = await connectWithin(this.#patience, this.#pool)
    this.#reader = reader
    reader.on('notification', () => this.#wake?.())
    reader.on('error', (error) => this.#tellAway(error))
    if (this.#isDisconnected) this.#release()
    await withTimeout(this.#patience, reader.query(`listen ${this.#table}`))
    return reader
  }

  #release(): void {
    this.#reader?.release(true)
    this.#reader = undefined
  }

  #tellAway(error: unknown): void {
    for (const listener of this.#listeners) listener(error)
  }

  async #call(name: 'append' | 'sign', values: unknown[]): Promise<string> {
    const places = values.map((_, index) => `$${index + 1}`)
    const { rows } = await askWithin(
      this.#patience,
      this.#pool,
      `select ${this.#table}_${name}(${places}) as newest`,
      values
    )
    return String(rows[0]?.newest)
  }
}

const readRows = ({ rows }: { readonly rows: readonly Record<string, unknown>[] }): StoredEntry[] =>
  rows.map(({ id, previous, loss, event }) =>
    toEntry({
      id: String(id),
      previous: String(previous),
      isLoss: loss === true,
      json: (event as string | null) ?? undefined
    })
  )

/**
 * A log in PostgreSQL (13 or later), for several processes: a table, which all of them read
 * (docs/scaling.md). Subscribers get each event once, by whichever process they are connected to,
 * or `reset` where some may have been lost: they read anew then. While the database is away, events
 * wait.
 *
 * @param pool a pool of `pg`. One of its connections is kept to listen
 * @throws {TypeError} where it is none. The server does not start where the tables are missing
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL })
 * await pool.query(postgresTables())
 * await app.register(events, { services: { notes: true }, log: postgresLog(pool) })
 */
export function postgresLog(pool: PostgresPool, options: PostgresLogOptions = {}): EventLog {
  checkOptions('postgresLog', ofPostgresLog, { ...options })
  const defaults = {
    table: defaultTable,
    events: 10_000,
    age: 3_600_000,
    beat: 5000,
    waiting: 16 * 1024 * 1024,
    outbox: false
  }
  const settings = { ...defaults, ...options }
  checkPool('postgresLog', pool, ['connect', 'on'])
  return new SharedLog(new PostgresServer(pool, settings), settings)
}
