import { createClient, type Query, rest } from 'fastify-services/client'
import qs from 'qs'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { createFetch, outcome, outcomes } from './outcome.js'

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('')
const queries: Record<string, unknown> = {
  absent: undefined,
  null: null,
  empty: {},
  'two fields': { b: 'x', a: 'y' },
  numbers: { a: 0, b: -0, c: 1.5, d: -1, e: 1e21, f: Number.NaN, g: Number.POSITIVE_INFINITY, h: 10n },
  'values of other kinds': { a: true, b: false, c: null, d: '', e: ' x ' },
  'an undefined field': { a: undefined },
  'an undefined field before another': { a: undefined, b: 1 },
  'a list': { a: [2, 1] },
  'an empty list': { a: [] },
  'an empty list behind a field': { a: 1, b: [] },
  'an empty list before a field': { a: { $in: [] }, b: 1 },
  'a list of undefined': { a: [undefined] },
  'a list with undefined': { a: [undefined, 1] },
  'a list of null': { a: [null, ''] },
  'null that is excluded': { a: { $ne: null } },
  'null in a list that is excluded': { a: { $nin: [1, null] } },
  'a list of twenty': { a: { $nin: Array(20).fill(1) } },
  'a list of twenty-one': { a: { $nin: Array(21).fill(1) } },
  'an empty list that excludes nothing': { a: { $nin: [] }, $sort: {} },
  'texts that look like JSON': { a: 'x,null', b: ':[]', c: '"d":{}' },
  'lists in a list': { a: [[1], [2, 3]] },
  'an empty list in a list': { a: [1, []] },
  'objects in a list': { $or: [{ a: 1, b: 2 }, { c: { $gt: 3 } }] },
  'an empty object': { a: {} },
  'an empty object at the end': { a: 1, b: {} },
  'an empty object in an object': { a: { b: 1, c: {} } },
  'an undefined field in an object': { a: { b: { c: undefined }, d: 1 } },
  operators: { a: { $ne: 1, $in: ['x', 'y'] }, $limit: 0, $skip: 10, $sort: { a: -1, b: 1 }, $select: ['a', 'b'] },
  'a date': { a: new Date(0), b: { $gt: new Date(1e12) }, c: [new Date(1)] },
  'a date that is none': { a: new Date(Number.NaN) },
  'all of ASCII': { k: ascii },
  'safe characters': { 'aZ09_.~-': 'aZ09_.~-' },
  'characters that only qs encodes': { "!'()*": "!'()*!'()*" },
  'letters of other scripts': { größe: 'äöü', 名: 'ß名', '🙂': '🙂🙂' },
  'half a character': { a: '\uD83D', b: 'x\uDE42y\uDE42\uD83Dz', '\uD83D': 1, c: '\uD83D\uDE42\uD83D' },
  'keys in brackets': { 'a[b]': 1, 'c.d': 2, 'e[]': 3 },
  'a function': { a: Boolean, b: 1 },
  'a symbol as a value': { a: Symbol('s') },
  'a map, a set, an expression': { a: new Map([[1, 2]]), b: new Set([1]), c: /x/, d: 1 },
  'a text object': { a: Object('xy') },
  'an instance': {
    a: new (class Point {
      x = 1
    })()
  },
  'a symbol as a key': { [Symbol('s')]: 1, a: 1 },
  'a symbol in an object': { a: { [Symbol('s')]: 1, b: 1 } },
  'an empty key': { '': 1 },
  'an empty key in an object': { a: 1, b: { '': 1, c: 2 } },
  'names that every object has': { constructor: 1, toString: 2 },
  'such a name in a list': { a: [{ b: 1 }, { valueOf: 1, c: 2 }] },
  'an own __proto__': JSON.parse('{"a":1,"__proto__":{"b":2}}'),
  'a name that a list has': { length: 1, map: 2 },
  'no prototype': Object.assign(Object.create(null), { a: { b: 1 } }),
  'an inherited field': Object.create({ a: 1 }),
  'a list as the query': [],
  'a full list as the query': [1],
  'a text as the query': 'a=1',
  'an empty text as the query': '',
  'a number as the query': 0,
  'false as the query': false,
  'a map as the query': new Map([['a', 1]]),
  'search params as the query': new URLSearchParams('a=1'),
  'a date as the query': new Date(0)
}
const { sent, library } = createFetch()
const things = createClient().configure(rest('http://a').fetch(library)).service('things')

