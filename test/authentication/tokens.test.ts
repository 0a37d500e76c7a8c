import { memory } from '@feathersjs/memory'
import type { HookContext } from 'fastify-services'
import authentication, { type AuthenticationOptions, authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { decode, sign } from '../support/auth-fault-tokens.js'
import { createClock } from '../support/auth-sessions.js'
import { claims, forge, forgeWithout, now, secret } from '../support/tokens.js'
import { addUsers, ask, createUsersApp, login, user } from '../support/users-app.js'

const logout = { method: 'DELETE', url: '/authentication' } as const
const guarded = { hooks: { around: { all: [authenticate('jwt')] } } }
const create = (t: Test, options: Partial<AuthenticationOptions> = {}) =>
  createUsersApp(t, { options, before: (app) => app.service('me', { find: async () => 'let in' }, guarded) })
const statusOf = async (app: Parameters<typeof ask>[0], token: string) => (await ask(app, token, '/me')).status
const payload = (claims: object) => ({
  before: { create: [async ({ params }: HookContext) => void Object.assign(params, { payload: claims })] }
})

const app = await create(t)

t.test('Token: HS256, signed as any library for JWT does', async (t) => {
  const { accessToken } = (await login(app)).body
  const [head, body, signature] = accessToken.split('.')
  t.same(decode(accessToken, 0), { alg: 'HS256', typ: 'JWT' })
  t.equal(sign('HS256', secret, `${head}.${body}`).toString('base64url'), signature)
})

t.test('`jwtOptions` of Feathers can be spread into `jwt`', async (t) => {
  const jwtOptions = {
    header: { typ: 'access', cty: 'a' },
    audience: 'https://example.com',
    issuer: 'feathers',
    algorithm: 'HS256' as const,
    expiresIn: '1d'
  }
  const app = await create(t, { jwt: { ...jwtOptions } })
  const { accessToken } = (await login(app)).body
  t.same(decode(accessToken, 0), { alg: 'HS256', typ: 'access', cty: 'a' })
  t.match(decode(accessToken, 1), { iss: 'feathers', aud: 'https://example.com' })
  t.equal(await statusOf(app, accessToken), 200)
  t.equal(await statusOf(app, forge(claims({ iss: 'feathers', aud: 'https://example.com' }), { typ: 'access' })), 200)
})

t.test('Token: `jti` a UUID, another one for each token', async (t) => {
  const ids = []
  for (let index = 0; index < 3; index++) ids.push(decode((await login(app)).body.accessToken, 1).jti)
  for (const id of ids) t.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  t.equal(new Set(ids).size, 3)
})

t.test(
  'Token: `iss` (default `fastify-services`) and `aud` (default the authentication path) always set',
  async (t) => {
    for (const [path, aud] of [
      ['authentication', 'authentication'],
      ['/login/', 'login'],
      ['v1/auth', 'v1/auth'],
      ['/', '/']
    ] as const) {
      const app = await create(t, { path })
      const url = `/${path.replace(/^\/|\/$/g, '')}`
      const { accessToken } = (await login(app, {}, url)).body
      const payload = decode(accessToken, 1)
      t.equal((await ask(app, accessToken, { method: 'DELETE', url })).status, 200)
      t.match(payload, { iss: 'fastify-services', aud }, path)
      t.same(Object.keys(payload).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'sub'])
    }
  }
)

t.test('Token: `sub` = id of the user as a string', async (t) => {
  const rows = [
    [0, '0'],
    [42, '42'],
    ['5f3c', '5f3c'],
    ['a/b c ü', 'a/b c ü']
  ] as const
  const app = await createUsersApp(t, {
    options: { service: 'people', entityId: 'key' },
    before: (app) => addUsers(app, 'people', memory({ id: 'key' }) as object)
  })
  for (const [id, sub] of rows) {
    await app.service('people').create({ ...user, email: sub, key: id } as never)
    const { status, body } = await login(app, { email: sub })
    t.equal(status, 201)
    t.strictSame(decode(body.accessToken, 1).sub, sub)
    t.strictSame(body.user, { email: sub, key: id })
    t.equal((await login(app, { strategy: 'jwt', accessToken: body.accessToken })).status, 201, `${id} is found again`)
  }
})

