type RunStatement = (text: string, values: unknown[]) => PromiseLike<{ readonly rows: readonly unknown[] }>

/**
 * Writes events, as JSON, in a transaction.
 *
 * @param transaction `params.transaction` of a call: `trx` is a transaction of knex, Kysely, Drizzle
 * or Prisma, or a connection of `pg`; without it, there is a function `query(text, values)`
 * @returns `undefined` if it has neither
 * @throws {Error} if `trx` is anything else
 */
export function writeOutbox(
  table: string,
  transaction: object,
  events: readonly string[]
): PromiseLike<unknown> | undefined {
  const { trx, query } = transaction as { trx?: unknown; query?: unknown }
  if (trx === undefined && typeof query !== 'function') return undefined
  const run = statementRunnerOf(transaction, 'The option `outbox` of postgresLog')
  const text = `insert into ${table}_outbox (event) select value from json_array_elements_text(cast($1 as json)) returning 1`
  return run(text, [`[${events.map((event) => JSON.stringify(event))}]`])
}

type StatementResult = Awaited<ReturnType<RunStatement>>

interface LibraryTransaction {
  /** knex */
  raw?(text: string, values: unknown[]): PromiseLike<StatementResult>
  /** Kysely */
  executeQuery?(query: object): PromiseLike<StatementResult>
  /** Drizzle: some of its drivers return the rows alone. */
  execute?(query: object): PromiseLike<StatementResult | unknown[]>
  /** Prisma */
  $queryRawUnsafe?(text: string, ...values: unknown[]): PromiseLike<unknown[]>
  /** pg */
  query?(text: string, values: unknown[]): PromiseLike<StatementResult>
}

/**
 * Returns a function that runs a statement in a transaction. The statement has its placeholders in
 * their order: `$1`, `$2`, …
 *
 * @param asker the option that needs it, for the message of the error
 * @throws {Error} if the transaction has no such function
 */
export function statementRunnerOf(transaction: object, asker: string): RunStatement {
  const { trx, query } = transaction as { trx?: unknown; query?: unknown }
  if (typeof query === 'function') return query.bind(transaction)
  const library = Object(trx) as LibraryTransaction
  return async (text, values) => {
    if (typeof library.raw === 'function') return library.raw(text.replace(/\$\d+/g, '?'), values)
    if (typeof library.executeQuery === 'function') {
      const { CompiledQuery } = await import('kysely')
      return library.executeQuery(CompiledQuery.raw(text, values))
    }
    if (typeof library.$queryRawUnsafe === 'function') return { rows: await library.$queryRawUnsafe(text, ...values) }
    if (typeof library.query === 'function') return library.query(text, values)
    if (typeof library.execute === 'function') {
      const result = await library.execute(await toDrizzle(text, values))
      return Array.isArray(result) ? { rows: result } : result
    }
    throw new Error(
      `${asker} needs transactions of knex, Kysely, Drizzle, Prisma or pg in \`params.transaction.trx\`, or a function \`params.transaction.query\` that takes a text and values`
    )
  }
}

/** Converts a statement to one of Drizzle. */
async function toDrizzle(text: string, values: readonly unknown[]): Promise<object> {
  const { sql } = await import('drizzle-orm')
  const texts = text.split(/\$\d+/)
  return sql.join(
    texts.flatMap((part, index) => (index === 0 ? [] : [sql`${values[index - 1]}`]).concat(sql.raw(part)))
  )
}
