import { KnexService } from '@feathersjs/knex'
import type { Test } from 'tap'
import { openPGlite } from './pglite.js'

/** A table `users` in a database of its own, and a service of @feathersjs/knex on it; closed when the test ends. */
export async function createUsersTable(t: Test, options: object = {}) {
  const knex = await openPGlite(t)
  await knex.schema.createTable('users', (table) => {
    table.increments('id')
    table.text('email').unique().notNullable()
    table.text('password')
  })
  return { knex, object: new KnexService({ Model: knex, name: 'users', ...options }) }
}
