import { PGlite } from '@electric-sql/pglite'
import { KnexService } from '@feathersjs/knex'
import { boolean, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { drizzle as connect } from 'drizzle-orm/pglite'
import Fastify from 'fastify'
import services, { commonOperators, resource, stableOrder } from 'fastify-services'
import { scope } from 'fastify-services/authentication'
import { drizzle } from 'fastify-services/drizzle'
import { kysely } from 'fastify-services/kysely'
import { memory } from 'fastify-services/memory'
import createKnex, { type Knex } from 'knex'
import { Kysely, PGliteDialect } from 'kysely'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { linkedPages } from '../support/linked-pages.js'
import { copyEmpty, openPGlite } from '../support/pglite.js'
import { skipPostgres } from '../support/postgres.js'
import { createGenerator } from '../support/random.js'

interface Task extends Record<string, unknown> {
  id: number
  owner: string
  name: string
  rank: number | null
  done: boolean
  at: Date | null
}

/** An adapter, and the functions that change its records behind it. */
interface Store {
  readonly adapter: object
  insert(task: Task): Promise<unknown>
  remove(id: number): Promise<unknown>
}

const paginate = { default: 3, max: 10 }
const columns =
  'id integer primary key, owner text not null, name text not null, rank integer, done boolean not null, at timestamptz'
const names = ['id', 'owner', 'name', 'rank', 'done', 'at']

/** PostgreSQL has microseconds, and a `Date` has none. */
const precise = ({ id, at }: Task) =>
  at && `${at.toISOString().slice(0, -1)}${String((id * 367) % 1000).padStart(3, '0')}Z`
const rowOf = (task: Task) => names.map((name) => (name === 'at' ? precise(task) : task[name]) as string)
const statement = `insert into tasks (${names}) values (${names.map((_, index) => `$${index + 1}`)})`

const stores: Record<string, (t: Test) => Promise<Store>> = {
  async memory() {
    const adapter = memory<Task>({ paginate })
    return { adapter, insert: (task) => adapter.create(task), remove: (id) => adapter.remove(id) }
  },
  async 'Drizzle on PGlite'(t) {
    const folder = t.testdir()
    await copyEmpty(folder)
    const pg = await PGlite.create(folder)
    t.teardown(() => pg.close())
    await pg.exec(`create table tasks (${columns})`)
    const table = pgTable('tasks', {
      id: integer().primaryKey(),
      owner: text().notNull(),
      name: text().notNull(),
      rank: integer(),
      done: boolean().notNull(),
      at: timestamp({ withTimezone: true })
    })
    return {
      adapter: drizzle(connect(pg), table, { paginate }),
      insert: (task) => pg.query(statement, rowOf(task)),
      remove: (id) => pg.query('delete from tasks where id = $1', [id])
    }
  },
  async 'Kysely on PGlite'(t) {
    const folder = t.testdir()
    await copyEmpty(folder)
    const pg = await PGlite.create(folder)
    const db = new Kysely<{ tasks: Task }>({ dialect: new PGliteDialect({ pglite: pg }) })
    t.teardown(() => db.destroy())
    await pg.exec(`create table tasks (${columns})`)
    return {
      adapter: kysely(db, 'tasks', { paginate }),
      insert: (task) => pg.query(statement, rowOf(task)),
      remove: (id) => pg.query('delete from tasks where id = $1', [id])
    }
  },
  '@feathersjs/knex on PGlite': async (t) => openKnex(await openPGlite(t), columns)
}

async function openKnex(Model: Knex, definition: string): Promise<Store> {
  await Model.raw(`create table tasks (${definition})`)
  return {
    adapter: new KnexService({ Model, name: 'tasks', paginate }),
    insert: (task) => Model('tasks').insert({ ...task, at: precise(task) }),
    remove: (id) => Model('tasks').where({ id }).delete()
  }
}

const task = z.object({
  id: z.int(),
  owner: z.string(),
  name: z.string(),
  rank: z.int().nullable(),
  done: z.boolean(),
  at: z.iso.datetime().nullable()
})

const sorts = [
  '',
  '$sort[id]=-1',
  '$sort[name]=1',
  '$sort[name]=-1',
  '$sort[rank]=1',
  '$sort[rank]=-1',
  '$sort[done]=1'
]
const dateSorts = ['$sort[at]=1', '$sort[at]=-1', '$sort[done]=-1&$sort[at]=-1', '$sort[at]=1&$sort[rank]=-1']
const mixedSorts = ['$sort[rank]=1&$sort[name]=-1', '$sort[done]=-1&$sort[rank]=-1', '$sort[name]=1&$sort[id]=-1']

async function walk(t: Test, { adapter, insert, remove }: Store, seed: number, hasSchema: boolean) {
  const random = createGenerator(seed)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  let created = 0
  const ids = Array.from({ length: 400 }, (_, index) => index + 1).sort(() => random() - 0.5)
  const create = async (): Promise<number> => {
    const id = ids[created++] as number
    const at = random() < 0.2 ? null : new Date(1_700_000_000_000 + Math.floor(random() * 4))
    const rank = random() < 0.3 ? null : Math.floor(random() * 3)
    const owner = random() < 0.8 ? 'ada' : 'bob'
    await insert({ id, owner, name: pick(['a', 'B', 'b', 'ä', 'a b', "o'c"]), rank, done: random() < 0.5, at })
    return id
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  const around = [scope(() => ({ owner: 'ada' })), stableOrder()]
  const hooks = { around: { find: around }, before: { find: [commonOperators()] } }
  const options: object = { hooks, methods: ['find'], ...(hasSchema && { schema: resource(task) }) }
  app.service('tasks', adapter, options)
  const there = new Set<number>()
  for (let count = 0; count < 40; count++) there.add(await create())
  for (const sort of [...sorts, ...dateSorts, ...mixedSorts]) {
    const stayed = new Set(there)
    const change = async () => {
      if (random() < 0.7) there.add(await create())
      if (random() < 0.4) return
      const id = pick([...there])
      await remove(id)
      there.delete(id)
      stayed.delete(id)
    }
    const limit = 1 + Math.floor(random() * 7)
    const pages = await linkedPages(app, `/tasks?$after=&$limit=${limit}&rank[$ne]=2&${sort}`, change)
    const came = pages.flat().map(({ id }) => id as number)
    const label = `${sort} by ${limit}, seed ${seed}, ${hasSchema ? 'with' : 'without'} a schema`
    t.equal(new Set(came).size, came.length, `none comes twice: ${label}`)
    const all = (await linkedPages(app, `/tasks?$limit=10&rank[$ne]=2&${sort}`)).flat().map(({ id }) => id as number)
    const expected = all.filter((id) => stayed.has(id))
    t.same(
      came.filter((id) => stayed.has(id)),
      expected,
      `none is missed: ${label}`
    )
  }
  for (const id of there) await remove(id)
}

for (const [name, open] of Object.entries(stores))
  t.test(`walks by cursors while records come and go: ${name}`, async (t) => {
    const store = await open(t)
    for (let seed = 1; seed <= 2; seed++)
      for (const hasSchema of [true, false]) await t.test(`seed ${seed}`, (t) => walk(t, store, seed, hasSchema))
  })

t.test('walks by dates without a time zone, in a time zone', { skip: skipPostgres }, async (t) => {
  t.context.zone = process.env.TZ
  process.env.TZ = 'America/New_York'
  t.teardown(() => {
    process.env.TZ = t.context.zone
  })
  const Model = createKnex({
    client: 'pg',
    connection: String(process.env.TEST_DATABASE_URL),
    pool: { min: 1, max: 1 }
  })
  t.teardown(() => Model.destroy())
  await Model.raw('create schema cursors')
  await Model.raw('set search_path to cursors')
  t.teardown(() => Model.raw('drop schema cursors cascade'))
  const store = await openKnex(Model, columns.replace('timestamptz', 'timestamp'))
  for (const hasSchema of [true, false]) await walk(t, store, 5, hasSchema)
})
