import createKnex from 'knex'
import t from 'tap'
import { knexContract } from '../support/adapter-knex.js'
import { databaseRefusals } from '../support/database-refusals.js'
import { knexVersionContract } from '../support/version-contract.js'

const connection = process.env.TEST_DATABASE_URL
const start =
  'docker run -d -p 5432:5432 -e POSTGRES_PASSWORD=test postgres, then TEST_DATABASE_URL=postgres://postgres:test@127.0.0.1:5432/postgres'

t.test(
  '@feathersjs/knex on a PostgreSQL server',
  { skip: connection ? false : `No PostgreSQL server: ${start}` },
  async (t) => {
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
  }
)
