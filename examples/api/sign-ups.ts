import type { FastifyInstance } from 'fastify'
import type { DataOf, Params } from 'fastify-services'
import { transaction } from 'fastify-services/database'
import type { Knex } from 'knex'
import type { signUps } from './records.js'

/** Who signs up founds an organisation, and is its owner: both are stored, or none of them. */
export class SignUps {
  readonly #app: FastifyInstance
  readonly #database: Knex

  constructor(app: FastifyInstance, database: Knex) {
    this.#app = app
    this.#database = database
  }

  async create({ organisation, ...user }: DataOf<typeof signUps>, params?: Params) {
    return transaction(
      this.#database,
      async ({ transaction }) => {
        const { trx } = transaction
        const [{ id: organisationId }] = await trx('organisations').insert({ name: organisation }).returning('id')
        return this.#app.service('users').create({ ...user, role: 'owner' }, { transaction, organisationId })
      },
      { params }
    )
  }
}
