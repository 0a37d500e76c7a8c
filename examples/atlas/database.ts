import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'drizzle-orm'
import { drizzle as connect } from 'drizzle-orm/node-postgres'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { drizzle as open } from 'drizzle-orm/pglite'
import { Pool } from 'pg'
import { readCountries } from './countries.js'
import { lockFolder } from './folder-lock.js'
import { countries, definitions } from './tables.js'

export type Drizzle = PgDatabase<PgQueryResultHKT>

export interface Database {
  db: Drizzle
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** The address of a PostgreSQL server. Default: none, PostgreSQL runs in this process. */
  url?: string | undefined
  /** Where PostgreSQL in this process stores its files. Default: `examples/atlas/data`. */
  folder?: string | undefined
  /** How long a statement on a server may take, in milliseconds. Default 5000. */
  timeout?: number | undefined
}

// The compiled file is in `dist/examples/atlas`.
const dataFolder = fileURLToPath(new URL('../../../examples/atlas/data', import.meta.url))

/** Opens the database, and creates the tables and the countries at the first start. */
export async function openDatabase({ url, folder, timeout = 5000 }: DatabaseOptions): Promise<Database> {
  const database = url ? openServer(url, timeout) : await openFolder(resolve(folder || dataFolder))
  try {
    await prepare(database.db)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

function openServer(url: string, timeout: number): Database {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: timeout,
    statement_timeout: timeout,
    // A server that hangs does not end the statement itself.
    query_timeout: timeout + 2000,
    idle_in_transaction_session_timeout: timeout + 2000
  })
  // An idle connection that ends is replaced. Without a listener it would end the process.
  pool.on('error', () => {})
  return { db: connect(pool), close: () => pool.end() }
}

async function openFolder(folder: string): Promise<Database> {
  const release = lockFolder(folder)
  try {
    const files = join(folder, 'postgres')
    mkdirSync(files, { recursive: true })
    // PGlite lets everyone read its files, which hold the secret and the hashes of passwords.
    chmodSync(files, 0o700)
    if (!existsSync(join(files, 'PG_VERSION'))) await createFiles(files)
    const pglite = await PGlite.create(files)
    const close = async () => {
      await pglite.close()
      release()
    }
    return { db: open(pglite), close }
  } catch (error) {
    release()
    throw error
  }
}

/** Creates the files in another process, because PGlite does not free the 500 MB that this takes. */
async function createFiles(folder: string): Promise<void> {
  const program = `
    import { PGlite } from '@electric-sql/pglite'
    await (await PGlite.create(process.argv[1])).close()`
  const args = ['--input-type=module', '--eval', program, folder]
  await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
}

async function prepare(db: Drizzle): Promise<void> {
  await db.transaction(async (trx) => {
    // Several processes may start at the same time.
    await trx.execute(sql`select pg_advisory_xact_lock(3030)`)
    for (const definition of definitions) await trx.execute(definition)
    await trx.insert(countries).values(readCountries()).onConflictDoNothing()
  })
}
