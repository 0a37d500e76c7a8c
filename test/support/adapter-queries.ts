import { commonOperators } from 'fastify-services'
import type { Test } from 'tap'
import { type Adapter, type AdapterOptions, type Door, eachDoor, failure } from './adapter-doors.js'

type Row = readonly [name: string, query: object, texts: readonly string[]]
type Page = { total: number; limit: number; skip: number; data: { text: string }[] }

const rows: readonly Row[] = [
  ['`<field>=<value>`: equality filter', { author: 'bob' }, ['two']],
  ['two fields', { author: 'ada', at: '2026-01-03' }, ['three']],
  ['`$ne`', { author: { $ne: 'ada' } }, ['four', 'two']],
  ['`$in`', { author: { $in: ['bob', 'cy'] } }, ['four', 'two']],
  ['`$in` with one item', { author: { $in: ['bob'] } }, ['two']],
  ['`$nin`', { author: { $nin: ['bob', 'cy'] } }, ['one', 'three']],
  ['`$lt`', { at: { $lt: '2026-01-02' } }, ['one']],
  ['`$lte`', { at: { $lte: '2026-01-02' } }, ['one', 'two']],
  ['`$gt`', { at: { $gt: '2026-01-03' } }, ['four']],
  ['`$gte` and `$lt` of one field', { at: { $gte: '2026-01-02', $lt: '2026-01-04' } }, ['three', 'two']],
  ['`$or`', { $or: [{ text: 'one' }, { author: 'bob' }] }, ['one', 'two']],
  [
    '`$or` beside a field, operators in it',
    { author: 'ada', $or: [{ at: { $gt: '2026-01-02' } }, { text: 'two' }] },
    ['three']
  ]
]

const operators: readonly Row[] = [
  ['`$le`', { at: { $le: '2026-01-02' } }, ['one', 'two']],
  ['`$ge`', { at: { $ge: '2026-01-03' } }, ['four', 'three']],
  ['`$eq`', { author: { $eq: 'bob' } }, ['two']],
  ['`$eq` beside another operator', { author: { $eq: 'ada', $ne: 'bob' } }, ['one', 'three']],
  ['`$le` and `$ge` in `$or`', { $or: [{ at: { $le: '2026-01-01' } }, { at: { $ge: '2026-01-04' } }] }, ['four', 'one']]
]

const pages: readonly [name: string, query: object, page: { limit: number; skip: number; data: string[] }][] = [
  ['the default', {}, { limit: 2, skip: 0, data: ['one', 'two'] }],
  ['`$limit`', { $limit: 3 }, { limit: 3, skip: 0, data: ['one', 'two', 'three'] }],
  ['`$limit` over the maximum', { $limit: 100 }, { limit: 3, skip: 0, data: ['one', 'two', 'three'] }],
  ['`$limit=0`: the total alone', { $limit: 0 }, { limit: 0, skip: 0, data: [] }],
  ['`$limit=abc`: the default', { $limit: 'abc' }, { limit: 2, skip: 0, data: ['one', 'two'] }],
  ['`$limit=-1`: the default', { $limit: -1 }, { limit: 2, skip: 0, data: ['one', 'two'] }],
  ['`$skip`', { $skip: 1 }, { limit: 2, skip: 1, data: ['two', 'three'] }],
  ['`$skip` past the end', { $skip: 9 }, { limit: 2, skip: 9, data: [] }]
]

const refused: readonly [query: object, message: RegExp][] = [
  [{ $where: '1' }, /^(Invalid filter value \$where|There is no operator '\$where')$/],
  [{ author: { $where: '1' } }, /^(Invalid query parameter \$where|There is no operator '\$where')$/],
  [{ $or: [{ author: { $where: '1' } }] }, /^(Invalid query parameter \$where|There is no operator '\$where')$/],
  [{ author: { $regex: '.*' } }, /^(Invalid query parameter \$regex|There is no operator '\$regex')$/]
]
// Our own adapters know it.
const refusedByFeathers = [[{ at: { $le: '2026' } }, /^Invalid query parameter \$le$/]] as const

