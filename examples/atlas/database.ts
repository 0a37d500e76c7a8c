import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import createKnex, { type Knex } from 'knex'
import PGliteClient from 'knex-pglite'
import { createCountries, readCountries } from './countries.js'
import { lockFolder } from './folder-lock.js'
import { addAuthors, createNotes } from './notes.js'
import { connect } from './postgres-server.js'
import { StartError } from './start-error.js'
import { createStoreTable } from './store.js'
import { createUsers } from './users.js'

export interface Database {
  knex: Knex
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** The address of a PostgreSQL server. Default: none, the database is PGlite in `folder`. */
  url?: string | undefined
  /** Default: `examples/atlas/data` of the package, whose root is three folders above the compiled file. */
  folder?: string | undefined
  /** How long a statement of a server may take, in milliseconds. Default 5000. */
  timeout?: number | undefined
}

// A schema of its own keeps its tables apart from others on a server.
const schema = 'atlas'

const dataFolder = fileURLToPath(new URL('../../../examples/atlas/data', import.meta.url))

const config = {
  searchPath: schema,
  // The messages of errors would hold the values of a statement: addresses, hashes of passwords.
  compileSqlOnError: false,
  // Knex would print a connection that fails, with its stack, beside throwing it.
  log: { error() {}, warn() {} }
}

/**
 * Opens the database, with the tables in it and the countries in them.
 *
 * @throws {StartError} when it can't be reached, read or written
 */
export async function openDatabase({ url, folder, timeout = 5000 }: DatabaseOptions): Promise<Database> {
  const database = url ? openServer(url, timeout) : await openFolder(resolve(folder || dataFolder))
  try {
    await prepare(database.knex)
  } catch (error) {
    await database.close()
    throw new StartError(
      url ? "Can't use the database of DATABASE_URL" : "Can't use the database in the data folder",
      error
    )
  }
  return database
}

function openServer(url: string, timeout: number): Database {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new StartError(
      'DATABASE_URL is no address of a PostgreSQL database: write it as postgres://user:password@host:5432/database'
    )
  }
  const knex = connect(url, timeout, config)
  return { knex, close: () => knex.destroy() }
}

async function openFolder(folder: string): Promise<Database> {
  const release = lockFolder(folder)
  try {
    const files = join(folder, 'postgres')
    mkdirSync(files, { recursive: true })
    // PGlite lets everybody read its files: the secret of the tokens is in them, and the hashes of the passwords.
    chmodSync(files, 0o700)
    if (!existsSync(join(files, 'PG_VERSION'))) await createFiles(files)
    const pglite = await PGlite.create(files)
    const knex = createKnex({ ...config, client: PGliteClient, connection: () => ({ pglite }) as object })
    const close = async () => {
      await knex.destroy()
      release()
    }
    return { knex, close }
  } catch (error) {
    release()
    throw new StartError(`Can't open the database in the data folder ${folder}`, error)
  }
}

/** Creates the files of a database in another process: PGlite does not give back the 500 MB that this takes. */
async function createFiles(folder: string): Promise<void> {
  const program = `
    import { PGlite } from '@electric-sql/pglite'
    await (await PGlite.create(process.argv[1])).close()`
  const args = ['--input-type=module', '--eval', program, folder]
  await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
}

/** Creates the tables and loads the countries, once: where the first table is, all of its version is. */
async function prepare(knex: Knex): Promise<void> {
  await knex.transaction(async (trx) => {
    // Two processes may start on one server at the same time.
    await trx.raw('select pg_advisory_xact_lock(3030)')
    if (!(await trx.schema.hasTable('countries'))) await prepareCountries(trx)
    if (!(await trx.schema.hasTable('users'))) await prepareUsers(trx)
  })
}

/** The first version of the atlas. */
async function prepareCountries(trx: Knex): Promise<void> {
  await trx.raw('create schema if not exists ??', [schema])
  await createCountries(trx)
  await createNotes(trx)
  await trx('countries').insert(readCountries())
}

/** The second version has users, and notes that belong to them. */
async function prepareUsers(trx: Knex): Promise<void> {
  await createUsers(trx)
  await addAuthors(trx)
  await createStoreTable(trx)
}
