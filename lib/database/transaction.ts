import type { HookContext, NextFunction } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import { callStateOf } from '../core/call-state.js'
import { aroundOnly, forbidAsHook, withTraits } from '../core/hooks.js'
import { clientOf, readVerbs } from '../core/http-call.js'
import { checkOptions, inspect, kinds, type OptionTable } from '../core/options.js'
import { type AnyDatabase, type Beginner, beginnerOf, createEndedError, type PostgresConnection } from './begin.js'
import { type CommitEnd, isLostCommit, losesCommit, noteLostCommit } from './commit.js'

/** The params of calls that take part in a transaction. */
export interface TransactionParams<Trx = unknown> extends Params {
  transaction: {
    /**
     * The transaction of the library. `@feathersjs/knex` and your own services run their statements
     * in it. Reading it throws after the end.
     */
    trx: Trx
    /**
     * Resolves at the end to whether it was committed, or to `undefined` if nobody knows, since the
     * connection ended before the answer to the commit.
     */
    committed: Promise<boolean>
    /** As `@feathersjs/knex` has it. */
    starting: boolean
  }
}

/**
 * A database that has transactions: knex, Kysely, a pool of `pg`, or another library that has
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

/** Options of `inTransaction()`. */
export interface TransactionOptions {
  /** Default: the one of the database. */
  isolationLevel?: 'read uncommitted' | 'read committed' | 'repeatable read' | 'serializable'
}

/** Options of `transaction()`. */
export interface CallTransactionOptions extends TransactionOptions {
  /**
   * The params of the call that the work is part of. If they have a transaction, the work runs in
   * it, and ends with it.
   */
  params?: Params | undefined
}

const transactionOptions: OptionTable<TransactionOptions> = { isolationLevel: kinds.free }
const callTransactionOptions: OptionTable<CallTransactionOptions> = { ...transactionOptions, params: kinds.object }

/**
 * Runs several calls in one transaction: it commits when the function returns, and rolls back when
 * it throws (docs/transactions.md). Events are emitted after the commit, or never. In a method,
 * pass its params, so that the work joins the transaction of the call. If the connection ends
 * before the answer to the commit, nobody knows the outcome: subscribers get `reset`.
 *
 * @param database a Knex, a Kysely, a Drizzle, a pool of `pg`, or an object with
 * `transaction(work)`
 * @param work gets the params to call services with
 * @returns the result of the function
 * @throws the error of the function, or of the commit; {TypeError} if the transactions of the
 * database don't wait for promises, such as `better-sqlite3`
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
  checkOptions('the transaction', callTransactionOptions, options)
  const begin = beginnerOf(database as AnyDatabase, options.isolationLevel)
  if (typeof work !== 'function')
    throw new TypeError(
      `A transaction needs a function: transaction(knex, async (params) => { … }), got ${inspect(work)}`
    )
  const { transaction: outer } = (options.params ?? {}) as Partial<TransactionParams<TransactionOf<Database>>>
  if (!outer) return runInTransaction(begin, work, options.params)
  requireOpen(outer)
  return work({ transaction: outer })
}

/**
 * Runs work in a new transaction.
 * @param params the params of the call that the work is part of
 */
async function runInTransaction<Trx, T>(
  begin: Beginner,
  work: (params: TransactionParams<Trx>) => Promise<T>,
  params: Params | undefined
): Promise<T> {
  let current: OpenTransaction | undefined
  let running: Promise<T> | undefined
  let isCommitSent = false
  let isOver = false
  const runWork = (trx: unknown): Promise<T> => {
    // knex calls its function even if the begin has failed.
    if (isOver || (trx as KnexTrx | undefined)?.isCompleted?.()) throw createEndedError()
    // A library may run the work again after a conflict, of which nothing was committed.
    isCommitSent = false
    current?.end(false)
    const opened = openTransaction(trx)
    current = opened
    running = (async () => work(opened.params as TransactionParams<Trx>))()
    return running
  }
  const onCommit = () => {
    isCommitSent = true
    current?.close()
  }
  try {
    await begin(runWork, onCommit, () => current?.close())
    if (running === undefined) throw new Error('The `transaction` of the database ended without a call of its function')
    current?.end(true)
    return await running
  } catch (error) {
    isOver = true
    const isLost = isCommitSent && losesCommit(error, current?.trx)
    if (isLost || isLostCommit(error)) noteLostCommit(params)
    current?.end(isLost ? undefined : false)
    // A library gives up when the connection ends, even if the work still runs.
    await running?.catch(() => {})
    throw error
  }
}

interface KnexTrx {
  isCompleted?(): boolean
}

/** A transaction whose work runs. */
interface OpenTransaction {
  readonly trx: unknown
  readonly params: TransactionParams
  /** Makes it refuse statements. */
  close(): void
  end(end: CommitEnd): void
}

/**
 * Creates the `transaction` of params. A statement after the end would be committed by itself, so
 * reading `trx` throws then.
 */
function openTransaction(trx: unknown): OpenTransaction {
  let isOpen = true
  let settle: (end: CommitEnd) => void = () => {}
  // The types of `@feathersjs/knex` have no third value.
  const committed = new Promise<CommitEnd>((resolve) => {
    settle = resolve
  }) as Promise<boolean>
  const transaction = {
    get trx() {
      if (!isOpen) throw createEndedError()
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
  // Reading it is the check, also for transactions of others.
  void Object(transaction).trx
}

/**
 * Creates an around hook that runs each call that may change something in a transaction, with all
 * calls that get its `context.params`. The commit is sent before outer hooks go on, and before a
 * client gets the answer. A call that is in a transaction already stays in it. `find`, `get` and
 * requests with `GET` run without one, so that a download holds no connection. Outer hooks, such as
 * `databaseErrors()`, get the errors of the begin and the commit.
 *
 * @param database the same as for `transaction`
 * @throws when the server starts, if it is no around hook
 * @example
 * app.service('orders').hooks({
 *   around: { all: [databaseErrors(), inTransaction(knex)] },
 *   after: { create: [takeFromStock] }
 * })
 */
export function inTransaction(
  database: TransactionalDatabase,
  options: TransactionOptions = {}
): (context: HookContext, next: NextFunction) => Promise<void> {
  checkOptions('the transaction', transactionOptions, options)
  beginnerOf(database as AnyDatabase, options.isolationLevel)
  const hook = async (context: HookContext, next: NextFunction) => {
    const { method, params } = context
    const { request } = clientOf(context) ?? {}
    if (['find', 'get'].includes(method) || readVerbs.has(Object(request).method)) return next()
    if (params.transaction !== undefined) {
      requireOpen(params.transaction)
      try {
        return await next()
      } catch (error) {
        callStateOf(context).hasUndoneWork = true
        throw error
      }
    }
    const run = async ({ transaction }: TransactionParams) => {
      context.params = { ...context.params, transaction }
      await next()
    }
    try {
      await transaction(database, run, { ...options, params })
    } finally {
      // Outer hooks go on without it. A call that a hook has given up, and that still runs, keeps
      // the transaction, which refuses its statements.
      if (!callStateOf(context).abandoned) {
        const { transaction, ...rest } = context.params
        context.params = rest
      }
    }
  }
  return withTraits(hook, { check: aroundOnly('inTransaction'), transaction: { database, ...options } })
}

forbidAsHook(inTransaction, 'inTransaction(knex)')
