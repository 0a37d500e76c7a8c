import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SQL } from 'drizzle-orm'
import { kysely } from 'fastify-services/kysely'
import { type Dialect, Kysely, MysqlDialect, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { root } from '../package/sources.js'
import { drizzleAdapter } from '../support/adapter-drizzle.js'
import { kyselyAdapter } from '../support/adapter-kysely.js'
import { tableContract } from '../support/adapter-table.js'
import { installIn } from '../support/install.js'
import { noMariadb, startMariadb } from '../support/mariadb.js'
import { createDatabase, skipPostgres } from '../support/postgres.js'

// Each suite takes some seconds.
t.setTimeout(120_000)

const folder = join(root, 'test/adapters/databases')
const require = createRequire(join(folder, 'package.json'))
await installIn(folder)
const load = (name: string) => import(pathToFileURL(require.resolve(name)).href)

t.test('tables of SQLite', async (t) => {
  const Database = require('libsql')
  const dialect: Dialect = new SqliteDialect({ database: new Database(':memory:') })
  await tableContract(t, kyselyAdapter(t, 'SQLite', 'sqlite', dialect))

  const { drizzle } = await load('drizzle-orm/libsql')
  const db = drizzle(`file:${join(t.testdir(), 'data.db')}`)
  t.teardown(() => db.$client.close())
  await tableContract(
    t,
    drizzleAdapter('SQLite', 'sqlite', db, (statement: SQL) => db.run(statement))
  )
})

t.test('tables of MariaDB', { skip: noMariadb }, async (t) => {
  const socketPath = await startMariadb(t)
  const { createPool } = require('mysql2')
  const pool = createPool({ socketPath, user: 'root', database: 'test' })
  await tableContract(t, kyselyAdapter(t, 'MariaDB', 'mysql', new MysqlDialect({ pool })))

  const db = new Kysely<Record<string, { id: unknown; at: unknown }>>({
    dialect: new MysqlDialect({ pool: createPool({ socketPath, user: 'root', database: 'test' }) })
  })
  t.teardown(() => db.destroy())
  await sql`create table dated (id varchar(36) primary key default uuid(), at datetime(3))`.execute(db)
  const dated = kysely(db, 'dated', { columns: { at: 'date' } })
  const at = '2030-01-31T12:00:00.125Z'
  await dated.create({ id: 'Abc', at })
  t.match(await dated.find({ query: { at: { $lte: at } } }), [{ id: 'Abc', at: new Date(at) }])
  await t.rejects(dated.get('abc'), { code: 404 }, 'ids are compared exactly')
  await t.rejects(dated.create({ at }), /Send 'id' with the data/)

  const { drizzle } = await load('drizzle-orm/mysql2')
  const drizzlePool = createPool({ socketPath, user: 'root', database: 'test' })
  t.teardown(() => drizzlePool.end())
  const drizzleDb = drizzle(drizzlePool)
  await tableContract(
    t,
    drizzleAdapter('MariaDB', 'mysql', drizzleDb, (statement: SQL) => drizzleDb.execute(statement))
  )
})

t.test('tables of PostgreSQL', { skip: skipPostgres }, async (t) => {
  const connectionString = await createDatabase(t)
  const pool = new pg.Pool({ connectionString })
  await tableContract(t, kyselyAdapter(t, 'PostgreSQL', 'postgres', new PostgresDialect({ pool })))

  const { drizzle } = await import('drizzle-orm/node-postgres')
  const drizzlePool = new pg.Pool({ connectionString })
  t.teardown(() => drizzlePool.end())
  const db = drizzle(drizzlePool)
  await tableContract(
    t,
    drizzleAdapter('PostgreSQL', 'postgres', db, (statement) => db.execute(statement))
  )
})
