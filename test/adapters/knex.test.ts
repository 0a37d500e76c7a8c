import t from 'tap'
import { knexContract } from '../support/adapter-knex.js'
import { openPGlite } from '../support/pglite.js'

t.test('@feathersjs/knex on PostgreSQL inside the process', async (t) => {
  await knexContract(t, '@feathersjs/knex on PGlite', await openPGlite(t))
})
