import assert from 'node:assert/strict'
import { commonOperators, type ServiceOptions } from '../../index.js'
import { scope } from '../authentication/index.js'
import { type Door, type Mounted, mount } from './doors.js'

/** Options that the suite gives to an adapter, as adapters of Feathers and of this package have them. */
export interface SuiteOptions {
  multi?: boolean | ('create' | 'patch' | 'remove')[]
  paginate?: { default?: number; max?: number }
}

/** The adapter to test. */
export interface AdapterUnderTest {
  /**
   * Creates a service on an empty table with the columns `id` (1 for the first record, then 2, …),
   * `text` (a text, not null), and `author` and `at`, texts that may be null.
   */
  create(options: SuiteOptions): object | Promise<object>
  /** Is called when a test with a service has ended. */
  remove?(service: object): unknown
  /** Whether it has `$le`, `$ge` and `$eq` by itself. Default `true`; adapters of Feathers have not. */
  hasAllOperators?: boolean
}

/** `test` of `node:test`, or `(name, run) => t.test(name, run)` of another runner. */
export type TestFunction = (name: string, run: () => Promise<void>) => unknown

const firstRecords = [
  { text: 'one', author: 'ada', at: '2026-01-01' },
  { text: 'two', author: 'bob', at: '2026-01-02' },
  { text: 'three', author: 'ada', at: '2026-01-03' },
  { text: 'four', author: 'cy', at: '2026-01-04' }
]

interface Message {
  readonly id: number
  readonly text: string
  readonly author?: string | null
}
interface PageOfMessages {
  readonly total: number
  readonly limit: number
  readonly skip: number
  readonly data: readonly Message[]
}

type RunTest = (door: Door, mounted: Mounted) => Promise<void>
/** Adds a test for each door, with the four records in a table of its own. */
type Add = (name: string, options: SuiteOptions, run: RunTest, serviceOptions?: ServiceOptions<object>) => unknown

/**
 * Tests that a service is a database adapter: all methods, queries, pages, `multi`, errors, events
 * and scopes, over HTTP and in the server. The adapters of this package pass it, and those of
 * Feathers.
 *
 * @param test adds a test: `test` of `node:test`
 * @example
 * import { test } from 'node:test'
 * adapterSuite(test, { create: (options) => new MyAdapter(options) })
 */
export async function adapterSuite(test: TestFunction, adapter: AdapterUnderTest): Promise<void> {
  const tests: (() => unknown)[] = []
  const add: Add = (name, options, run, serviceOptions) => {
    for (const index of [0, 1] as const)
      tests.push(() =>
        test(`${name}: ${index === 0 ? 'over HTTP' : 'in the server'}`, async () => {
          const service = await adapter.create(options)
          const { create } = service as { create(data: object): Promise<unknown> }
          for (const record of firstRecords) await create.call(service, record)
          const mounted = await mount(service, serviceOptions)
          try {
            await run(mounted.doors[index], mounted)
          } finally {
            await mounted.app.close()
            await adapter.remove?.(service)
          }
        })
      )
  }
  addMethodTests(add)
  addQueryTests(add, adapter.hasAllOperators ?? true)
  addServiceTests(add)
  for (const run of tests) await run()
}

const textsOf = (result: unknown) => (result as readonly Message[]).map(({ text }) => text).sort()
const find = async (door: Door, query: object) => textsOf(await door.call('find', { query }))
const ofAda = { query: { author: 'ada' } }
const isError = (code: number) => (error: unknown) => {
  assert.equal(Object(error).code, code, `${code} is expected, got ${JSON.stringify(error)}`)
  return true
}