async function texts(door: Door, query: object): Promise<string[]> {
  return ((await door.call('find', { query })) as { text: string }[]).map(({ text }) => text)
}

/** What docs/http.md#queries says of queries, answered by an adapter. */
export async function queriesContract(t: Test, adapter: Adapter): Promise<void> {
  const paginate: AdapterOptions = { paginate: { default: 2, max: 3 } }

  await t.test('filters', (t) =>
    eachDoor(t, adapter, {}, async (t, door) => {
      for (const [name, query, expected] of rows) t.strictSame((await texts(door, query)).sort(), expected, name)
    })
  )

  await t.test('`commonOperators()` maps `$le`, `$ge`, `$eq`', (t) => {
    const hooks = { before: { all: [commonOperators()] } }
    return eachDoor(
      t,
      adapter,
      {},
      async (t, door) => {
        for (const [name, query, expected] of operators) t.strictSame((await texts(door, query)).sort(), expected, name)
        for (const [name, query, expected] of rows)
          t.strictSame((await texts(door, query)).sort(), expected, `still ${name}`)
        t.match(await failure(door.call('find', { query: { $where: '1' } })), { code: 400 }, 'others are refused')
      },
      { hooks }
    )
  })

  await t.test('an unknown operator is refused by each method that has a query (400)', (t) =>
    eachDoor(t, adapter, { multi: true }, async (t, door) => {
      for (const [query, message] of [...refused, ...(adapter.isOfFeathers ? refusedByFeathers : [])]) {
        const calls = [
          ['find'],
          ['get', '1'],
          ['update', '1', { text: 'x' }],
          ['patch', '1', { text: 'x' }],
          ['remove', '1'],
          ['patch', null, { text: 'x' }],
          ['remove', null]
        ] as const
        for (const [method, ...args] of calls) {
          const error = await failure(door.call(method, ...args, { query: structuredClone(query) }))
          t.match(
            error,
            { name: 'BadRequest', message, code: 400, className: 'bad-request' },
            `${method} ${JSON.stringify(query)}`
          )
        }
      }
      t.equal((await texts(door, {})).length, 4, 'nothing is changed')
    })
  )

  await t.test('pages: `data`, `total`, `limit`, `skip`', (t) =>
    eachDoor(t, adapter, paginate, async (t, door) => {
      for (const [name, query, { data, ...expected }] of pages) {
        const page = (await door.call('find', { query: { ...query, $sort: { at: 1 } } })) as Page
        t.strictSame(
          page.data.map(({ text }) => text),
          data,
          name
        )
        t.match(page, { total: 4, ...expected }, name)
      }
    })
  )

  await t.test('`$limit`, `$skip` and `$limit=abc` without pages', (t) =>
    eachDoor(t, adapter, {}, async (t, door) => {
      const $sort = { at: '1' }
      t.strictSame(await texts(door, { $sort, $limit: '2', $skip: '1' }), ['two', 'three'])
      t.strictSame(await texts(door, { $sort, $limit: '0' }), [])
      t.equal((await texts(door, { $sort, $limit: 'abc' })).length, 4)
    })
  )

  await t.test('`$sort[<field>]=<direction>`: direction given as a string', (t) =>
    eachDoor(t, adapter, {}, async (t, door) => {
      t.strictSame(await texts(door, { $sort: { at: '-1' } }), ['four', 'three', 'two', 'one'])
      t.strictSame(await texts(door, { $sort: { author: '1', at: '-1' } }), ['three', 'one', 'two', 'four'])
    })
  )

  await t.test('`$select[]=<field>`: fields to include, and the id', (t) =>
    eachDoor(t, adapter, {}, async (t, door) => {
      const query = { author: 'bob', $select: ['text', 'at'] }
      t.strictSame(await door.call('find', { query }), [{ id: 2, text: 'two', at: '2026-01-02' }])
      t.strictSame(await door.call('get', '2', { query: { $select: ['text'] } }), { id: 2, text: 'two' })
      t.strictSame(await door.call('patch', '2', { text: 'TWO' }, { query: { $select: ['text'] } }), {
        id: 2,
        text: 'TWO'
      })
    })
  )
}
