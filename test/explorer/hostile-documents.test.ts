import t from 'tap'
import { addressOf, cookiesIn, keyHeadersIn, nameOf, strategiesIn } from '../../lib/explorer/model/login.js'
import { createFollow, fieldsOf, toField } from '../../lib/explorer/model/schema.js'
import { servicesIn } from '../../lib/explorer/model/services.js'

const parsed = (text: string) => JSON.parse(text)
const odd = [undefined, null, 0, 'text', [], [[]], {}, { $ref: '#/a' }, { $ref: 7 }]

t.test('whatever a document holds, it is read', async (t) => {
  const mark = { path: 'a', method: 'find' }
  for (const item of odd) {
    t.equal(servicesIn(item).size, 0)
    for (const key of ['parameters', 'requestBody', 'responses', 'security', 'tags', 'summary', 'x-service-methods'])
      t.equal(servicesIn({ tags: item, paths: { '/a': { get: { 'x-service': mark, [key]: item } } } }).size, 1, key)
    for (const input of [item, { path: item, method: 'find' }, { path: 'a', method: item }])
      t.equal(
        servicesIn({ paths: { '/a': { get: { 'x-service': input } } } }).size,
        typeof item === 'string' && input !== item ? 1 : 0
      )
    t.equal(servicesIn({ paths: { '/a': { get: { 'x-service': { ...mark, route: item, id: item } } } } }).size, 1)
  }
})

t.test('kinds of data may hold kinds of data, four deep', async (t) => {
  const nested = (depth: number): object => (depth === 0 ? { properties: { a: {} } } : { anyOf: [nested(depth - 1)] })
  for (const [depth, bodies] of [
    [4, 1],
    [5, 0]
  ] as const) {
    const requestBody = { content: { 'application/json': { schema: nested(depth) } } }
    const post = { 'x-service': { path: 'a', method: 'create' }, requestBody }
    const service = servicesIn({ paths: { '/a': { post } } }).get('a')
    t.equal(service?.operations.get('create')?.bodies.length, bodies)
  }
})

t.test('names that every object has are names', async (t) => {
  const text = `{ "paths": { "/__proto__": { "get": {
    "x-service": { "path": "__proto__", "method": "constructor" },
    "parameters": [{ "in": "query" }, { "in": "query", "name": "" }, { "in": "query", "name": "__proto__", "schema": {} }, { "in": "query", "name": "toString[$in]" }],
    "requestBody": { "content": { "application/json": { "schema": { "properties": { "__proto__": {}, "constructor": {} } } } } }
  } } } }`
  const service = servicesIn(parsed(text)).get('__proto__')
  const operation = service?.operations.get('constructor')
  t.strictSame(
    operation?.query.map(({ name, operators }) => [name, operators]),
    [
      ['__proto__', ['']],
      ['toString', ['$in']]
    ]
  )
  t.strictSame(
    operation?.bodies[0]?.map(({ name }) => name),
    ['__proto__', 'constructor']
  )
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

t.test('references that lead in a circle, or nowhere', async (t) => {
  const document = {
    a: { $ref: '#/b' },
    b: { $ref: '#/a' },
    deep: { oneOf: [{ $ref: '#/deep' }, { $ref: '#/deep' }] },
    all: { allOf: [{ $ref: '#/all' }, { $ref: '#/all' }, { $ref: '#/more' }], properties: { x: {} } },
    more: { allOf: Array(50).fill({ $ref: '#/all' }), properties: { y: {} } },
    'sl/ash~': { properties: { found: {} } }
  }
  const follow = createFollow(document)
  t.strictSame(follow({ $ref: '#/a' }), {})
  t.strictSame(follow({ $ref: '#/no/where' }), {})
  t.strictSame(follow({ $ref: '#/__proto__/constructor' }), {})
  t.strictSame(
    fieldsOf({ $ref: '#/sl~1ash~0' }, follow).map(({ name }) => name),
    ['found']
  )
  t.strictSame(
    fieldsOf({ $ref: '#/all' }, follow).map(({ name }) => name),
    ['x', 'y']
  )
  t.equal(toField('deep', { $ref: '#/deep' }, follow).kind, 'json')
  const content = { 'application/json': { schema: { $ref: '#/deep' } } }
  const get = { 'x-service': { path: 'a', method: 'get' }, requestBody: { content }, responses: { 200: { content } } }
  const operation = servicesIn({ ...document, paths: { '/a': { get } } })
    .get('a')
    ?.operations.get('get')
  t.match(operation, { bodies: [], record: [] })
})

t.test('calls go to where the document comes from, whatever its servers are', async (t) => {
  const of = (url: unknown, place = 'http://a.example/docs/json') => addressOf({ servers: [{ url }] }, place)
  t.equal(addressOf({}, 'https://a.example/openapi.json'), 'https://a.example')
  for (const value of [...odd, 'javascript:alert(1)', 'http://', '/{version}', '?a', '//'])
    t.equal(new URL(of(value)).origin, 'http://a.example', String(value))
  t.equal(of('/'), 'http://a.example')
  t.equal(of('/v1/'), 'http://a.example/v1')
  t.equal(of('v1'), 'http://a.example/v1')
  t.equal(of('https://evil.example/v1'), 'http://a.example/v1')
  t.equal(of('//evil.example/v1'), 'http://a.example/v1')
  t.equal(of('HTTPS://evil.example/v1'), 'http://a.example/v1')
  t.equal(of('https://user@evil.example/%2F/../..'), 'http://a.example')
})

t.test('logins and keys', async (t) => {
  const strategy = (name: unknown, ...fields: string[]) => ({
    properties: Object.fromEntries([['strategy', { const: name }], ...fields.map((field) => [field, {}])])
  })
  const schema = {
    oneOf: [
      strategy('jwt', 'accessToken'),
      strategy('local', 'email', 'password'),
      strategy('refresh', 'refreshToken'),
      { oneOf: [strategy('jwt', 'accessToken')] },
      strategy(7),
      { properties: { a: {} } },
      {}
    ]
  }
  const post = {
    'x-service': { path: 'login', method: 'create' },
    requestBody: { content: { 'application/json': { schema } } }
  }
  const get = { 'x-service': { path: 'a', method: 'find' } }
  const strategies = strategiesIn(servicesIn({ paths: { '/login': { post }, '/a': { get } } }).values())
  t.strictSame(
    strategies.map(({ path, name, fields }) => [path, name, fields.map((field) => field.name)]),
    [
      ['login', 'local', ['email', 'password']],
      ['login', 'jwt', ['accessToken']]
    ]
  )
  const key = (name: unknown, place = 'header') => ({ type: 'apiKey', in: place, name })
  const securitySchemes = {
    a: key('X-Key'),
    b: key('X-Key'),
    c: key('q', 'query'),
    d: key(7),
    e: { type: 'http', in: 'header', name: 'X-No' }
  }
  t.strictSame(keyHeadersIn({ components: { securitySchemes } }), ['X-Key'])
  t.strictSame(cookiesIn({ components: { securitySchemes: { a: key('sid', 'cookie'), b: key('X-Key') } } }), ['sid'])
  t.equal(
    nameOf({ accessToken: 'x', authentication: { name: 'no' }, user: { id: 7, email: 'ada@example.com' } }),
    'ada@example.com'
  )
  t.equal(nameOf({ user: { id: 7 } }), '7')
  for (const item of odd) t.equal(nameOf(item), 'logged in')
})
