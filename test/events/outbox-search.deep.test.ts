import { KnexService } from '@feathersjs/knex'
import { sql as drizzleSql, eq } from 'drizzle-orm'
import { drizzle as connectDrizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, serial } from 'drizzle-orm/pg-core'
import type { Params } from 'fastify-services'
import { transaction } from 'fastify-services/database'
import { DrizzleService } from 'fastify-services/drizzle'
import { kysely } from 'fastify-services/kysely'
import createKnex, { type Knex } from 'knex'
import { type Generated, Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import t, { type Test } from 'tap'
import { postgresLog } from '../../lib/events/postgres/index.js'
import { serviceAt, startEvents } from '../support/events-app.js'
import { createTables, skipPostgres } from '../support/postgres.js'
import { createGenerator } from '../support/random.js'

/*
 * Random transactions of two processes that write the same records at once, with savepoints, rollbacks and calls outside of them. Both processes are told of each
 * change that was committed once, of no other, in the same order, and of each record in the order of its changes, where all of them were made in transactions:
 * the event of a call without one is given after its commit, when another may have come. SEED and RUNS say which, and how many.
 */
const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 3)

t.setTimeout(900_000)

interface Change {
  readonly id: number
  readonly revision: number
}

/** Whether two transactions have waited for each other, which the database ends one of. */
const isDeadlock = (error: unknown) => /deadlock/.test(`${error} ${Object(error).cause}`)

const toText = ({ id, revision }: Change) => `${id} in revision ${revision}`

/** A library for databases, with a table of notes. */
interface Library {
  /** A value for the next revision of a note. */
  readonly next: unknown
  createService(): object
  /** Runs work in a transaction, or in a savepoint of one. */
  transact(parent: object | undefined, work: (transaction: object) => Promise<void>): Promise<void>
}

const connectionString = process.env.TEST_DATABASE_URL as string

function openKnex(t: Test, table: string): Library {
  const knex = createKnex({ client: 'pg', connection: connectionString, pool: { max: 12 } })
  t.teardown(() => knex.destroy())
  return {
    next: knex.raw('revision + 1'),
    createService: () => new KnexService({ Model: knex, name: table }),
    transact: (parent, work) => ((parent as { trx: Knex } | undefined)?.trx ?? knex).transaction((trx) => work({ trx }))
  }
}

type Notes = Record<string, { id: Generated<number>; revision: number }>

let savepoints = 0

function openKysely(t: Test, table: string): Library {
  const db = new Kysely<Notes>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString, max: 12 }) }) })
  t.teardown(() => db.destroy())
  return {
    next: sql`revision + 1`,
    createService: () => kysely(db, table),
    async transact(parent, work) {
      if (parent === undefined) return transaction(db, ({ transaction }) => work(transaction))
      const { trx } = parent as { trx: Kysely<Notes> }
      savepoints += 1
      const name = sql.ref(`s${savepoints}`)
      await sql`savepoint ${name}`.execute(trx)
      try {
        await work(parent)
      } catch (error) {
        await sql`rollback to savepoint ${name}`.execute(trx)
        throw error
      }
    }
  }
}

function openDrizzle(t: Test, name: string): Library {
  const pool = new Pool({ connectionString, max: 12 })
  t.teardown(() => pool.end())
  const db = connectDrizzle(pool)
  const table = pgTable(name, { id: serial().primaryKey(), revision: integer() })
  /** The adapter takes no expressions as values. */
  class Revisions extends DrizzleService<typeof table> {
    override async patch(id: never, _data: object, params: Params = {}): Promise<never> {
      const { trx = db } = (params.transaction ?? {}) as { trx?: typeof db }
      const revision = drizzleSql`revision + 1`
      const [row] = await trx.update(table).set({ revision }).where(eq(table.id, id)).returning()
      return row as never
    }
  }
  return {
    next: undefined,
    createService: () => new Revisions(db, table),
    transact(parent, work) {
      if (parent === undefined) return transaction(db, ({ transaction }) => work(transaction))
      const { trx } = parent as { trx: typeof db }
      return trx.transaction((inner) => work({ ...parent, trx: inner }))
    }
  }
}