/** What a call sends, behind the path or as the body of a QUERY, or else its error. */
async function sentBy(call: () => Promise<unknown>): Promise<unknown> {
  const result = await outcome(call)
  const [request] = sent.splice(0)
  if (request === undefined) return result
  return request.method === 'QUERY' ? `QUERY ${request.body}` : request.url.slice('http://a/things'.length)
}

t.test(
  'every kind of query: as it is sent by `find`, `remove(null)` and `remove(1)`, and whether it is refused',
  async (t) => {
    const table = await outcomes(queries, async (input) => {
      const query = input as Query
      const ofFind = await sentBy(() => things.find({ query }))
      const removed = await sentBy(() => things.remove(null, { query }))
      const ofOne = await sentBy(() => things.remove(1, { query }))
      return removed === ofFind && ofOne === `/1${ofFind}` ? ofFind : [ofFind, removed, ofOne]
    })
    isKept(t, table, 'test/client/whole-queries.txt')
  }
)

t.test('a query is sent as qs prints it', async (t) => {
  for (const [name, query] of Object.entries(queries)) {
    const ofFind = await sentBy(() => things.find({ query: query as Query }))
    if (!/Error|Request|^QUERY/.test(String(ofFind)))
      t.equal(ofFind, qs.stringify(query, { addQueryPrefix: true }), name)
  }
})

t.test('a value that says what JSON makes of it is that in a URL, too', async (t) => {
  class Id {
    bytes = []
    toJSON() {
      return 'abc'
    }
  }
  class Moment extends Id {
    toISOString() {
      return '2026'
    }
  }
  const query = { a: new Id(), b: { $in: [new Id(), new Moment()] }, toJSON: 1, c: new URL('http://x') }
  const sent = `?${qs.stringify({ a: 'abc', b: { $in: ['abc', '2026'] }, toJSON: 1, c: 'http://x/' })}`
  t.equal(await sentBy(() => things.find({ query: query as Query })), sent)
  t.equal(await sentBy(() => things.remove(null, { query: query as Query })), sent)
})

t.test('which calls refuse a query that loses a condition', async (t) => {
  const custom = createClient({ routes: { things: { stats: 'GET /stats' } } })
    .configure(rest('http://a').fetch(library))
    .service('things') as unknown as Record<'stats' | 'publish', (...args: unknown[]) => Promise<unknown>>
  const body = rest('http://a', { query: 'body' }).fetch(library).service('things')
  const inURL = rest('http://a', { query: 'url' }).fetch(library).service('things')
  const calls: Record<string, (query: Query) => Promise<unknown>> = {
    find: (query) => things.find({ query }),
    'find, body': (query) => body.find({ query }),
    'find, url': (query) => inURL.find({ query }),
    'a custom GET': (query) => custom.stats({ query }),
    'a custom POST': (query) => custom.publish({}, { query }),
    'get(1)': (query) => things.get(1, { query }),
    create: (query) => things.create({}, { query }),
    'update(1)': (query) => things.update(1, {}, { query }),
    'patch(1)': (query) => things.patch(1, {}, { query }),
    'remove(1)': (query) => things.remove(1, { query }),
    'update(null)': (query) => things.update(null, {}, { query }),
    'patch(null)': (query) => things.patch(null, {}, { query }),
    'remove(null)': (query) => things.remove(null, { query }),
    'remove(null), body': (query) => body.remove(null, { query }),
    'remove(null), url': (query) => inURL.remove(null, { query })
  }
  const lost: Record<string, Query> = {
    undefined: { a: undefined },
    empty: { a: [] },
    function: { a: Boolean },
    null: { a: null },
    'not null': { a: { $ne: null } },
    'more than twenty': { a: Array(21).fill(1) },
    idle: { a: { $nin: [] } }
  }
  const table = await outcomes(calls, async (call) => {
    const sent: Record<string, unknown> = {}
    for (const [name, query] of Object.entries(lost)) sent[name] = String(await sentBy(() => call(query))).slice(0, 90)
    return sent
  })
  isKept(t, table, 'test/client/whole-queries-lost.txt')
})