t.test('claims of a hook stand in the token; those that are ours can not be set by one', async (t) => {
  const own = { role: 'admin', nested: { list: [1] }, name: 'Åda 💥' }
  const reserved = { iss: 'x', aud: 'x', exp: 1, iat: 1, nbf: 9e9, jti: 'x', sid: 'x', sub: '2' }
  const app = await create(t, { hooks: payload({ ...own, ...reserved }) })
  const { body } = await login(app)
  const decoded = decode(body.accessToken, 1)
  t.match(decoded, { ...own, iss: 'fastify-services', aud: 'authentication', sub: '1' })
  for (const name of ['nbf', 'sid']) t.notHas(decoded, name)
  for (const name of ['jti', 'exp', 'iat'] as const) t.not(decoded[name], reserved[name])
  t.equal((await login(app, { strategy: 'jwt', accessToken: body.accessToken })).status, 201)
})

t.test('a token that others have signed with the secret is good, with all its claims', async (t) => {
  const signed = claims({ scope: 'read', aud: ['other', 'authentication'] })
  const { body } = await login(app, { strategy: 'jwt', accessToken: forge(signed) })
  t.strictSame(body.authentication.payload, signed)
})

const issuer = 'https://login.example.com'
const audience = 'https://api.example.com'
const of = (changes: object) => forge(claims({ iss: issuer, aud: audience, ...changes }))
const strange = {
  'the defaults': forge(),
  'another issuer': of({ iss: 'https://evil.example.com' }),
  'the default issuer': of({ iss: 'fastify-services' }),
  'an issuer with a slash': of({ iss: `${issuer}/` }),
  'a list of issuers': of({ iss: [issuer] }),
  'another audience': of({ aud: 'https://other.example.com' }),
  'the default audience': of({ aud: 'authentication' }),
  'a beginning of it': of({ aud: 'https://api.example' }),
  'a list without it': of({ aud: ['a', 'b'] }),
  'issuer for audience': of({ iss: audience, aud: issuer }),
  'no issuer': forgeWithout('iss'),
  'no audience': forgeWithout('aud')
}

t.test('`iss` and `aud` of the options are set and checked', async (t) => {
  const app = await create(t, { jwt: { issuer, audience } })
  const { accessToken } = (await login(app)).body
  t.match(decode(accessToken, 1), { iss: issuer, aud: audience })
  for (const token of [accessToken, of({}), of({ aud: ['other', audience] })]) t.equal(await statusOf(app, token), 200)
  for (const [row, token] of Object.entries(strange)) t.equal(await statusOf(app, token), 401, row)
})

t.test('an issuer or audience with characters of a pattern is text', async (t) => {
  const app = await create(t, { jwt: { issuer: '.*', audience: '/a|b/' } })
  for (const [iss, aud, status] of [
    ['.*', '/a|b/', 200],
    ['x', '/a|b/', 401],
    ['.*', 'a', 401],
    ['.*', '/a', 401]
  ] as const)
    t.equal(await statusOf(app, forge(claims({ iss, aud }))), status)
})

t.test('a token of one service is not good for the other, even with the same secret', async (t) => {
  const app = await createUsersApp(t, {
    before: async (app) => {
      await app.register(authentication, { secret, path: 'second' })
      for (const service of ['authentication', 'second']) {
        const guard = authenticate({ service, strategies: ['jwt'] })
        app.service(`guarded/${service}`, { find: async () => 'let in' }, { hooks: { around: { all: [guard] } } })
      }
    }
  })
  for (const [own, other] of [
    ['authentication', 'second'],
    ['second', 'authentication']
  ] as const) {
    const { accessToken } = (await login(app, {}, own)).body
    t.equal((await ask(app, accessToken, `/guarded/${own}`)).status, 200)
    t.equal((await ask(app, accessToken, `/guarded/${other}`)).status, 401)
    t.equal((await login(app, { strategy: 'jwt', accessToken }, other)).status, 401)
    t.equal((await ask(app, accessToken, { method: 'DELETE', url: `/${other}` })).status, 401)
  }
})

