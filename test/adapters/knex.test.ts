import createKnex from 'knex'
import PGliteClient from 'knex-pglite'
import t from 'tap'
import { knexContract } from '../support/adapter-knex.js'

t.test('@feathersjs/knex on PostgreSQL inside the process, in memory', async (t) => {
  const knex = createKnex({ client: PGliteClient, connection: {} })
  t.teardown(() => knex.destroy())
  await knexContract(t, '@feathersjs/knex on PGlite', knex)
})
