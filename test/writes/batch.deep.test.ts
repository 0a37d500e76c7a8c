import { PGlite } from '@electric-sql/pglite'
import { KnexService } from '@feathersjs/knex'
import { drizzle as connectPool } from 'drizzle-orm/node-postgres'
import { integer, pgTable, serial, text } from 'drizzle-orm/pg-core'
import { drizzle as connectPGlite } from 'drizzle-orm/pglite'
import type { FastifyInstance } from 'fastify'
import type { HookContext } from 'fastify-services'
import type { BatchCall } from 'fastify-services/database'
import { drizzle } from 'fastify-services/drizzle'
import events from 'fastify-services/events'
import { kysely } from 'fastify-services/kysely'
import { tokenFor } from 'fastify-services/testing'
import createKnex, { type Knex } from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import t, { type Test } from 'tap'
import { type BatchDatabase, startBatches, tables } from '../support/batch-app.js'
import { subscribersTo, type Told } from '../support/event-stream.js'
import { list } from '../support/events-app.js'
import { eventually } from '../support/eventually.js'
import { copyEmpty, openPGlite } from '../support/pglite.js'
import { createDatabase, skipPostgres } from '../support/postgres.js'

const id = serial().primaryKey()
const schema = {
  users: pgTable('users', { id, role: text() }),
  notes: pgTable('notes', { id, text: text(), userId: integer(), version: integer() }),
  rooms: pgTable('rooms', { id, name: text() })
}
type Db = Parameters<typeof drizzle>[0] & BatchDatabase['database']
const byDrizzle = (db: Db): BatchDatabase => ({ database: db, service: (name) => drizzle(db, schema[name]) })
const byKnex = (knex: Knex): BatchDatabase => ({
  database: knex,
  service: (name) => new KnexService({ Model: knex, name })
})

async function openPool(t: Test, max = 5): Promise<Pool> {
  const pool = new Pool({ connectionString: await createDatabase(t), max })
  t.teardown(() => pool.end())
  await pool.query(tables)
  return pool
}

const databases: readonly [name: string, open: (t: Test) => Promise<BatchDatabase>, skip?: string | false][] = [
  [
    'Drizzle on PGlite',
    async (t) => {
      const folder = t.testdir()
      await copyEmpty(folder)
      const pglite = await PGlite.create(folder)
      t.teardown(() => pglite.close())
      await pglite.exec(tables)
      return byDrizzle(connectPGlite(pglite))
    }
  ],
  [
    'Knex on PGlite',
    async (t) => {
      const knex = await openPGlite(t)
      for (const statement of tables.split(';').filter((text) => text.trim() !== '')) await knex.raw(statement)
      return byKnex(knex)
    }
  ],
  ['Drizzle on PostgreSQL', async (t) => byDrizzle(connectPool(await openPool(t))), skipPostgres],
  [
    'Kysely on PostgreSQL',
    async (t) => {
      const db = new Kysely<Record<string, { id: number }>>({
        dialect: new PostgresDialect({ pool: await openPool(t) })
      })
      return { database: db, service: (name) => kysely(db, name) }
    },
    skipPostgres
  ],
  [
    'Knex on PostgreSQL',
    async (t) => {
      const connection = await createDatabase(t)
      const knex = createKnex({ client: 'pg', connection })
      t.teardown(() => knex.destroy())
      await knex.raw(tables)
      return byKnex(knex)
    },
    skipPostgres
  ]
]

const create = (text: string): BatchCall => ({ service: 'notes', method: 'create', data: { text } })

