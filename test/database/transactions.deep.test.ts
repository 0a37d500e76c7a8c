import { PGlite } from '@electric-sql/pglite'
import { transaction as feathersTransaction, KnexService } from '@feathersjs/knex'
import { drizzle as createDurable } from 'drizzle-orm/durable-sqlite'
import { drizzle as createDrizzle } from 'drizzle-orm/node-postgres'
import { pgTable, serial, text } from 'drizzle-orm/pg-core'
import { drizzle as createPGliteDrizzle } from 'drizzle-orm/pglite'
import Fastify from 'fastify'
import services, { type HookContext, idempotency, type Params } from 'fastify-services'
import {
  inTransaction,
  type TransactionalDatabase,
  type TransactionParams,
  transaction
} from 'fastify-services/database'
import events, { type EventLog, memoryLog } from 'fastify-services/events'
import createKnex, { type Knex } from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import { Pool, type PoolClient } from 'pg'
import t, { type Test } from 'tap'
import { serviceAt } from '../support/events-app.js'
import { eventually } from '../support/eventually.js'
import { copyEmpty, openPGlite } from '../support/pglite.js'
import { PostgresWay, skipPostgres } from '../support/postgres.js'

interface Note {
  readonly text: string
}

/** A database of a library, with a service of its notes. */
interface Library {
  readonly database: TransactionalDatabase
  readonly notes: object
  /** The texts of all notes. */
  texts(): Promise<unknown[]>
}

const table = `transactions_${process.pid}`
const create = `create table ${table} (id serial primary key, text text unique)`
const insert = `insert into ${table} (text) values ($1) returning id, text`
const textsOf = (rows: readonly unknown[]) => rows.map((row) => (row as Note).text)
const find = async () => []
const trxOf = <Trx>({ transaction }: Params) => (transaction as TransactionParams<Trx>['transaction'] | undefined)?.trx

function ofKnex(knex: Knex): Library {
  const notes = new KnexService({ Model: knex, name: table })
  return { database: knex, notes, texts: async () => textsOf(await knex(table).orderBy('id')) }
}

async function openTable(t: Test): Promise<PGlite> {
  const folder = t.testdir()
  await copyEmpty(folder)
  const pglite = await PGlite.create(folder)
  t.teardown(() => pglite.close())
  await pglite.query(create)
  return pglite
}

async function ofPGlite(t: Test): Promise<Library> {
  const pglite = await openTable(t)
  type Transaction = Parameters<Parameters<PGlite['transaction']>[0]>[0]
  const notes = {
    find,
    create: async ({ text }: Note, params: Params) =>
      (trxOf<Transaction>(params) ?? pglite).query(insert, [text]).then(({ rows }) => rows[0])
  }
  const texts = async () => textsOf((await pglite.query(`select text from ${table} order by id`)).rows)
  return { database: pglite, notes, texts }
}

function ofPool(pool: Pool): Library {
  const notes = {
    find,
    create: async ({ text }: Note, params: Params) =>
      (trxOf<PoolClient>(params) ?? pool).query(insert, [text]).then(({ rows }) => rows[0])
  }
  const texts = async () => textsOf((await pool.query(`select text from ${table} order by id`)).rows)
  return { database: pool, notes, texts }
}

function ofKysely(pool: Pool): Library {
  const kysely = new Kysely<Record<string, { id: number; text: string }>>({ dialect: new PostgresDialect({ pool }) })
  const notes = {
    find,
    create: async ({ text }: Note, params: Params) =>
      (trxOf<typeof kysely>(params) ?? kysely)
        .insertInto(table)
        .values({ text } as never)
        .returningAll()
        .executeTakeFirstOrThrow()
  }
  const texts = async () => textsOf(await kysely.selectFrom(table).select('text').orderBy('id').execute())
  return { database: kysely, notes, texts }
}

function ofDrizzle(pool: Pool): Library {
  const drizzle = createDrizzle(pool)
  const columns = pgTable(table, { id: serial().primaryKey(), text: text() })
  const notes = {
    find,
    create: async (note: Note, params: Params) =>
      (trxOf<typeof drizzle>(params) ?? drizzle)
        .insert(columns)
        .values(note)
        .returning()
        .then(([record]) => record)
  }
  return {
    database: drizzle,
    notes,
    texts: async () => textsOf(await drizzle.select().from(columns).orderBy(columns.id))
  }
}

