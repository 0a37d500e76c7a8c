import { createHmac, createPublicKey } from 'node:crypto'
import { mock } from 'node:test'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import services from 'fastify-services'
import authentication, {
  type AuthenticationOptions,
  authenticate,
  type JwksOptions,
  JwksStrategy,
  own,
  type TokenPayload
} from 'fastify-services/authentication'
import { authentication as clientLogin, createClient, rest } from 'fastify-services/client'
import { memory } from 'fastify-services/memory'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'
import '../support/auth-scrypt.js'
import { list, startEvents } from '../support/events-app.js'
import { audience, type Issuer, startIssuer } from '../support/issuer.js'
import { now, secret, unsigned } from '../support/tokens.js'

const fromClaims = ({ sub, email }: TokenPayload) => ({ id: sub, email })

interface Settings {
  readonly options?: Partial<JwksOptions>
  readonly plugin?: AuthenticationOptions
  readonly users?: readonly object[]
}

/** Registers services that tell who calls, guarded by tokens of an issuer. */
async function register(app: FastifyInstance, { url }: Issuer, { options, plugin, users }: Settings) {
  const jwks = new JwksStrategy({ issuer: url, audience, ...options })
  await app.register(authentication, { strategies: { jwks }, guard: 'jwks', ...plugin })
  if (users !== undefined) {
    const service = app.service('users', memory(), { methods: [] })
    for (const user of users) await service.create(user)
  }
  app.service('me', {
    find: async ({ user, authentication }: { user?: unknown; authentication?: { payload?: unknown } }) => ({
      user,
      claims: authentication?.payload
    })
  })
  app.service('notes', memory(), { hooks: { around: { all: [own('userId')] } } })
}

async function create(t: Test, issuer: Issuer, settings: Settings = { options: { map: fromClaims } }) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  await register(app, issuer, settings)
  app.get('/route', { preHandler: authenticate({ service: 'authentication', strategies: ['jwks'] }) }, ({ user }) =>
    Promise.resolve(user)
  )
  await app.ready()
  const ask = async (token: string, url = '/me') => {
    const { statusCode, headers, body } = await app.inject({ url, headers: { authorization: `Bearer ${token}` } })
    return { status: statusCode, challenge: headers['www-authenticate'], body: JSON.parse(body) }
  }
  return { app, ask }
}

const invalid = (reason = '') => ({
  status: 401,
  challenge: 'Bearer error="invalid_token"',
  body: { name: 'NotAuthenticated', message: `Invalid access token${reason}` }
})

t.test('the user is made of the claims, found by a claim, found by id, or absent', async (t) => {
  const issuer = await startIssuer(t)
  const token = await issuer.sign({ email: 'ada@example.com', id: 7, password: 'x', role: 'admin' })
  const users = [
    { id: 1, authId: 'ext|eve', email: 'eve@example.com' },
    { id: 2, authId: 'ext|ada', email: 'ada@example.com', password: 'hash' },
    { id: 'ext|ada', email: 'id@example.com' }
  ]
  const ada = { id: 2, authId: 'ext|ada', email: 'ada@example.com' }
  for (const [settings, expected] of [
    [{ options: { map: fromClaims } }, { id: 'ext|ada', email: 'ada@example.com' }],
    [{ options: { map: { authId: 'sub' } }, users }, ada],
    [{ options: { map: { email: 'email', authId: 'sub' } }, users }, ada],
    [{ users }, { id: 'ext|ada', email: 'id@example.com' }],
    [{ plugin: { entity: null } }, undefined]
  ] as const) {
    const { ask } = await create(t, issuer, settings)
    const { status, body } = await ask(token)
    t.equal(status, 200)
    t.strictSame(body.user, expected, 'claims are no fields of a user')
    t.match(body.claims, { sub: 'ext|ada', role: 'admin' })
    if (expected !== undefined) t.strictSame((await ask(token, '/route')).body, expected)
  }
  const { app, ask } = await create(t, issuer)
  const headers = { authorization: `bearer ${token}` }
  await app.inject({ method: 'POST', url: '/notes', payload: { text: 'Hi' }, headers })
  t.match((await ask(token, '/notes')).body, [{ text: 'Hi', userId: 'ext|ada' }])
  t.strictSame((await ask(await issuer.sign({ sub: 'ext|bob' }), '/notes')).body, [])
  t.equal((await app.inject({ method: 'POST', url: '/authentication', payload: {} })).statusCode, 404)
})

