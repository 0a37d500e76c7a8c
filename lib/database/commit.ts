import { attempt } from '../core/errors.js'
import { callerIn } from '../core/http-call.js'
import { isObject, isPromise } from '../core/objects.js'
import { driverErrorOf } from './driver-error.js'

/** Whether a transaction was committed. `undefined` if the answer to the commit was lost. */
export type CommitEnd = boolean | undefined

/** A statement, its answer or its error. */
interface KnexEvent {
  readonly sql?: unknown
  /** Errors of PostgreSQL have it. */
  readonly severity?: unknown
}

interface KnexTransaction {
  /** Settles at the end: rejects if the transaction was rolled back because of an error. */
  readonly executionPromise: PromiseLike<unknown>
  readonly parentTransaction?: unknown
  readonly client?: { readonly dialect?: unknown }
  on?(event: 'query' | 'query-response' | 'query-error', listener: (queryOrError: KnexEvent) => void): unknown
}

const isKnexTransaction = (value: unknown): value is KnexTransaction =>
  typeof value === 'function' && isPromise((value as { executionPromise?: unknown }).executionPromise)

/** The ends of transactions. Each is watched once, however many calls it has. */
const commitEnds = new WeakMap<object, Promise<CommitEnd>>()

/**
 * Returns whether the transaction of a call is committed, as a promise that resolves at its end, or
 * `undefined` if the call has none. It reads `params.transaction` of `@feathersjs/knex`: its `trx`
 * is a transaction of knex, or it has `committed`, a promise of `true`, `false` or, if nobody
 * knows, `undefined`, for other libraries.
 */
export function commitOf(params: unknown): Promise<CommitEnd> | undefined {
  const { transaction } = Object(params) as { transaction?: unknown }
  if (!isObject(transaction)) return undefined
  const { committed } = transaction as { committed?: unknown }
  // A transaction that has ended throws here.
  const trx = attempt(() => transaction.trx)
  const ends = [...transactionsOf(trx).map(endOf), ...(isPromise(committed) ? [endOfPromise(committed)] : [])]
  if (ends.length === 0) return undefined
  // The first that was not committed decides: if a commit fails, hooks of Feathers never settle
  // their own promise.
  return new Promise((resolve) => {
    for (const ending of ends) ending.then((end) => end === true || resolve(end))
    Promise.all(ends).then((all) => resolve(all.every(Boolean)))
  })
}

/** Returns a transaction and its outer ones: a rollback of those undoes it, too. */
function transactionsOf(trx: unknown): KnexTransaction[] {
  return isKnexTransaction(trx) ? [trx, ...transactionsOf(trx.parentTransaction)] : []
}

function endOf(trx: KnexTransaction): Promise<CommitEnd> {
  const end = commitEnds.get(trx) ?? watchEnd(trx)
  commitEnds.set(trx, end)
  return end
}

/**
 * Waits for the end of a transaction. knex resolves its promise for a rollback without an error,
 * too: only the statement tells it from a commit.
 */
async function watchEnd(trx: KnexTransaction): Promise<CommitEnd> {
  // Inner transactions end before it does, so the last statement of this kind is its own.
  let end = ''
  // After an error PostgreSQL rolls back, even at a commit, unless the transaction goes back to a
  // savepoint. It answers no statement until then. Other errors, such as a timeout of the client,
  // leave the outcome open.
  let commitEnd: CommitEnd = true
  trx.on?.('query', ({ sql }) => {
    if (/^(commit|release|rollback)\b/i.test(String(sql))) end = String(sql)
    if (/^rollback to\b/i.test(end)) commitEnd = true
  })
  if (trx.client?.dialect === 'postgresql') {
    trx.on?.('query-response', () => {
      commitEnd = true
    })
    trx.on?.('query-error', ({ severity }) => {
      if (commitEnd !== false) commitEnd = severity === undefined ? undefined : false
    })
  }
  try {
    await trx.executionPromise
    return /^rollback\b/i.test(end) ? false : commitEnd
  } catch (error) {
    return losesCommit(error, trx) ? undefined : false
  }
}

async function endOfPromise(committed: PromiseLike<unknown>): Promise<CommitEnd> {
  try {
    const end = await committed
    return end === undefined ? undefined : end === true
  } catch {
    return false
  }
}

/** Errors of commits whose answer was lost, of libraries whose errors don't show it. */
const lostCommits = new WeakSet<object>()

/**
 * Notes on the request of a call that the answer to a commit was lost: outer hooks may replace the
 * error.
 */
export function noteLostCommit(params: unknown): void {
  const caller = callerIn(params)
  if (caller !== undefined) caller.hasLostCommit = true
}

/** Returns whether a call has failed and nobody knows whether some of it was committed. */
export const hasLostCommit = (error: unknown, params: unknown): boolean =>
  isLostCommit(error) || callerIn(params)?.hasLostCommit === true

/**
 * Matches messages of knex, which name the statement. `pg`, `mysql2` and `mysql` have these texts
 * for a statement that was not sent.
 */
const lostByKnex = /^COMMIT; - (?!.* is not queryable$|.* is in closed state$|Cannot enqueue )/

function isLostByKnex(error: unknown): boolean {
  const isOfService = 'className' in Object(error)
  return error instanceof Error && !isOfService && lostByKnex.test(error.message) && !refusesCommit(error)
}

/**
 * Returns whether a database has refused a commit. One that stops, or has no space, may have
 * committed before.
 */
function refusesCommit(error: unknown): boolean {
  const { refusal = 'away' } = driverErrorOf(error) ?? {}
  return refusal !== 'away'
}

/** Returns whether an error after the work of a transaction leaves open if it was committed. */
export function losesCommit(error: unknown, trx: unknown): boolean {
  if (isKnexTransaction(trx)) return isLostByKnex(error)
  const isLost = !refusesCommit(error)
  if (isLost && isObject(error)) lostCommits.add(error)
  return isLost
}

/** Returns whether an error is of a commit whose answer was lost, or is caused by one. */
export function isLostCommit(error: unknown, depth = 5): boolean {
  if (!isObject(error) || depth === 0) return false
  return (
    lostCommits.has(error) ||
    isLostByKnex(error) ||
    isLostCommit(
      attempt(() => error.cause),
      depth - 1
    )
  )
}
