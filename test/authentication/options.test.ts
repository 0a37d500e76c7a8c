import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { JwtStrategy, LocalStrategy, memoryStore } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { register } from '../support/auth-fault-register.js'
import { apiKey } from '../support/auth-guards.js'
import { secret } from '../support/tokens.js'

const start = (options: object) => register({ secret, ...options })
const text = (value: unknown) =>
  Object(value) === value && typeof value !== 'function' ? JSON.stringify(value) : String(value)
/** Each value that an option is given is refused with the message. */
const refuses = (t: Test, values: readonly unknown[], toOptions: (value: never) => object, message: string | RegExp) =>
  Promise.all(values.map((value) => t.rejects(start(toOptions(value as never)), { message }, text(value))))

const refused: [what: string, options: object, message: string | RegExp][] = [
  ['a name of Feathers', { jwtOptions: {} }, /has no option 'jwtOptions'\. There are: secret, service/],
  ['strategy', { strategy: { jwt: true } }, /no option 'strategy'\. There are: secret, service/],
  ['authStrategy', { authStrategy: ['jwt'] }, /no option 'authStrategy'\. There are: secret, /],
  ['methods', { methods: ['create'] }, /no option 'methods'/],
  ['cookies', { cookies: {} }, /no option 'cookies'\. There are: secret, /],
  ['decode', { decode: {} }, /no option 'decode'\. There are: secret, /],
  [
    'a misspelt option of jwt',
    { strategies: { jwt: { heder: 'x' } } },
    /no option 'strategies\.jwt\.heder'\. There are: /
  ],
  ['of local', { strategies: { local: { userField: 'x' } } }, /no option 'strategies\.local\.userField'/],
  ['in another case', { strategies: { local: { userNameField: 'x' } } }, /'strategies\.local\.userNameField'/],
  ...[{}, { get: () => null }, { set: () => null }].map((store): [string, object, RegExp] => [
    'a store without its methods',
    { store },
    /`store` of authentication must be an object with the methods get\(key\) and set/
  ]),
  [
    'an entity without a name',
    { entity: '' },
    /`entity` of authentication must be a non-empty string, or null, got an empty string$/
  ],
  [
    'an entity that stands over the request',
    { entity: 'raw' },
    /can't be 'raw': requests, params or results have that/
  ],
  ['schemes', { strategies: { jwt: { schemes: 'Bearer' } } }, /option .*\bschemes\b/],
  ['header', { strategies: { jwt: { header: 5 } } }, /option .*\bheader\b/],
  ['authStrategies', { authStrategies: 'jwt' }, /option .*\bauthStrategies\b/],
  [
    'authStrategies that are no names',
    { authStrategies: [5] },
    /`authStrategies` of authentication must be a list of strings, got a list/
  ],
  ['parseStrategies', { parseStrategies: 'jwt' }, /option .*\bparseStrategies\b/],
  ['path', { path: null }, / `path` of authentication must be a string, got null$/],
  ['strategies', { strategies: null }, /option .*\bstrategies\b/],
  ['entity', { entity: true }, /option .*\bentity\b/],
  ['entityId', { entityId: '' }, /option .*\bentityId\b/],
  [
    'the address of a store, which may hold a password',
    { store: 'redis://user:password@host' },
    'The option `store` of authentication must be an object with the methods get(key) and set(key, value, seconds), which a Map is not, got a string'
  ],
  [
    'a key in place of a strategy',
    { strategies: { apiKey: 'sk-0123456789' } },
    "The strategy 'apiKey' of authentication must be true, an object with its options, or a strategy, got a string"
  ],
  ['of passwords', { passwords: { concurent: 3 } }, /no option 'passwords\.concurent'\. There are: .*waiting/],
  ['refresh', { refresh: 'yes' }, / `refresh` of authentication must be true, false or a plain object, got /],
  ['revocation', { revocation: {} }, / `revocation` of authentication must be true or false, got /],
  ['jwt', { jwt: '1d' }, / `jwt` of authentication must be a plain object, got /],
  ['jwt, a Map', { jwt: new Map() }, / `jwt` of authentication must be a plain object, got an object \(Map\)$/],
  [
    'hooks in a promise',
    { hooks: Promise.resolve({}) },
    /^Service 'authentication': hooks must be .+, got a promise: await it$/
  ],
  ['hooks that are null', { hooks: null }, /^Service 'authentication': hooks must be .+, got null$/],
  [
    'store, a Map',
    { store: new Map() },
    / `store` of authentication must be .+, which a Map is not, got an object \(Map\)$/
  ],
  ['store, of headers', { store: new Headers() }, / `store` of authentication must be /],
  [
    'a store that forgets what was revoked',
    { revocation: true, store: memoryStore({ max: 10_000 }) },
    / `store` of authentication can't be a memoryStore with `max` or `maxBytes`: .+ Leave both out$/
  ],
  [
    'one that forgets logins',
    { refresh: true, store: memoryStore({ maxBytes: 1e6 }) },
    / `store` of authentication can't be /
  ],
  ['a part of the header that is ours', { jwt: { header: { alg: 'none' } } }, / `jwt\.header` .+ can't have 'alg': /],
  ['a header that is none', { jwt: { header: 'access' } }, / `jwt\.header` of authentication must be a plain object/],
  ['service', { service: 5 }, / `service` of authentication must be a non-empty string, got 5$/],
  ['isRevoked', { isRevoked: true }, 'The option `isRevoked` of authentication must be a function, got true'],
  [
    'a strategy named refresh',
    { refresh: true, strategies: { refresh: { authenticate() {} } } },
    /'refresh' belongs to the strategy of the option `refresh`/
  ],
  ['refresh that is read from requests', { refresh: true, parseStrategies: ['refresh'] }, /can't read requests/]
]

t.test('options that can not be are refused at start, with what to do', async (t) => {
  for (const [what, options, message] of refused) await t.rejects(start(options), { message }, what)
})

t.test('options in a promise, or in a Map', async (t) => {
  for (const options of [Promise.resolve({ secret }), new Map()]) {
    const app = Fastify()
    await app.register(services)
    await t.rejects(async () => app.register(authentication, options as never), {
      message: 'The options of authentication must be an object, got '
    })
  }
})

t.test('a strategy that is none', async (t) => {
  const withStrategy = (value: unknown) => ({ strategies: { own: value } })
  const shape = "The strategy 'own' of authentication must be an object with a method `authenticate`"
  await refuses(t, [true, {}, { parse: () => null }, { authenticate: 'yes' }, new Map(), []], withStrategy, shape)
  const kind = (name: string) =>
    new RegExp(
      `^The strategy '${name}' of authentication must be true, an object with its options, or a strategy, got `
    )
  await refuses(t, [null, 1, 'jwt', () => ({}), JwtStrategy, Symbol('x')], withStrategy, kind('own'))
  const values = [null, class {}, ['x'], [], new Map(), new Date()]
  await refuses(t, values, (value) => ({ strategies: { jwt: value } }), kind('jwt'))
  await refuses(t, values, (value) => ({ strategies: { local: value } }), kind('local'))
})

t.test('no strategy at all', async (t) => {
  const message = 'Authentication has no strategies: enable one, as in strategies: { jwt: true, local: true }'
  const values = [{}, { jwt: false }, { jwt: undefined, local: false }]
  await refuses(t, values, (strategies) => ({ strategies }), message)
})

t.test('authStrategies and parseStrategies: names that are not among the strategies', async (t) => {
  const strategies = { jwt: true, local: false, apiKey }
  for (const option of ['authStrategies', 'parseStrategies'])
    for (const name of ['local', 'jtw', '__proto__', 'constructor', '']) {
      const message = `The strategy '${name}', which the option \`${option}\` of authentication names, is not among \`strategies\``
      await refuses(t, [name], (name) => ({ strategies, [option]: ['jwt', name] }), message)
    }
})

t.test('parseStrategies: one that can not read requests', async (t) => {
  const rows = [
    ['local', { jwt: true, local: true }],
    ['local', { jwt: true, local: new LocalStrategy() }],
    ['mute', { jwt: true, mute: { authenticate: () => ({}) } }]
  ] as const
  for (const [name, strategies] of rows) {
    const message = `The strategy '${name}', which the option \`parseStrategies\` of authentication names, can't read requests: it has no method \`parse\``
    await t.rejects(start({ strategies, parseStrategies: [name] }), { message })
  }
})

t.test('empty lists are lists, and `undefined` stands for the default', async (t) => {
  await t.resolves(start({ authStrategies: [] }), 'nobody logs in')
  await t.resolves(start({ parseStrategies: [] }), 'nothing is read')
  await t.resolves(start({ jwt: undefined }))
  await t.resolves(
    start({ jwt: { expiresIn: undefined, issuer: undefined, audience: undefined, algorithm: undefined } })
  )
})

const noSpans = [
  ...[0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e308, 4.33e12, 8.64e12],
  ...[
    '',
    ' ',
    '0',
    '15',
    '0s',
    '-1d',
    '1ms',
    '999ms',
    '10ms',
    'soon',
    'never',
    '1 fortnight',
    '200000y',
    '1d1h',
    '١d',
    '1e3'
  ],
  ...[true, false, {}, [], [60], ['1d'], new Date(), () => '1d']
]

t.test('bad `expiresIn`: refused at the start, with an error that names the option', async (t) => {
  const message = (option: string) =>
    new RegExp(
      `^The option \`${option}\\.expiresIn\` of authentication must be a number of seconds, or a string such as '15m' or '1d', got `
    )
  await refuses(t, noSpans, (expiresIn) => ({ jwt: { expiresIn } }), message('jwt'))
  await refuses(t, noSpans, (expiresIn) => ({ refresh: { expiresIn } }), message('refresh'))
  await refuses(
    t,
    [...noSpans.filter((span) => span !== 0), 61, '2m'],
    (grace) => ({ refresh: { grace } }),
    /^The option `refresh\.grace` of authentication must be /
  )
  await t.rejects(start({ refresh: { expires: '1h' } }), /refresh\.expires/, 'one that is misspelt')
})

for (const name of ['issuer', 'audience'])
  t.test(`bad \`${name}\`: refused at the start, as it could not be checked`, async (t) => {
    const values = ['', 5, 0, true, false, [], ['a'], {}, /a/, () => 'a']
    const message = new RegExp(`^The option \`jwt.${name}\` of authentication must be a non-empty string, got `)
    await refuses(t, values, (value) => ({ jwt: { [name]: value } }), message)
  })

t.test('options of @fastify/jwt and of fast-jwt: refused, with those that there are', async (t) => {
  const names = 'sign verify secret algorithms allowedAud ignoreExpiration expires subject'.split(' ')
  for (const name of names)
    await t.rejects(start({ jwt: { [name]: true } }), {
      message: `Authentication has no option 'jwt.${name}'. There are: jwt.expiresIn, jwt.issuer, jwt.audience, jwt.algorithm, jwt.header`
    })
  await refuses(t, ['HS256', 5, true, null, ['HS256'], () => {}], (jwt) => ({ jwt }), /option [`']jwt/)
})

t.test('`passwords` that are no whole numbers', async (t) => {
  const message = /`passwords` of authentication must be whole numbers: `concurrent` from 1, `waiting` from 0, got /
  const values = [{ concurrent: 0 }, { concurrent: 1.5 }, { concurrent: '3' }, { waiting: -1 }, { waiting: Infinity }]
  await refuses(t, values, (passwords) => ({ passwords }), message)
})

t.test('options of the strategies: those that there are', async (t) => {
  const local = {
    ...{ usernameField: 'name', passwordField: 'word', entityUsernameField: 'email', entityPasswordField: 'hash' },
    rehash: false
  }
  await t.resolves(start({ strategies: { jwt: { header: 'x-token', schemes: ['Token'] }, local } }))
})

t.test('an `entity` with a name that requests, params or results have already', async (t) => {
  const taken = `authentication authenticated provider query headers route accessToken refreshToken feathers id params body raw server log
    ip ips host hostname port protocol url method originalUrl socket signal is404 routeOptions __proto__ constructor`
  for (const entity of taken.split(/\s+/))
    await t.rejects(start({ entity }), {
      message: `The option \`entity\` of authentication can't be '${entity}': requests, params or results have that already`
    })
})