const skip = skipPostgres
const connectionString = process.env.TEST_DATABASE_URL

async function openPool(t: Test): Promise<Pool> {
  const pool = new Pool({ connectionString })
  t.teardown(async () => {
    await pool.query(`drop table if exists ${table}`)
    await pool.end()
  })
  await pool.query(create)
  return pool
}

const libraries: readonly (readonly [
  name: string,
  open: (t: Test) => Promise<Library>,
  options?: { skip: string | false }
])[] = [
  ['PGlite', ofPGlite],
  [
    'knex on PGlite',
    async (t) => {
      const knex = await openPGlite(t)
      await knex.raw(create)
      return ofKnex(knex)
    }
  ],
  ['pg', async (t) => ofPool(await openPool(t)), { skip }],
  ['Kysely', async (t) => ofKysely(await openPool(t)), { skip }],
  ['Drizzle', async (t) => ofDrizzle(await openPool(t)), { skip }],
  [
    'knex',
    async (t) => {
      await openPool(t)
      const knex = createKnex({ client: 'pg', connection: connectionString as string })
      t.teardown(() => knex.destroy())
      return ofKnex(knex)
    },
    { skip }
  ]
]

/** An application with notes, and what its log was told. */
async function start(t: Test, { notes }: Library, hooks: object = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('notes', notes as never, { hooks })
  const log: EventLog = { ...memoryLog(), forget: undefined } as never
  const told: unknown[] = []
  log.listen({ onEvent: ({ event }) => void told.push(event.facts.text), onLoss: () => void told.push('reset') })
  await app.register(events, { services: { notes: true }, log })
  await app.ready()
  return { app, told, create: (text: string, params?: object) => serviceAt(app, 'notes').create({ text }, params) }
}

for (const [name, open, options] of libraries)
  t.test(`a transaction of ${name}`, options ?? {}, async (t) => {
    const library = await open(t)
    const { database, texts } = library
    const { create, told } = await start(t, library)

    const result = await transaction(database, async (params) => {
      await create('a', params)
      await create('b', params)
      t.same(told, [], 'nothing is told before the commit')
      return 'done'
    })
    t.equal(result, 'done')
    await create('c')
    t.same(
      [await texts(), told],
      [
        ['a', 'b', 'c'],
        ['a', 'b', 'c']
      ]
    )

    const fail = transaction(database, async (params) => {
      await create('d', params)
      throw new Error('no')
    })
    await t.rejects(fail, { message: 'no' })
    const double = transaction(database, async (params) => {
      await create('e', params)
      await create('a', params)
    })
    await t.rejects(double)
    const caught = transaction(database, async (params) => {
      await create('f', params)
      await create('a', params).catch(() => {})
    })
    await t.rejects(caught, 'PostgreSQL rolls back, though the error was caught')
    await create('g')
    t.same(
      [await texts(), told],
      [
        ['a', 'b', 'c', 'g'],
        ['a', 'b', 'c', 'g']
      ],
      'nothing of them is there or is told'
    )
  })

t.test('an answer that a client of knex has not waited for leaves the transaction as it is', { skip }, async (t) => {
  const pool = await openPool(t)
  const knex = createKnex({ client: 'pg', connection: connectionString as string })
  t.teardown(() => knex.destroy())
  const { create, told } = await start(t, ofKnex(knex))
  const giveUp = async (trx: Knex.Transaction) => {
    const holder = await pool.connect()
    await holder.query('select pg_advisory_lock(1)')
    const waiting = trx.raw('select pg_advisory_xact_lock(1)').options({ query_timeout: 50 })
    await waiting.catch(({ message }) => t.match(message, 'Query read timeout'))
    await holder.query('select pg_advisory_unlock(1)')
    holder.release()
  }
  await transaction(knex, async (params) => {
    await create('a', params)
    await giveUp(params.transaction.trx)
    await create('b', params)
  })
  await knex.transaction(async (trx) => {
    await create('c', { transaction: { trx } })
    await giveUp(trx)
  })
  await create('d')
  t.same(
    told,
    ['a', 'b', 'reset', 'd'],
    'a statement behind it shows that nothing is rolled back. Without one, nobody knows'
  )
})

