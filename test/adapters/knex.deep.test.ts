import t from 'tap'
import { knexContract } from '../support/adapter-knex.js'
import { databaseRefusals } from '../support/database-refusals.js'
import { openPGlite } from '../support/pglite.js'

t.test('@feathersjs/knex on PostgreSQL inside the process', async (t) => {
  const knex = await openPGlite(t)
  await knexContract(t, '@feathersjs/knex on PGlite', knex)
  await databaseRefusals(t, knex)
})
