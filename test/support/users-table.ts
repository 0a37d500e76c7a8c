import { KnexService } from '@feathersjs/knex'
import createKnex from 'knex'
import PGliteClient from 'knex-pglite'
import type { Test } from 'tap'

/** A table `users` in a database of its own, and a service of @feathersjs/knex on it; closed when the test ends. */
export async function createUsersTable(t: Test, options: object = {}) {
  const knex = createKnex({ client: PGliteClient, connection: {} })
  t.teardown(() => knex.destroy())
  await knex.schema.createTable('users', (table) => {
    table.increments('id')
    table.text('email').unique().notNullable()
    table.text('password')
  })
  return { knex, object: new KnexService({ Model: knex, name: 'users', ...options }) }
}
