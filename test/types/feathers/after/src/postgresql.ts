// For more information about this file see https://dove.feathersjs.com/guides/cli/databases.html
import knex from 'knex'
import type { Knex } from 'knex'
import type { Application } from './declarations'

declare module 'fastify' {
  interface FastifyInstance {
    postgresqlClient: Knex
  }
}

export const postgresql = (app: Application) => {
  const config = app.settings.postgresql
  const db = knex(config!)

  app.decorate('postgresqlClient', db)
  app.addHook('onClose', () => db.destroy())
}
