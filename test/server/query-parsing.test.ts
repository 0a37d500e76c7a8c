import { BadRequest, type QueryParser } from 'fastify-services'
import qs from 'qs'
import t, { type Test } from 'tap'
import { createHost, request } from '../support/host.js'

const times = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => of(index)).join('&')

async function create(t: Test) {
  const { app, calls } = await createHost(t)
  return async (query: string) => {
    calls.length = 0
    const { status, body } = await request(app, 'GET', `/things?${query}`)
    return { status, body, query: calls[0]?.params.query, called: calls.length }
  }
}

t.test('nested bracket syntax in a query produces nested objects in `params.query`', async (t) => {
  const find = await create(t)
  for (const query of [
    'a=1',
    'a[b]=1',
    'a[b][c]=1&a[b][d]=2',
    'a[]=1&a[]=2',
    'a=1&a=2',
    'a[0]=x&a[1]=y',
    'a[1]=y&a[0]=x',
    '$sort[createdAt]=-1',
    '$select[]=a&$select[]=b',
    'age[$lt]=5&age[$gte]=1',
    '$or[0][a]=1&$or[1][b]=2',
    'a.b=1',
    'a=1,2',
    'a=',
    'a',
    '=1',
    '&&a=1&',
    'a=%20+b',
    '%61=1',
    'a%5Bb%5D=1',
    'a[=1',
    'a]=1',
    'a[b=1',
    'a[][b]=1&a[][b]=2',
    'é=%C3%A9',
    'a=b=c',
    'a?b=1',
    '?a=1',
    'a=/&b=?'
  ])
    t.strictSame((await find(query)).query, qs.parse(query), query)
})

t.test('all leaves strings: no type conversion happens', async (t) => {
  const find = await create(t)
  const { query } = await find('a=1&b=true&c=null&d=undefined&e=1.5&f[]=2&g[$in][]=3&$limit=10&h=&i')
  t.strictSame(query, {
    a: '1',
    b: 'true',
    c: 'null',
    d: 'undefined',
    e: '1.5',
    f: ['2'],
    g: { $in: ['3'] },
    $limit: '10',
    h: '',
    i: ''
  })
})

t.test('no query: an empty object', async (t) => {
  const { app, calls } = await createHost(t)
  for (const url of ['/things', '/things?', '/things?&', '/things/1', '/things/1?']) await request(app, 'GET', url)
  t.strictSame(
    calls.map(({ params }) => params.query),
    [{}, {}, {}, {}, {}]
  )
})

