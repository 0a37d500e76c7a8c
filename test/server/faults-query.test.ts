import { performance } from 'node:perf_hooks'
import t, { type Test } from 'tap'
import { startChild } from '../support/request-child.js'

const times = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => of(index)).join('&')
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
type Row = readonly [
  name: string,
  query: string,
  status: number,
  check?: (t: Test, query: Record<string, unknown>) => void
]

const isObject = (t: Test, { a }: Record<string, unknown>) => {
  t.notOk(Array.isArray(a))
  t.strictSame(
    Object.keys(a as object),
    Array.from({ length: 21 }, (_, index) => `${index}`)
  )
}
const isList = (t: Test, { a }: Record<string, unknown>) => {
  t.strictSame(a, Array(21).fill('1'))
}
const absent = (t: Test, query: Record<string, unknown>) => {
  t.notMatch(JSON.stringify(query), /polluted|__proto__|constructor|prototype|"x"/)
}
const nothing = () => {}
const lists: [string, (index: number) => string][] = [
  ['a[]=1', () => 'a[]=1'],
  ['a=1', () => 'a=1'],
  ['a[i]=1', (i) => `a[${i}]=1`]
]

const rows: Row[] = [
  ...lists.map(
    ([name, of]): Row => [`${name} × 21: 200, object with index keys (arrayLimit 20)`, times(21, of), 200, isObject]
  ),
  ['1001 parameters', times(1001, (i) => `a${i}=1`), 400],
  ['1001 parameters of one name', times(1001, () => 'a=1'), 400],
  ['1001 list items', times(1001, () => 'a[]=1'), 400],
  ['10,000 ampersands', '&'.repeat(10_000), 400],
  ['a[b][c][d][e][f][g]=1', 'a[b][c][d][e][f][g]=1', 400],
  ['2,000 levels', `a${'[b]'.repeat(2000)}=1`, 400],
  ['4,000 list levels', `a${'[]'.repeat(4000)}=1`, 400],
  ...[
    '__proto__[polluted]=1',
    'a[__proto__][x]=1',
    'constructor[prototype][x]=1',
    '__proto__=1',
    '__proto__[]=1',
    '[__proto__][polluted]=1',
    'a[constructor][prototype][polluted]=1',
    '%5F%5Fproto%5F%5F%5Bpolluted%5D=1',
    'a%5B__proto__%5D%5Bx%5D=1',
    '%63onstructor[prototype][x]=1',
    '__proto__%5Bpolluted%5D=1',
    '__proto__.polluted=1',
    'a[]=1&a[__proto__]=1',
    'a=1&a[__proto__][polluted]=1',
    '__proto__[__proto__][polluted]=1'
  ].map((query): Row => [`${query}: keys absent`, query, 200, query.includes('.') ? nothing : absent]),
  ...[
    'a=%zz',
    'b=%E0%A4%A',
    'c=%00',
    '$limit=1&$limit=2',
    '$limit[a]=1',
    '%=1',
    '%zz[a]=1',
    'a[%zz]=1',
    '$limit=',
    '$sort=',
    '$select=',
    '$sort[]=1',
    '$in=',
    '[]=1',
    '[',
    ']',
    '[[]]=1',
    'a[=1',
    'a[]]=1',
    'a[b]c=1',
    '=',
    '&',
    '===',
    'a[\u0001]=1'.replace('\u0001', '%01'),
    '%F0%9F%98%80=%F0%9F%98%80',
    '%ED%A0%80=1',
    'a[]=1&a[b]=2&a=3',
    'a=1&a[b]=2',
    'a[length]=1',
    'a[]=b&a[length]=1000000000',
    'a[4294967295]=1',
    'a[-1]=1',
    'a[1.5]=1',
    'a[99999999999999999999]=1',
    'hasOwnProperty=1',
    'toString[call]=1',
    'then=1',
    'toJSON=1',
    'a[toJSON]=1',
    '?',
    '#a',
    'a#b'
  ].map((query): Row => [`${query}: never 500 from the transport`, query, 200])
]

t.test('Query and path: the rows of the query', async (t) => {
  const { request, alive } = await startChild(t)
  for (const [name, query, status, check] of rows) {
    await t.test(name, async (t) => {
      const answer = await request('GET', `/things?${query}`)
      t.equal(answer.status, status)
      const body = JSON.parse(answer.body)
      if (status === 400) t.match(body, { name: 'BadRequest', code: 400, className: 'bad-request' })
      else check?.(t, body.query)
      t.equal((await alive(t, name)).length, status === 200 ? 1 : 0)
    })
    await t.test(`the same in a form body: ${name}`, async (t) => {
      const answer = await request('POST', '/things', form, query)
      t.equal(answer.status, status === 200 ? 201 : status)
      const body = JSON.parse(answer.body)
      if (status === 400) t.match(body, { name: 'BadRequest', code: 400, className: 'bad-request' })
      else check?.(t, body.args[0])
      await alive(t, name)
    })
  }
})

t.test('with `arrayLimit: 1000` an array', async (t) => {
  const { request, alive } = await startChild(t, { plugin: { query: { arrayLimit: 1000 } } })
  for (const [name, of] of lists) {
    const answer = await request('GET', `/things?${times(21, of)}`)
    isList(t, JSON.parse(answer.body).query)
    await alive(t, name)
  }
})

t.test('`a[]=b&a[length]=1000000000`: answered within 5 ms of a plain query', async (t) => {
  const { request, alive } = await startChild(t)
  // The quickest of many is what the work takes, whatever else the machine does.
  const quickest = async (query: string) => {
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < 40; round++) {
      const start = performance.now()
      t.equal((await request('GET', `/things?${query}`)).status, 200)
      best = Math.min(best, performance.now() - start)
    }
    return best
  }
  for (const query of ['a[]=b&a[length]=1000000000', 'a[]=b&a[1000000000]=c', 'a[0]=b&a[4294967294]=c']) {
    const plain = await quickest('a[]=b&a[c]=d')
    const hostile = await quickest(query)
    t.ok(hostile < plain + 5, `${query}: ${hostile} ms, ${plain} ms for a plain one`)
  }
  await alive(t, 'length')
})

t.test(
  '`?provider=x&authenticated=true`, headers or body of those names, a placeholder named `query` or `provider`',
  async (t) => {
    const { request, alive } = await startChild(t)
    const headers = { 'Content-Type': 'application/json', Provider: 'x', Authenticated: 'true' }
    const answer = await request(
      'POST',
      '/things?provider=x&authenticated=true',
      headers,
      '{"provider":"x","authenticated":true}'
    )
    t.strictSame([answer.status, JSON.parse(answer.body).params], [201, undefined])
    t.match(JSON.parse(answer.body), {
      args: [{ provider: 'x', authenticated: true }],
      query: { provider: 'x', authenticated: 'true' }
    })
    const seat = await request('GET', '/rooms/a/internal/seats/1?b=2')
    t.strictSame(JSON.parse(seat.body), {
      method: 'get',
      args: ['1'],
      query: { b: '2' },
      route: { query: 'a', provider: 'internal' }
    })
    await alive(t, 'provider')
  }
)
