import { attempt } from '../core/errors.js'
import { callerIn } from '../core/http-call.js'
import { isObject, isPromise } from '../core/objects.js'
import { driverErrorOf } from './driver-error.js'

/**
 * Whether a transaction was committed; `undefined` where nobody knows: the commit was sent, and its
 * answer was lost.
 */
export type CommitEnd = boolean | undefined

/** A statement, an answer or an error. */
interface KnexEvent {
  readonly sql?: unknown
  /** Of errors of PostgreSQL. */
  readonly severity?: unknown
}

/** A transaction of knex. */
interface KnexTransaction {
  /** Ends with it: rejects where it was rolled back because of an error. */
  readonly executionPromise: PromiseLike<unknown>
  readonly parentTransaction?: unknown
  readonly client?: { readonly dialect?: unknown }
  on?(event: 'query' | 'query-response' | 'query-error', listener: (queryOrError: KnexEvent) => void): unknown
}

const isKnexTransaction = (value: unknown): value is KnexTransaction =>
  typeof value === 'function' && isPromise((value as { executionPromise?: unknown }).executionPromise)

const endings = new WeakMap<object, Promise<CommitEnd>>()

/**
 * Whether the transaction of a call will have been committed, once it has ended: of
 * `params.transaction`, as `@feathersjs/knex` has it. Its `trx` is a transaction of knex, or it has
 * `committed`, a promise of `true`, `false` or, where nobody knows, `undefined`, for other
 * libraries. `undefined` where there is none.
 */
export function commitOf(params: unknown): Promise<CommitEnd> | undefined {
  const { transaction } = Object(params) as { transaction?: unknown }
  if (!isObject(transaction)) return undefined
  const { committed } = transaction as { committed?: unknown }
  // A transaction that has ended throws here.
  const trx = attempt(() => transaction.trx)
  const parts = [...transactionsOf(trx).map(endOf), ...(isPromise(committed) ? [endOfPromise(committed)] : [])]
  if (parts.length === 0) return undefined
  // A transaction that was not committed decides: where a commit fails, hooks of Feathers leave
  // their own promise open.
  return new Promise((resolve) => {
    for (const part of parts) part.then((end) => end === true || resolve(end))
    Promise.all(parts).then((ends) => resolve(ends.every(Boolean)))
  })
}

/** A transaction and those around it: what is rolled back out there is undone in here. */
function transactionsOf(trx: unknown): KnexTransaction[] {
  return isKnexTransaction(trx) ? [trx, ...transactionsOf(trx.parentTransaction)] : []
}

function endOf(trx: KnexTransaction): Promise<CommitEnd> {
  const ending = endings.get(trx) ?? watchEnd(trx)
  endings.set(trx, ending)
  return ending
}

/**
 * A rollback without an error resolves the promise of knex as a commit does: only the statement
 * tells them apart.
 */
async function watchEnd(trx: KnexTransaction): Promise<CommitEnd> {
  // Transactions within this one end before it does, so that its own end is the last statement of
  // this kind.
  let end = ''
  // After an error PostgreSQL rolls back, whatever the end says, unless it goes back to a
  // savepoint: it answers nothing until then. An error that is not its own, such as that of a
  // client that has not waited, leaves that open.
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

/**
 * The errors of commits whose answer was lost, of libraries that do not tell them from others, and
 * the requests within which one was lost.
 */
const lostCommits = new WeakSet<object>()

/**
 * Notes of the request that params belong to that a commit within it got no answer: what is around
 * that call may word the error anew.
 */
export function noteLostCommit(params: unknown): void {
  const caller = callerIn(params)
  if (caller !== undefined) lostCommits.add(caller)
}

/**
 * Whether nobody knows of a call that has failed by an error whether something of it was committed.
 */
export const hasLostCommit = (error: unknown, params: unknown): boolean =>
  isOfLostCommit(error) || lostCommits.has(Object(callerIn(params)))

/**
 * knex names the statement. One that the connection has not taken was not sent: so `pg`, `mysql2`
 * and `mysql` say it.
 */
const lostByKnex = /^COMMIT; - (?!.* is not queryable$|.* is in closed state$|Cannot enqueue )/

function isLostByKnex(error: unknown): boolean {
  const isOfService = 'className' in Object(error)
  return error instanceof Error && !isOfService && lostByKnex.test(error.message) && !refusesCommit(error)
}

/**
 * Whether a database has said of a commit that it is none. One that stops, or has no room, may have
 * done it before.
 */
function refusesCommit(error: unknown): boolean {
  const { refusal = 'away' } = driverErrorOf(error) ?? {}
  return refusal !== 'away'
}

/**
 * Whether nobody knows by an error that has come once the work of a transaction was done whether
 * that was committed.
 */
export function losesCommit(error: unknown, trx: unknown): boolean {
  if (isKnexTransaction(trx)) return isLostByKnex(error)
  const isLost = !refusesCommit(error)
  if (isLost && isObject(error)) lostCommits.add(error)
  return isLost
}

/** Whether an error is that of a commit whose answer was lost, or has come of it. */
export function isOfLostCommit(error: unknown, depth = 5): boolean {
  if (!isObject(error) || depth === 0) return false
  return (
    lostCommits.has(error) ||
    isLostByKnex(error) ||
    isOfLostCommit(
      attempt(() => error.cause),
      depth - 1
    )
  )
}
