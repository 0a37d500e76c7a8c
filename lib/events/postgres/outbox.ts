import { doorName } from '../options.js'

type RunStatement = (text: string, values: unknown[]) => PromiseLike<unknown>

const eventsPerStatement = 1000

/**
 * Writes events, as JSON, in a transaction.
 *
 * @param transaction that of a call: `trx` is one of knex, of Kysely, or a connection of `pg`, or
 * else it has `query(text, values)`
 * @returns `undefined` where it has none of them, and says by `committed` alone how it ends
 * @throws {Error} where `trx` is none of them
 */
export function writeOutbox(table: string, transaction: object, events: readonly string[]): Promise<void> | undefined {
  const { trx, query } = transaction as { trx?: unknown; query?: unknown }
  if (trx === undefined && typeof query !== 'function') return undefined
  return write(table, events, statementsOf(transaction, 'The option `outbox` of postgresLog'))
}

async function write(table: string, events: readonly string[], query: RunStatement): Promise<void> {
  for (let first = 0; first < events.length; first += eventsPerStatement) {
    const part = events.slice(first, first + eventsPerStatement)
    const places = part.map((_, index) => `($${index + 1})`)
    await query(`insert into ${table}_outbox (event) values ${places}`, part)
  }
}

/** What is used of the transactions of some libraries. */
interface LibraryTransaction {
  /** Of knex. */
  raw?(text: string, values: unknown[]): PromiseLike<unknown>
  /** Of Kysely. */
  executeQuery?(query: object): PromiseLike<unknown>
  /** Of `pg`. */
  query?(text: string, values: unknown[]): PromiseLike<unknown>
}

/**
 * Returns the function that runs a statement in a transaction.
 *
 * @param asker the option that needs it
 * @throws {Error} if the transaction can run none
 */
export function statementsOf(transaction: object, asker: string): RunStatement {
  const { trx, query } = transaction as { trx?: unknown; query?: unknown }
  if (typeof query === 'function') return query.bind(transaction)
  const library = Object(trx) as LibraryTransaction
  return (text, values) => {
    if (typeof library.raw === 'function') return library.raw(text.replace(/\$\d+/g, '?'), values)
    if (typeof library.executeQuery === 'function') return library.executeQuery(toCompiled(text, values))
    if (typeof library.query === 'function') return library.query(text, values)
    throw new Error(
      `${asker} needs transactions of knex, Kysely or pg in \`params.transaction.trx\`, or a function \`params.transaction.query\` that takes a text and values`
    )
  }
}

/** A statement as Kysely has it. */
function toCompiled(sql: string, parameters: unknown[]): object {
  const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] }
  return { sql, parameters, query, queryId: { queryId: `${doorName}/postgres` } }
}
