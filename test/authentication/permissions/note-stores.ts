import { PGlite } from '@electric-sql/pglite'
import { KnexService } from '@feathersjs/knex'
import { MemoryService } from '@feathersjs/memory'
import { integer, pgTable, serial, text } from 'drizzle-orm/pg-core'
import { drizzle as openDrizzle } from 'drizzle-orm/pglite'
import type { AroundHook } from 'fastify-services'
import { databaseErrors } from 'fastify-services/database'
import { drizzle } from 'fastify-services/drizzle'
import { kysely } from 'fastify-services/kysely'
import { memory } from 'fastify-services/memory'
import type { Knex } from 'knex'
import { Kysely, PGliteDialect } from 'kysely'
import t, { type Test } from 'tap'
import { copyEmpty, openPGlite } from '../../support/pglite.js'
import type { Caller } from './callers.js'

export interface Note {
  readonly id: number
  readonly text: string
  readonly kind: string
  readonly secret: string
  readonly userId: number
  readonly projectId: number
}

export interface Store {
  service(): object
  /** Hooks outside of all others. */
  readonly hooks?: readonly AroundHook[]
  all(): Promise<readonly Note[]>
}

export const users: readonly Caller[] = [
  { id: 1, role: 'member', projects: [1] },
  { id: 2, role: 'member', projects: [2] },
  { id: 3, role: 'member', projects: [1, 2] },
  { id: 4, role: 'member', projects: [] },
  { id: 5, role: 'admin', projects: [1, 2, 3] }
]

export const firstNotes = Array.from({ length: 12 }, (_, index) => ({
  text: ['a', 'b', 'c'][index % 3] as string,
  kind: ['a', 'b'][index % 2] as string,
  secret: ['a', 'b', 'c'][(index + 1) % 3] as string,
  userId: (index % 5) + 1,
  projectId: (index % 3) + 1
}))

/** Creates tables in a database of its own, one for each call. */
async function createTables(t: Test): Promise<{ pglite: PGlite; create(): Promise<string> }> {
  const folder = t.testdir()
  await copyEmpty(folder)
  const pglite = await PGlite.create(folder)
  t.teardown(() => pglite.close())
  let tables = 0
  return {
    pglite,
    async create() {
      tables += 1
      await pglite.exec(`create table scoped_${tables} (id serial primary key, text text, kind text, secret text,
        "userId" integer, "projectId" integer)`)
      return `scoped_${tables}`
    }
  }
}

/** Adds a test for each store, with functions that open stores of 12 notes. */
export function eachStore(search: (t: Test, name: string, open: () => Promise<Store>) => Promise<void>): void {
  t.test('on memory', (t) =>
    search(t, 'memory', async () => {
      const service = new MemoryService<Note>({ startId: 13, multi: true })
      service.store = Object.fromEntries(firstNotes.map((note, index) => [index + 1, { ...note, id: index + 1 }]))
      return { service: () => service, all: async () => structuredClone(Object.values(service.store)) }
    })
  )

  t.test('on the memory service of ours', (t) =>
    search(t, 'memory()', async () => {
      const records = firstNotes.map((note, index) => ({ ...note, id: index + 1 }))
      const service = memory<Note>({ multi: true, records })
      return { service: () => service, all: () => service.find({ paginate: false }) }
    })
  )

  t.test('on PostgreSQL', async (t) => {
    const Model: Knex = await openPGlite(t)
    let tables = 0
    await search(t, 'PostgreSQL', async () => {
      tables += 1
      const name = `scoped_${tables}`
      await Model.schema.createTable(name, (table) => {
        table.increments('id')
        for (const column of ['text', 'kind', 'secret']) table.text(column)
        for (const column of ['userId', 'projectId']) table.integer(column)
      })
      await Model(name).insert(firstNotes)
      return {
        service: () => new KnexService({ Model, name, multi: true }),
        all: () => Model(name).orderBy('id') as unknown as Promise<Note[]>
      }
    })
  })

  t.test('on PostgreSQL, through Kysely', async (t) => {
    const { pglite, create } = await createTables(t)
    const db = new Kysely<Record<string, Note>>({ dialect: new PGliteDialect({ pglite }) })
    await search(t, 'Kysely', async () => {
      const name = await create()
      await db
        .insertInto(name)
        .values(firstNotes as Note[])
        .execute()
      const all = () => db.selectFrom(name).selectAll().orderBy('id').execute()
      return { service: () => kysely(db, name, { multi: true }), all, hooks: [databaseErrors()] }
    })
  })

  t.test('on PostgreSQL, through Drizzle', async (t) => {
    const { pglite, create } = await createTables(t)
    const db = openDrizzle(pglite)
    await search(t, 'Drizzle', async () => {
      const table = pgTable(await create(), {
        ...{ id: serial().primaryKey(), text: text(), kind: text(), secret: text() },
        ...{ userId: integer(), projectId: integer() }
      })
      await db.insert(table).values(firstNotes as object[])
      const all = () => db.select().from(table).orderBy(table.id) as unknown as Promise<Note[]>
      return { service: () => drizzle(db, table, { multi: true }), all, hooks: [databaseErrors()] }
    })
  })
}
