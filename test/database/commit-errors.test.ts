import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import services from 'fastify-services'
import { databaseErrors, inTransaction, type TransactionalDatabase } from 'fastify-services/database'
import createKnex from 'knex'
import t from 'tap'
import { openPGlite } from '../support/pglite.js'

t.test('what the database says of the begin and the commit of a call is said in plain words', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table rooms (id serial primary key)')
  await Model.raw(`create table seats (id serial primary key, n int not null, room int references rooms deferrable initially deferred,
      constraint seats_n unique (n) deferrable initially deferred)`)
  const away = createKnex({
    client: 'pg',
    connection: 'postgres://127.0.0.1:1/nowhere',
    log: { warn() {}, error() {} }
  })
  t.teardown(() => away.destroy())
  const errors = databaseErrors({ messages: { seats_n: 'The seat is taken' } })
  const serve = async (hooks: object, ofSeats: object = {}) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { hooks })
    app.service('seats', new KnexService({ Model, name: 'seats' }), { hooks: ofSeats })
    return async (payload: object) => {
      const headers = { accept: 'application/json' }
      const answer = await app.inject({ method: 'POST', url: '/seats', payload, headers })
      return [answer.statusCode, answer.json().message, answer.headers['retry-after']]
    }
  }
  await Model('seats').insert({ n: 1 })
  const around = (database: TransactionalDatabase) => ({ around: { all: [errors, inTransaction(database)] } })
  for (const places of [
    (database: TransactionalDatabase) => serve(around(database)),
    (database: TransactionalDatabase) => serve({}, around(database)),
    (database: TransactionalDatabase) =>
      serve({ error: { all: [errors] } }, { around: { all: [inTransaction(database)] } })
  ]) {
    const create = await places(Model)
    t.strictSame(await create({ n: 1 }), [409, 'The seat is taken', undefined], 'at the commit')
    t.strictSame(await create({ n: 2, room: 9 }), [400, 'room refers to no record that there is', undefined])
    t.strictSame(await create({}), [400, 'n is required', undefined], 'at a statement')
    t.strictSame(await (await places(away))({ n: 2 }), [503, 'The database is not available', '5'], 'at the begin')
  }
  t.strictSame(await Model('seats').select('n'), [{ n: 1 }])
})
