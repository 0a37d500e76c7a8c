import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import plugin, { Forbidden, NotAuthenticated, type Params } from 'fastify-services'
import authentication, {
  type AuthenticationOptions,
  authenticate,
  JwtStrategy,
  type Strategy
} from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { traitsOf } from '../../lib/core/hooks.js'
import { ada, apiKey, bob, createPeople, type whoami } from '../support/auth-guards.js'
import { isKept } from '../support/kept.js'
import { claims, forge, secret } from '../support/tokens.js'
import { byOutcome, outcomeOf, stopClock, tame, today } from './outcomes.js'

const given: Record<string, unknown[]> = {
  ...{
    none: [],
    'an empty text': [''],
    undefined: [undefined],
    null: [null],
    'a number': [5],
    'a list': [['jwt']],
    'a function': [Math.max]
  },
  ...{
    'a second that is empty': ['jwt', ''],
    'a second that is a number': ['jwt', 5],
    one: ['jwt'],
    two: ['jwt', 'local']
  },
  ...{
    'no strategies': [{}],
    'null strategies': [{ strategies: null }],
    'an empty list in options': [{ strategies: [] }],
    'a text in options': [{ strategies: 'jwt' }]
  },
  ...{
    'an empty name in options': [{ strategies: ['jwt', ''] }],
    options: [{ strategies: ['jwt'] }],
    'a service': [{ service: 'a', strategies: ['jwt'] }]
  }
}
const described = {
  cookie: { ...apiKey, describe: () => ({ security: { type: 'apiKey', in: 'cookie', name: 'sid' } }) },
  mute: { ...apiKey, describe: () => ({}) },
  unread: { authenticate: apiKey.authenticate, describe: () => ({ security: { type: 'http', scheme: 'digest' } }) },
  proxy: new JwtStrategy({ header: 'X-Token' }),
  bearer: { ...apiKey, describe: () => ({ security: { type: 'http', scheme: 'bearer' } }) }
}
const register = async (app: FastifyInstance, options: object = {}) =>
  app.register(authentication, { secret, ...options } as AuthenticationOptions)

/** Applications without, with one and with several authentications, by name. */
async function createApps(t: Test) {
  const apps: Record<string, FastifyInstance> = {}
  for (const name of ['bare', 'none', 'one', 'two']) {
    const app = Fastify()
    apps[name] = app
    t.teardown(() => app.close())
    if (name === 'bare') continue
    await app.register(plugin)
    app.service('users', createPeople())
    if (name === 'one') await register(app, { strategies: { jwt: true, local: true, apiKey, ...described } })
    if (name === 'two')
      for (const path of ['v1', 'v2'])
        await app.register(
          async (child) => {
            await register(child, { strategies: { [path]: apiKey, jwt: path === 'v1' } })
            apps[`${name}, in ${path}`] = child
          },
          { prefix: path }
        )
  }
  return apps
}

t.test('guards where they can not stand', async (t) => {
  const apps = await createApps(t)
  const guards: Record<string, unknown[]> = {
    ...{
      jwt: ['jwt'],
      'jwt, jtw': ['jwt', 'jtw'],
      'x, y': ['x', 'y'],
      v1: ['v1'],
      cookie: ['cookie'],
      'all that say something': ['mute', 'proxy', 'unread', 'cookie', 'bearer'],
      apiKey: ['jwt', 'apiKey', 'local']
    },
    ...Object.fromEntries(
      ['users', 'nowhere', 'authentication', '/authentication/', 'v2/authentication'].map((service) => [
        `of ${service}`,
        [{ service, strategies: ['jwt', 'v2'] }]
      ])
    )
  }
  const guardOf = (args: unknown[]) => (authenticate as (...args: unknown[]) => object)(...args)
  const kept: Record<string, unknown> = { misuse: await byOutcome(given, (args) => typeof guardOf(args)) }
  for (const [name, app] of Object.entries(apps)) {
    kept[name] = await byOutcome(guards, (args) => traitsOf(guardOf(args)).check?.({ app, path: 'here' }))
    kept[`${name}: security`] = await byOutcome(guards, async (args) =>
      JSON.stringify(traitsOf(guardOf(args)).security?.(app))
    )
    if (name === 'bare' || name === 'none') continue
    const path = name === 'one' ? 'authentication' : 'v1/authentication'
    const places = {
      itself: { service: app.service<object, string>(path) },
      another: { service: app.service<object, string>('users') },
      ...{ before: { type: 'before' }, around: { type: 'around' }, after: { type: 'after' }, error: { type: 'error' } }
    } as const
    kept[`${name}: places`] = await byOutcome<object>(places, (place) =>
      traitsOf(guardOf(['jwt', 'jwt'])).check?.({ app, path: 'here', ...place })
    )
  }
  isKept(t, kept, 'test/authentication/whole-guards.txt')
})

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
    authenticate: () => ({ user: ada })
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
  'Bearer\t'
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
  ...{
    'for another': bearer({ sub: '2' }),
    'for nobody': bearer({ sub: '3' }),
    'a key': { 'x-api-key': 'good' },
    'a bad key': { 'x-api-key': 'bad' }
  },
  ...{
    'a bad token and a key': { authorization: 'Bearer x', 'x-api-key': 'good' },
    'a token and a bad key': { ...bearer(), 'x-api-key': 'bad' }
  },
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
  await register(app, { strategies })
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
  const kept: Record<string, unknown> = {}
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
    kept[url] = Object.entries(rows).map(([outcome, names]) => [names.join(' | '), ...JSON.parse(outcome)])
  }
  for (const url of ['hook-one', 'route-one', 'twice', 'open']) {
    const response = await app.inject({ url: `/${url}`, headers: { accept: 'application/json', ...bearer() } })
    kept[url] = [response.statusCode, tame(response.json())]
  }
  const token = { strategy: 'jwt', accessToken: at() }
  const made = await app.service<typeof whoami>('hook-all').find({ provider: 'rest', authentication: token } as Params)
  const calls: Record<string, object> = {
    ...{
      nothing: {},
      provider: { provider: 'rest' },
      'of the server, a token': { authentication: token },
      token: { provider: 'rest', authentication: token }
    },
    ...{
      'another strategy': { provider: 'rest', authentication: { ...token, strategy: 'local' } },
      'no strategy': { provider: 'rest', authentication: { accessToken: at() } }
    },
    ...{
      'it says so': { provider: 'rest', authenticated: true },
      'it says so with a token': { provider: 'rest', authenticated: true, authentication: { strategy: 'jwt' } }
    },
    ...{
      'it says so, not true': { provider: 'rest', authenticated: 1 },
      'null for a token': { provider: 'rest', authentication: null },
      'of the server, null': { authentication: null }
    },
    ...{
      'made by a guard': made,
      'made by a guard, not authenticated': { ...made, authenticated: false },
      'more params': { ...made, more: 1, user: 5 }
    }
  }
  for (const [name, params] of Object.entries(calls))
    for (const path of ['hook-all', 'hook-one'])
      kept[`${path}, ${name}`] = await outcomeOf(() => app.service<typeof whoami>(path).find({ ...params } as Params))
  isKept(t, { ...kept, bob }, 'test/authentication/whole-requests.txt')
})