t.test('a token without its user, or with a claim of another type', async (t) => {
  const issuer = await startIssuer(t)
  const none = invalid(': it belongs to no user')
  const byClaim = { options: { map: { authId: 'sub' } }, users: [{ id: 1, authId: 'EXT|ADA' }] }
  t.match(await (await create(t, issuer, byClaim)).ask(await issuer.sign()), none)
  const byEmail = await create(t, issuer, { options: { map: { email: 'email' } }, users: [{ id: 1, email: 'a' }] })
  for (const email of [{ $gt: '' }, ['a'], 1, null, '']) t.match(await byEmail.ask(await issuer.sign({ email })), none)
  t.match(await (await create(t, issuer, { users: [{ id: 1 }] })).ask(await issuer.sign()), none)
  const refusing = await create(t, issuer, { options: { map: ({ azp }) => (azp === 'page' ? { id: 1 } : undefined) } })
  t.match(await refusing.ask(await issuer.sign()), none)
  t.equal((await refusing.ask(await issuer.sign({ azp: 'page' }))).status, 200)
})

t.test('a service of users that ignores the query', async (t) => {
  const issuer = await startIssuer(t)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const options = { map: { authId: 'sub' } }
  await register(app, issuer, { options })
  app.service('users', { find: async () => [{ id: 1, authId: 'ext|eve' }] }, { methods: [] })
  const headers = { authorization: `Bearer ${await issuer.sign()}` }
  t.equal((await app.inject({ url: '/me', headers })).statusCode, 401)
})

t.test('tokens that are refused', async (t) => {
  const issuer = await startIssuer(t)
  const { app, ask } = await create(t, issuer)
  const other = await startIssuer(t)
  const good = await issuer.sign()
  const claims = { iss: issuer.url, aud: audience, sub: 'ext|ada', exp: now() + 600 }
  const [head, payload, signature] = good.split('.') as [string, string, string]
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'ext|eve' })).toString('base64url')
  for (const [name, token, reason] of [
    ['no signature', unsigned({ alg: 'none' }, '', claims)],
    ['None', unsigned({ alg: 'None' }, signature, claims)],
    ['no algorithm', unsigned({}, signature, claims)],
    ['another key', await other.sign({ iss: issuer.url })],
    ['another key, named', await other.sign({ iss: issuer.url }, { kid: 'second' })],
    ['a key in the header', await other.sign({ iss: issuer.url }, { jwk: other.keys[0], jku: `${other.url}/` })],
    ['changed claims', `${head}.${changed}.${signature}`],
    ['two parts', `${head}.${payload}`],
    ['four parts', `${good}.${signature}`],
    ['another audience', await issuer.sign({ aud: 'https://other.example' }), ": its claim 'aud' is missing or wrong"],
    ['no audience', await issuer.sign({ aud: undefined }), ": its claim 'aud' is missing or wrong"],
    ['expired', await issuer.sign({ exp: now() - 10 }), ': it has expired'],
    ['no end', await issuer.sign({ exp: undefined }), ": its claim 'exp' is missing or wrong"],
    ['not yet', await issuer.sign({ nbf: now() + 600 }), ": its claim 'nbf' is missing or wrong"],
    ['no subject', await issuer.sign({ sub: undefined }), ": its claim 'sub' is missing or wrong"],
    ['an object as subject', await issuer.sign({ sub: { $gt: '' } as never })],
    ['a long subject', await issuer.sign({ sub: 'x'.repeat(2000) })],
    ['an object as id', await issuer.sign({ jti: {} as never })]
  ] as const)
    t.match(await ask(token), invalid(reason), name)
  t.equal(issuer.requests, 1)
  t.equal(other.requests, 0)
  // Nothing here reads them.
  for (const token of [await other.sign(), await issuer.sign({ iss: `${issuer.url}/` }), 'opaque', 'a.b.c'])
    t.match(await ask(token), { status: 401, challenge: 'Bearer', body: { message: 'Not authenticated' } })
  for (const authorization of ['', 'Bearer', 'Bearer ', `Basic ${good}`, good])
    t.equal((await app.inject({ url: '/me', headers: { authorization } })).statusCode, 401)
  t.equal((await app.inject(`/me?access_token=${good}`)).statusCode, 401)
  t.equal((await ask(good)).status, 200)
})

