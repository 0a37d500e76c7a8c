import type { QueryParser } from 'fastify-services'
import { BadRequest } from 'fastify-services'
import t, { type Test } from 'tap'
import { createHost, request } from '../support/host.js'

async function create(t: Test, query: QueryParser) {
  const { app, calls } = await createHost(t, { plugin: { query } })
  return async (text: string, url = '/things') => {
    calls.length = 0
    const { status, body } = await request(app, 'GET', `${url}?${text}`)
    return { status, body, query: calls[0]?.params.query }
  }
}

const times = (count: number, text: string) => Array.from({ length: count }, () => text).join('&')

t.test(
  'The limit is raised by setting a custom query parser with an array limit option (for example 1000)',
  async (t) => {
    const find = await create(t, { arrayLimit: 1000 })
    for (const text of ['a[]=1', 'a=1'])
      t.strictSame((await find(times(21, text))).query, { a: Array(21).fill('1') }, text)
    t.strictSame((await find(Array.from({ length: 999 }, (_, i) => `a[${i}]=1`).join('&'))).query, {
      a: Array(999).fill('1')
    })
  }
)

t.test('`arrayLimit` may be lowered', async (t) => {
  const find = await create(t, { arrayLimit: 2 })
  t.strictSame((await find('a[]=1&a[]=2')).query, { a: ['1', '2'] })
  t.strictSame((await find('a[]=1&a[]=2&a[]=3')).query, { a: { 0: '1', 1: '2', 2: '3' } })
})

t.test('`depth`', async (t) => {
  const one = await create(t, { depth: 1 })
  t.strictSame((await one('a[b]=1')).query, { a: { b: '1' } })
  t.match(await one('a[b][c]=1'), { status: 400, body: { name: 'BadRequest' } })
  const ten = await create(t, { depth: 10 })
  t.equal((await ten(`a${'[b]'.repeat(10)}=1`)).status, 200)
  t.equal((await ten(`a${'[b]'.repeat(11)}=1`)).status, 400)
})

t.test('`parameterLimit`', async (t) => {
  const find = await create(t, { parameterLimit: 3 })
  t.strictSame((await find('a=1&b=2&c=3')).query, { a: '1', b: '2', c: '3' })
  t.match(await find('a=1&b=2&c=3&d=4'), { status: 400, body: { name: 'BadRequest', message: /3/ } })
  const wide = await create(t, { parameterLimit: 2000 })
  t.equal(
    Object.keys((await wide(Array.from({ length: 1500 }, (_, i) => `a${i}=1`).join('&'))).query ?? {}).length,
    1500
  )
})

t.test('`comma`, `allowDots`, `allowEmptyArrays`, `strictNullHandling`', async (t) => {
  t.strictSame((await (await create(t, { comma: true }))('a=1,2')).query, { a: ['1', '2'] })
  t.strictSame((await (await create(t, { allowDots: true }))('a.b=1')).query, { a: { b: '1' } })
  t.strictSame((await (await create(t, { allowEmptyArrays: true }))('a[]')).query, { a: [] })
  t.strictSame((await (await create(t, { strictNullHandling: true }))('a&b=')).query, { a: null, b: '' })
})

t.test('more items than `arrayLimit` by `comma` are an object too, never an error by itself', async (t) => {
  const find = await create(t, { comma: true })
  const { status, query } = await find(`a=${Array(21).fill('1').join()}`)
  t.equal(status, 200)
  t.strictSame(Object.values(query?.a as object), Array(21).fill('1'))
})

t.test('`plainObjects` and `allowPrototypes` stay off, also when they are asked for', async (t) => {
  const find = await create(t, { plainObjects: true, allowPrototypes: true } as QueryParser)
  const { query } = await find('__proto__[polluted]=1&toString=1&a[constructor]=1&b[$where]=1')
  t.equal(Object.getPrototypeOf(query), Object.prototype)
  t.notOk(Object.hasOwn(query ?? {}, 'toString'))
  t.equal(Object.getPrototypeOf(query?.b), Object.prototype)
})

t.test('a function: the query string without `?` → the query', async (t) => {
  const seen: string[] = []
  const find = await create(t, (text) => {
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
