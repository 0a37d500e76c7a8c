import { PGlite } from '@electric-sql/pglite'
import { bigint, pgSchema, pgTable, pgView, serial, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pglite'
import { drizzle as createService } from 'fastify-services/drizzle'
import t from 'tap'
import { drizzleAdapter } from '../support/adapter-drizzle.js'
import { tableContract } from '../support/adapter-table.js'
import { copyEmpty } from '../support/pglite.js'

t.test('drizzle: types of columns', async (t) => {
  const folder = t.testdir()
  await copyEmpty(folder)
  const pglite = await PGlite.create(folder)
  t.teardown(() => pglite.close())
  await pglite.exec(`create schema shop; create table counted (id serial primary key); create table shop.orders (id uuid primary key default gen_random_uuid(),
    total_cents bigint, tags text[], at timestamptz, note text unique)`)
  const db = drizzle(pglite)
  const orders = pgSchema('shop').table('orders', {
    id: uuid().primaryKey().defaultRandom(),
    cents: bigint('total_cents', { mode: 'bigint' }),
    tags: text().array(),
    at: timestamp({ withTimezone: true }),
    note: text()
  })
  const service = createService(db, orders)
  const big = 2n ** 60n
  const { id } = await service.create({ cents: 5n, tags: ['a', "b'"], at: '2030-01-31T12:00:00Z' as never, note: 'x' })
  t.match(await service.get(id), { cents: 5, tags: ['a', "b'"] }, 'JSON has no bigint')
  t.match(await service.patch(id, { cents: big }), { cents: String(big) }, 'a text if no number can hold it')
  t.match(await service.find({ query: { cents: String(big), at: '2030-01-31T12:00:00.000Z' } }), [{ id }])
  t.match(await service.patch(id.toUpperCase(), {}), { id })
  for (const query of [{ tags: 'a' }, { cents: '1.5' }, { at: 'soon' }, { constructor: 1 }])
    await t.rejects(service.find({ query }), { code: 400 }, JSON.stringify(query))
  for (const data of [{ note: { a: 1 } }, { tags: 'a' }, { other: 1 }])
    await t.rejects(service.patch(id, data as never), { code: 400 }, JSON.stringify(data))
  const error = await service.create({ note: 'x' }).catch((reason) => reason)
  t.match(error, { code: '23505' }, 'the error of the driver')
  t.notMatch(error.message, /insert into/)
  const counted = createService(db, pgTable('counted', { id: serial().primaryKey() }))
  await counted.create({})
  t.match(await counted.get('1'), { id: 1 })
  for (const id of ['0x1', ' 1', '1 ', '1_0', 'Infinity', '', '1e999'])
    await t.rejects(counted.get(id), { code: 404 }, `no number: '${id}'`)
  const view = pgView('orders_view', { id: uuid() }).existing()
  t.throws(() => createService(db, view as never), /needs a table/)
  t.throws(() => createService(db, pgTable('pairs', { a: text(), b: text() })), /the table has no 'id', but a, b/)
})

t.test('drizzle on PostgreSQL inside the process', async (t) => {
  const folder = t.testdir()
  await copyEmpty(folder)
  const pglite = await PGlite.create(folder)
  t.teardown(() => pglite.close())
  const db = drizzle(pglite)
  await tableContract(
    t,
    drizzleAdapter('PGlite', 'postgres', db, (statement) => db.execute(statement))
  )
})
