import createKnex from 'knex'
import PGliteClient from 'knex-pglite'
import t from 'tap'
import { knexContract } from '../support/adapter-knex.js'

// PostgreSQL inside the process, in memory.
const knex = createKnex({ client: PGliteClient, connection: {} })
t.teardown(() => knex.destroy())

await knexContract(t, '@feathersjs/knex on PGlite', knex)
