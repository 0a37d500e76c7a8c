import type { HookContext, NextFunction } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import { callStateOf } from '../core/call-state.js'
import { aroundOnly, forbidAsHook, withTraits } from '../core/hooks.js'
import { checkOptions, inspect, kinds, type OptionTable } from '../core/options.js'
import { hearPoolErrors } from '../core/pool-errors.js'
import { type CommitEnd, isOfLostCommit, losesCommit, noteLostCommit } from './commit.js'
import { isSynchronous } from './synchronous.js'

/** The params of calls that take part in a transaction. */
export interface TransactionParams<Trx = unknown> extends Params {
  transaction: {
    /**
     * The transaction of the library. `@feathersjs/knex` and services of your own run their
     * statements in it. Once it has ended, reading it throws.
     */
    trx: Trx
    /**
     * Whether it was committed, once it has ended. Where nobody knows, since the connection ended
     * before the answer to the commit, its value is `undefined`.
     */
    committed: Promise<boolean>
    /** As `@feathersjs/knex` has it. */
    starting: boolean
  }
}

/**
 * What transactions can be begun at: knex, Kysely, a pool of `pg`, or another library that has
 * `transaction(work)`, such as PGlite and Drizzle over `pg`.
 */
export type TransactionalDatabase =
  | { transaction(...args: never[]): unknown }
  | { connect(): Promise<PostgresConnection> }

/** The transaction of a database. */
export type TransactionOf<Database> = Database extends {
  transaction(): { execute(work: (trx: infer Trx) => Promise<unknown>): unknown }
}
  ? Trx
  : Database extends { transaction(work: (trx: infer Trx) => Promise<unknown>): unknown }
    ? Trx
    : Database extends { connect: { (): Promise<infer Client>; (callback: never): void } }
      ? Client
      : unknown

export interface TransactionOptions {
  /** Default: that of the database. */
  isolationLevel?: 'read uncommitted' | 'read committed' | 'repeatable read' | 'serializable'
}

export interface CallTransactionOptions extends TransactionOptions {
  /**
   * The params of the call that the work is part of. In a transaction already, the work stays in
   * that one, and ends with it.
   */
  params?: Params | undefined
}

const ofInTransaction: OptionTable<TransactionOptions> = { isolationLevel: kinds.free }
const ofTransaction: OptionTable<CallTransactionOptions> = { ...ofInTransaction, params: kinds.object }