t.test('the level of isolation', { skip }, async (t) => {
  const pool = await openPool(t)
  const knex = createKnex({ client: 'pg', connection: connectionString as string })
  t.teardown(() => knex.destroy())
  const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString }) }) })
  t.teardown(() => kysely.destroy())
  const show = 'show transaction_isolation'
  const options = { isolationLevel: 'serializable' } as const
  // The transaction has the type of its library.
  const levels = [
    await transaction(pool, async ({ transaction: { trx } }) => (await trx.query(show)).rows[0], options),
    await transaction(
      knex,
      async ({ transaction: { trx } }) => (await trx.raw<{ rows: object[] }>(show)).rows[0],
      options
    ),
    await transaction(
      kysely,
      async ({ transaction: { trx } }) => {
        const query = { sql: show, parameters: [], query: { kind: 'RawNode' } as never, queryId: {} as never }
        return (await trx.executeQuery(query)).rows[0]
      },
      options
    )
  ]
  t.same(levels, Array(3).fill({ transaction_isolation: 'serializable' }))
  const none = transaction(pool, async () => {}, { isolationLevel: 'best; drop table users' as never })
  await t.rejects(none, { name: 'TypeError', message: /must be one of read uncommitted.+got 'best; drop/ })
})

t.test(
  'a connection of a pool that ends in a transaction: it fails, and the next one has another',
  { skip },
  async (t) => {
    const way = await PostgresWay.open(t)
    const pool = way.pool(t, { max: 1 })
    const lost = transaction(pool, async ({ transaction: { trx } }) => {
      await trx.query('select 1')
      trx.emit('error', new Error('told of it twice'))
      await way.cut()
      await trx.query('select 1')
    })
    await t.rejects(lost)
    await way.restore()
    const rows = await transaction(pool, async ({ transaction: { trx } }) => (await trx.query('select 1 as one')).rows)
    t.same(rows, [{ one: 1 }])
    for (let i = 0; i < 12; i++) await transaction(pool, async () => {})
    const [client] = [await pool.connect()]
    t.ok(client.listenerCount('error') < 3, 'connections do not collect listeners')
    client.release()
  }
)

t.test('an error of any kind behind the work of another library leaves open whether that was committed', async (t) => {
  for (const [error, end] of [
    ['lost', undefined],
    [new Error('lost'), undefined],
    [Object.assign(new Error('no'), { severity: 'ERROR', code: '23505' }), false]
  ] as const) {
    const commit = async (work: (trx: object) => Promise<unknown>) => {
      await work({})
      throw error
    }
    let committed: unknown
    const work = async ({ transaction }: TransactionParams) => {
      committed = transaction.committed
    }
    t.equal(await transaction({ transaction: commit }, work).catch((reason) => reason), error)
    t.equal(await committed, end)
  }
})

t.test('a promise in the place of a database is told to be awaited, and what is no function is shown', async (t) => {
  const promised = Promise.resolve({ transaction() {} }) as never
  const message = /^A transaction needs a knex, .+, got a promise: await it$/
  t.throws(() => inTransaction(promised), { name: 'TypeError', message })
  await t.rejects(
    transaction(promised, async () => {}),
    { name: 'TypeError', message }
  )
  const database = { transaction: (work: (trx: unknown) => Promise<unknown>) => work({}) }
  await t.rejects(transaction(database, undefined as never), {
    message: 'A transaction needs a function: transaction(knex, async (params) => { … }), got undefined'
  })
})

t.test('what is no database', async (t) => {
  for (const database of [undefined, null, {}, { transaction: true }])
    await t.rejects(
      transaction(database as never, async () => {}),
      { name: 'TypeError', message: /needs a knex, a Kysely, a pool of pg/ }
    )
  t.throws(() => inTransaction({} as never), { name: 'TypeError' })
  const app = Fastify()
  await app.register(services)
  const before = { all: [inTransaction({ transaction: async () => {} })] }
  app.service('notes', { find }, { hooks: { before } as never })
  await t.rejects(app.ready() as PromiseLike<unknown> as Promise<unknown>, {
    message: "inTransaction at 'notes' is a hook for 'around', not for 'before'"
  })
})

