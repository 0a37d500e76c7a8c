import type { KnexService } from '@feathersjs/knex'
import type { FastifyInstance } from 'fastify'
import { NotAuthenticated } from 'fastify-services'
import type { AuthenticationService } from 'fastify-services/authentication'
import { transaction } from 'fastify-services/database'
import type { Knex } from 'knex'
import { demo, demoLogin } from './demo-login.js'
import { writeExamples } from './notes.js'
import { keepFirst } from './store.js'
import type { User } from './users.js'

/**
 * Creates the demo user on the first start. Later it is a user as any other, who may change and leave.
 *
 * @param writesNotes whether there are notes of this user from the first start on
 */
export async function createDemo(app: FastifyInstance, knex: Knex, writesNotes: boolean): Promise<void> {
  await transaction(knex, async (params) => {
    const { trx } = params.transaction
    if (!(await keepFirst(trx, 'demo', demo.email))) return
    const { id } = await app.service<KnexService<User>>('users').create(demo, params)
    if (writesNotes) await writeExamples(trx, id)
  })
}

/** Whether the demo user can still log in as on the first day. */
export async function hasDemo(app: FastifyInstance): Promise<boolean> {
  try {
    await app.service<AuthenticationService>('authentication').create(demoLogin)
    return true
  } catch (error) {
    if (error instanceof NotAuthenticated) return false
    throw error
  }
}