/** What is used of a connection of `pg`. */
interface PostgresConnection {
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
type Beginner = (work: Work, onCommit: () => void, onLoss: () => void) => unknown

/** What Kysely begins a transaction by. */
interface KyselyBuilder {
  setIsolationLevel(level: string): KyselyBuilder
  execute(work: Work): Promise<unknown>
}

/** What is used of the databases of all libraries. */
interface AnyDatabase {
  transaction?(work?: Work, options?: object): unknown
  connect?(): Promise<PostgresConnection>
}

const levels: readonly unknown[] = ['read uncommitted', 'read committed', 'repeatable read', 'serializable']

/**
 * Runs several calls in one transaction: all that they change stays, or nothing does. It is
 * committed when the function has ended, and rolled back when that throws. Events of the calls are
 * told after the commit, or not at all (docs/transactions.md). In a method, hand on its params: a
 * call that is a transaction already takes no second connection, and what it does stays or goes
 * with that. An error of the function that is caught within it undoes nothing by itself. Where the
 * connection ends before the answer to the commit, nobody knows: subscribers are told to read anew.
 *
 * @param database a knex, a Kysely, a pool of `pg`, or an object that has `transaction(work)`
 * @param work gets the params to call services with
 * @returns what the function returns
 * @throws what the function throws, and what the database says of the commit; {TypeError} for a
 * database whose transactions wait for no promise, such as `better-sqlite3`
 * @example
 * await transaction(knex, async (params) => {
 *   const room = await app.service('rooms').create({ name: 'Kitchen' }, params)
 *   await app.service('messages').create({ roomId: room.id, text: 'Welcome' }, params)
 * })
 */
export async function transaction<Database extends TransactionalDatabase, T>(
  database: Database,
  work: (params: TransactionParams<TransactionOf<Database>>) => Promise<T>,
  options: CallTransactionOptions = {}
): Promise<T> {
  checkOptions('the transaction', ofTransaction, options)
  const begin = beginnerOf(database as AnyDatabase, options)
  if (typeof work !== 'function')
    throw new TypeError(
      `A transaction needs a function: transaction(knex, async (params) => { … }), got ${inspect(work)}`
    )
  const { transaction: outer } = (options.params ?? {}) as Partial<TransactionParams<TransactionOf<Database>>>
  if (outer) {
    requireOpen(outer)
    return work({ transaction: outer })
  }
  let opened: OpenTransaction | undefined
  let running: Promise<T> | undefined
  let isSent = false
  let isOver = false
  const run = (trx: unknown) => {
    // knex calls its function even if the begin has failed.
    if (isOver || (trx as LibraryTrx | undefined)?.isCompleted?.()) throw ended()
    // A library may run the work again after a conflict, of which nothing was committed.
    isSent = false
    opened?.end(false)
    opened = openTransaction(trx)
    const { params } = opened
    running = (async () => work(params as TransactionParams<TransactionOf<Database>>))()
    return running
  }
  const onCommit = () => {
    isSent = true
    opened?.close()
  }
  try {
    await begin(run, onCommit, () => opened?.close())
    if (running === undefined) throw new Error('The `transaction` of the database ended without a call of its function')
    opened?.end(true)
    return await (running as Promise<T>)
  } catch (error) {
    isOver = true
    const isLost = isSent && losesCommit(error, opened?.trx)
    if (isLost || isOfLostCommit(error)) noteLostCommit(options.params)
    opened?.end(isLost ? undefined : false)
    // A library gives up when the connection ends, even if the work still runs.
    await running?.catch(doNothing)
    throw error
  }
}

/** A transaction whose work runs. */
interface OpenTransaction {
  readonly trx: unknown
  readonly params: TransactionParams
  /** From here on it refuses statements. */
  close(): void
  end(end: CommitEnd): void
}

const ended = () => new Error('The transaction of this call has ended')

const doNothing = () => {}

/**
 * Creates the `transaction` of params. After the end, a statement would be committed on its own, so
 * reading `trx` throws then.
 */
function openTransaction(trx: unknown): OpenTransaction {
  let isOpen = true
  let settle: (end: CommitEnd) => void = doNothing
  // The types of `@feathersjs/knex` take no third value.
  const committed = new Promise<CommitEnd>((resolve) => {
    settle = resolve
  }) as Promise<boolean>
  const transaction = {
    get trx() {
      if (!isOpen) throw ended()
      return trx
    },
    committed,
    starting: false
  }
  const close = () => {
    isOpen = false
  }
  const end = (end: CommitEnd) => {
    close()
    settle(end)
  }
  return { trx, params: { transaction }, close, end }
}

/** @throws if the transaction has ended */
function requireOpen(transaction: unknown): void {
  // Reading it is the check. Transactions of others have it, too.
  void Object(transaction).trx
}

/**
 * How a database runs work in a transaction.
 * @throws where it is none, or an option can't be used
 */
function beginnerOf(database: AnyDatabase, { isolationLevel }: TransactionOptions): Beginner {
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
    hearPoolErrors(database)
    return async (work, onCommit) => runOver(await connect.call(database), work, onCommit, isolationLevel)
  }
  throw new TypeError(
    `A transaction needs a knex, a Kysely, a pool of pg, or an object that has \`transaction(work)\`, got ${inspect(database)}`
  )
}

/** Work after which a library sends the commit by itself. */
const thenCommit =
  (work: Work, onCommit: () => void): Work =>
  async (trx) => {
    const result = await work(trx)
    onCommit()
    return result
  }

const isKysely = (database: AnyDatabase): database is { transaction(): KyselyBuilder } =>
  typeof database === 'object' && database !== null && 'isTransaction' in database && 'transaction' in database

/** The members that are used of a transaction of knex, Drizzle and Prisma. */
interface LibraryTrx {
  readonly client?: { readonly dialect?: unknown }
  on?(event: 'query-error', listener: (error: unknown) => void): unknown
  raw?(text: string): PromiseLike<unknown>
  /** Of knex. */
  isCompleted?(): boolean
  /** Of Drizzle. */
  execute?(text: string): PromiseLike<unknown>
  /** Of Prisma. */
  $queryRawUnsafe?(text: string): PromiseLike<unknown>
}

