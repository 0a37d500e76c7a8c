import type { TransactionalDatabase } from 'fastify-services/database'
import createKnex from 'knex'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import type { Test } from 'tap'

/** A database, or a transaction, of any of the libraries below. */
export interface AnyDatabase {
  raw?(text: string): Promise<unknown>
  executeQuery?(query: CompiledQuery): Promise<unknown>
  query?(text: string): Promise<unknown>
}

/** Runs a statement, whichever library the database is of. */
export const run = (database: AnyDatabase, text: string): Promise<unknown> | undefined =>
  database.raw?.(text) ?? database.executeQuery?.(CompiledQuery.raw(text)) ?? database.query?.(text)

/** The libraries with transactions on PostgreSQL. Each opens a database, which ends with the test. */
export const libraries: Record<string, (t: Test, connectionString: string) => TransactionalDatabase & AnyDatabase> = {
  pg: (t, connectionString) => {
    const pool = new Pool({ connectionString })
    t.teardown(() => pool.end())
    return pool as AnyDatabase & Pool
  },
  Kysely: (t, connectionString) => {
    const pool = new Pool({ connectionString })
    pool.on('error', () => {})
    // Kysely has a pool of its own choice, which tells of its connections that end.
    pool.on('connect', (client) => client.on('error', () => {}))
    const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    t.teardown(() => kysely.destroy())
    return kysely
  },
  knex: (t, connection) => {
    const knex = createKnex({ client: 'pg', connection, log: { warn() {}, error() {} } })
    t.teardown(() => knex.destroy())
    return knex as never
  }
}
