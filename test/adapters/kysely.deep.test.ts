import { PGlite } from '@electric-sql/pglite'
import { kysely } from 'fastify-services/kysely'
import { CamelCasePlugin, type Generated, Kysely, PGliteDialect } from 'kysely'
import t from 'tap'
import { kyselyAdapter } from '../support/adapter-kysely.js'
import { tableContract } from '../support/adapter-table.js'
import { copyEmpty } from '../support/pglite.js'

t.test('kysely: names of columns in another case, a table in a schema', async (t) => {
  const folder = t.testdir()
  await copyEmpty(folder)
  const pglite = await PGlite.create(folder)
  await pglite.exec(`create schema shop; create table shop.orders (id bigint generated always as identity primary key,
    user_id integer, created_at timestamptz not null default now(), twice integer generated always as (user_id * 2) stored)`)
  interface Order {
    id: Generated<number>
    userId: number | null
    createdAt: Generated<Date>
    twice: Generated<number>
  }
  const db = new Kysely<{ 'shop.orders': Order }>({
    dialect: new PGliteDialect({ pglite }),
    plugins: [new CamelCasePlugin()]
  })
  t.teardown(() => db.destroy())
  const service = kysely(db, 'shop.orders')
  t.match(await service.create({ userId: 4 }), { id: 1, userId: 4, twice: 8 })
  t.match(await service.find({ query: { userId: { $gt: 3 }, $sort: { createdAt: -1 }, $select: ['userId'] } }), [
    { id: 1, userId: 4 }
  ])
  t.match(await service.update(1, { userId: 5 }), { id: 1, userId: 5, twice: 10 }, 'the database sets its columns')
  t.match(await service.create({} as never), { id: 2, userId: null })
  t.match(await service.remove(1), { id: 1 })
})

t.test('kysely on PostgreSQL inside the process', async (t) => {
  const folder = t.testdir()
  await copyEmpty(folder)
  const pglite = await PGlite.create(folder)
  await tableContract(t, kyselyAdapter(t, 'PGlite', 'postgres', new PGliteDialect({ pglite })))
})