t.test('a database whose transactions wait for no promise is refused before anything is written', async (t) => {
  const written: string[] = []
  const connection = {
    prepare: (text: string) => ({ run: () => written.push(text) }),
    exec: (text: string) => written.push(text)
  }
  const databases = {
    'better-sqlite3': { ...connection, transaction: (work: () => unknown) => () => work() },
    'node:sqlite': { ...connection, isTransaction: false },
    Drizzle: createDurable({ sql: connection, transactionSync: (work: () => unknown) => work() } as never)
  }
  const refusal = { name: 'TypeError', message: /waits for promises.+: use Knex or Kysely on it, or Drizzle on libsql/ }
  for (const [name, database] of Object.entries(databases)) {
    t.throws(() => inTransaction(database as never), refusal, name)
    const work = async () => void written.push('work')
    await t.rejects(transaction(database as never, work), refusal, name)
  }
  t.same(written, [])
  const drizzle = createPGliteDrizzle(await openTable(t))
  t.equal(await transaction(drizzle, async () => 'done'), 'done', 'Drizzle on a library that waits')
})

t.test('a transaction that PostgreSQL rolls back in silence, as Prisma does, has failed', async (t) => {
  const pglite = await openTable(t)
  // Prisma itself needs a program that it downloads.
  const trx = { $queryRawUnsafe: (text: string) => pglite.query(text) }
  const database = {
    async transaction<T>(work: (within: typeof trx) => Promise<T>) {
      await pglite.query('begin')
      try {
        return await work(trx)
      } finally {
        await pglite.query('commit').catch(() => {})
      }
    }
  }
  const insertTwice = transaction(database, async ({ transaction: { trx } }) => {
    await trx.$queryRawUnsafe(`insert into ${table} (text) values ('a')`)
    await trx.$queryRawUnsafe(`insert into ${table} (text) values ('a')`).catch(() => {})
  })
  await t.rejects(insertTwice, { code: '25P02' })
  const { rows } = await pglite.query(`select text from ${table}`)
  t.same(rows, [])
})

t.test('a database that never calls its function has done nothing', async (t) => {
  const database = { transaction: async (_mode: never) => ({ commit() {} }) }
  const refusal = { message: 'The `transaction` of the database ended without a call of its function' }
  await t.rejects(
    transaction(database, async () => 'done'),
    refusal
  )
})

t.test('each call a transaction, by a hook', async (t) => {
  const knex = await openPGlite(t)
  await knex.raw(create)
  const library = ofKnex(knex)
  const seen: string[] = []
  const note = ({ params, method }: HookContext) =>
    void seen.push(`${method} ${params.transaction === undefined ? 'without' : 'with'}`)
  const {
    app,
    create: call,
    told
  } = await start(t, library, {
    around: {
      all: [
        async (context: HookContext, next: () => Promise<void>) => {
          try {
            await next()
          } finally {
            note(context)
          }
        },
        inTransaction(knex)
      ]
    },
    after: {
      all: [note],
      create: [
        async ({ result, params, service }: HookContext) => {
          if (result.text === 'bad') throw new Error('no')
          // The calls of hooks are in the same transaction.
          if (!result.text.startsWith('about')) await service.create({ text: `about ${result.text}` }, params)
          if (result.text === 'worse') throw new Error('no')
        }
      ]
    }
  })
  const answer = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'a' } })
  t.equal(answer.statusCode, 201)
  t.same(await library.texts(), ['a', 'about a'])
  for (const text of ['bad', 'worse'])
    t.equal((await app.inject({ method: 'POST', url: '/notes', payload: { text } })).statusCode, 500)
  const undone = transaction(knex, async (params) => {
    await call('b', params)
    throw new Error('no')
  })
  await t.rejects(undone)
  t.same(
    [(await library.texts()).sort(), told],
    [
      ['a', 'about a'],
      ['about a', 'a']
    ]
  )
  seen.length = 0
  await app.inject('/notes')
  await app.inject({ method: 'PATCH', url: '/notes/1', payload: { text: 'c' } })
  t.same(seen, ['find without', 'find without', 'patch with', 'patch without'])
})

t.test('a custom method that is read by GET holds no connection', async (t) => {
  const database = { transaction: async (work: (trx: object) => Promise<unknown>) => work({}) }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const hasTransaction = async (...args: unknown[]) => Object(args.at(-1)).transaction !== undefined
  app.service(
    'notes',
    { find, report: hasTransaction, close: hasTransaction },
    {
      methods: ['find', 'report', 'close'],
      routes: { report: 'GET /report', close: 'POST /close' },
      hooks: { around: { all: [inTransaction(database)] } }
    }
  )
  t.equal((await app.inject('/notes/report')).body, 'false')
  t.equal((await app.inject({ method: 'POST', url: '/notes/close' })).body, 'true')
})