for (const [name, open, skip = false] of databases)
  t.test(name, { skip }, async (t) => {
    const register = (app: FastifyInstance) => app.register(events, { services: { notes: true } })
    const { app, users, send, sendAlone, texts } = await startBatches(t, await open(t), register)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const subscribe = subscribersTo(t, app)
    const stream = await subscribe(list('notes'), { authorization: `Bearer ${tokenFor(app, users.ada)}` }).connected
    const [, alone] = [await sendAlone('bob', create('of Bob')), await sendAlone('ada', create('first'))]
    t.match(alone, { status: 201, body: { id: 2, text: 'first', userId: 2, version: 2 } })

    await t.test('a call that is refused alone is refused alike in a batch, and nothing is kept', async (t) => {
      const rows: readonly [name: string, user: 'admin' | 'ada', call: BatchCall, status: number][] = [
        ['a role', 'ada', { service: 'rooms', method: 'create', data: { name: 'a' } }, 403],
        ['a schema', 'ada', create('x'.repeat(21)), 400],
        ['an unknown field', 'ada', { service: 'notes', method: 'create', data: { text: 'a', color: 1 } }, 400],
        ['a field of the server', 'ada', { service: 'notes', method: 'create', data: { text: 'a', userId: 1 } }, 400],
        ['no data', 'ada', { service: 'notes', method: 'create' }, 400],
        ['the record of another user', 'ada', { service: 'notes', method: 'patch', id: 1, data: { text: 'a' } }, 404],
        ['a removal of it', 'ada', { service: 'notes', method: 'remove', id: 1 }, 404],
        ['a custom method of it', 'ada', { service: 'notes', method: 'shout', id: 1, data: { text: 'a' } }, 404],
        ['no such record', 'ada', { service: 'notes', method: 'remove', id: 99 }, 404],
        ['an id of another type', 'ada', { service: 'notes', method: 'remove', id: 'x' }, 404],
        ['an old version', 'ada', { service: 'notes', method: 'patch', id: 2, data: { text: 'a' }, ifMatch: 7 }, 412],
        ['an old version to remove', 'ada', { service: 'notes', method: 'remove', id: 2, ifMatch: 7 }, 412],
        ['a unique key', 'ada', create('of Bob'), 409],
        ['an error', 'ada', { service: 'notes', method: 'shout', id: 2, data: { text: 'throw' } }, 500],
        ['a method that is not exposed', 'admin', { service: 'rooms', method: 'update', id: 1, data: {} }, 405],
        ['no such method', 'admin', { service: 'rooms', method: 'paint', data: {} }, 405]
      ]
      for (const [name, user, call, status] of rows) {
        const alone = await sendAlone(user, call)
        const { status: inBatch, body } = await send(user, [create('kept?'), call, create('later')])
        t.same([name, alone.status, inBatch], [name, status, status])
        const { data, message, errors } = body as Record<string, unknown>
        t.match(data, { call: 1 }, name)
        t.same(
          { message, errors },
          { message: Reflect.get(Object(alone.body), 'message'), errors: Reflect.get(Object(alone.body), 'errors') },
          name
        )
      }
      t.equal((await send(undefined, [create('a')])).status, 401)
      t.equal((await send(undefined, [create('a')], { authorization: 'Bearer x' })).status, 401)
      t.same(await texts(), ['of Bob', 'first'])
    })

    await t.test('all calls are kept together, and see each other', async (t) => {
      const { status, body } = await send('ada', [
        create('second'),
        { service: 'notes', method: 'patch', id: 2, data: { text: 'changed' }, ifMatch: 2 },
        { service: 'notes', method: 'shout', id: 2, data: { text: 'loud' } },
        { service: 'notes', method: 'create', data: { text: 'first' } }
      ])
      t.equal(status, 201)
      const { results } = body as { results: { status: number; body: { text: string } }[] }
      t.same(
        results.map(({ status, body }) => [status, body.text]),
        [
          [201, 'second'],
          [200, 'changed'],
          [200, 'loud!'],
          [201, 'first']
        ]
      )
      t.same(await texts(), ['of Bob', 'loud!', 'second', 'first'])
    })

    await t.test('a batch with an Idempotency-Key is carried out once', async (t) => {
      const headers = { 'idempotency-key': 'one' }
      const first = await send('ada', [create('once')], headers)
      const again = await send('ada', [create('once')], headers)
      t.same([first.status, again.status, again.body], [201, 201, first.body])
      t.equal(again.headers['idempotency-replayed'], 'true')
      t.equal((await send('ada', [create('twice')], headers)).status, 422)
      t.equal((await send('bob', [create('once')], headers)).status, 409, 'another user has keys of their own')
      const failing = { 'idempotency-key': 'two' }
      t.equal((await send('ada', [create('new'), create('once')], failing)).status, 409)
      t.equal((await send('ada', [create('new'), create('once')], failing)).status, 409)
      t.equal((await texts()).filter((text) => text === 'once').length, 1)
    })

    await t.test('events are sent after the commit, and none of a batch that failed', async (t) => {
      const { body } = await send('ada', [create('last')])
      const { id } = (body as { results: { body: { id: number } }[] }).results[0]?.body ?? {}
      const idOf = ({ data }: Told) => Reflect.get(Object(data), 'id')
      await stream.until(({ events }) => events.some((event) => idOf(event) === id))
      t.same(
        stream.events.map(({ event }) => event),
        ['created', 'created', 'patched', 'patched', 'created', 'created', 'created']
      )
    })
  })

t.test('on a pool', { skip: skipPostgres }, async (t) => {
  const pool = await openPool(t)
  const database = byDrizzle(connectPool(pool))
  let wait = async () => {}
  const register = (app: FastifyInstance) =>
    app.service<object>('notes').hooks({
      before: {
        create: [async () => void (await pool.query('select 1'))],
        patch: [async ({ data }: HookContext) => void (data.text.startsWith('wait') && (await wait()))]
      }
    })
  const { app, users, send, texts } = await startBatches(t, database, register as never)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })

  await t.test('batches that need a second connection do not take all of them', async (t) => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send('ada', [create(`n${index}`)])))
    t.same(new Set(answers.map(({ status }) => status)), new Set([201]))
  })

  await t.test('of two batches that wait for each other, one is carried out', async (t) => {
    let open = () => {}
    const both = new Promise<void>((resolve) => {
      open = resolve
    })
    let reached = 0
    wait = async () => {
      reached += 1
      if (reached === 2) open()
      await both
    }
    const patch = (id: number, text: string): BatchCall => ({ service: 'notes', method: 'patch', id, data: { text } })
    const answers = await Promise.all([
      send('ada', [patch(1, 'a1'), patch(2, 'wait a')]),
      send('ada', [patch(2, 'b2'), patch(1, 'wait b')])
    ])
    t.same(answers.map(({ status }) => status).sort(), [201, 503])
    const failed = answers.find(({ status }) => status === 503)
    t.match(failed, { headers: { 'retry-after': '1' }, body: { data: { call: 1 } } })
    const found = (await texts()).filter((text) => /^(a1|b2|wait .)$/.test(text)).sort()
    t.same(found, answers[0]?.status === 201 ? ['a1', 'wait a'] : ['b2', 'wait b'])
  })

  await t.test('a client that leaves rolls the batch back', async (t) => {
    const leaving = new AbortController()
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    wait = async () => {
      leaving.abort()
      await ended
    }
    const authorization = `Bearer ${tokenFor(app, users.ada)}`
    const calls = [
      create('gone'),
      { service: 'notes', method: 'patch', id: 1, data: { text: 'wait' } },
      create('later')
    ]
    const request = fetch(`${url}/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ calls }),
      signal: leaving.signal
    })
    await t.rejects(request, { name: 'AbortError' })
    end()
    await eventually(t).equal(async () => pool.totalCount - pool.idleCount, 0)
    t.notOk((await texts()).includes('gone'))
  })
})
