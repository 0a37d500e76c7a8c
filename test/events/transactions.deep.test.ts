import { KnexService, transaction } from '@feathersjs/knex'
import { transaction as runTransaction } from 'fastify-services/database'
import type { Knex } from 'knex'
import t, { type Test } from 'tap'
import { memoryLog } from '../../lib/events/index.js'
import { list, memory, serviceAt, startEvents } from '../support/events-app.js'
import { openPGlite } from '../support/pglite.js'

/** Notes and rooms in a database, with a subscriber of notes. */
async function start(t: Test, options: { hooks?: object } = {}) {
  const Model: Knex = await openPGlite(t)
  for (const name of ['notes', 'rooms'])
    await Model.schema.createTable(name, (table) => {
      table.increments('id')
      table.text('text').unique()
    })
  const { app, subscribe } = await startEvents(
    t,
    (app) => {
      app.service('notes', new KnexService({ Model, name: 'notes', multi: true }), options)
      app.service('rooms', new KnexService({ Model, name: 'rooms' }))
    },
    { services: { notes: true } }
  )
  const stream = await subscribe(list('notes')).connected
  const notes = serviceAt(app, 'notes')
  /** Waits for a last note, and tells of which notes the stream has heard. */
  const heard = async () => {
    const { id } = (await notes.create({ text: 'last' })) as { id: number }
    await stream.until(({ events }) => events.some(({ data }) => (data as { id: number })?.id === id))
    const ids = stream.events.map(({ data }) => (data as { id: number }).id).slice(0, -1)
    const records = (await notes.find({ query: { id: { $in: ids } } })) as { id: number; text: string }[]
    return ids.map((id) => records.find((record) => record.id === id)?.text)
  }
  return { app, Model, notes, stream, heard }
}

t.test('events of a transaction come when it is committed, and none when it is rolled back', async (t) => {
  const { Model, notes, stream, heard } = await start(t)
  await Model.transaction(async (trx) => {
    await notes.create([{ text: 'a' }, { text: 'b' }], { transaction: { trx } })
    await new Promise((resolve) => setTimeout(resolve, 50))
    t.same(stream.events, [])
  })
  const fail = async (trx: Knex.Transaction) => {
    await notes.create({ text: 'failed' }, { transaction: { trx } })
    throw new Error('no')
  }
  await t.rejects(Model.transaction(fail), { message: 'no' })

  const byHand = await Model.transaction()
  await notes.create({ text: 'silent' }, { transaction: { trx: byHand } })
  await byHand.rollback()
  const committed = await Model.transaction()
  await notes.create({ text: 'c' }, { transaction: { trx: committed } })
  await committed.commit()
  t.same(await heard(), ['a', 'b', 'c'])
})

t.test('of a transaction that a library runs again, the last run alone is told', async (t) => {
  const { app, subscribe } = await startEvents(t, (app) => void app.service('notes', memory()), {
    services: { notes: true }
  })
  const stream = await subscribe(list('notes')).connected
  const notes = serviceAt(app, 'notes')
  const retrying = { transaction: (work: (trx: object) => Promise<unknown>) => work({}).catch(() => work({})) }
  let runs = 0
  await runTransaction(retrying, async (params) => {
    await notes.create({}, params)
    if (++runs === 1) throw new Error('a conflict')
  })
  await notes.create({})
  await stream.until(({ events }) => events.some(({ data }) => (data as { id: number }).id === 3))
  t.same(
    stream.events.map(({ data }) => data),
    [{ id: 2 }, { id: 3 }]
  )
})

t.test('a transaction within another one: both must be committed', async (t) => {
  const { Model, notes, heard } = await start(t)
  await Model.transaction(async (outer) => {
    await notes.create({ text: 'outer' }, { transaction: { trx: outer } })
    await outer.transaction(async (trx) => void (await notes.create({ text: 'inner' }, { transaction: { trx } })))
    const inner = outer.transaction(async (trx) => {
      await notes.create({ text: 'undone' }, { transaction: { trx } })
      throw new Error('no')
    })
    await inner.catch(() => {})
  })
  await Model.transaction(async (outer) => {
    const silent = await outer.transaction()
    await notes.create({ text: 'silent' }, { transaction: { trx: silent } })
    await silent.rollback()
    const released = await outer.transaction()
    await notes.create({ text: 'released' }, { transaction: { trx: released } })
    await released.commit()
    await notes.create({ text: 'after' }, { transaction: { trx: outer } })
  })
  const outer = Model.transaction(async (trx) => {
    await trx.transaction(async (inner) => void (await notes.create({ text: 'x' }, { transaction: { trx: inner } })))
    throw new Error('no')
  })
  await outer.catch(() => {})
  t.same(await heard(), ['outer', 'inner', 'released', 'after'])
})

