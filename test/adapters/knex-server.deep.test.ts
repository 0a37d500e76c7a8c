import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import services from 'fastify-services'
import { databaseErrors } from 'fastify-services/database'
import createKnex from 'knex'
import t from 'tap'
import { knexContract } from '../support/adapter-knex.js'
import { databaseRefusals } from '../support/database-refusals.js'
import { knexVersionContract } from '../support/version-contract.js'

const connection = process.env.TEST_DATABASE_URL
const start =
  'docker run -d -p 5432:5432 -e POSTGRES_PASSWORD=test postgres, then TEST_DATABASE_URL=postgres://postgres:test@127.0.0.1:5432/postgres'

const skip = connection ? false : `No PostgreSQL server: ${start}`

t.test('a statement that Knex ends by its timeout is 503', { skip }, async (t) => {
  const knex = createKnex({ client: 'pg', connection: connection as string })
  t.teardown(() => knex.destroy())
  class Naps extends KnexService {
    override createQuery() {
      return knex.from(knex.raw('(select pg_sleep(60)::text as nap) as naps')).timeout(50, { cancel: true })
    }
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [databaseErrors()] } } })
  app.service('naps', new Naps({ Model: knex, name: 'naps' }))
  const { statusCode, headers } = await app.inject('/naps')
  t.same([statusCode, headers['retry-after']], [503, '5'])
})

t.test('@feathersjs/knex on a PostgreSQL server', { skip }, async (t) => {
  // A schema of its own, so that the tables meet no others.
  const schema = `fastify_services_${process.pid}`
  const knex = createKnex({ client: 'pg', connection: connection as string, searchPath: schema })
  t.teardown(async () => {
    await knex.schema.dropSchemaIfExists(schema, true)
    await knex.destroy()
  })
  await knex.schema.createSchema(schema)
  await knexContract(t, '@feathersjs/knex on a PostgreSQL server', knex)
  await databaseRefusals(t, knex)
  await knexVersionContract(t, knex)
})
