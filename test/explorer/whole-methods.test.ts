import t from 'tap'
import { strategiesIn } from '../../lib/explorer/model/login.js'
import { servicesIn } from '../../lib/explorer/model/services.js'
import { isKept } from '../support/kept.js'
import { json, mark, readAll, text } from './documents.js'
import { toShort } from './plain.js'

const parsed = (text: string) => JSON.parse(text)

t.test('several operations of a method, and the logins among them', async (t) => {
  const strategy = (name: unknown, ...fields: string[]) => ({
    properties: Object.fromEntries([
      ...fields.slice(0, 1).map((field) => [field, {}]),
      ['strategy', Array.isArray(name) ? { enum: name } : { const: name }],
      ...fields.slice(1).map((field) => [field, text])
    ])
  })
  const login = (path: string, ...schemas: unknown[]) => ({
    post: { 'x-service': { path, method: 'create', route: 'POST /' }, requestBody: json({ oneOf: schemas }) }
  })
  const one = { 'x-service': { path: 'posts', method: 'patch', route: 'PATCH /:id' }, summary: 'One' }
  const many = { 'x-service': { path: 'posts', method: 'patch', route: 'PATCH /' }, summary: 'Many' }
  const other = { 'x-service': { path: 'posts', method: 'share', route: 'POST /:id/share' }, summary: 'Share' }
  // biome-ignore format: a table
  const documents = {
    'one, then many': { '/posts/{id}': { a: one }, '/posts': { b: many } },
    'many, then one': { '/posts': { b: many }, '/posts/{id}': { a: one } },
    'twice many': { '/posts': { b: many, c: { ...many, summary: 'Again' } } },
    'twice one': { '/posts/{id}': { a: one, c: { ...one, summary: 'Again' } } },
    'methods that a header names': {
      '/posts': {
        a: { ...many, 'x-service-methods': { b: mark('b', undefined, { id: 'no' }), a: mark('a'), c: 7 } },
        d: { 'x-service-methods': [mark('e')] }
      }
    },
    'a service at two places': {
      '/v1/posts': { a: many }, '/posts': { a: many, b: mark('find', 'GET /', { id: '_id' }) }, '/posts/{id}/share': { x: other }
    },
    logins: {
      '/login': login(
        'login', strategy('jwt', 'accessToken'), strategy('local', 'email', 'password'), strategy('refresh', 'refreshToken'),
        { oneOf: [strategy('jwt', 'accessToken')] }
      ),
      '/other': login(
        'other', strategy('jwt', 'accessToken'), strategy('own', 'key'), strategy('own', 'other'), strategy(['first', 'second'], 'a', 'b')
      ),
      '/odd': login(
        'odd', strategy(7), { properties: { a: {} } }, {}, strategy('empty'), strategy('both', 'accessToken', 'refreshToken'),
        strategy('two', 'refreshToken', 'x')
      ),
      '/none': { get: mark('find', 'GET /') }, '/no': { post: { 'x-service': { path: 'no', method: 'create' } } }
    },
    'names that every object has': parsed(
      '{"/__proto__":{"get":{"x-service":{"path":"__proto__","method":"constructor"}}},"__proto__":{"get":{"x-service":{"path":"toString","method":"__proto__"}}}}'
    )
  }
  const kept = Object.entries(documents).map(([name, paths]) => [
    name,
    readAll({ paths }),
    strategiesIn(servicesIn({ paths }).values()).map(({ path, name, fields }) => [path, name, fields.map(toShort)])
  ])
  isKept(t, Object.fromEntries(kept.map(([name, ...rest]) => [name, rest])), 'test/explorer/whole-methods.txt')
})
