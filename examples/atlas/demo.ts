import type { FastifyInstance } from 'fastify'
import type { ServiceOf } from 'fastify-services'
import type { AuthenticationService } from 'fastify-services/authentication'
import { transaction } from 'fastify-services/database'
import type { Drizzle } from './database.js'
import { demo, demoLogin } from './demo-login.js'
import { storeFirst } from './store.js'
import { notes } from './tables.js'
import type { schema } from './users.js'

// biome-ignore format: a table
const examples: readonly (readonly [code: string, text: string])[] = [
  ['CHE', 'Four languages are official: German, French, Italian and Romansh.'],
  ['ISL', 'Its parliament, the Althing, first met in the year 930.'],
  ['JPN', 'More than 14,000 islands, and people live on some 400 of them.'],
  ['BRA', 'It borders every country of South America but Chile and Ecuador.'],
  ['LSO', 'All of it lies above 1,000 metres, which is so of no other country.'],
  ['NPL', 'Its flag is the only one of a country that is no rectangle.'],
  ['MNG', 'Some two people live on a square kilometre: in no other country are there fewer.'],
  ['NZL', 'In 1893 it became the first country in which all women could vote.'],
  ['SDN', 'It has some 200 pyramids, more than Egypt.'],
  ['BOL', 'Sucre is the capital by the constitution, and the government sits in La Paz.']
]

/**
 * Creates the demo user at the first start. Later it is a user like any other, who may change and
 * leave.
 */
export async function createDemo(app: FastifyInstance, db: Drizzle, writesNotes: boolean): Promise<void> {
  await transaction(db, async (params) => {
    const { trx } = params.transaction
    if (!(await storeFirst(trx, 'demo', demo.email))) return
    const { id: author } = await app.service<ServiceOf<typeof schema, 'create'>>('users').create(demo, params)
    if (!writesNotes) return
    await trx.insert(notes).values(examples.map(([code, text]) => ({ code, text, pinned: false, author })))
  })
}

/** Whether the demo user can still log in as at the first start. */
export const hasDemo = (app: FastifyInstance): Promise<boolean> =>
  app
    .service<AuthenticationService>('authentication')
    .create(demoLogin)
    .then(
      () => true,
      () => false
    )
