import { createClient, rest } from 'fastify-services/client'
import t from 'tap'
import { mergeHeaders, nameIn } from '../../lib/client/headers.js'
import { createClientOfEcho } from '../support/client-app.js'

t.test('later headers win, whatever the case of their names', async (t) => {
  t.same(mergeHeaders({ Accept: 'a', 'X-One': '1' }, { accept: 'b' }, undefined, { 'x-one': 2, 'X-Two': undefined }), {
    accept: 'b',
    'x-one': '2'
  })
  t.same(mergeHeaders(new Headers({ A: '1' }), [['b', '2']], new Map([['A', '3']])), { b: '2', A: '3' })
  t.same(mergeHeaders({ a: null, b: '1' }, { B: undefined }), { b: '1' })
  t.equal(nameIn({ AUTHORIZATION: 'x' }, 'Authorization'), 'AUTHORIZATION')
  t.equal(nameIn({}, 'Authorization'), undefined)
})

t.test(
  '`options.headers`, `connection.headers` and `params.headers` are merged; neither loses `Authorization`',
  async (t) => {
    const { address, asked } = await createClientOfEcho(t)
    const connect = rest(address, { headers: { 'X-Rest': '1', 'X-Any': 'rest' } })
    const app = createClient().configure(connect.fetch(fetch, { headers: { 'x-any': 'adapter', 'X-Adapter': '1' } }))
    const service = app.service('things')
    await service.find()
    await service.find({ headers: { 'X-Call': '1' }, connection: { headers: { authorization: 'Bearer a' } } })
    await service.find({ headers: { Authorization: 'Bearer b' }, connection: { headers: { 'X-Any': 'connection' } } })
    const seen = asked.map(({ headers }) => [
      headers['x-rest'],
      headers['x-any'],
      headers['x-adapter'],
      headers['x-call'],
      headers.authorization
    ])
    t.same(seen, [
      ['1', 'adapter', '1', undefined, undefined],
      ['1', 'adapter', '1', '1', 'Bearer a'],
      ['1', 'connection', '1', undefined, 'Bearer b']
    ])
    t.ok(
      asked.every(({ headers }) => headers.accept === 'application/json'),
      'always sends `Accept: application/json`'
    )
  }
)

t.test('a body is JSON, and says so unless the call names another type', async (t) => {
  const { app, asked } = await createClientOfEcho(t)
  await app.service('things').create({ a: 1 })
  await app.service('things').create({ a: 1 }, { headers: { 'content-type': 'application/vnd.api+json' } })
  await app.service('things').remove('1')
  await app.service('things').create(new URLSearchParams({ a: '1' }) as never)
  t.same(
    asked.map(({ headers, body }) => [headers['content-type'], body]),
    [
      ['application/json', '{"a":1}'],
      ['application/vnd.api+json', '{"a":1}'],
      [undefined, ''],
      ['application/x-www-form-urlencoded;charset=UTF-8', 'a=1']
    ]
  )
})
