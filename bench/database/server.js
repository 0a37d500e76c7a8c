// A server of notes in PostgreSQL, written in one of several ways. It tells its port, and answers what it is asked by messages.
import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import createKnex from 'knex'
import { Pool } from 'pg'
import services from '../../dist/index.js'

const { KIND, TABLE, DATABASE_URL, POOL = '10' } = process.env
const max = Number(POOL)
const openKnex = () => createKnex({ client: 'pg', connection: DATABASE_URL, pool: { min: 0, max } })
const app = Fastify()
const page = `select id, text, state from ${TABLE} where state = $1 order by id limit 10`

/** The ways, by name. Each answers `GET /notes?state=open` with the first ten. */
export const kinds = {
  async 'service, KnexService, with totals'() {
    const knex = openKnex()
    await app.register(services)
    app.service('notes', new KnexService({ Model: knex, name: TABLE, paginate: { default: 10, max: 10 } }))
    return () => knex.destroy()
  },
  async 'service, KnexService'() {
    const knex = openKnex()
    await app.register(services)
    app.service('notes', new KnexService({ Model: knex, name: TABLE }))
    return () => knex.destroy()
  },
  async 'route by hand, knex'() {
    const knex = openKnex()
    app.get('/notes', ({ query }) =>
      knex(TABLE).select('id', 'text', 'state').where({ state: query.state }).orderBy('id').limit(10)
    )
    return () => knex.destroy()
  },
  async 'service, pg'() {
    const pool = new Pool({ connectionString: DATABASE_URL, max })
    await app.register(services)
    app.service('notes', { find: async ({ query }) => (await pool.query(page, [query.state])).rows })
    return () => pool.end()
  },
  async 'service, pg, prepared'() {
    const pool = new Pool({ connectionString: DATABASE_URL, max })
    await app.register(services)
    const find = async ({ query }) => (await pool.query({ name: 'page', text: page, values: [query.state] })).rows
    app.service('notes', { find })
    return () => pool.end()
  },
  async 'route by hand, pg, prepared'() {
    const pool = new Pool({ connectionString: DATABASE_URL, max })
    app.get('/notes', async ({ query }) => {
      const { rows } = await pool.query({ name: 'page', text: page, values: [query.state] })
      return rows
    })
    return () => pool.end()
  },
  /** A statement that takes 5 ms in the database, and next to nothing here. */
  async slow() {
    const pool = new Pool({ connectionString: DATABASE_URL, max })
    await app.register(services)
    app.service('notes', { find: async () => (await pool.query('select pg_sleep(0.005)')).rows })
    return () => pool.end()
  }
}

if (KIND !== undefined) {
  const close = await kinds[KIND]()
  app.addHook('onClose', close)
  await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 0) })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send(user + system)
  })
  process.on('disconnect', () => app.close().then(() => process.exit()))
  process.send(app.server.address().port)
}
