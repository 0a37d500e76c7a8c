import { KnexService, transaction } from '@feathersjs/knex'
import { Forbidden, type HookContext } from 'fastify-services'
import { databaseErrors } from 'fastify-services/database'
import type { SuiteOptions } from 'fastify-services/testing'
import type { Knex } from 'knex'
import type { Test } from 'tap'
import { adapterContract } from './adapter-contract.js'
import { eachDoor, failure, mount } from './adapter-doors.js'
import { resourceContract } from './adapter-resource.js'

let tables = 0

/** A service on a table of its own, which is dropped when the test ends. */
async function create(Model: Knex, t: Test, options: SuiteOptions = {}) {
  tables += 1
  const name = `messages_${tables}`
  await Model.schema.createTable(name, (table) => {
    table.increments('id')
    table.text('text').notNullable().unique()
    table.text('author')
    table.text('at')
  })
  t.teardown(() => Model.schema.dropTable(name))
  return new KnexService({ Model, name, ...options })
}

/** The contract of all adapters, and what a SQL database adds to it. */
export async function knexContract(t: Test, name: string, Model: Knex): Promise<void> {
  const adapter = { name, isOfFeathers: true, create: (t: Test, options?: SuiteOptions) => create(Model, t, options) }
  await adapterContract(t, adapter)

  await t.test(`${name}: what the database refuses has the shape of the adapter's errors`, (t) =>
    eachDoor(t, adapter, { multi: true }, async (t, door) => {
      const duplicate = {
        name: 'BadRequest',
        message: /duplicate key value violates unique/,
        code: 400,
        className: 'bad-request'
      }
      t.match(await failure(door.call('create', { text: 'one' }, {})), duplicate, 'unique violation')
      t.match(await failure(door.call('create', [{ text: 'new' }, { text: 'two' }], {})), duplicate, 'in a batch')
      t.match(await failure(door.call('update', '1', { text: 'two' }, {})), duplicate, 'in an update')
      t.match(await failure(door.call('create', { author: 'ada' }, {})), { name: 'BadRequest', code: 400 }, 'not null')
      t.match(await failure(door.call('get', 'abc', {})), { name: 'NotFound', code: 404 }, 'an id that is no number')
      const unknown = door.call('find', { query: { colour: 'red' } })
      t.match(await failure(unknown), { name: 'Unprocessable', code: 422 }, 'an unknown column')
    })
  )

  await t.test(`${name}: a patch that changes nothing`, async (t) => {
    const { doors } = await mount(t, await adapter.create(t), { hooks: { error: { all: [databaseErrors()] } } })
    for (const [index, door] of doors.entries()) {
      const record = (await door.call('create', { text: `text ${index}` }, {})) as { id: number }
      const nothing = { name: 'BadRequest', code: 400, message: 'There is nothing to change' }
      t.match(await failure(door.call('patch', record.id, {}, {})), nothing)
      t.match(await failure(door.call('patch', record.id, { id: 9 }, {})), nothing)
    }
  })

  await t.test(`${name}: queries of resource()`, async (t) => {
    await Model.schema.createTable('labelled', (table) => {
      table.increments('id')
      table.text('title')
      table.specificType('labels', 'text[]')
    })
    t.teardown(() => Model.schema.dropTable('labelled'))
    await resourceContract(t, new KnexService({ Model, name: 'labelled', operators: ['$and'] }), {
      comparesItems: false
    })
  })

  await t.test(`${name}: \`error.code\` of a driver is no status`, async (t) => {
    const { doors } = await mount(t, await adapter.create(t))
    const [door] = doors
    await door.call('create', { text: 'one' }, {})
    await door.call('create', { text: 'two' }, {})
    // The adapter passes on what the driver throws in a patch.
    t.match(await failure(door.call('patch', '2', { text: 'one' }, {})), {
      name: 'GeneralError',
      message: /duplicate key value violates unique/,
      code: 500,
      className: 'general-error'
    })
  })

  await t.test(`${name}: the transaction hooks of the adapter work as they are`, async (t) => {
    const hooks = {
      before: { create: [transaction.start()] },
      after: { create: [refuse, transaction.end()] },
      error: { create: [transaction.rollback()] }
    }
    const { doors } = await mount(t, await adapter.create(t, { multi: true }), { hooks: hooks as object })
    for (const [index, door] of doors.entries()) {
      const text = (name: string) => `${name} ${index}`
      t.match(await door.call('create', { text: text('kept') }, {}), { text: text('kept') })
      const batch = [{ text: text('lost') }, { text: text('refused'), author: 'nobody' }]
      t.match(await failure(door.call('create', batch, {})), { code: 403 })
      t.match(await failure(door.call('create', { text: text('kept') }, {})), { code: 400 }, 'unique violation')
    }
    const left = (await doors[1].call('find', { query: { $sort: { id: 1 } } })) as { text: string }[]
    t.strictSame(
      left.map(({ text }) => text),
      ['kept 0', 'kept 1'],
      'rolled back, or committed'
    )
  })
}

/** Fails when a record has an author who may not write. */
function refuse({ result }: HookContext) {
  if (JSON.stringify(result).includes('nobody')) throw new Forbidden('Nobody may not write')
}
