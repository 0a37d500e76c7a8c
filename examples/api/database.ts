import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import knex, { type Knex } from 'knex'
import PGlite from 'knex-pglite'

/** Each is run once, in this order: add one at the end, and change none that has run. */
const migrations: Readonly<Record<string, (database: Knex) => Knex.SchemaBuilder>> = {
  '001-organisations': ({ schema }) =>
    schema
      .createTable('organisations', (table) => {
        table.increments('id')
        table.string('name').notNullable()
      })
      .createTable('users', (table) => {
        table.increments('id')
        table.integer('organisationId').notNullable().references('organisations.id').onDelete('CASCADE')
        table.string('email').notNullable().unique()
        table.string('name').notNullable()
        table.string('role').notNullable()
        table.string('password').notNullable()
      }),
  '002-issues': ({ schema, fn }) =>
    schema
      .createTable('projects', (table) => {
        table.increments('id')
        table.integer('organisationId').notNullable().references('organisations.id').onDelete('CASCADE')
        table.string('name').notNullable()
      })
      .createTable('issues', (table) => {
        table.increments('id')
        table.integer('projectId').notNullable().references('projects.id').onDelete('CASCADE').index()
        table.integer('authorId').references('users.id').onDelete('SET NULL')
        table.string('title').notNullable()
        table.text('text').notNullable().defaultTo('')
        table.string('state').notNullable().defaultTo('open')
        table.timestamp('createdAt').notNullable().defaultTo(fn.now())
      })
}

const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(migrations),
  getMigrationName: (name) => name,
  getMigration: async (name) => ({
    up: async (database) => migrations[name]?.(database),
    down: async () => {}
  })
}

export interface DatabaseOptions {
  /** The address of a PostgreSQL server. Default: none, PostgreSQL runs in this process. */
  url?: string | undefined
  /** Where PostgreSQL in this process keeps its files. Default: in memory. */
  folder?: string | undefined
}

/** Creates the files of a database in another process: PGlite does not give back the 500 MB that this takes. */
async function createFiles(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const program = `
    import knex from 'knex'
    import PGlite from 'knex-pglite'
    const database = knex({ client: PGlite, dialect: 'postgres', connection: { filename: process.argv[1] } })
    await database.raw('select 1')
    await database.destroy()`
  const args = ['--input-type=module', '--eval', program, resolve(folder)]
  await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
}

/** Opens the database, with its tables as they are today. */
export async function openDatabase({ url, folder }: DatabaseOptions = {}): Promise<Knex> {
  if (!url && folder && !existsSync(join(folder, 'PG_VERSION'))) await createFiles(folder)
  const timeouts = { connectionTimeoutMillis: 5000, statement_timeout: 10_000 }
  const database = url
    ? knex({ client: 'pg', connection: { connectionString: url, ...timeouts } })
    : knex({ client: PGlite, dialect: 'postgres', connection: folder ? { filename: folder } : {} })
  await database.migrate.latest({ migrationSource })
  return database
}
