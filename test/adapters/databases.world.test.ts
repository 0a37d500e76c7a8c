import { createRequire } from 'node:module'
import { join } from 'node:path'
import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import services, { version } from 'fastify-services'
import { databaseErrors, inTransaction, transaction } from 'fastify-services/database'
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
  await databaseRefusals(t, Model, { tellsUnique: false, tellsCheck: true })
})

t.test('version: dates of MariaDB need fractional seconds', { skip: noMariadb }, async (t) => {
  const socketPath = await startMariadb(t)
  const connection = { socketPath, user: 'root', database: 'test' }
  const Model = await open(t, { client: dialect('mysql2', 'mysql2'), connection })
  const start = Date.UTC(2026, 0, 1)
  for (const [type, statuses] of [
    ['datetime', [500, 500]],
    ['datetime(3)', [200, 412]],
    ['timestamp(6) not null default now(6) on update now(6)', [200, 412]]
  ] as const) {
    await Model.raw('drop table if exists versioned')
    await Model.raw(`create table versioned (id int primary key auto_increment, text varchar(99), version ${type})`)
    let now = start
    const set = () => {
      now += 10
      return new Date(now)
    }
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { hooks: { around: { all: [inTransaction(Model)] } } })
    const options = type.startsWith('timestamp') ? {} : { set }
    const hooks = { around: { all: [version('version', options)] } }
    app.service('notes', new KnexService({ Model, name: 'versioned' }), { hooks })
    await app.inject({ method: 'POST', url: '/notes', payload: { text: 'first' } })
    const { etag } = (await app.inject('/notes/1')).headers
    const write = async (text: string) => {
      const headers = { 'if-match': String(etag) }
      return (await app.inject({ method: 'PATCH', url: '/notes/1', payload: { text }, headers })).statusCode
    }
    t.same([await write('Ada'), await write('Bob')], statuses, type)
    const text = statuses[0] === 200 ? 'Ada' : 'first'
    t.match((await app.inject('/notes/1')).json(), { text }, 'nothing is overwritten')
  }
})

t.test('a deadlock that was caught has ended the transaction', { skip: noMariadb }, async (t) => {
  const socketPath = await startMariadb(t)
  const connection = { socketPath, user: 'root', database: 'test' }
  const Model = await open(t, { client: dialect('mysql2', 'mysql2'), connection })
  await Model.raw('create table locked (id int primary key, n int)')
  await Model('locked').insert([
    { id: 1, n: 0 },
    { id: 2, n: 0 }
  ])
  let count = 0
  let meet = () => {}
  const both = new Promise<void>((resolve) => {
    meet = resolve
  })
  const write = (first: number, second: number) =>
    transaction(Model, async ({ transaction }) => {
      await transaction.trx('locked').where({ id: first }).update({ n: first })
      count += 1
      if (count === 2) meet()
      await both
      const isDone = await transaction
        .trx('locked')
        .where({ id: second })
        .update({ n: first })
        .catch(() => false)
      await transaction.trx('locked').insert({ id: first + 10, n: first })
      return isDone
    }).catch(({ message }) => message)
  const ends = await Promise.all([write(1, 2), write(2, 1)])
  t.same(ends.sort(), [1, 'The transaction of this call has ended'])
  t.equal((await Model('locked')).length, 3, 'one of them has written nothing')
})

t.test('databaseErrors: what SQLite refuses, by better-sqlite3', async (t) => {
  const client = dialect('better-sqlite3', 'libsql')
  const Model = await open(t, { client, connection: { filename: ':memory:' }, useNullAsDefault: true })
  await Model.raw('pragma foreign_keys = on')
  await databaseRefusals(t, Model, { tellsReference: false, isStrict: false })
})

t.test('inTransaction: a connection of better-sqlite3 is refused', async (t) => {
  const Database = drivers('libsql')
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