t.test('the transaction hooks of the adapter', async (t) => {
  const { notes, heard } = await start(t, {
    hooks: {
      before: { create: [transaction.start()] },
      after: { create: [refuseBad, transaction.end()] },
      error: { create: [transaction.rollback()] }
    }
  })
  function refuseBad({ result }: { result: { text: string } }) {
    if (result.text === 'bad') throw new Error('no')
  }
  await notes.create({ text: 'good' })
  await t.rejects(notes.create({ text: 'bad' }))
  t.same(await heard(), ['good'])
})

t.test('another library says by a promise whether it has committed', async (t) => {
  const { notes, heard } = await start(t)
  const promises: [unknown, string][] = [
    [Promise.resolve(true), 'yes'],
    [Promise.resolve(false), 'no'],
    [Promise.resolve('what'), 'what'],
    [Promise.reject(new Error('no')), 'failed']
  ]
  for (const [committed, text] of promises) await notes.create({ text }, { transaction: { committed } })
  for (const transaction of [null, {}, { committed: true }])
    await notes.create({ text: JSON.stringify(transaction) }, { transaction })
  t.same(await heard(), ['yes', 'null', '{}', '{"committed":true}'])
})

t.test('a transaction of before anybody listened: its event comes to those who listen at the commit', async (t) => {
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true }
  })
  const notes = serviceAt(app, 'notes')
  let commit = (_isCommitted: boolean) => {}
  const committed = new Promise<boolean>((resolve) => {
    commit = resolve
  })
  await notes.create({ text: 'a' }, { transaction: { committed } })
  const stream = await subscribe(list('notes', '&subscribe[0][query][text]=a')).connected
  commit(true)
  t.match(await stream.count(1), [{ event: 'created', data: { id: 1 } }])
})

t.test('where nobody knows whether a transaction was committed, subscribers read anew', async (t) => {
  const { notes, stream } = await start(t)
  const transaction = { committed: Promise.resolve(undefined) }
  await notes.create({ text: 'a' }, { transaction })
  await notes.create([{ text: 'b' }, { text: 'c' }], { transaction })
  await notes.create({ text: 'd' })
  t.same(
    (await stream.count(2)).map(({ event }) => event),
    ['reset', 'created'],
    'once for a transaction'
  )
})

t.test(
  'a commit without an answer may be seen late: subscribers are told again, and before the server closes',
  async (t) => {
    const later: [run: () => void, ms: number][] = []
    const { setTimeout: set } = globalThis
    const collect = (run: () => void, ms: number) => {
      if (ms !== 5000 && ms !== 30_000) return set(run, ms)
      later.push([run, ms])
      return set(() => {}, 0)
    }
    t.teardown(() => Object.assign(globalThis, { setTimeout: set }))
    let losses = 0
    const log = memoryLog()
    const lose = () => {
      losses += 1
      log.lose?.()
    }
    const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
      services: { notes: true },
      log: { ...log, lose }
    })
    const stream = await subscribe(list('notes')).connected
    Object.assign(globalThis, { setTimeout: collect })
    const doubt = () => serviceAt(app, 'notes').create({}, { transaction: { committed: Promise.resolve(undefined) } })
    await doubt()
    await stream.count(1)
    t.same(
      later.map(([, ms]) => ms),
      [5000, 30_000]
    )
    for (const [run] of later.splice(0)) {
      const before = stream.events.length
      run()
      await stream.count(before + 1)
    }
    t.same([stream.events.map(({ event }) => event), losses], [['reset', 'reset', 'reset'], 3])
    await app.close()
    t.equal(losses, 3)
  }
)

t.test('many commits without an answer are told again together', async (t) => {
  let losses = 0
  let timers = 0
  const { setTimeout: set } = globalThis
  const count = (run: () => void, ms: number) => {
    if (ms === 30_000) timers += 1
    return set(run, ms)
  }
  const lose = () => {
    losses += 1
  }
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true },
    log: { ...memoryLog(), lose }
  })
  await subscribe(list('notes')).connected
  t.teardown(() => Object.assign(globalThis, { setTimeout: set }))
  Object.assign(globalThis, { setTimeout: count })
  const doubt = () => serviceAt(app, 'notes').create({}, { transaction: { committed: Promise.resolve(undefined) } })
  await Promise.all(Array.from({ length: 50 }, doubt))
  while (losses < 50) await new Promise((resolve) => setImmediate(resolve))
  t.ok(timers < 25, `${timers} timers`)
})

t.test('a server that closes soon after a commit without an answer tells others once more', async (t) => {
  let losses = 0
  const lose = () => {
    losses += 1
  }
  const log = { ...memoryLog(), lose }
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true },
    log
  })
  await subscribe(list('notes')).connected
  await serviceAt(app, 'notes').create({}, { transaction: { committed: Promise.resolve(undefined) } })
  while (losses === 0) await new Promise((resolve) => setImmediate(resolve))
  await app.close()
  t.equal(losses, 2)
})
