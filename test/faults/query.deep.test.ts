import t, { type Test } from 'tap'
import type { Expected } from './compare.js'
import { type Row, runRows } from './runner.js'

const times = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => of(index)).join('&')
const twentyOne = Array.from({ length: 21 }, (_, index) => [`${index}`, '1'])

type Query = [row: string, query: string, status: 200 | 400, further?: { query?: object; absent?: RegExp }]

const lists: [string, (index: number) => string][] = [
  ['a[]=1', () => 'a[]=1'],
  ['a=1', () => 'a=1'],
  ['a[i]=1', (i) => `a[${i}]=1`]
]
const prototypes = [
  ...['__proto__[polluted]=1', 'a[__proto__][x]=1', 'constructor[prototype][x]=1', '__proto__=1', '__proto__[]=1'],
  ...['[__proto__][polluted]=1', 'a[constructor][prototype][polluted]=1', '%5F%5Fproto%5F%5F%5Bpolluted%5D=1'],
  ...[
    'a%5B__proto__%5D%5Bx%5D=1',
    '%63onstructor[prototype][x]=1',
    '__proto__%5Bpolluted%5D=1',
    'a[]=1&a[__proto__]=1'
  ],
  ...['a=1&a[__proto__][polluted]=1', '__proto__[__proto__][polluted]=1']
]
const odd = [
  ...['a=%zz', 'b=%E0%A4%A', 'c=%00', '$limit=1&$limit=2', '$limit[a]=1', '%=1', '%zz[a]=1', 'a[%zz]=1', '$limit='],
  ...['$sort=', '$select=', '$sort[]=1', '$in=', '[]=1', '[', ']', '[[]]=1', 'a[=1', 'a[]]=1', 'a[b]c=1', '=', '&'],
  ...['===', 'a[%01]=1', '%F0%9F%98%80=%F0%9F%98%80', '%ED%A0%80=1', 'a[]=1&a[b]=2&a=3', 'a=1&a[b]=2', 'a[length]=1'],
  ...['a[]=b&a[length]=1000000000', 'a[4294967295]=1', 'a[-1]=1', 'a[1.5]=1', 'a[99999999999999999999]=1'],
  ...['hasOwnProperty=1', 'toString[call]=1', 'then=1', 'toJSON=1', 'a[toJSON]=1', '?', '#a', 'a#b', 'signal=1'],
  ...['__proto__.polluted=1', '$skip=1e20', '$like=%5C', '$skip=-1', '$limit=NaN', '$where=1', 'a[$where]=1', 'a[]']
]

const queries: Query[] = [
  ...lists.map(
    ([name, of]): Query => [
      `${name} × 21: an object with index keys (arrayLimit 20)`,
      times(21, of),
      200,
      { query: { a: Object.fromEntries(twentyOne) } }
    ]
  ),
  ['1000 parameters', times(1000, (i) => `a${i}=1`), 200],
  ['1001 parameters', times(1001, (i) => `a${i}=1`), 400],
  ['1001 parameters of one name', times(1001, () => 'a=1'), 400],
  ['1001 list items', times(1001, () => 'a[]=1'), 400],
  ['10,000 ampersands', '&'.repeat(10_000), 400],
  ['a[b][c][d][e][f]=1', 'a[b][c][d][e][f]=1', 200],
  ['a[b][c][d][e][f][g]=1', 'a[b][c][d][e][f][g]=1', 400],
  ['2,000 levels', `a${'[b]'.repeat(2000)}=1`, 400],
  ['4,000 list levels', `a${'[]'.repeat(4000)}=1`, 400],
  ...prototypes.map(
    (query): Query => [`${query}: keys absent`, query, 200, { absent: /polluted|__proto__|constructor|prototype|"x"/ }]
  ),
  ...odd.map((query): Query => [`${query}: never 500 from the transport`, query, 200])
]

const answered = (method: string, args: unknown[], query: object, route = {}): Pick<Expected, 'body'> => ({
  body: { method, args, query, route }
})

const rows = queries.flatMap(([row, query, status, { query: parsed, absent } = {}]): Row[] => {
  const expected = absent ? { absent } : {}
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return [
    {
      row,
      request: { target: `/things?${query}` },
      expected: {
        ...expected,
        status,
        calls: status === 400 ? [] : [{ method: 'find' }],
        ...(parsed && answered('find', [], parsed))
      }
    },
    {
      row: `in a form: ${row}`,
      request: { verb: 'POST', target: '/things', headers: form, body: query },
      expected: {
        ...expected,
        status: status === 200 ? 201 : 400,
        calls: status === 400 ? [] : [{ method: 'create' }],
        ...(parsed && answered('create', [parsed], {}))
      }
    }
  ]
})

const json = { 'Content-Type': 'application/json', Provider: 'x', Authenticated: 'true' }
const params: Row[] = [
  {
    row: '`?provider=x&authenticated=true`, headers and body of those names',
    request: {
      verb: 'POST',
      target: '/things?provider=x&authenticated=true',
      headers: json,
      body: '{"provider":"x","authenticated":true}'
    },
    expected: {
      status: 201,
      ...answered('create', [{ provider: 'x', authenticated: true }], { provider: 'x', authenticated: 'true' })
    }
  },
  {
    row: 'a placeholder named `query` or `provider`',
    request: { target: '/rooms/a/internal/seats/1?b=2' },
    expected: { status: 200, ...answered('get', ['1'], { b: '2' }, { query: 'a', provider: 'internal' }) }
  }
]

t.test('Query and path: queries and forms', (t) => runRows(t as Test, [...rows, ...params]))
t.test('the same on a host with parsers and hooks of its own', (t) =>
  runRows(t as Test, [...rows, ...params], { plugins: true, late: true })
)
t.test('the same by HTTP/2', (t) =>
  runRows(
    t as Test,
    rows.filter(({ request }) => request.body === undefined && !request.target.includes('#')),
    { http2: true }
  )
)

const raised = lists.map(
  ([name, of]): Row => ({
    row: `${name} × 21, with \`arrayLimit: 1000\`: an array`,
    request: { target: `/things?${times(21, of)}` },
    expected: { status: 200, ...answered('find', [], { a: Array(21).fill('1') }) }
  })
)
t.test('with `arrayLimit: 1000`', (t) => runRows(t as Test, raised, { plugin: { query: { arrayLimit: 1000 } } }))