/**
 * Whether MariaDB or MySQL has rolled back the whole transaction: after a deadlock (1213), or if a
 * record has changed since it was read (1020). They commit each later statement on its own.
 */
const endsTransaction = (error: unknown) => [1020, 1213].includes(Object(error).errno)

/**
 * Work that fails if the database has rolled back though an error was caught: knex, Drizzle and
 * Prisma would say that it has committed.
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
    // PostgreSQL refuses every statement of a transaction that is aborted. Drizzle and Prisma tell
    // of none that has failed.
    const runText = [hasFailed && raw, execute, $queryRawUnsafe].find((run) => typeof run === 'function')
    if (runText) await runText.call(trx, 'select 1')
    return result
  }

async function runOver(
  client: PostgresConnection,
  work: Work,
  onCommit: () => void,
  isolationLevel: string | undefined
): Promise<unknown> {
  let isLost = false
  // The end of a connection rejects its query. Without a listener it would end the process, too.
  const onConnectionEnd = () => {
    isLost = true
  }
  client.on('error', onConnectionEnd)
  const release = (isBroken: boolean) => {
    client.removeListener('error', onConnectionEnd)
    client.release(isBroken)
  }
  let isOpen = true
  // After the end, the pool gives the connection to others. Work that still runs must not reach it
  // then, even if it has read `query` before.
  const query = (...args: unknown[]): unknown => {
    if (!isOpen) throw ended()
    return Reflect.apply(client.query, client, args)
  }
  const trx = new Proxy(client, {
    get(_client, name) {
      if (name === 'query') return query
      const member: unknown = Reflect.get(client, name)
      return typeof member === 'function' ? member.bind(client) : member
    }
  })
  try {
    await client.query(isolationLevel === undefined ? 'begin' : `begin isolation level ${isolationLevel}`)
    const result = await work(trx)
    isOpen = false
    // A connection that has ended takes no commit.
    if (!isLost) onCommit()
    const { command } = Object(await client.query('commit'))
    // A statement has failed, and the function has caught its error. The code is that of PostgreSQL
    // for it.
    if (command === 'ROLLBACK')
      throw Object.assign(new Error('The transaction was rolled back: one of its statements had failed'), {
        severity: 'ERROR',
        code: '25P02'
      })
    release(false)
    return result
  } catch (error) {
    isOpen = false
    const end = client.query('rollback')
    release(
      await end.then(
        () => false,
        () => true
      )
    )
    throw error
  }
}

/**
 * An around hook: each call that may change something is a transaction, with all that other hooks
 * and services do by its `context.params`. It is committed before the hooks that stand before this
 * one go on, and before a client gets the answer. Calls that are in a transaction already stay in
 * that one; `find` and `get` need none. What the database says of the begin and the commit is for
 * hooks that stand around this one, such as `databaseErrors()`.
 *
 * @param database as that of `transaction`
 * @throws when the server starts, if it is no around hook
 * @example
 * app.service('orders').hooks({ around: { all: [databaseErrors(), inTransaction(knex)] }, after: { create: [takeFromStock] } })
 */
export function inTransaction(
  database: TransactionalDatabase,
  options: TransactionOptions = {}
): (context: HookContext, next: NextFunction) => Promise<void> {
  checkOptions('the transaction', ofInTransaction, options)
  beginnerOf(database as AnyDatabase, options)
  const hook = async (context: HookContext, next: NextFunction) => {
    const { method, params } = context
    if (['find', 'get'].includes(method)) return next()
    if (params.transaction !== undefined) {
      requireOpen(params.transaction)
      return next()
    }
    const run = async ({ transaction }: TransactionParams) => {
      context.params = { ...context.params, transaction }
      await next()
    }
    try {
      await transaction(database, run, { ...options, params })
    } finally {
      // Hooks around this one go on without it. A call that a hook has given up, and that still
      // runs, keeps the transaction, which refuses its statements.
      if (!callStateOf(context).abandoned) {
        const { transaction, ...rest } = context.params
        context.params = rest
      }
    }
  }
  return withTraits(hook, { check: aroundOnly('inTransaction') })
}

forbidAsHook(inTransaction, 'inTransaction(knex)')