function addMethodTests(add: Add): void {
  add('find returns a list', {}, async (door) => {
    assert.deepEqual(await find(door, {}), ['four', 'one', 'three', 'two'])
  })
  add('get returns a record that meets the query', {}, async (door) => {
    assert.deepEqual(await door.call('get', '2', {}), { id: 2, ...firstRecords[1] })
    await assert.rejects(door.call('get', '2', ofAda), isError(404))
  })
  add('create stores a record', {}, async (door) => {
    const data = { text: 'five', author: 'dan', at: '2026-01-05' }
    assert.deepEqual(await door.call('create', data, {}), { id: 5, ...data })
    assert.deepEqual(await door.call('get', 5, {}), { id: 5, ...data })
  })
  add('create stores a list, in its order', { multi: ['create'] }, async (door) => {
    const batch = ['five', 'six', 'seven'].map((text) => ({ text, author: 'dan', at: '2026-01-05' }))
    const created = (await door.call('create', batch, {})) as Message[]
    const texts = created.map(({ text }) => text)
    assert.deepEqual(texts, ['five', 'six', 'seven'])
    const ids = created.map(({ id }) => id)
    assert.deepEqual(ids.sort(), [5, 6, 7])
    assert.deepEqual(await door.call('create', [], {}), [])
  })
  add('update replaces a record', {}, async (door) => {
    const replaced = (await door.call('update', '1', { text: 'ONE', at: '2026-02-01' }, {})) as Message
    assert.equal(replaced.text, 'ONE')
    assert.equal(replaced.author ?? null, null)
    assert.deepEqual(await door.call('get', '1', {}), replaced)
    await assert.rejects(door.call('update', null, { text: 'x' }, ofAda), isError(400))
    await assert.rejects(door.call('update', '2', { text: 'x' }, ofAda), isError(404))
  })
  add('patch changes fields of a record', {}, async (door) => {
    const patched = { id: 1, ...firstRecords[0], text: 'ONE' }
    assert.deepEqual(await door.call('patch', '1', { text: 'ONE' }, {}), patched)
    assert.deepEqual(await door.call('get', '1', {}), patched)
    await assert.rejects(door.call('patch', '2', { text: 'x' }, ofAda), isError(404))
  })
  add('remove returns the removed record', {}, async (door) => {
    assert.deepEqual(await door.call('remove', '3', {}), { id: 3, ...firstRecords[2] })
    await assert.rejects(door.call('remove', '2', ofAda), isError(404))
    assert.deepEqual(await find(door, {}), ['four', 'one', 'two'])
  })
  add('patch and remove change all records of a query', { multi: true, paginate: { default: 1 } }, async (door) => {
    assert.deepEqual(textsOf(await door.call('patch', null, { at: '2026-03-01' }, ofAda)), ['one', 'three'])
    assert.equal(((await door.call('find', { query: { at: '2026-03-01' } })) as PageOfMessages).total, 2)
    assert.deepEqual(textsOf(await door.call('remove', null, ofAda)), ['one', 'three'])
    assert.deepEqual(textsOf(await door.call('remove', null, {})), ['four', 'two'])
  })
  add('without `multi`, a call changes one record', {}, async (door) => {
    const x = { text: 'x' }
    await assert.rejects(door.call('create', [x, x], {}), isError(405))
    await assert.rejects(door.call('patch', null, x, {}), isError(405))
    await assert.rejects(door.call('remove', null, {}), isError(405))
    assert.equal((await find(door, {})).length, 4)
  })
  add('an unknown record is 404', {}, async (door) => {
    const error = { name: 'NotFound', message: "No record found for id '99'", code: 404, className: 'not-found' }
    for (const args of [['get'], ['update', { text: 'x' }], ['patch', { text: 'x' }], ['remove']] as const) {
      const [method, ...data] = args
      await assert.rejects(door.call(method, '99', ...data, {}), error)
    }
  })
}

const conditions: readonly (readonly [query: object, texts: readonly string[]])[] = [
  [{ author: 'bob' }, ['two']],
  [{ author: 'ada', at: '2026-01-03' }, ['three']],
  [{ author: { $ne: 'ada' } }, ['four', 'two']],
  [{ author: { $in: ['bob', 'cy'] } }, ['four', 'two']],
  [{ author: { $nin: ['bob', 'cy'] } }, ['one', 'three']],
  [{ at: { $lt: '2026-01-02' } }, ['one']],
  [{ at: { $lte: '2026-01-02' } }, ['one', 'two']],
  [{ at: { $gt: '2026-01-03' } }, ['four']],
  [{ at: { $gte: '2026-01-02', $lt: '2026-01-04' } }, ['three', 'two']],
  [{ $or: [{ text: 'one' }, { author: 'bob' }] }, ['one', 'two']],
  [{ author: 'ada', $or: [{ at: { $gt: '2026-01-02' } }, { text: 'two' }] }, ['three']]
]

const moreConditions: typeof conditions = [
  [{ at: { $le: '2026-01-02' } }, ['one', 'two']],
  [{ at: { $ge: '2026-01-03' } }, ['four', 'three']],
  [{ author: { $eq: 'bob' } }, ['two']],
  [{ author: { $eq: 'ada', $ne: 'bob' } }, ['one', 'three']],
  [{ $or: [{ at: { $le: '2026-01-01' } }, { at: { $ge: '2026-01-04' } }] }, ['four', 'one']]
]

const pages: readonly (readonly [query: object, page: object])[] = [
  [{}, { limit: 2, skip: 0, texts: ['one', 'two'] }],
  [{ $limit: 3 }, { limit: 3, skip: 0, texts: ['one', 'two', 'three'] }],
  [{ $limit: 100 }, { limit: 3, skip: 0, texts: ['one', 'two', 'three'] }],
  [{ $limit: 0 }, { limit: 0, skip: 0, texts: [] }],
  [{ $limit: 'abc' }, { limit: 2, skip: 0, texts: ['one', 'two'] }],
  [{ $skip: 1 }, { limit: 2, skip: 1, texts: ['two', 'three'] }],
  [{ $skip: 9 }, { limit: 2, skip: 9, texts: [] }]
]

