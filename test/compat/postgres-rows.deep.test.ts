import { KnexService } from '@feathersjs/knex'
import t from 'tap'
import { openPGlite } from '../support/pglite.js'

t.test('the adapter for knex lets a query call functions of PostgreSQL with the row of a table', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table users (id serial primary key, code text)')
  await Model('users').insert({ code: 'XK-7' })
  const users = new KnexService({ Model, name: 'users' })
  t.strictSame(await users.find({ query: { $select: ['concat'] } }), [{ id: 1, concat: '(1,XK-7)' }])
  t.match(await users.find({ query: { $sort: { users: 1 } } }), [{ code: 'XK-7' }], 'the row itself')
  t.match(await users.find({ query: { 'users.concat': '(1,XK-7)' } as never }), [{ code: 'XK-7' }])
})
