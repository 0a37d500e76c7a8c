import { listenForPoolErrors } from '../core/adapters/pg-pool.js'
import { inspect } from '../core/options.js'

/** The members that are used of a connection of `pg`. */
export interface PostgresConnection {
  query(text: string): Promise<unknown>
  on(event: 'error', listener: () => void): unknown
  removeListener(event: 'error', listener: () => void): unknown
  release(error?: Error | boolean): void
}

type Work = (trx: unknown) => Promise<unknown>

/**
 * Runs work in a transaction.
 *
 * @param onCommit is called before the commit is sent
 * @param onLoss is called if the database ends the transaction while the work runs
 */
export type Beginner = (work: Work, onCommit: () => void, onLoss: () => void) => unknown

/** The transactions of Kysely before they begin. */
interface KyselyBuilder {
  setIsolationLevel(level: string): KyselyBuilder
  execute(work: Work): Promise<unknown>
}

/** The members that are used of the databases of all libraries. */
export interface AnyDatabase {
  transaction?(work?: Work, options?: object): unknown
  connect?(): Promise<PostgresConnection>
}

const levels: readonly unknown[] = ['read uncommitted', 'read committed', 'repeatable read', 'serializable']

export const createEndedError = () => new Error('The transaction of this call has ended')

/**
 * Returns the function that runs work in a transaction of a database.
 * @throws {TypeError} if it has no transactions, or an option can't be used
 */
export function beginnerOf(database: AnyDatabase, isolationLevel: string | undefined): Beginner {
  if (isolationLevel !== undefined && !levels.includes(isolationLevel))
    throw new TypeError(`\`isolationLevel\` must be one of ${levels.join(', ')}, got '${isolationLevel}'`)
  if (isSynchronous(database))
    throw new TypeError(
      'A transaction needs a library that waits for promises, and a connection of SQLite, or Drizzle on one, does not: use Knex or Kysely on it, or Drizzle on libsql'
    )
  if (isKysely(database)) {
    const builder = database.transaction()
    const leveled = isolationLevel === undefined ? builder : builder.setIsolationLevel(isolationLevel)
    return (work, onCommit) => leveled.execute(thenCommit(work, onCommit))
  }
  if (typeof database?.transaction === 'function')
    return (work, onCommit, onLoss) => {
      const options = isolationLevel === undefined ? [] : [{ isolationLevel }]
      return database.transaction?.(thenCommit(refuseAborted(work, onLoss), onCommit), ...options)
    }
  const { connect } = Object(database) as AnyDatabase
  if (typeof connect === 'function') {
    listenForPoolErrors(database)
    return async (work, onCommit) => runOnConnection(await connect.call(database), work, onCommit, isolationLevel)
  }
  throw new TypeError(
    `A transaction needs a knex, a Kysely, a pool of pg, or an object that has \`transaction(work)\`, got ${inspect(database)}`
  )
}

interface SqliteDatabase {
  readonly resultKind?: unknown
  readonly prepare?: unknown
  readonly exec?: unknown
}

/**
 * Returns whether a transaction of a database ends when its function returns, even if that returns
 * a promise. Drizzle has a property for it. Connections of SQLite, such as `better-sqlite3`,
 * `node:sqlite` and `bun:sqlite`, have `exec` and `prepare`.
 */
function isSynchronous(database: unknown): boolean {
  const { resultKind, prepare, exec } = Object(database) as SqliteDatabase
  return resultKind === 'sync' || (typeof prepare === 'function' && typeof exec === 'function')
}

const isKysely = (database: AnyDatabase): database is { transaction(): KyselyBuilder } =>
  typeof database === 'object' && database !== null && 'isTransaction' in database && 'transaction' in database

/** Creates work after which a library sends the commit by itself. */
const thenCommit =
  (work: Work, onCommit: () => void): Work =>
  async (trx) => {
    const result = await work(trx)
    onCommit()
    return result
  }

/** The members that are used of a transaction of knex, Drizzle and Prisma. */
interface LibraryTrx {
  readonly client?: { readonly dialect?: unknown }
  on?(event: 'query-error', listener: (error: unknown) => void): unknown
  raw?(text: string): PromiseLike<unknown>
  /** Of Drizzle. */
  execute?(text: string): PromiseLike<unknown>
  /** Of Prisma. */
  $queryRawUnsafe?(text: string): PromiseLike<unknown>
}

/**
 * Returns whether MariaDB or MySQL has rolled back the whole transaction: after a deadlock (1213),
 * or if a record has changed since it was read (1020). They commit each later statement by itself.
 */
const endsTransaction = (error: unknown) => [1020, 1213].includes(Object(error).errno)

/**
 * Creates work that fails if the database has rolled back though an error was caught: knex, Drizzle
 * and Prisma would report a commit.
 */
const refuseAborted =
  (work: Work, onLoss: () => void): Work =>
  async (trx) => {
    const { client, raw, on, execute, $queryRawUnsafe } = Object(trx) as LibraryTrx
    let hasFailed = false
    let loss: unknown
    if (client?.dialect === 'postgresql')
      on?.call(trx, 'query-error', () => {
        hasFailed = true
      })
    if (client?.dialect === 'mysql')
      on?.call(trx, 'query-error', (error) => {
        if (!endsTransaction(error)) return
        loss = error
        onLoss()
      })
    const result = await work(trx)
    if (loss !== undefined) throw loss
    // PostgreSQL refuses every statement of an aborted transaction. Drizzle and Prisma don't report
    // failed statements, so theirs always runs one more.
    const runText = [hasFailed && raw, execute, $queryRawUnsafe].find((run) => typeof run === 'function')
    if (runText) await runText.call(trx, 'select 1')
    return result
  }

/** Runs work in a transaction on a connection of a pool, and releases it. */
async function runOnConnection(
  client: PostgresConnection,
  work: Work,
  onCommit: () => void,
  isolationLevel: string | undefined
): Promise<unknown> {
  let isOpen = true
  let isLost = false
  // The end of a connection rejects its query. Without a listener it would also end the process.
  const onError = () => {
    isLost = true
  }
  const release = (isBroken: boolean) => {
    client.removeListener('error', onError)
    client.release(isBroken)
  }
  // After the end, the pool gives the connection to others. Work that still runs must not use it
  // then, even if it has read `query` before.
  const query = (...args: unknown[]): unknown => {
    if (!isOpen) throw createEndedError()
    return Reflect.apply(client.query, client, args)
  }
  const trx = new Proxy(client, {
    get(_client, name) {
      if (name === 'query') return query
      const member: unknown = Reflect.get(client, name)
      return typeof member === 'function' ? member.bind(client) : member
    }
  })
  client.on('error', onError)
  try {
    await client.query(isolationLevel === undefined ? 'begin' : `begin isolation level ${isolationLevel}`)
    const result = await work(trx)
    isOpen = false
    // A connection that has ended takes no commit.
    if (!isLost) onCommit()
    const { command } = Object(await client.query('commit'))
    // One of its statements had failed, and the work has caught the error: PostgreSQL's code.
    if (command === 'ROLLBACK')
      throw Object.assign(new Error('The transaction was rolled back: one of its statements had failed'), {
        severity: 'ERROR',
        code: '25P02'
      })
    release(false)
    return result
  } catch (error) {
    isOpen = false
    const isBroken = await client.query('rollback').then(
      () => false,
      () => true
    )
    release(isBroken)
    throw error
  }
}
