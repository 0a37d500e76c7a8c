import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import type { HookContext } from 'fastify-services'
import authentication, { type AuthenticationOptions } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { secret } from '../support/tokens.js'
import { addUsers, createServicesApp, user } from '../support/users-app.js'

/** An application that limits log-ins, and a function that logs in from an address and gives the status. */
async function create(
  t: Test,
  option: AuthenticationOptions['rateLimit'],
  options: Partial<AuthenticationOptions> = {},
  plugin: RateLimitPluginOptions = {}
) {
  const app = await createServicesApp(t)
  await app.register(rateLimit, { global: false, ...plugin })
  addUsers(app)
  await app.register(authentication, { secret, rateLimit: option, ...options } as AuthenticationOptions)
  await app.ready()
  await app.service('users').create({ ...user })
  const login = (changes: object = {}, remoteAddress = '192.0.2.1', url = '/authentication') =>
    app.inject({ method: 'POST', url, payload: { strategy: 'local', ...user, ...changes }, remoteAddress })
  const statusOf = async (...args: Parameters<typeof login>) => (await login(...args)).statusCode
  return { app, login, statusOf }
}

t.test('log-ins are limited for each client and user name, and for each client', async (t) => {
  const { login, statusOf } = await create(t, { user: 2, client: 5 })
  const wrong = { password: 'guessed' }
  t.strictSame([await statusOf(wrong), await statusOf(wrong)], [401, 401])
  const { statusCode, headers, ...refused } = await login()
  t.equal(statusCode, 429, 'with the right password, too')
  t.equal(headers['retry-after'], '60')
  t.match(refused.json(), { name: 'TooManyRequests', code: 429, message: 'Too many attempts: try again later' })
  t.equal(await statusOf({}, '192.0.2.2'), 201, 'the user can log in from elsewhere')
  const names = ['bob', 'cy', 'dan', 'eve']
  const statuses: number[] = []
  for (const email of names) statuses.push(await statusOf({ email }))
  t.strictSame(statuses, [401, 401, 401, 429], 'many names')
})

t.test('a client is an IPv4 address or an IPv6 network, however it writes a name and the URL', async (t) => {
  const local = { usernameField: { name: 'email', normalize: 'lowercase' } } as const
  const { statusOf } = await create(t, { user: 1 }, { strategies: { jwt: true, local } })
  t.equal(await statusOf({ password: 'guessed' }, '2001:db8::1'), 401)
  t.equal(await statusOf({}, '2001:db8::2'), 429, 'the same network')
  t.equal(await statusOf({ email: ` ${user.email.toUpperCase()} ` }, '2001:db8::3'), 429, 'the same name')
  t.equal(await statusOf({}, '2001:db8::4', '/authentication/'), 429, 'the same service')
  t.equal(await statusOf({}, '2001:db8:0:1::1'), 201, 'another network')
  t.equal(await statusOf({ password: 'guessed' }, '192.0.2.1'), 401)
  t.equal(await statusOf({}, '::ffff:192.0.2.1'), 429, 'IPv4 in IPv6')
})

t.test('names count as hooks of the application leave them', async (t) => {
  const prepare = ({ data }: HookContext) => {
    data.strategy ??= 'local'
    data.email = String(data.email).trim()
  }
  const { statusOf } = await create(t, { user: 2 }, { hooks: { before: { create: [prepare] } } })
  const statuses: number[] = []
  for (const changes of [{ strategy: undefined }, { email: ` ${user.email}` }, { email: `${user.email} ` }])
    statuses.push(await statusOf(changes))
  t.strictSame(statuses, [201, 201, 429])
})

t.test('names that can not be one share a counter', async (t) => {
  const { statusOf } = await create(t, { user: 2 })
  const statuses: number[] = []
  for (const email of ['x'.repeat(1025), ['ada'], { $gt: '' }]) statuses.push(await statusOf({ email }))
  t.strictSame(statuses, [401, 401, 429])
  t.equal(await statusOf(), 201)
})

t.test('only log-ins of clients by password count', async (t) => {
  const { app, login, statusOf } = await create(t, { user: 1, client: 1 })
  const { accessToken } = (await login()).json()
  t.equal(await statusOf(), 429)
  for (let call = 0; call < 3; call++) {
    t.equal(await statusOf({ strategy: 'jwt', accessToken }), 201, 'by token')
    t.ok(await app.service('authentication').create({ strategy: 'local', ...user }), 'by the server')
  }
  t.equal(await statusOf({ strategy: 'unknown' }), 401)
  t.equal(await statusOf({ strategy: ['local'] }), 401)
})

t.test('the option `allowList` of the plugin holds', async (t) => {
  const { statusOf } = await create(t, { user: 1 }, {}, { allowList: (request) => request.ip === '192.0.2.7' })
  t.strictSame([await statusOf({}, '192.0.2.7'), await statusOf({}, '192.0.2.7')], [201, 201])
  t.strictSame([await statusOf(), await statusOf()], [201, 429])
})

t.test('the limits have defaults', async (t) => {
  const { statusOf } = await create(t, true)
  const statuses: number[] = []
  for (let call = 0; call < 11; call++) statuses.push(await statusOf({ password: 'guessed' }))
  t.strictSame(statuses, [...Array.from({ length: 10 }, () => 401), 429])
})

t.test('two services that share a store have counters of their own', async (t) => {
  const counts = new Map<string, number>()
  // As the store of the plugin in Redis, where children with the same routes have the same keys.
  class SharedStore {
    incr(key: string, done: (error: null, result: { current: number; ttl: number }) => void) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      done(null, { current: counts.get(key) as number, ttl: 1000 })
    }
    child() {
      return this
    }
  }
  const { app, statusOf } = await create(t, { user: 2, client: 3 }, {}, { store: SharedStore as never })
  t.strictSame([await statusOf(), await statusOf(), await statusOf()], [201, 201, 429])
  t.strictSame([...counts.values()], [3, 2])
  t.ok(
    [...counts.keys()].every((key) => /^[\w-]{43}$/.test(key)),
    'no name is in a key'
  )
  t.ok(app)
})

t.test('without @fastify/rate-limit, or with an unusable option, nothing starts', async (t) => {
  const app = await createServicesApp(t)
  await t.rejects(
    async () => app.register(authentication, { secret, rateLimit: true }),
    /The option `rateLimit` of authentication needs a plugin: register @fastify\/rate-limit first, or set `rateLimit: false`/
  )
  const rows: [unknown, RegExp][] = [
    [5, /`rateLimit` of authentication must be true, false or a plain object/],
    [{ max: 5 }, /Authentication has no option 'rateLimit.max'/],
    [{ user: 0 }, /`rateLimit.user` of authentication must be a number above 0/],
    [{ timeWindow: 'soon' }, /`rateLimit.timeWindow` of authentication must be a number of seconds/]
  ]
  for (const [option, message] of rows) await t.rejects(create(t, option as boolean), message)
})
