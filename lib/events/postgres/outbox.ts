import { pluginName } from '../options.js'

const need = 'needs transactions of knex, Kysely or pg'

type RunStatement = (text: string, values: unknown[]) => PromiseLike<unknown>

/** The option that needs the transactions, for errors. */
export const outboxAsker = 'The option `outbox` of postgresLog'

const eventsPerStatement = 1000

/**
 * Writes events, as JSON, in a transaction.
 *
 * @param transaction `params.transaction` of a call: `trx` is a transaction of knex or Kysely, or a
 * connection of `pg`; without it, there is a function `query(text, values)`
 * @returns `undefined` if it has neither
 * @throws {Error} if `trx` is anything else
 */
export function writeOutbox(table: string, transaction: object, events: readonly string[]): Promise<void> | undefined {
  const { trx, query } = transaction as { trx?: unknown; query?: unknown }
  if (trx === undefined && typeof query !== 'function') return undefined
  return write(table, events, statementRunnerOf(transaction, outboxAsker))
}

async function write(table: string, events: readonly string[], query: RunStatement): Promise<void> {
  for (let first = 0; first < events.length; first += eventsPerStatement) {
    const chunk = events.slice(first, first + eventsPerStatement)
    const placeholders = chunk.map((_, index) => `($${index + 1})`)
    await query(`insert into ${table}_outbox (event) values ${placeholders}`, chunk)
  }
}

/** The methods of transactions that run a statement. */
interface LibraryTransaction {
  /** knex */
  raw?(text: string, values: unknown[]): PromiseLike<unknown>
  /** Kysely */
  executeQuery?(query: object): PromiseLike<unknown>
  /** pg */
  query?(text: string, values: unknown[]): PromiseLike<unknown>
}

/**
 * Returns a function that runs a statement in a transaction.
 *
 * @param asker the option that needs it, for the message of the error
 * @throws {Error} if the transaction has no such function
 */
export function statementRunnerOf(transaction: object, asker: string): RunStatement {
  const { trx, query } = transaction as { trx?: unknown; query?: unknown }
  if (typeof query === 'function') return query.bind(transaction)
  const library = Object(trx) as LibraryTransaction
  return (text, values) => {
    if (typeof library.raw === 'function') return library.raw(text.replace(/\$\d+/g, '?'), values)
    if (typeof library.executeQuery === 'function') return library.executeQuery(toCompiled(text, values))
    if (typeof library.query === 'function') return library.query(text, values)
    throw new Error(
      `${asker} ${need} in \`params.transaction.trx\`, or a function \`params.transaction.query\` that takes a text and values`
    )
  }
}

/**
 * Checks, when the server starts, that statements can run in the transactions of a database. Those
 * of Drizzle take no text with values.
 */
export function checkTransactions(database: object, path: string, asker: string): void {
  const { execute, insert, raw } = database as Record<string, unknown>
  const isDrizzle = typeof execute === 'function' && typeof insert === 'function' && typeof raw !== 'function'
  if (isDrizzle)
    throw new Error(
      `${asker} ${need}, and inTransaction() at '${path}' has a database of Drizzle: leave the option out`
    )
}

/** Returns a compiled query of Kysely. */
function toCompiled(sql: string, parameters: unknown[]): object {
  const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] }
  return { sql, parameters, query, queryId: { queryId: `${pluginName}/postgres` } }
}
