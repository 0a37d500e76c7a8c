import { KnexService } from '@feathersjs/knex'
import { memory } from '@feathersjs/memory'
import { checkAdapter } from './adapter-suite.js'
import { database } from './database.js'

export const notes = "memory and knex; the others need params that HTTP can't send"

/** The suite of the database adapters of Feathers. */
export async function run(t) {
  const inMemory = () => memory({ events: ['testing'] })
  await checkAdapter(t, 'memory, inside', inMemory)
  await checkAdapter(t, 'memory, over HTTP', inMemory, { isRemote: true })
  const { knex } = await database()
  const inTable = async () => {
    await knex.schema.dropTableIfExists('people')
    await knex.schema.createTable('people', (table) => {
      table.increments('id')
      table.string('name')
      table.integer('age')
      table.integer('time')
      table.boolean('created')
    })
    return new KnexService({ Model: knex, name: 'people', events: ['testing'] })
  }
  await checkAdapter(t, 'knex, inside', inTable)
  await checkAdapter(t, 'knex, over HTTP', inTable, { isRemote: true })
}