t.test('a public key of RSA as the secret of HS256', async (t) => {
  const issuer = await startIssuer(t, 'RS256')
  const { ask } = await create(t, issuer)
  const pem = createPublicKey({ key: issuer.keys[0] as object, format: 'jwk' } as never).export({
    type: 'spki',
    format: 'pem'
  })
  const input = unsigned({ alg: 'HS256', kid: 'first' }, '', {
    iss: issuer.url,
    aud: audience,
    sub: 'ext|ada',
    exp: now() + 600
  }).slice(0, -1)
  t.match(await ask(`${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`), invalid())
  t.equal((await ask(await issuer.sign())).status, 200)
  const narrow = await create(t, issuer, { options: { map: fromClaims, algorithms: ['ES256'] } })
  t.match(await narrow.ask(await issuer.sign()), invalid())
})

t.test('keys change, and unknown ones cause no further requests', async (t) => {
  const issuer = await startIssuer(t)
  const { ask } = await create(t, issuer)
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const old = await issuer.sign()
  t.equal((await ask(old)).status, 200)
  const unknown = await issuer.sign({}, { kid: 'unknown' })
  for (const { status } of await Promise.all(Array.from({ length: 50 }, () => ask(unknown)))) t.equal(status, 401)
  t.equal(issuer.requests, 1)
  await issuer.rotate('second')
  mock.timers.tick(31_000)
  const next = await issuer.sign()
  for (const { status } of await Promise.all(Array.from({ length: 50 }, () => ask(next)))) t.equal(status, 200)
  t.match(await ask(old), invalid())
  t.equal(issuer.requests, 2)
})

t.test('an issuer that fails: 503, few requests, and well again', async (t) => {
  const issuer = await startIssuer(t)
  const { ask } = await create(t, issuer)
  const token = await issuer.sign()
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const send = issuer.answer
  let failures = 0
  for (const answer of [
    (reply: FastifyReply) => reply.code(500).send('down'),
    (reply: FastifyReply) => reply.redirect('http://169.254.169.254/'),
    (reply: FastifyReply) => reply.code(204).send(),
    (reply: FastifyReply) => reply.send('{'),
    (reply: FastifyReply) => reply.send({ keys: {} }),
    (reply: FastifyReply) => reply.send('null'),
    (reply: FastifyReply) => reply.send({ keys: [], pad: 'x'.repeat(10_000_000) }),
    (reply: FastifyReply) => reply.raw.destroy()
  ]) {
    issuer.answer = answer
    for (let count = 0; count < 20; count++) {
      const { status, body, challenge } = await ask(token)
      t.match({ status, challenge }, { status: 503, challenge: undefined })
      t.notMatch(JSON.stringify(body), issuer.url)
    }
    t.equal(issuer.requests, ++failures)
    mock.timers.tick(5000)
  }
  issuer.answer = send
  t.equal((await ask(token)).status, 200)
})

t.test('beside tokens of our own and of a second issuer', async (t) => {
  const [issuer, second] = [await startIssuer(t), await startIssuer(t)]
  const partner = new JwksStrategy({ issuer: second.url, audience: ['x', audience], map: { authId: 'sub' } })
  const jwks = new JwksStrategy({ issuer: issuer.url, audience: null, map: { authId: 'sub' } })
  const plugin = { secret, strategies: { partner, jwks, jwt: true, local: true }, guard: ['jwt', 'jwks', 'partner'] }
  const users = [{ id: 1, email: 'ada@example.com', password: 'correct horse', authId: 'ext|ada' }]
  const { app, ask } = await create(t, issuer, { plugin, users })
  const payload = { strategy: 'local', email: 'ada@example.com', password: 'correct horse' }
  const { accessToken } = (await app.inject({ method: 'POST', url: '/authentication', payload })).json()
  for (const token of [accessToken, await issuer.sign({ aud: undefined }), await second.sign()])
    t.match((await ask(token)).body, { user: { id: 1 } })
  t.match(await ask(await second.sign({ iss: issuer.url })), invalid())
  const exchange = { strategy: 'jwks', accessToken: await issuer.sign() }
  t.equal((await app.inject({ method: 'POST', url: '/authentication', payload: exchange })).statusCode, 401)
})

