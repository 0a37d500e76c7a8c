import { drizzle as connect } from 'drizzle-orm/node-postgres'
import { migrate as migrateServer } from 'drizzle-orm/node-postgres/migrator'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { drizzle as open } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'

export interface Database {
  db: PgDatabase<PgQueryResultHKT>
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** The address of a PostgreSQL server. Default: none, PostgreSQL runs in this process. */
  url?: string | undefined
  /** Where PostgreSQL in this process keeps its files. Default: in memory. */
  folder?: string
}

const migrations = { migrationsFolder: 'drizzle' }

/** Opens the database, and runs the migrations that are new to it. */
export async function openDatabase({ url, folder = 'memory://' }: DatabaseOptions = {}): Promise<Database> {
  if (url) {
    const timeouts = { connectionTimeoutMillis: 5000, statement_timeout: 10_000 }
    const db = connect({ connection: { connectionString: url, ...timeouts } })
    await migrateServer(db, migrations)
    return { db, close: () => db.$client.end() }
  }
  const db = open(folder)
  await migrate(db, migrations)
  return { db, close: () => db.$client.close() }
}
