import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import Knex from 'knex'

let opened

/** The PostgreSQL server that TEST_DATABASE_URL names, or else one in this process. */
export const database = () => (opened ??= open())

async function open() {
  const { url, stop } = process.env.TEST_DATABASE_URL
    ? { url: process.env.TEST_DATABASE_URL, stop: async () => {} }
    : await start()
  const knex = Knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } })
  return {
    url,
    knex,
    async close() {
      await knex.schema.dropTableIfExists('people')
      await knex.destroy()
      await stop()
    }
  }
}

async function start() {
  const db = await PGlite.create()
  const server = new PGLiteSocketServer({ db, port: 0, host: '127.0.0.1', maxConnections: 4 })
  await server.start()
  return {
    url: `postgres://postgres@127.0.0.1:${server.port}/postgres`,
    async stop() {
      await server.stop()
      await db.close()
    }
  }
}