t.test('a live list ends with its token, or with its user', async (t) => {
  const issuer = await startIssuer(t)
  const gone = new Set<unknown>()
  const map = ({ sub }: TokenPayload) => (gone.has(sub) ? undefined : { id: sub })
  const { subscribe } = await startEvents(t, (app) => register(app, issuer, { options: { map } }), {
    services: { notes: true },
    heartbeat: 20
  })
  const open = async (claims: { [claim: string]: unknown }) =>
    subscribe(list('notes'), { authorization: `Bearer ${await issuer.sign(claims)}` })
  const [ada, bob, short] = [await open({}), await open({ sub: 'ext|bob' }), await open({ exp: now() + 5 })]
  await Promise.all([ada.connected, bob.connected, short.connected])
  gone.add('ext|bob')
  t.same((await bob.end()).events, [{ path: 'events', event: 'stopped', reason: 'revoked' }])
  t.same((await short.end()).events, [{ path: 'events', event: 'stopped', reason: 'expired' }])
  t.notOk(ada.isOver)
  t.equal((await (await open({ exp: now() - 10 })).end()).status, 401)
})

t.test('our client sends the token of another library, and a new one after a 401', async (t) => {
  const issuer = await startIssuer(t)
  const { app } = await create(t, issuer)
  const tokens = [await issuer.sign({ exp: now() - 10 }), await issuer.sign()]
  let asked = 0
  const storage = {
    getItem: (key: string) => (key === 'feathers-jwt' ? tokens[Math.min(asked++, 1)] : null),
    setItem() {},
    removeItem() {}
  }
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const client = createClient().configure(rest(url).fetch(fetch)).configure(clientLogin({ storage }))
  t.match(await client.service('me').find(), { user: { id: 'ext|ada' } })
})

t.test('the document shows a token in the header', async (t) => {
  const issuer = await startIssuer(t)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'Test', version: '1.0.0' } }))
  await app.register(services)
  await register(app, issuer, { options: { map: fromClaims } })
  await app.ready()
  t.match(app.swagger(), {
    paths: { '/me': { get: { security: [{ Bearer: [] }] } } },
    components: { securitySchemes: { Bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } }
  })
})

t.test('what is wrong stops the start', async (t) => {
  const good = { issuer: 'https://issuer.example/', audience }
  for (const [options, message] of [
    [{}, /needs `issuer` and `audience`/],
    [{ issuer: good.issuer }, /needs `issuer` and `audience`/],
    [{ ...good, audience: '' }, /`audience` of JwksStrategy/],
    [{ ...good, audience: [] }, /`audience` of JwksStrategy/],
    [{ issuer: 'supabase', audience }, /needs the option `jwksUri`/],
    [{ ...good, jwksUri: 'file:///keys' }, /`jwksUri` of JwksStrategy/],
    [{ ...good, algorithms: ['HS256'] }, /`algorithms` of JwksStrategy/],
    [{ ...good, algorithms: ['none'] }, /`algorithms` of JwksStrategy/],
    [{ ...good, algorithms: [] }, /`algorithms` of JwksStrategy/],
    [{ ...good, map: {} }, /`map` of JwksStrategy/],
    [{ ...good, maps: {} }, /maps/]
  ] as const)
    t.throws(() => new JwksStrategy(options as unknown as JwksOptions), { message })
  const start = async (plugin: AuthenticationOptions) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    await app.register(authentication, plugin)
    await app.ready()
  }
  const jwks = new JwksStrategy(good)
  const mapping = new JwksStrategy({ ...good, map: { authId: 'sub' } })
  await t.rejects(start({ strategies: { jwks } }), /no service 'users'/)
  await t.rejects(start({ strategies: { mapping }, entity: null }), /take `map` away/)
  await t.rejects(start({ secret, strategies: { jwt: true, jwks } }), /put 'jwks' before it/)
})
