import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Query } from 'fastify-services'
import { transaction } from 'fastify-services/database'
import { postgresStore } from 'fastify-services/events/postgres'
import { prismaModel } from 'fastify-services/prisma'
import t, { type Test } from 'tap'
import { writeOutbox } from '../../lib/events/postgres/outbox.js'
import { run } from '../package/pack.js'
import { root } from '../package/sources.js'
import { tableContract } from '../support/adapter-table.js'
import { installIn } from '../support/install.js'
import { createDatabase, createTables, skipPostgres } from '../support/postgres.js'

// It installs Prisma, and creates a client.
t.setTimeout(300_000)

/** A model, and a client of Prisma. */
interface Model {
  findFirstOrThrow(args?: object): Promise<Record<string, unknown>>
}
type Client = Record<'small' | 'message' | 'counter', Model> & {
  $executeRawUnsafe(statement: string): Promise<unknown>
  $transaction<T>(work: (trx: object) => Promise<T>): Promise<T>
  $disconnect(): Promise<void>
}

const folder = join(root, 'test/adapters/prisma')
const require = createRequire(join(folder, 'package.json'))
const load = (file: string) => import(pathToFileURL(file).href)

async function createModels() {
  await installIn(folder)
  // The engine for migrations is a download, and no client needs it.
  process.env.PRISMA_SCHEMA_ENGINE_BINARY = process.execPath
  const { code, stderr } = await run(folder, 'node_modules/.bin/prisma', 'generate', '--schema', 'schema.prisma')
  if (code !== 0) throw new Error(stderr)
  const outfile = join(folder, 'generated/client.mjs')
  await build({
    entryPoints: [join(folder, 'generated/client.ts')],
    ...{ outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'error' }
  })
  const { PrismaClient, Prisma } = await load(outfile)
  const { PrismaPg } = await load(require.resolve('@prisma/adapter-pg'))
  return { PrismaClient, PrismaPg, DbNull: Prisma.DbNull as unknown }
}

const tables = `
  create table "Small" (id serial primary key, text text not null unique, author text, at text);
  create table "Message" (id serial primary key, text text not null unique, author text, at text, stars int,
    "isDone" boolean not null default false, tags jsonb, version int not null default 1);
  create table "Counter" (id bigint primary key, at timestamptz(3) not null, "isOpen" boolean not null, share float8 not null)`

t.test('models of Prisma', { skip: skipPostgres }, async (t) => {
  const { PrismaClient, PrismaPg, DbNull } = await createModels()
  const connectionString = await createDatabase(t as Test)
  const prisma: Client = new PrismaClient({ adapter: new PrismaPg({ connectionString }) })
  t.teardown(() => prisma.$disconnect())
  for (const statement of tables.split(';')) await prisma.$executeRawUnsafe(statement)
  const empty = (table: string) => prisma.$executeRawUnsafe(`truncate "${table}" restart identity`)

  await tableContract(t as Test, {
    name: 'fastify-services/prisma on PostgreSQL',
    hasPatterns: false,
    database: { transaction: (work: (trx: object) => Promise<unknown>) => prisma.$transaction(work) },
    async createSmall(_t, options) {
      await empty('Small')
      return prismaModel(prisma, 'small', options as object)
    },
    async create(_t, options) {
      await empty('Message')
      return prismaModel(prisma, 'message', { ...options, jsonNull: DbNull })
    }
  })

  await t.test('values of all types, also from queries', async (t) => {
    const counters = prismaModel(prisma, 'counter', { multi: true })
    const at = '2030-01-31T12:00:00.000Z'
    const large = '9007199254740993'
    await counters.create({ id: 1, at, isOpen: true, share: 0.5 })
    t.match(await counters.create({ id: large, at, isOpen: false, share: '1.5' }), { id: large, share: 1.5 })
    const idsOf = async (query: Query) => (await counters.find({ query, paginate: false })).map(({ id }) => id)
    t.strictSame(await idsOf({ at: { $lte: at }, isOpen: 'true', share: { $lt: '1' } }), [1])
    t.strictSame(await idsOf({ id: { $in: ['1', 'x', large] } }), [1, large])
    t.strictSame(await idsOf({ id: { $ne: 'x' } }), [1, large])
    t.match(await counters.get(large), { id: large, at: new Date(at) })
    for (const query of [{ at: 'x' }, { isOpen: '1' }, { share: '' }, { other: 1 }])
      await t.rejects(counters.find({ query }), { code: 400 }, JSON.stringify(query))
    await t.rejects(counters.get('x'), { code: 404 })
    await t.rejects(counters.patch(1, { at: 'x' }), { code: 400 })
    await t.rejects(counters.patch(1, { share: { increment: 1 } as never }), { code: 400 }, 'no operations of Prisma')
  })

  await t.test('an event log and a store write in its transactions', async (t) => {
    const { pool, table } = await createTables(t as Test, connectionString)
    const store = postgresStore(pool, { table, sameDatabase: true })
    await store.set('key', 'old', 60)
    const database = { transaction: (work: (trx: object) => Promise<unknown>) => prisma.$transaction(work) }
    const write = (text: string) =>
      transaction(database, async ({ transaction }) => {
        const { trx } = transaction as { trx: Client }
        await trx.$executeRawUnsafe(`insert into "Small" (text) values ('${text}')`)
        await writeOutbox(table, transaction, [`"${text}"`])
        t.equal(await store.replaceWithin?.(transaction, 'key', 'old', 'new', 60), true)
        if (text === 'undone') throw new Error('undone')
      })
    await t.rejects(write('undone'), { message: 'undone' })
    t.equal(await store.get('key'), 'old')
    await write('done')
    t.equal(await store.get('key'), 'new')
    const { rows } = await pool.query(`select event from ${table}_outbox`)
    t.same(rows, [{ event: '"done"' }])
  })

  await t.test('a row that changes before it is removed stays', async (t) => {
    await empty('Message')
    const messages = prismaModel(prisma, 'message', { multi: true })
    await messages.create([
      { text: 'a', author: 'ada' },
      { text: 'b', author: 'ada' }
    ])
    const query = { author: 'ada' }
    const [removed] = await Promise.all([
      messages.remove(null, { query }),
      messages.patch(1, { author: 'bob' }).catch(() => undefined)
    ])
    const left = await messages.find({ paginate: false })
    t.equal(removed.length + left.length, 2)
    for (const record of removed) t.match(record, query)
  })

  await t.test('mistakes at the start', async (t) => {
    const create = prismaModel as (...args: unknown[]) => unknown
    t.throws(() => create(prisma, 'messages'), /no model 'messages'/)
    t.throws(() => create(prisma, 'message', { id: '_id' }), /'message' has no '_id', but id, text/)
    t.throws(() => create(prisma, 'message', { page: 1 }), /prismaModel\(\) has no option 'page'/)
    const { message } = prisma
    const mysql = { message: { findMany: message.findFirstOrThrow, fields: { id: { typeName: 'Int' } } } }
    t.throws(() => create(mysql, 'message'), /PostgreSQL, SQLite or CockroachDB/)
  })
})