t.test('Limits: 20 items; a longer array is turned into an object with indices as keys', async (t) => {
  const find = await create(t)
  const list = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`)
  const spellings = [(i: number) => `a[]=v${i}`, (i: number) => `a=v${i}`, (i: number) => `a[${i}]=v${i}`]
  for (const spelling of spellings) {
    t.strictSame((await find(times(20, spelling))).query, { a: list(20) }, `${spelling(0)} × 20`)
    const { status, query } = await find(times(21, spelling))
    t.strictSame([status, query], [200, { a: { ...list(21) } }], `${spelling(0)} × 21`)
  }
})

t.test('More than `parameterLimit` (1000) parameters: 400 BadRequest, never silently cut', async (t) => {
  const find = await create(t)
  const { query } = await find(times(1000, (i) => `a${i}=1`))
  t.equal(Object.keys(query ?? {}).length, 1000)
  const { status, body, called } = await find(times(1001, (i) => `a${i}=1`))
  t.match(
    { status, body, called },
    { status: 400, called: 0, body: { name: 'BadRequest', className: 'bad-request', message: /1000/ } }
  )
})

t.test('more depth than `depth` (5): 400 BadRequest, never silently cut', async (t) => {
  const find = await create(t)
  t.strictSame((await find('a[b][c][d][e][f]=1')).query, { a: { b: { c: { d: { e: { f: '1' } } } } } })
  for (const query of ['a[b][c][d][e][f][g]=1', 'x=1&a[b][c][d][e][f][]=1', `a${'[b]'.repeat(500)}=1`]) {
    t.match(
      await find(query),
      { status: 400, called: 0, body: { name: 'BadRequest', className: 'bad-request' } },
      query.slice(0, 40)
    )
  }
})

t.test('Names of `Object.prototype` are dropped, as `qs` does', async (t) => {
  const find = await create(t)
  for (const name of Object.getOwnPropertyNames(Object.prototype)) {
    t.strictSame((await find(`${name}=1&a=2`)).query, { a: '2' }, name)
    t.strictSame((await find(`${name}[x]=1&a=2`)).query, { a: '2' }, `${name}[x]`)
    const { status, query } = await find(`a[${name}]=1&b=2`)
    t.equal(status, 200)
    t.notOk(Object.hasOwn((query?.a as object) ?? {}, name), `a[${name}]`)
  }
})

t.test('The transport passes every operator on', async (t) => {
  const find = await create(t)
  const names = [
    '$le',
    '$lt',
    '$ne',
    '$eq',
    '$in',
    '$nin',
    '$gt',
    '$gte',
    '$lte',
    '$ge',
    '$or',
    '$and',
    '$where',
    '$regex',
    '$unknown'
  ]
  for (const name of names)
    t.strictSame((await find(`a[${name}]=1&${name}=2`)).query, { a: { [name]: '1' }, [name]: '2' }, name)
})

t.test('the rows hold for every verb', async (t) => {
  const { app, calls } = await createHost(t)
  for (const [verb, url, payload] of [
    ['GET', '/things/1'],
    ['POST', '/things', {}],
    ['PUT', '/things/1', {}],
    ['PATCH', '/things', {}],
    ['DELETE', '/things']
  ] as const) {
    calls.length = 0
    await request(app, verb, `${url}?a[b]=1&__proto__[x]=1`, payload && { payload })
    t.strictSame(calls[0]?.params.query, { a: { b: '1' } }, verb)
    t.equal((await request(app, verb, `${url}?a[b][c][d][e][f][g]=1`, payload && { payload })).status, 400, verb)
    t.equal(calls.length, 1, 'a filter that passes a limit selects nothing')
  }
})

async function createWithQuery(t: Test, query: QueryParser) {
  const { app, calls } = await createHost(t, { plugin: { query } })
  return async (text: string, url = '/things') => {
    calls.length = 0
    const { status, body } = await request(app, 'GET', `${url}?${text}`)
    return { status, body, query: calls[0]?.params.query }
  }
}

const repeat = (count: number, text: string) => Array.from({ length: count }, () => text).join('&')

t.test(
  'The limit is raised by setting a custom query parser with an array limit option (for example 1000)',
  async (t) => {
    const find = await createWithQuery(t, { arrayLimit: 1000 })
    for (const text of ['a[]=1', 'a=1'])
      t.strictSame((await find(repeat(21, text))).query, { a: Array(21).fill('1') }, text)
    t.strictSame((await find(Array.from({ length: 999 }, (_, i) => `a[${i}]=1`).join('&'))).query, {
      a: Array(999).fill('1')
    })
  }
)

t.test('`arrayLimit` may be lowered', async (t) => {
  const find = await createWithQuery(t, { arrayLimit: 2 })
  t.strictSame((await find('a[]=1&a[]=2')).query, { a: ['1', '2'] })
  t.strictSame((await find('a[]=1&a[]=2&a[]=3')).query, { a: { 0: '1', 1: '2', 2: '3' } })
})

t.test('`depth`', async (t) => {
  const shallow = await createWithQuery(t, { depth: 1 })
  t.strictSame((await shallow('a[b]=1')).query, { a: { b: '1' } })
  t.match(await shallow('a[b][c]=1'), { status: 400, body: { name: 'BadRequest' } })
  const ten = await createWithQuery(t, { depth: 10 })
  t.equal((await ten(`a${'[b]'.repeat(10)}=1`)).status, 200)
  t.equal((await ten(`a${'[b]'.repeat(11)}=1`)).status, 400)
  for (const depth of [0, false] as const)
    t.strictSame((await (await createWithQuery(t, { depth }))('a[b]=1')).query, { 'a[b]': '1' }, 'nothing nests')
})

t.test('`parameterLimit`', async (t) => {
  const find = await createWithQuery(t, { parameterLimit: 3 })
  t.strictSame((await find('a=1&b=2&c=3')).query, { a: '1', b: '2', c: '3' })
  t.match(await find('a=1&b=2&c=3&d=4'), { status: 400, body: { name: 'BadRequest', message: /3/ } })
  const wide = await createWithQuery(t, { parameterLimit: 2000 })
  t.equal(
    Object.keys((await wide(Array.from({ length: 1500 }, (_, i) => `a${i}=1`).join('&'))).query ?? {}).length,
    1500
  )
})

t.test('`comma`, `allowDots`, `allowEmptyArrays`, `strictNullHandling`', async (t) => {
  t.strictSame((await (await createWithQuery(t, { comma: true }))('a=1,2')).query, { a: ['1', '2'] })
  t.strictSame((await (await createWithQuery(t, { allowDots: true }))('a.b=1')).query, { a: { b: '1' } })
  t.strictSame((await (await createWithQuery(t, { allowEmptyArrays: true }))('a[]')).query, { a: [] })
  t.strictSame((await (await createWithQuery(t, { strictNullHandling: true }))('a&b=')).query, { a: null, b: '' })
})

t.test('more items than `arrayLimit` by `comma` are an object too, never an error by itself', async (t) => {
  const find = await createWithQuery(t, { comma: true })
  const { status, query } = await find(`a=${Array(21).fill('1').join()}`)
  t.equal(status, 200)
  t.strictSame(Object.values(query?.a as object), Array(21).fill('1'))
})

t.test('`plainObjects` and `allowPrototypes` stay off, also when they are asked for', async (t) => {
  const find = await createWithQuery(t, { plainObjects: true, allowPrototypes: true } as QueryParser)
  const { query } = await find('__proto__[polluted]=1&toString=1&a[constructor]=1&b[$where]=1')
  t.equal(Object.getPrototypeOf(query), Object.prototype)
  t.notOk(Object.hasOwn(query ?? {}, 'toString'))
  t.equal(Object.getPrototypeOf(query?.b), Object.prototype)
})

t.test('a function: the query string without `?` → the query', async (t) => {
  const seen: string[] = []
  const find = await createWithQuery(t, (text) => {
    seen.push(text)
    return { text, length: text.length }
  })
  t.strictSame((await find('a=1&b=%20')).query, { text: 'a=1&b=%20', length: 9 })
  t.strictSame((await find('', '/things/1')).query, { text: '', length: 0 })
  t.strictSame(seen, ['a=1&b=%20', ''])
})

t.test('a function parses urlencoded bodies too', async (t) => {
  const { app, calls } = await createHost(t, { plugin: { query: (text) => ({ text }) } })
  await request(app, 'POST', '/things', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'a=1'
  })
  t.strictSame(calls[0]?.args, [{ text: 'a=1' }])
})

t.test('a function that throws: 400 BadRequest, for a query and for a form', async (t) => {
  const thrown = [new Error('secret'), new TypeError('secret'), new BadRequest('no'), 'text', null, undefined]
  for (const error of thrown) {
    const { app, calls } = await createHost(t, {
      plugin: {
        query: (text) => {
          if (text === '') return {}
          throw error
        }
      }
    })
    t.match(
      await request(app, 'GET', '/things?a=1'),
      { status: 400, body: { name: 'BadRequest', className: 'bad-request' } },
      `${error}`
    )
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: 'a=1' }
    t.match(
      await request(app, 'POST', '/things', form),
      { status: 400, body: { name: 'BadRequest', className: 'bad-request' } },
      `${error}`
    )
    t.strictSame(calls, [])
    t.equal((await request(app, 'GET', '/things')).status, 200)
  }
})