const texts =
  '1d=86400, 15m=900, 15 minutes=900, 12h=43200, 1.5h=5400, 7d=604800, 30d=2592000, 2w=1209600, 1s=1, 90s=90, 1 day=86400, 1500ms=1'
// `undefined` stands for the default; with refresh tokens that is 15 minutes.
const spans: [expiresIn: string | number | undefined, seconds: number, refresh?: boolean][] = [
  ...texts.split(', ').map((row): [string, number] => [row.replace(/=.*/, ''), Number(row.replace(/.*=/, ''))]),
  ...[1, 60, 1.9, 86_400, 4.32e12].map((seconds): [number, number] => [seconds, Math.floor(seconds)]),
  [undefined, 86_400],
  [undefined, 900, true],
  ['1h', 3600, true]
]

t.test(
  'Token: `expiresIn` 1 day, or the seconds or the span of the option; 15 minutes where refresh tokens are on',
  async (t) => {
    for (const [expiresIn, seconds, refresh = false] of spans) {
      const before = now()
      const jwt = { expiresIn, issuer: undefined, audience: undefined, algorithm: undefined } as object
      const { accessToken, authentication } = (await login(await create(t, { jwt, refresh }))).body
      const { iat, exp } = decode(accessToken, 1)
      t.ok(Number(iat) >= before && Number(iat) <= now(), '`iat` is now')
      t.equal(Number(exp) - Number(iat), seconds, `${expiresIn}`)
      t.same(authentication.payload, decode(accessToken, 1))
    }
  }
)

t.test('a server starts whose tokens are good for a second, however slow it is', async (t) => {
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  // A second passes each time that somebody looks.
  let time = now()
  Date.now = () => (time += 1000)
  await t.resolves(create(t, { jwt: { expiresIn: '1s' } }))
})

t.test('a token is good until it expires', async (t) => {
  const clock = createClock(t)
  const app = await create(t, { jwt: { expiresIn: '15m' } })
  const { accessToken } = (await login(app)).body
  clock.forward(800)
  t.equal(await statusOf(app, accessToken), 200)
  clock.forward(100)
  const message = 'Invalid access token: it has expired'
  const expired = { status: 401, body: { message, code: 401, className: 'not-authenticated' } }
  t.match(await ask(app, accessToken, '/me'), expired)
  t.match(await ask(app, accessToken, logout), expired)
  t.match(await login(app, { strategy: 'jwt', accessToken }), expired)
})

t.test('the age of a token is its own: what others have signed may live longer or shorter', async (t) => {
  const app = await create(t, { jwt: { expiresIn: '15m' } })
  t.equal(await statusOf(app, forge(claims({ exp: now() + 1_000_000 }))), 200)
  t.equal(await statusOf(app, forge(claims({ exp: now() - 1, iat: now() }))), 401)
})

t.test('a token with many claims is good; one that would be too long to be verified is not handed out', async (t) => {
  const many = await create(t, { hooks: payload({ rights: 'x'.repeat(5000) }) })
  const { accessToken } = (await login(many)).body
  t.ok(accessToken.length > 6000)
  t.equal(await statusOf(many, accessToken), 200)
  const { status, body } = await login(await create(t, { hooks: payload({ rights: 'x'.repeat(7000) }) }))
  t.equal(status, 500)
  t.match(body.message, /too (long|large|big|many)|8192/, 'an error that says so')
})

t.test('12 kB token, and one with a character more than 8 kB: 401, signed or not', async (t) => {
  // Three letters of a claim are four of the token; a letter in the header moves the end by one or two.
  const padded = (length: number) => {
    for (const x of ['a', 'ab', 'abc', 'abcd']) {
      const least = forge(claims({ junk: '' }), { x }).length
      const token = forge(claims({ junk: 'x'.repeat(Math.floor(((length - least) * 3) / 4)) }), { x })
      if (token.length === length) return token
    }
    throw new Error(`no token of ${length} characters`)
  }
  t.equal(await statusOf(app, padded(8192)), 200)
  t.equal(await statusOf(app, padded(8193)), 401)
  t.equal(await statusOf(app, padded(12_000)), 401)
})