async function search(t: Test, random: () => number, open: typeof openKnex): Promise<void> {
  const { pool, table } = await createTables(t)
  await pool.query(`create table ${table}_notes (id serial primary key, revision int)`)
  t.teardown(() => pool.query(`drop table ${table}_notes`))
  const { next, createService, transact } = open(t, `${table}_notes`)
  const startProcess = async () => {
    const told: Change[] = []
    const log = postgresLog(pool, { table, outbox: true, beat: random() < 0.5 ? 600 : 5000 })
    log.listen({
      onEvent: ({ event }) => void told.push({ id: Number(event.id), revision: Number(event.facts.revision) }),
      onLoss() {}
    })
    const { app } = await startEvents(t, (app) => void app.service('notes', createService()), {
      services: { notes: true },
      log
    })
    const notes = serviceAt(app, 'notes') as unknown as {
      create(data: object, params?: object): Promise<Change>
      patch(id: number, data: object, params?: object): Promise<Change>
    }
    return { told, notes }
  }
  const processes = [await startProcess(), await startProcess()]
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const committed: Change[] = []
  const ids: number[] = []
  const changedOutside = new Set<number>()

  /** Creates or changes a note, which is locked then until the end of the transaction. */
  const change = async (params?: object): Promise<Change> => {
    const { notes } = pick(processes)
    const isNew = ids.length < 3 || random() < 0.4
    // Notes are changed in the order of their revisions: who has the lock is next.
    const note = isNew
      ? await notes.create({ revision: 0 }, params)
      : await notes.patch(pick(ids), { revision: next ?? 0 }, params)
    return { id: note.id, revision: Number(note.revision) }
  }

  /** Runs steps in a transaction, which may have others within. @returns what it has changed, if it is committed */
  const runTransaction = async (parent: object | undefined, depth: number): Promise<Change[]> => {
    const changes: Change[] = []
    const isUndone = random() < 0.35
    const steps = 1 + Math.floor(random() * 4)
    const run = async (transaction: object) => {
      for (let step = 0; step < steps; step++) {
        if (depth < 2 && random() < 0.25) changes.push(...(await runTransaction(transaction, depth + 1)))
        else changes.push(await change({ transaction }))
      }
      if (isUndone) throw new Error('undone')
    }
    try {
      await transact(parent, run)
      return changes
    } catch (error) {
      // A deadlock ends the whole transaction, not the savepoint alone.
      if (/undone/.test(String(error)) || (depth === 0 && isDeadlock(error))) return []
      throw error
    }
  }

  const changeOutside = async (): Promise<Change[]> => {
    try {
      return [await change()]
    } catch (error) {
      if (isDeadlock(error)) return []
      throw error
    }
  }

  const work = async (): Promise<void> => {
    const isOutside = random() < 0.3
    for (const made of isOutside ? await changeOutside() : await runTransaction(undefined, 0)) {
      committed.push(made)
      if (isOutside) changedOutside.add(made.id)
      if (!ids.includes(made.id)) ids.push(made.id)
    }
  }
  const workers = Array.from({ length: 4 }, async () => {
    for (let step = 0; step < 12; step++) await work()
  })
  await Promise.all(workers)
  // The last event of each process comes behind all others of that process.
  for (const { notes } of processes) await notes.create({ revision: -1 })
  const isLast = ({ revision }: Change) => revision === -1
  for (const { told } of processes)
    while (told.filter(isLast).length < processes.length) await new Promise((resolve) => setTimeout(resolve, 10))
  const [first, second] = processes.map(({ told }) => told.filter((made) => !isLast(made)))
  t.same(first, second, 'all processes are told in the same order')
  t.same(first?.map(toText).sort(), committed.map(toText).sort(), 'each change that was committed, and no other')
  for (const id of ids.filter((id) => !changedOutside.has(id))) {
    const revisions = (first ?? []).filter((made) => made.id === id).map((made) => made.revision)
    t.same(
      revisions,
      [...revisions].sort((low, high) => low - high),
      `the changes of note ${id} come in order`
    )
  }
}

t.test('random transactions', { skip: skipPostgres }, async (t) => {
  for (let run = 0; run < runs; run++)
    await t.test(`SEED=${seed + run} RUNS=1`, async (t) => {
      for (const open of [openKnex, openKysely, openDrizzle])
        await t.test(open.name, (t) => search(t, createGenerator(seed + run), open))
    })
})
