import { KnexService } from '@feathersjs/knex'
import t from 'tap'
import { openPGlite } from '../support/pglite.js'
import { apiKeysContract } from './api-keys-contract.js'

// A database takes a while to start: there is one for all of these.
const knex = await openPGlite(t)
await knex.schema.createTable('users', (table) => {
  table.increments()
  table.text('email').notNullable().unique()
  table.text('password').notNullable()
})
await knex.schema.createTable('api_keys', (table) => {
  table.bigIncrements()
  table.integer('userId').notNullable().references('users.id').onDelete('CASCADE').index()
  table.string('name', 100).notNullable()
  table.string('hash', 64).notNullable().unique()
  table.string('start').notNullable()
  table.timestamp('createdAt').notNullable()
  table.timestamp('expiresAt')
})

await apiKeysContract(t, '@feathersjs/knex', async () => {
  await knex.raw('truncate users, api_keys restart identity')
  return {
    users: new KnexService({ Model: knex, name: 'users' }),
    keys: new KnexService({ Model: knex, name: 'api_keys', operators: ['$and'] })
  }
})
