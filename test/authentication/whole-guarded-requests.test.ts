import Fastify, { type FastifyRequest } from 'fastify'
import plugin, { Forbidden, NotAuthenticated, type Params } from 'fastify-services'
import authentication, { authenticate, JwtStrategy, type Strategy } from 'fastify-services/authentication'
import t from 'tap'
import { apiKey, bob, createPeople, type whoami } from '../support/auth-guards.js'
import { isKept } from '../support/kept.js'
import { claims, forge, secret } from '../support/tokens.js'
import { outcomeOf, stopClock, tame, today } from './outcomes.js'

const at = (changes: object = {}) => forge(claims({ iat: today, exp: today + 100, ...changes }))
const bearer = (changes: object = {}) => ({ authorization: `Bearer ${at(changes)}` })
const thrown: Record<string, unknown> = {
  refusal: new NotAuthenticated('no', { password: 'x', a: 1 }),
  forbidden: new Forbidden('no'),
  error: new Error('no'),
  text: 'no'
}
const headerOf =
  (name: string) =>
  ({ headers }: FastifyRequest) =>
    headers[name] === undefined ? null : { value: headers[name] }
const strategies: Record<string, true | Strategy> = {
  jwt: true,
  local: true,
  apiKey,
  proxy: new JwtStrategy({ header: 'X-Token', schemes: ['Token'] }),
  throwing: { parse: headerOf('x-throw'), authenticate: ({ value }) => Promise.reject(thrown[String(value)]) },
  parsing: {
    parse: ({ headers }) =>
      headers['x-parse'] === undefined ? null : Promise.reject(thrown[String(headers['x-parse'])]),
    authenticate: apiKey.authenticate
  },
  giving: { parse: headerOf('x-give'), authenticate: ({ value }) => JSON.parse(String(value)) }
}
const schemes = [
  'Bearer',
  'bearer',
  'BEARER',
  'JWT',
  'jwt',
  'Bearer:',
  'Token',
  'Basic',
  '',
  'Bearer ',
  ' Bearer',
  'Bearer\t',
  ':Bearer',
  'Be:arer',
  'Bearer::',
  'Bearer:x'
]
const requests: Record<string, Record<string, string>> = {
  none: {},
  ...Object.fromEntries(schemes.map((scheme) => [`scheme '${scheme}'`, { authorization: `${scheme} ${at()}` }])),
  ...Object.fromEntries(
    ['', ' ', 'Bearer', 'jwt', 'x', 'Bearer a b', 'Token a', ` ${at()} `].map((text) => [
      `'${text.slice(0, 15)}'`,
      { authorization: text }
    ])
  ),
  'for another': bearer({ sub: '2' }),
  'for nobody': bearer({ sub: '3' }),
  'a key': { 'x-api-key': 'good' },
  'a bad key': { 'x-api-key': 'bad' },
  'a bad token and a key': { authorization: 'Bearer x', 'x-api-key': 'good' },
  'a token and a bad key': { ...bearer(), 'x-api-key': 'bad' },
  ...Object.fromEntries(
    ['Token', 'token', 'Bearer', 'Token:', ''].map((scheme) => [
      `proxy, '${scheme}'`,
      { 'x-token': `${scheme} ${at()}` }
    ])
  ),
  ...Object.fromEntries(
    Object.keys(thrown).flatMap((name) => [
      [`throws ${name}`, { 'x-throw': name }],
      [`parse throws ${name}`, { 'x-parse': name }]
    ])
  ),
  ...Object.fromEntries(
    [
      'null',
      '"text"',
      '5',
      '{}',
      '[]',
      '{"user":null}',
      '{"user":{"password":"x","a":1}}',
      '{"user":5,"accessToken":"x","refreshToken":"y","more":1,"authentication":{"strategy":"x","b":2}}'
    ].map((give) => [`gives ${give}`, { 'x-give': give }])
  )
}
const all = Object.keys(strategies) as [string, ...string[]]

t.test('requests to guards', async (t) => {
  stopClock(t)
  const lines: unknown[] = []
  const write = (line: string) => lines.push(JSON.parse(line).msg)
  const app = Fastify({ logger: { level: 'warn', stream: { write } } })
  t.teardown(() => app.close())
  await app.register(plugin)
  app.service('users', createPeople())
  await app.register(authentication, { secret, strategies })
  const show = ({ user, feathers }: FastifyRequest) => ({ user, feathers })
  const show2 = { find: async ({ headers, route, query, ...params }: Params) => params }
  const guards = { all: authenticate(...all), some: authenticate('apiKey', 'jwt'), one: authenticate('local') }
  for (const [name, guard] of Object.entries(guards)) {
    app.service(`hook-${name}`, show2, { hooks: { around: { all: [guard] } } })
    app.get(`/route-${name}`, { preHandler: guard }, show)
  }
  app.service('twice', show2, { hooks: { around: { all: [guards.some, guards.all] }, before: { find: [guards.one] } } })
  app.service('open', show2)
  await app.ready()
  const table: Record<string, unknown> = {}
  for (const url of ['hook-all', 'route-all', 'hook-some', 'route-some'] as const) {
    const rows: Record<string, string[]> = {}
    for (const [row, headers] of Object.entries(requests)) {
      const response = await app.inject({ url: `/${url}`, headers: { accept: 'application/json', ...headers } })
      const isJSON = `${response.headers['content-type']}`.startsWith('application/json')
      const body = isJSON ? response.json() : { text: response.body }
      const { message, name, className, code, ...rest } = body
      const told = className === undefined ? body : [`${name}: ${message}`, rest]
      const outcome = [response.statusCode, response.headers['www-authenticate'] ?? '', told, ...lines.splice(0)]
      const text = JSON.stringify(tame(outcome))
      rows[text] = [...(rows[text] ?? []), row]
    }
    table[url] = Object.entries(rows).map(([outcome, names]) => [names.join(' | '), ...JSON.parse(outcome)])
  }
  for (const url of ['hook-one', 'route-one', 'twice', 'open']) {
    const response = await app.inject({ url: `/${url}`, headers: { accept: 'application/json', ...bearer() } })
    table[url] = [response.statusCode, tame(response.json())]
  }
  const token = { strategy: 'jwt', accessToken: at() }
  const made = await app.service<typeof whoami>('hook-all').find({ provider: 'rest', authentication: token } as Params)
  const calls: Record<string, object> = {
    nothing: {},
    provider: { provider: 'rest' },
    'of the server, a token': { authentication: token },
    token: { provider: 'rest', authentication: token },
    'another strategy': { provider: 'rest', authentication: { ...token, strategy: 'local' } },
    'no strategy': { provider: 'rest', authentication: { accessToken: at() } },
    'it says so': { provider: 'rest', authenticated: true },
    'it says so with a token': { provider: 'rest', authenticated: true, authentication: { strategy: 'jwt' } },
    'it says so, not true': { provider: 'rest', authenticated: 1 },
    'null for a token': { provider: 'rest', authentication: null },
    'of the server, null': { authentication: null },
    'made by a guard': made,
    'made by a guard, not authenticated': { ...made, authenticated: false },
    'more params': { ...made, more: 1, user: 5 }
  }
  for (const [name, params] of Object.entries(calls))
    for (const path of ['hook-all', 'hook-one'])
      table[`${path}, ${name}`] = await outcomeOf(() => app.service<typeof whoami>(path).find({ ...params } as Params))
  isKept(t, { ...table, bob }, 'test/authentication/whole-guarded-requests.txt')
})