function addQueryTests(add: Add, hasAllOperators: boolean): void {
  add('a query selects records', {}, async (door) => {
    for (const [query, texts] of conditions) assert.deepEqual(await find(door, query), texts, JSON.stringify(query))
  })
  const hooks = hasAllOperators ? {} : { before: { all: [commonOperators()] } }
  add(
    '`$le`, `$ge` and `$eq`',
    {},
    async (door) => {
      for (const [query, texts] of [...conditions, ...moreConditions])
        assert.deepEqual(await find(door, query), texts, JSON.stringify(query))
    },
    { hooks }
  )
  add('an unknown operator is refused', { multi: true }, async (door) => {
    const refused = [{ $where: '1' }, { author: { $where: '1' } }, { $or: [{ author: { $regex: '.*' } }] }]
    for (const query of refused) {
      const calls = [['find'], ['get', '1'], ['update', '1', {}], ['patch', '1', {}], ['remove', '1'], ['remove', null]]
      for (const [method, ...args] of calls)
        await assert.rejects(door.call(String(method), ...args, { query: structuredClone(query) }), isError(400))
    }
    assert.equal((await find(door, {})).length, 4)
  })
  add('pages', { paginate: { default: 2, max: 3 } }, async (door) => {
    for (const [query, expected] of pages) {
      const page = (await door.call('find', { query: { ...query, $sort: { at: 1 } } })) as PageOfMessages
      const { data, total, ...rest } = page
      const texts = data.map(({ text }) => text)
      assert.deepEqual({ ...rest, texts }, expected, JSON.stringify(query))
      assert.equal(total, 4)
    }
  })
  add('`$sort`, `$limit` and `$skip`', {}, async (door) => {
    const sorted = async (query: object) => ((await door.call('find', { query })) as Message[]).map(({ text }) => text)
    assert.deepEqual(await sorted({ $sort: { at: '-1' } }), ['four', 'three', 'two', 'one'])
    assert.deepEqual(await sorted({ $sort: { author: '1', at: '-1' } }), ['three', 'one', 'two', 'four'])
    assert.deepEqual(await sorted({ $sort: { at: '1' }, $limit: '2', $skip: '1' }), ['two', 'three'])
  })
  add('`$select` names fields', {}, async (door) => {
    const query = { author: 'bob', $select: ['text', 'at'] }
    assert.deepEqual(await door.call('find', { query }), [{ id: 2, text: 'two', at: '2026-01-02' }])
    assert.deepEqual(await door.call('get', '2', { query: { $select: ['text'] } }), { id: 2, text: 'two' })
    const patched = await door.call('patch', '2', { text: 'TWO' }, { query: { $select: ['text'] } })
    assert.deepEqual(patched, { id: 2, text: 'TWO' })
  })
}

function addServiceTests(add: Add): void {
  add('events, one for each record', { multi: true }, async (door, { service }) => {
    const events: string[] = []
    for (const name of ['created', 'updated', 'patched', 'removed'])
      service.on(name, ({ text }: Message) => events.push(`${name} ${text}`))
    const next = () => events.splice(0).sort()
    await door.call('create', [{ text: 'five' }, { text: 'six' }], {})
    assert.deepEqual(next(), ['created five', 'created six'])
    await door.call('update', '1', { text: 'ONE', author: 'ada' }, {})
    assert.deepEqual(next(), ['updated ONE'])
    await door.call('patch', null, { at: '2026-02-01' }, ofAda)
    assert.deepEqual(next(), ['patched ONE', 'patched three'])
    await door.call('remove', null, ofAda)
    assert.deepEqual(next(), ['removed ONE', 'removed three'])
    await assert.rejects(door.call('remove', '99', {}), isError(404))
    assert.deepEqual(next(), [])
  })
  const scoped = scope(() => ({ author: 'ada' }), { internal: true })
  add(
    'a scope holds for each method',
    { multi: true },
    async (door) => {
      assert.deepEqual(await find(door, { $or: [{ author: 'bob' }, { author: 'ada' }] }), ['one', 'three'])
      for (const args of [['get'], ['update', { text: 'x' }], ['patch', { text: 'x' }], ['remove']] as const) {
        const [method, ...data] = args
        await assert.rejects(door.call(method, '2', ...data, {}), isError(404))
      }
      assert.deepEqual(textsOf(await door.call('patch', null, { at: '2026-02-01' }, {})), ['one', 'three'])
      assert.deepEqual(textsOf(await door.call('remove', null, {})), ['one', 'three'])
    },
    { hooks: { around: { all: [scoped] } } }
  )
}
