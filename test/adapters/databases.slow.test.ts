import { createRequire } from 'node:module'
import { join } from 'node:path'
import Fastify from 'fastify'
import services from 'fastify-services'
import { databaseErrors, inTransaction } from 'fastify-services/database'
import createKnex, { type Knex } from 'knex'
import t, { type Test } from 'tap'
import { root } from '../package/sources.js'
import { databaseRefusals } from '../support/database-refusals.js'
import { installIn } from '../support/install.js'
import { noMariadb, startMariadb } from '../support/mariadb.js'

const folder = join(root, 'test/adapters/databases')
const ofKnex = createRequire(import.meta.url)
const drivers = createRequire(join(folder, 'package.json'))
await installIn(folder)

/** A dialect of knex, with the driver of our folder. */
function dialect(name: string, driver: string): typeof Knex.Client {
  const Client = ofKnex(`knex/lib/dialects/${name}/index.js`) as typeof Knex.Client
  return class extends Client {
    // knex would look for it beside itself.
    _driver() {
      return drivers(driver)
    }
  }
}

async function open(t: Test, config: Knex.Config): Promise<Knex> {
  const knex = createKnex(config)
  t.teardown(() => knex.destroy())
  return knex
}

t.test('databaseErrors: what MariaDB refuses, by mysql2', { skip: noMariadb }, async (t) => {
  const socketPath = await startMariadb(t)
  const connection = { socketPath, user: 'root', database: 'test' }
  const Model = await open(t, { client: dialect('mysql2', 'mysql2'), connection })
  await databaseRefusals(t, Model, { tellsUnique: false, tellsValue: true, tellsCheck: true })
})

t.test('databaseErrors: what SQLite refuses, by better-sqlite3', async (t) => {
  const client = dialect('better-sqlite3', 'better-sqlite3')
  const Model = await open(t, { client, connection: { filename: ':memory:' }, useNullAsDefault: true })
  await Model.raw('pragma foreign_keys = on')
  await databaseRefusals(t, Model, { tellsReference: false, isStrict: false })
})

t.test('inTransaction: a connection of better-sqlite3 is refused', async (t) => {
  const Database = drivers('better-sqlite3')
  const database = new Database(':memory:')
  t.teardown(() => database.close())
  t.throws(() => inTransaction(database), { name: 'TypeError', message: /waits for promises/ })
})

t.test('databaseErrors: what SQLite refuses, by sql.js, whose errors have no code', async (t) => {
  const { Database } = await drivers('sql.js')()
  const database = new Database()
  t.teardown(() => database.close())
  database.run('create table users (email text not null unique)')
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { error: { all: [databaseErrors()] } } })
  const create = async ({ email }: { email?: string }) => {
    database.run('insert into users values (?)', [email ?? null])
    return {}
  }
  app.service('users', { create })
  const send = async (payload: object) => {
    const response = await app.inject({
      method: 'POST',
      url: '/users',
      payload,
      headers: { accept: 'application/json' }
    })
    return [response.statusCode, response.json().message]
  }
  t.strictSame(await send({ email: 'a' }), [201, undefined])
  t.strictSame(await send({ email: 'a' }), [409, 'There is a record with the same email already'])
  t.strictSame(await send({}), [400, 'email is required'])
})
