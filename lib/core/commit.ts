import { isObject, isPromise } from './objects.js'

/** A transaction of knex. */
interface KnexTransaction {
  /** Ends with it: rejects where it was rolled back because of an error. */
  readonly executionPromise: PromiseLike<unknown>
  readonly parentTransaction?: unknown
  readonly client?: { readonly dialect?: unknown }
  on?(event: 'query' | 'query-error', listener: (queryOrError: { sql?: unknown }) => void): unknown
}

const isKnexTransaction = (value: unknown): value is KnexTransaction =>
  typeof value === 'function' && isPromise((value as { executionPromise?: unknown }).executionPromise)

const endings = new WeakMap<object, Promise<boolean>>()

/**
 * Whether the transaction of a call will have been committed, once it has ended: of `params.transaction`, as `@feathersjs/knex` has it. Its `trx` is a transaction of
 * knex, or it has `committed`, a promise of `true` or `false`, for other libraries. `undefined` where there is none.
 */
export function commitOf(params: unknown): Promise<boolean> | undefined {
  const { transaction } = Object(params) as { transaction?: unknown }
  if (!isObject(transaction)) return undefined
  const { trx, committed } = transaction as { trx?: unknown; committed?: unknown }
  const parts = [...transactionsOf(trx).map(endOf), ...(isPromise(committed) ? [endOfPromise(committed)] : [])]
  if (parts.length === 0) return undefined
  // A transaction that was rolled back decides: where a commit fails, hooks of Feathers leave their own promise open.
  return new Promise((resolve) => {
    for (const part of parts) part.then((isCommitted) => isCommitted || resolve(false))
    Promise.all(parts).then((ends) => resolve(ends.every(Boolean)))
  })
}

/** A transaction and those around it: what is rolled back out there is undone in here. */
function transactionsOf(trx: unknown): KnexTransaction[] {
  return isKnexTransaction(trx) ? [trx, ...transactionsOf(trx.parentTransaction)] : []
}

function endOf(trx: KnexTransaction): Promise<boolean> {
  const ending = endings.get(trx) ?? watchEnd(trx)
  endings.set(trx, ending)
  return ending
}

/** A rollback without an error resolves the promise of knex as a commit does: only the statement tells them apart. */
async function watchEnd(trx: KnexTransaction): Promise<boolean> {
  // Transactions within this one end before it does, so that its own end is the last statement of this kind.
  let end = ''
  // After an error PostgreSQL rolls back, whatever the end says, unless it goes back to a savepoint.
  let isAborted = false
  trx.on?.('query', ({ sql }) => {
    if (/^(commit|release|rollback)\b/i.test(String(sql))) end = String(sql)
    if (/^rollback to\b/i.test(end)) isAborted = false
  })
  if (trx.client?.dialect === 'postgresql')
    trx.on?.('query-error', () => {
      isAborted = true
    })
  try {
    await trx.executionPromise
    return !isAborted && !/^rollback\b/i.test(end)
  } catch {
    return false
  }
}

async function endOfPromise(committed: PromiseLike<unknown>): Promise<boolean> {
  try {
    return (await committed) === true
  } catch {
    return false
  }
}
