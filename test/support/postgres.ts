import { setTimeout } from 'node:timers/promises'
import { Pool, type PoolConfig } from 'pg'
import type { Test } from 'tap'
import { postgresTables } from '../../lib/events/postgres/index.js'
import { Way } from './way.js'

const { TEST_DATABASE_URL: address } = process.env

export const skipPostgres = address ? false : 'needs a PostgreSQL server: set TEST_DATABASE_URL=postgres://…'

/** Makes pools, which end with the test, and never fail a test by an idle connection that has ended. */
const createPool = (t: Test, config: PoolConfig) => {
  const pool = new Pool({ max: 5, ...config })
  t.teardown(() => pool.end())
  return pool
}

let tables = 0

/** Makes tables of their own for a test. @returns their name, and a pool */
export async function createTables(t: Test, connectionString = address): Promise<{ table: string; pool: Pool }> {
  const table = `test_${process.pid}_${++tables}`
  const pool = createPool(t, { connectionString })
  await pool.query(postgresTables({ table }))
  t.teardown(async () => {
    const names = ['log', 'processes', 'outbox', 'store'].map((name) => `${table}_${name}`)
    const cleaner = new Pool({ connectionString })
    // `end()` doesn't wait until the server has closed its side, and the database may be dropped then.
    cleaner.on('connect', (connection) => connection.on('error', () => {}))
    const functions = `${table}_add(bigint, boolean, text), ${table}_collect(bigint), ${table}_append(text, bigint, bigint, boolean, text[]), ${table}_sign(text, bigint, boolean, double precision, double precision)`
    await cleaner.query(`drop table ${names}; drop function ${functions}`)
    await cleaner.end()
  })
  return { table, pool }
}

let databases = 0

/** Makes an empty database for a test. @param options of `create database`. @returns its address */
export async function createDatabase(t: Test, options = ''): Promise<string> {
  const name = `test_${process.pid}_${++databases}`
  const run = async (statement: string) => {
    const pool = new Pool({ connectionString: address, max: 1 })
    const { rows } = await pool.query(statement)
    await pool.end()
    return rows
  }
  await run(`create database ${name} ${options}`)
  t.teardown(async () => {
    // A pool that has ended does not wait until the server has closed its side. A connection that is dropped with the
    // database would fail the test.
    for (let tries = 0; tries < 50; tries++) {
      if ((await run(`select 1 from pg_stat_activity where datname = '${name}'`)).length === 0) break
      await setTimeout(20)
    }
    await run(`drop database ${name} with (force)`)
  })
  const url = new URL(address as string)
  url.pathname = name
  return url.href
}

/** A way to the server. */
export class PostgresWay extends Way {
  static async open(t: Pick<Test, 'teardown'>): Promise<PostgresWay> {
    const { hostname, port } = new URL(address as string)
    return new PostgresWay(hostname, Number(port || 5432)).open(t)
  }

  /** The address of the server, by this way. */
  get url(): string {
    const url = new URL(address as string)
    url.host = `127.0.0.1:${this.port}`
    return url.href
  }

  pool(t: Test, config: PoolConfig = {}): Pool {
    return createPool(t, { connectionString: this.url, ...config })
  }
}