t.test('the transaction of a method is that of its call, where it gets the params', async (t) => {
  const knex = await openPGlite(t)
  await knex.raw(create)
  const library = ofKnex(knex)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const notes = app.service<{ create(note: Note, params: object): Promise<Note> }>('notes', library.notes as never)
  // The pool has a single connection: a second transaction would wait for the first.
  const addPair = ({ text }: Note, params?: Params) =>
    transaction(
      knex,
      async (within) => {
        t.same(Object.keys(within), ['transaction'], 'the calls are those of the server')
        await notes.create({ text: `${text} 1` }, within)
        return notes.create({ text: `${text} 2` }, within)
      },
      { params }
    )
  const refuse = ({ data }: HookContext) => {
    if (data.text === 'bad') throw new Error('no')
  }
  const hooks = { around: { all: [inTransaction(knex)] }, after: { create: [refuse] } }
  app.service('pairs', { create: addPair }, { hooks })
  await app.ready()
  await Promise.all(['a', 'b'].map((text) => serviceAt(app, 'pairs').create({ text })))
  await t.rejects(serviceAt(app, 'pairs').create({ text: 'bad' }), { message: 'no' })
  const texts = await library.texts()
  t.same(texts.sort(), ['a 1', 'a 2', 'b 1', 'b 2'], 'what is refused later takes the work back')
  await addPair({ text: 'c' }, {})
  await addPair({ text: 'd' })
  t.same((await library.texts()).length, 8, 'a call without a transaction gets one')
  const hook = () => inTransaction(knex, { params: {} } as never)
  t.throws(hook, { message: /has no option 'params'/ }, 'a hook is for all calls')
})

t.test('an answer is kept for an Idempotency-Key once its transaction is committed', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table seats (id serial primary key, n int unique deferrable initially deferred)')
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [inTransaction(Model)] } } })
  const hooks = { around: { create: [idempotency()] } }
  app.service('seats', new KnexService({ Model, name: 'seats' }), { methods: ['create'], hooks })
  const take = async (key: string, n: number) => {
    const headers = { 'idempotency-key': key }
    const answer = await app.inject({ method: 'POST', url: '/seats', payload: { n }, headers })
    return [answer.statusCode, answer.headers['idempotency-replayed']]
  }
  t.same(await take('a', 1), [201, undefined])
  await eventually(t).strictSame(() => take('a', 1), [201, 'true'])
  t.same(await take('b', 1), [500, undefined], 'the commit is refused')
  await eventually(t).strictSame(
    () => take('b', 1),
    [500, undefined],
    'and so is that of the request that is sent again'
  )
  await Model('seats').del()
  await eventually(t).strictSame(() => take('b', 1), [201, undefined])
})

t.test('no answer is kept of a transaction of Feathers that is rolled back, whenever that is known', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table parts (id int primary key, of int references parts deferrable initially deferred)')
  const app = Fastify()
  t.teardown(() => app.close())
  const { start, end, rollback } = feathersTransaction
  const hooks = { before: { create: [start()] }, after: { create: [end()] }, error: { create: [rollback()] } }
  await app.register(services, { hooks: hooks as never, errorHandler: { html: false, logger: false } })
  const fail = async ({ params, data }: HookContext) => {
    if (data.id === 3) await (params.transaction as { trx: Knex }).trx.raw('select nope').catch(() => {})
  }
  const around = { create: [idempotency()] }
  app.service('parts', new KnexService({ Model, name: 'parts' }), {
    hooks: { around, after: { create: [fail] } } as never
  })
  const create = async (key: string, payload: object) => {
    const answer = await app.inject({ method: 'POST', url: '/parts', payload, headers: { 'idempotency-key': key } })
    return [answer.statusCode, answer.headers['idempotency-replayed']]
  }
  t.same(await create('a', { id: 1, of: 2 }), [500, undefined], 'its commit is refused')
  await Model('parts').insert({ id: 2 })
  await eventually(t).strictSame(() => create('a', { id: 1, of: 2 }), [201, undefined])
  await create('b', { id: 3 })
  t.same(await Model('parts').where({ id: 3 }), [], 'PostgreSQL has rolled back')
  await new Promise(setImmediate)
  t.not((await create('b', { id: 3 }))[1], 'true')
})
