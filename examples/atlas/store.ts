import { randomBytes } from 'node:crypto'
import type { Store } from 'fastify-services/authentication'
import type { Knex } from 'knex'

/** Where log-ins that were ended are kept until they would expire: after a restart too, and for all processes of a server. */
export function createStore(knex: Knex): Store {
  return {
    async get(key) {
      const [row] = await knex('store').where({ key }).where('until', '>', new Date())
      return row?.value
    },
    async set(key, value, seconds) {
      const until = new Date(Date.now() + seconds * 1000)
      await knex('store').where('until', '<', new Date()).delete()
      await knex('store').insert({ key, value, until }).onConflict('key').merge()
    }
  }
}

/** Keeps a value for ever. @returns whether it is the first one of its key, also among processes that start at the same time */
export async function keepFirst(knex: Knex, key: string, value: string): Promise<boolean> {
  const inserted = await knex('store').insert({ key, value }).onConflict('key').ignore().returning('key')
  return inserted.length > 0
}

/** What tokens are signed with, where nobody has given a secret: made on the first start, so that tokens survive a restart. */
export async function keptSecret(knex: Knex): Promise<string> {
  await keepFirst(knex, 'secret', randomBytes(64).toString('base64'))
  const [{ value }] = await knex('store').where({ key: 'secret' })
  return value
}

export async function createStoreTable(knex: Knex): Promise<void> {
  await knex.schema.createTable('store', (table) => {
    table.text('key').primary()
    table.text('value').notNullable()
    table.timestamp('until')
  })
}
