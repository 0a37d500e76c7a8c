import { withTimeout } from '../../core/async.js'
import { readProperty } from '../../core/errors.js'
import type { OptionKind } from '../../core/options.js'
import { UnpreparedServer } from '../log-server.js'
import { checkClient } from '../options.js'

interface PostgresResult {
  readonly rows: readonly Record<string, unknown>[]
  readonly rowCount: number | null
}

/** A connection of `pg`. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<PostgresResult>
  on(event: string, listener: (error?: unknown) => void): unknown
  release(error?: Error | boolean): void
}

/** A pool of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** @throws {TypeError} if it is no pool of `pg` with these methods */
export const checkPool = (who: string, pool: unknown, methods: readonly (keyof PostgresPool)[]): void =>
  checkClient(who, 'a pool of pg, as new Pool({ connectionString })', pool, methods)

/** Takes a connection from the pool. @throws {TimeoutError} if none is free in time */
export async function connectWithin(ms: number, pool: PostgresPool): Promise<PostgresClient> {
  const connecting = pool.connect()
  try {
    return await withTimeout(ms, connecting)
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => {}
    )
    throw error
  }
}

/** The codes of PostgreSQL for an undefined table and an undefined function. */
const missingCodes: unknown[] = ['42P01', '42883']

/**
 * Runs a query over a connection of the pool. A connection that does not answer in time is closed.
 *
 * @throws {UnpreparedServer} if the tables or functions do not exist
 */
export async function queryWithin(
  ms: number,
  pool: PostgresPool,
  text: string,
  values: unknown[]
): Promise<PostgresResult> {
  const client = await connectWithin(ms, pool)
  try {
    const result = await withTimeout(ms, client.query(text, values))
    client.release()
    return result
  } catch (error) {
    client.release(true)
    if (!missingCodes.includes(readProperty(error, 'code'))) throw error
    const message =
      'The database lacks the tables and functions of fastify-services/events/postgres: run `await pool.query(postgresTables())` before the start, with the same option `table`'
    throw new UnpreparedServer(message, { cause: error })
  }
}

/** The option `table`: a name that needs no quotes in SQL. */
export const tableName: OptionKind = [
  "a name of 1 to 40 lower-case letters, digits and '_', as 'app_events'",
  (value) => typeof value === 'string' && /^[a-z_][a-z0-9_]{0,39}$/.test(value)
]

export const defaultTable = 'fastify_services'
