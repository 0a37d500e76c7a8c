import type { KnexService } from '@feathersjs/knex'
import type { FastifyInstance } from 'fastify'
import { NotAuthenticated } from 'fastify-services'
import type { AuthenticationService } from 'fastify-services/authentication'
import { transaction } from 'fastify-services/database'
import type { Knex } from 'knex'
import { demo, demoLogin } from './demo-login.js'
import { keepFirst } from './store.js'
import type { User } from './users.js'

/** Creates the demo user on the first start. Later it is a user as any other, who may change and leave. */
export async function createDemo(app: FastifyInstance, knex: Knex): Promise<void> {
  await transaction(knex, async (params) => {
    if (!(await keepFirst(params.transaction.trx, 'demo', demo.email))) return
    await app.service<KnexService<User>>('users').create(demo, params)
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
