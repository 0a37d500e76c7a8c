import { KnexService } from '@feathersjs/knex'
import { memory } from '@feathersjs/memory'
import fc from 'fast-check'
import { type ClientParams, createClient, iterate, rest } from 'fastify-services/client'
import t, { type Test } from 'tap'
import { createHost } from '../support/host.js'
import { openPGlite } from '../support/pglite.js'

interface Item {
  id: number
  n: number | null
  m: number | null
  state: string
  text: string
}

interface Items {
  find(params?: ClientParams & { paginate?: false }): Promise<unknown>
  create(data: Partial<Item>[]): Promise<Item[]>
  patch(id: number, data: Partial<Item>): Promise<Item>
  remove(id: number | null, params?: ClientParams): Promise<unknown>
}

// The same scenarios each time. Others: SEED=$RANDOM RUNS=5000.
const value = fc.option(fc.integer({ min: 0, max: 2 }))
const item = fc.record({ n: value, m: value, state: fc.constantFrom('open', 'done'), text: fc.constantFrom('a', 'b') })
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ remove: fc.nat(20) }) },
  fc.record({ create: item }),
  fc.record({
    patch: fc.nat(20),
    data: fc.oneof(
      fc.record({ n: value }),
      fc.record({ state: fc.constantFrom('open', 'done') }),
      fc.record({ text: fc.constant('c') })
    )
  })
)

/** What is there at the start, how it is walked through, and what happens meanwhile: a list of changes at each page and at each record. */
const scenario = fc.record({
  items: fc.array(item, { maxLength: 12 }),
  query: fc.record(
    {
      $limit: fc.integer({ min: 1, max: 4 }),
      $sort: fc.constantFrom<Record<string, number>>(
        { id: 1 },
        { id: -1 },
        { n: 1 },
        { n: -1 },
        { n: 1, m: -1 },
        { at: -1 },
        { at: 1, n: -1 },
        { n: -1, id: -1 }
      ),
      state: fc.constant('open'),
      $select: fc.constant<string[]>(['text'])
    },
    { requiredKeys: ['$limit'] }
  ),
  changes: fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 20 })
})

type Change = { remove: number } | { create: Partial<Item> } | { patch: number; data: Partial<Item> }

/** Walks through a scenario. `store` makes the changes, `service` is what is walked through. */
async function play(
  store: Items,
  service: Pick<Items, 'find'>,
  { items, query, changes }: { items: Partial<Item>[]; query: Record<string, unknown>; changes: Change[][] }
) {
  await store.remove(null, {})
  const created = await store.create(items)
  const { $limit, $select, ...conditions } = query
  const sorted = {
    ...conditions,
    $sort: { ...(query.$sort as object), id: (Object.values(query.$sort ?? {}) as number[]).at(-1) ?? 1 }
  }
  const start = (await store.find({ query: sorted, paginate: false })) as Item[]
  // Those that are there from start to end, at the same place.
  const staying = new Set(start.map(({ id }) => id))
  const present = created.map(({ id }) => id)
  const rest = [...changes]

  async function act() {
    for (const change of rest.shift() ?? []) {
      if ('create' in change) present.push(...(await store.create([change.create])).map(({ id }) => id))
      else {
        const index = 'remove' in change ? change.remove : change.patch
        const id = present[index % present.length]
        if (id === undefined) continue
        if ('remove' in change) {
          present.splice(present.indexOf(id), 1)
          staying.delete(id)
          await store.remove(id)
        } else {
          await store.patch(id, change.data)
          if ('state' in change.data || ('n' in change.data && 'n' in sorted.$sort)) staying.delete(id)
        }
      }
    }
  }

  const watched = {
    async find(params: ClientParams) {
      await act()
      const page = await service.find(params)
      await act()
      return page
    }
  }
  const seen: number[] = []
  for await (const record of iterate(watched, { query })) {
    seen.push((record as Item).id)
    // A loop may do to its records what it likes.
    Object.assign(record as Item, { id: -1, n: 9 })
    await act()
  }
  const order = start.map(({ id }) => id).filter((id) => staying.has(id))
  return {
    order,
    seen: seen.filter((id) => staying.has(id)),
    twice: seen.filter((id, index) => seen.indexOf(id) < index)
  }
}

async function search(t: Test, store: object, name: string, runs: number) {
  const numRuns = Number(process.env.RUNS ?? runs)
  const { app } = await createHost(t, {
    after: (app) => void app.service('items', store as Items, { methods: ['find'] })
  })
  const client = createClient().configure(rest(await app.listen({ port: 0, host: '127.0.0.1' })).fetch(fetch))
  const doors: Record<string, Pick<Items, 'find'>> = {
    'of the server': app.service('items') as unknown as Items,
    'of the client': client.service('items')
  }
  for (const [door, service] of Object.entries(doors))
    await t.test(`${name}, a service ${door}: each record comes once`, async (t) => {
      const property = fc.asyncProperty(scenario, async (scenario) => {
        const { order, seen, twice } = await play(store as Items, service, scenario)
        return JSON.stringify([seen, twice]) === JSON.stringify([order, []])
      })
      await fc.assert(property, { numRuns, seed: Number(process.env.SEED ?? 1) })
      t.pass(`${numRuns} scenarios`)
    })
}

t.test('in memory', (t) =>
  search(t, memory({ startId: 1, multi: true, paginate: { default: 3, max: 10 } }), 'memory', 300)
)

t.test('in PostgreSQL', async (t) => {
  const Model = await openPGlite(t)
  await Model.schema.createTable('items', (table) => {
    table.increments('id')
    for (const name of ['n', 'm']) table.integer(name)
    table.text('state')
    table.text('text')
    // JSON has its milliseconds: what the database compares, no client knows.
    table.timestamp('at', { precision: 6 }).defaultTo(Model.fn.now(6))
  })
  const options = { Model, name: 'items', multi: true, paginate: { default: 3, max: 10 } }
  await search(t, new KnexService(options), 'knex', 40)
})

t.test('ids and fields that are large numbers, as drivers of databases give them', async (t) => {
  const records = [1n, 2n, 3n].map((id) => ({ id, n: 5n }))
  const find = async ({ query }: { query: { $skip?: number } }) => {
    const { $skip = 0 } = query
    return { total: 3, data: records.slice($skip, $skip + 2) }
  }
  const seen: unknown[] = []
  for await (const record of iterate({ find }, { query: { $sort: { n: 1 } } } as never)) seen.push(record)
  t.same(seen, records)
})
