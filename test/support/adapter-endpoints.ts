import type { Test } from 'tap'
import { type Adapter, eachDoor, failure } from './adapter-doors.js'

type Message = { id: number; text: string; author: string | null; at: string }
const texts = (result: unknown) => (result as Message[]).map(({ text }) => text).sort()
const ada = { query: { author: 'ada' } }

/** The rows of the table in docs/http.md#requests-and-calls, answered by an adapter. */
export async function endpointsContract(t: Test, adapter: Adapter): Promise<void> {
  const all = { multi: true }

  await t.test('find: JSON array of records', (t) =>
    eachDoor(t, adapter, all, async (t, door) => {
      t.strictSame(texts(await door.call('find', {})), ['four', 'one', 'three', 'two'])
      t.strictSame(texts(await door.call('find', ada)), ['one', 'three'], 'the query selects')
    })
  )

  await t.test('find: a paginated object with `data`', (t) =>
    eachDoor(t, adapter, { paginate: { default: 2, max: 3 } }, async (t, door) => {
      const page = (await door.call('find', ada)) as { data: Message[] }
      t.match(page, { total: 2, limit: 2, skip: 0 })
      t.strictSame(texts(page.data), ['one', 'three'])
      t.strictSame(Object.keys(page).sort(), ['data', 'limit', 'skip', 'total'])
    })
  )

  await t.test('get: one JSON record', (t) =>
    eachDoor(t, adapter, all, async (t, door) => {
      t.strictSame(await door.call('get', '2', {}), { id: 2, text: 'two', author: 'bob', at: '2026-01-02' })
      t.match(await failure(door.call('get', '2', ada)), { code: 404 }, 'the query holds for one record too')
    })
  )

  await t.test('create: the created record', (t) =>
    eachDoor(t, adapter, {}, async (t, door) => {
      const data = { text: 'five', author: 'dan', at: '2026-01-05' }
      t.strictSame(await door.call('create', data, {}), { id: 5, ...data })
      t.match(await door.call('get', 5, {}), { text: 'five' }, 'it is stored')
    })
  )

  await t.test('create: an array of created records, in the order of the request', (t) =>
    eachDoor(t, adapter, { multi: ['create'] }, async (t, door) => {
      const batch = ['five', 'six', 'seven'].map((text) => ({ text, author: 'dan', at: '2026-01-05' }))
      const created = (await door.call('create', batch, {})) as Message[]
      t.strictSame(
        created.map(({ text }) => text),
        ['five', 'six', 'seven']
      )
      t.strictSame(created.map(({ id }) => id).sort(), [5, 6, 7])
      t.strictSame(await door.call('create', [], {}), [], 'an empty batch creates none')
      t.equal(((await door.call('find', {})) as Message[]).length, 7)
    })
  )

  await t.test('update: the replaced record (`update` replaces an entire record)', (t) =>
    eachDoor(t, adapter, {}, async (t, door) => {
      const replaced = (await door.call('update', '1', { text: 'ONE', at: '2026-02-01' }, {})) as Message
      t.match(replaced, { id: 1, text: 'ONE', at: '2026-02-01' })
      t.equal(replaced.author ?? null, null, 'what the data lacks is gone')
      t.strictSame(await door.call('get', '1', {}), replaced)
    })
  )

  await t.test('update (no id): Database adapters support multi-record changes only through patch', (t) =>
    eachDoor(t, adapter, all, async (t, door) => {
      t.match(await failure(door.call('update', null, { text: 'x' }, ada)), {
        name: 'BadRequest',
        message: "You can not replace multiple instances. Did you mean 'patch'?",
        code: 400
      })
      t.strictSame(texts(await door.call('find', {})), ['four', 'one', 'three', 'two'], 'nothing is changed')
    })
  )

  await t.test('patch: the patched record, merged', (t) =>
    eachDoor(t, adapter, {}, async (t, door) => {
      const merged = { id: 1, text: 'ONE', author: 'ada', at: '2026-01-01' }
      t.strictSame(await door.call('patch', '1', { text: 'ONE' }, {}), merged)
      t.strictSame(await door.call('get', '1', {}), merged)
    })
  )

  await t.test('patch (no id): the patched records, which the query selects', (t) =>
    eachDoor(t, adapter, { ...all, paginate: { default: 1, max: 1 } }, async (t, door) => {
      const patched = await door.call('patch', null, { at: '2026-03-01' }, ada)
      t.strictSame(texts(patched), ['one', 'three'], 'all of them, not one page')
      t.match(await door.call('find', { query: { at: '2026-03-01' } }), { total: 2 }, 'the others are as they were')
    })
  )

  await t.test('remove: the removed record', (t) =>
    eachDoor(t, adapter, {}, async (t, door) => {
      t.match(await door.call('remove', '3', {}), { id: 3, text: 'three' })
      t.strictSame(texts(await door.call('find', {})), ['four', 'one', 'two'])
    })
  )

  await t.test('remove (no id): the removed records, which the query selects', (t) =>
    eachDoor(t, adapter, all, async (t, door) => {
      t.strictSame(texts(await door.call('remove', null, ada)), ['one', 'three'])
      t.strictSame(texts(await door.call('find', {})), ['four', 'two'])
      t.equal(((await door.call('remove', null, {})) as unknown[]).length, 2, 'without a query: all')
    })
  )
}
