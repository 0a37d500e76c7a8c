import '../support/auth-scrypt.js'
import { Readable } from 'node:stream'
import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import services, { type HookContext } from 'fastify-services'
import authentication, {
  type AuthenticationOptions,
  type AuthenticationService,
  authenticate,
  type Strategy
} from 'fastify-services/authentication'
import { createClient, authentication as login, rest } from 'fastify-services/client'
import { openapi } from 'fastify-services/openapi'
import type { OpenAPIV3_1 } from 'openapi-types'
import t, { type Test } from 'tap'

const secret = 'a secret of more than thirty-two bytes'
const ada = { strategy: 'local', email: 'ada@example.com', password: 'secret' }
const page = { host: 'example.com', origin: 'https://example.com', 'sec-fetch-site': 'same-origin' }

/** An application whose log-in gives cookies, and functions for what browsers send. */
async function create(
  t: Test,
  options: Partial<AuthenticationOptions> = {},
  add: (app: FastifyInstance) => unknown = () => {}
) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  const users = app.service('users', memory({ startId: 1 }), { methods: ['get'] })
  await app.register(authentication, { secret, cookie: true, ...options })
  const guard = { hooks: { around: { all: [authenticate('jwt')] } } }
  const me = async ({ user }: { user?: unknown } = {}) => user
  app.service('me', { find: me, create: async (_data: object, params: object) => me(params) }, guard)
  app.service('open', { find: async ({ user }: { user?: unknown } = {}) => ({ user }) })
  app.get('/who', { preHandler: authenticate('jwt') }, async ({ user }) => user)
  await add(app)
  await app.ready()
  await users.create({ email: 'ada@example.com', password: 'secret' } as never)
  const logIn = (headers: object = page, payload: object = ada) =>
    app.inject({ method: 'POST', url: '/authentication', payload, headers: headers as Record<string, string> })
  const tokenOf = async () => String((await logIn()).cookies[0]?.value)
  const statusOf = async (token: string, request: InjectOptions) =>
    (await app.inject({ ...request, cookies: { [options.path ?? 'authentication']: token } })).statusCode
  return { app, logIn, tokenOf, statusOf }
}

/** Whether an age is that of the token: a second may pass after it was signed. */
const isAge = (age: unknown, seconds: number) => age === seconds || age === seconds - 1

t.test('a page gets its token in a cookie that no script can read, and nowhere else', async (t) => {
  const { app, logIn } = await create(t)
  const answer = await logIn()
  t.equal(answer.statusCode, 201)
  const [cookie] = answer.cookies
  t.match(cookie, { name: 'authentication', path: '/', httpOnly: true, secure: true, sameSite: 'Lax' })
  t.ok(isAge(cookie?.maxAge, 86400))
  t.notOk(answer.body.includes(String(cookie?.value)), 'the body does not have it')
  t.match(answer.json(), { user: { email: 'ada@example.com' }, authentication: { strategy: 'local', payload: {} } })
  t.equal(answer.headers['cache-control'], 'no-store')
  const foreign = await logIn({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
  t.strictSame([foreign.statusCode, foreign.headers['cache-control']], [403, 'no-store'])
  const bad = { authentication: 'bad' }
  const failed = await app.inject({ method: 'DELETE', url: '/authentication', cookies: bad, headers: page })
  t.strictSame([failed.statusCode, failed.headers['cache-control']], [401, 'no-store'])

  const cookies = { authentication: String(cookie?.value) }
  const me = await app.inject({ url: '/me', cookies })
  t.equal(me.json().email, 'ada@example.com')
  t.equal(me.headers['cache-control'], 'private', 'shared caches keep none of it')
  t.equal((await app.inject({ url: '/who', cookies })).json().email, 'ada@example.com', 'routes know it too')
  t.equal((await app.inject({ url: '/me' })).headers['cache-control'], undefined)
  const internal = await app.service<AuthenticationService>('authentication').create(ada)
  t.type(internal.accessToken, 'string', 'the server itself gets the token')

  const again = await app.inject({
    method: 'POST',
    url: '/authentication',
    payload: { strategy: 'jwt' },
    cookies,
    headers: page
  })
  t.match(again.json(), { user: { email: 'ada@example.com' }, authentication: { strategy: 'jwt' } })
  t.notOk(again.body.includes(cookies.authentication), 'who goes on by the cookie does not see it')
  t.strictSame(again.cookies, [])
  const script = await app.inject({ method: 'POST', url: '/authentication', payload: { strategy: 'jwt' }, cookies })
  t.notOk(script.body.includes(cookies.authentication), 'nor does one that looks like no browser')

  const out = await app.inject({ method: 'DELETE', url: '/authentication', cookies, headers: page })
  t.equal(out.statusCode, 200)
  t.match(out.cookies, [{ name: 'authentication', value: '', maxAge: 0, path: '/' }])
  t.notOk(out.body.includes(cookies.authentication))
})

t.test('others get the token as ever, and the cookie beside it', async (t) => {
  const { app, logIn } = await create(t)
  const answer = await logIn({})
  const { accessToken } = answer.json()
  t.equal(answer.cookies[0]?.value, accessToken)
  t.equal(answer.cookies[0]?.secure, undefined, 'by HTTP without TLS')
  const headers = { authorization: `Bearer ${accessToken}` }
  t.equal((await app.inject({ url: '/me', headers })).statusCode, 200)
  t.equal((await app.inject({ url: '/me', headers })).headers['cache-control'], undefined)
  const cookies = { authentication: accessToken }
  t.equal(
    (await app.inject({ url: '/me', headers: { authorization: 'Bearer nonsense' }, cookies })).statusCode,
    401,
    'what is sent on purpose comes first'
  )
  t.equal((await app.inject({ url: '/me', headers: { authorization: 'Basic YTpi' }, cookies })).statusCode, 200)
})

t.test('the cookie changes nothing for pages of other origins', async (t) => {
  const { tokenOf, statusOf, logIn } = await create(t, { cookie: { origins: ['https://app.example.com'] } })
  const token = await tokenOf()
  const rows: [string, Record<string, string>, number][] = [
    ['its own page', page, 201],
    ['its own page without an origin', { host: 'example.com', 'sec-fetch-site': 'same-origin' }, 201],
    ['the address line', { host: 'example.com', 'sec-fetch-site': 'none' }, 201],
    ['no browser', { host: 'example.com' }, 201],
    [
      'a page that is named',
      { host: 'example.com', origin: 'https://app.example.com', 'sec-fetch-site': 'same-site' },
      201
    ],
    [
      'a page beside it',
      { host: 'example.com', origin: 'https://evil.example.com', 'sec-fetch-site': 'same-site' },
      403
    ],
    ['another site', { host: 'example.com', origin: 'https://evil.com', 'sec-fetch-site': 'cross-site' }, 403],
    ['another site without an origin', { host: 'example.com', 'sec-fetch-site': 'cross-site' }, 403],
    ['an old browser', { host: 'example.com', origin: 'http://example.com' }, 201],
    ['an old browser and another port', { host: 'example.com', origin: 'http://example.com:81' }, 403],
    ['an old browser elsewhere', { host: 'example.com', origin: 'http://evil.com' }, 403],
    [
      'an old browser behind a proxy that names the port',
      { host: 'example.com:443', origin: 'https://example.com' },
      201
    ],
    ['an extension', { host: 'example.com', origin: 'chrome-extension://example.com' }, 403],
    ['a sandbox', { host: 'example.com', origin: 'null' }, 403],
    ['a host as a part', { host: 'example.com', origin: 'http://example.com.evil.com' }, 403],
    ['a named page as a part', { host: 'example.com', origin: 'https://app.example.com.evil.com' }, 403]
  ]
  for (const [name, headers, status] of rows) {
    t.equal(await statusOf(token, { method: 'POST', url: '/me', payload: {}, headers }), status, name)
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    t.equal(
      await statusOf(token, { method: 'POST', url: '/me', payload: 'a=1', headers: form }),
      status,
      `${name}: a form`
    )
    t.equal(await statusOf(token, { url: '/me', headers }), 200, `${name} may read, as far as CORS lets it`)
    t.equal((await logIn(headers)).statusCode, status, `${name}: a log-in`)
    const out = status === 201 ? 200 : 403
    t.equal(await statusOf(token, { method: 'DELETE', url: '/authentication', headers }), out, `${name}: a log-out`)
  }
  const [, elsewhere] = rows[6] as (typeof rows)[number]
  t.equal(await statusOf(token, { url: '/who', headers: { ...elsewhere, upgrade: 'websocket' } }), 403, 'a socket')
  t.equal(await statusOf(token, { url: '/open', headers: elsewhere }), 200)
})

t.test('a cookie that is no longer good is taken away by a log-out', async (t) => {
  const { app } = await create(t)
  const cookies = { authentication: 'nonsense' }
  const out = await app.inject({ method: 'DELETE', url: '/authentication', cookies, headers: page })
  t.equal(out.statusCode, 401)
  t.match(out.cookies, [{ name: 'authentication', value: '', maxAge: 0 }])
  const none = await app.inject({ method: 'DELETE', url: '/authentication', headers: page })
  t.strictSame([none.statusCode, none.cookies], [401, []])
})

t.test('a failed log-out keeps the cookie, so that it can be tried again', async (t) => {
  const store = { get: async () => undefined, set: async () => Promise.reject(new Error('down')) }
  const { app, tokenOf } = await create(t, { revocation: true, store })
  const cookies = { authentication: await tokenOf() }
  const out = await app.inject({ method: 'DELETE', url: '/authentication', cookies, headers: page })
  t.strictSame([out.statusCode, out.cookies], [500, []])
})

t.test('options of the cookie', async (t) => {
  const options = { name: '__Host-token', sameSite: 'strict' as const }
  const { app, logIn } = await create(t, { cookie: options, jwt: { expiresIn: '7d' } })
  const answer = await logIn({})
  const [cookie] = answer.cookies
  t.match(cookie, { name: '__Host-token', secure: true, sameSite: 'Strict' })
  t.ok(isAge(cookie?.maxAge, 7 * 86400))
  t.equal((await app.inject({ url: '/me', cookies: { '__Host-token': String(cookie?.value) } })).statusCode, 200)

  const shared = await create(t, { cookie: { sameSite: 'none', domain: 'example.com' }, path: 'v1/login' })
  t.match((await shared.app.inject({ method: 'POST', url: '/v1/login', payload: ada })).cookies, [
    { name: 'v1-login', secure: true, sameSite: 'None', domain: 'example.com' }
  ])
  const root = await create(t, { path: '' })
  t.match((await root.app.inject({ method: 'POST', url: '/', payload: ada })).cookies, [{ name: 'authentication' }])
  const open = await create(t, { cookie: { secure: false } })
  t.equal((await open.logIn()).cookies[0]?.secure, undefined)

  const wrong: [NonNullable<AuthenticationOptions['cookie']>, RegExp][] = [
    [{ sameSite: 'none', secure: false }, /`cookie.secure` of authentication can't be false/],
    [{ name: '__Secure-a', secure: false }, /by the name '__Secure-a'/],
    [{ name: '__Host-a', domain: 'example.com' }, /`cookie.domain` of authentication can't be set/],
    [{ name: 'a b' }, /a name or a domain that no cookie can have/],
    [{ domain: 'a;b' }, /a name or a domain that no cookie can have/],
    [{ origins: ['example.com'] }, /has 'example.com', which is no origin/],
    [{ origins: ['https://example.com/'] }, /which is no origin/],
    [{ sameSite: 'Lax' as 'lax' }, /`cookie.sameSite` of authentication must be 'strict', 'lax' or 'none'/],
    [{ sameSit: 'lax' } as object, /Did you mean 'cookie.sameSite'/],
    ['yes' as never, /`cookie` of authentication must be true, false or a plain object/]
  ]
  for (const [cookie, message] of wrong) await t.rejects(create(t, { cookie }), message)
  await t.rejects(create(t, { refresh: true }), /`cookie` and `refresh` of authentication exclude each other/)
  await t.rejects(
    create(t, { strategies: { local: true } }),
    /`cookie` of authentication needs a strategy that verifies/
  )
})

t.test('cookies of hooks, and what hooks show in place of the result', async (t) => {
  const { logIn } = await create(t, {
    hooks: {
      after: {
        create: [
          async (context) => {
            context.http.headers = { 'set-cookie': ['theme=dark', 'a=b'], 'X-Hook': 'yes' }
            context.dispatch = context.data.isQuiet ? null : { ...context.result, extra: true }
          }
        ]
      }
    }
  })
  const answer = await logIn()
  t.strictSame(
    answer.cookies.map(({ name }) => name),
    ['theme', 'a', 'authentication']
  )
  t.equal(answer.headers['x-hook'], 'yes')
  t.equal((await logIn(page, { ...ada, isQuiet: true })).body, '')
  t.match(answer.json(), { extra: true, user: { email: 'ada@example.com' }, accessToken: undefined })
})

t.test('tokens of a strategy of its own, and log-ins that are not over', async (t) => {
  const foreign: Strategy = { authenticate: ({ token }) => ({ accessToken: token, user: { id: 1 } }) }
  const isHalf = async (context: HookContext) => {
    if (context.data.half) context.result = { next: 'code' }
  }
  const { app, logIn } = await create(t, {
    strategies: { jwt: true, local: true, foreign },
    hooks: { before: { create: [isHalf] } }
  })
  const answer = await logIn(page, { strategy: 'foreign', token: 'abc' })
  t.match(answer.cookies, [{ name: 'authentication', value: 'abc' }])
  t.equal(answer.cookies[0]?.maxAge, undefined, 'it says nothing of its end')
  const half = { method: 'POST', url: '/authentication', payload: { ...ada, half: true }, headers: page } as const
  const first = await app.inject({ ...half, cookies: { authentication: 'abc' } })
  t.strictSame([first.json(), first.cookies], [{ next: 'code' }, []], 'the cookie of before stays')
})

t.test('answers of all kinds are kept from shared caches', async (t) => {
  const { app, tokenOf } = await create(t, {}, (app) => {
    const fails = { around: { all: [authenticate('jwt')] } }
    app.service('none', memory(), { hooks: fails })
    app.service('lines', { find: async () => Readable.from(['a']) }, { hooks: fails })
    const setHeaders = async ({ http }: HookContext) => {
      http.headers = { 'Cache-Control': 'no-store' }
    }
    app.service('mine', { find: async () => [] }, { hooks: { ...fails, after: { all: [setHeaders] } } })
    app.get('/page', { preHandler: authenticate('jwt') }, (_request, reply) => reply.redirect('/'))
  })
  const cookies = { authentication: await tokenOf() }
  const rows = { '/none': 200, '/none/7': 404, '/lines': 200, '/page': 302, '/who': 200 }
  for (const [url, status] of Object.entries(rows)) {
    const answer = await app.inject({ url, cookies })
    t.strictSame([answer.statusCode, answer.headers['cache-control']], [status, 'private'], url)
  }
  t.equal((await app.inject({ url: '/mine', cookies })).headers['cache-control'], 'no-store', 'hooks know better')
})

t.test('a token that no browser would keep is refused, and no cookie is set', async (t) => {
  const { app, logIn } = await create(t, {
    hooks: {
      before: { create: [async ({ params }) => void Object.assign(params, { payload: { long: 'x'.repeat(4000) } })] }
    }
  })
  const answer = await logIn()
  t.strictSame([answer.statusCode, answer.cookies], [500, []])
  t.equal((await app.inject('/open')).statusCode, 200)
})

t.test('the document names the cookie', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(swagger, openapi({ info: { title: 'Test', version: '1.0.0' } }))
  await app.register(authentication, { secret, cookie: true, guard: 'jwt' })
  app.service('users', memory())
  await app.ready()
  const { components, paths } = app.swagger() as OpenAPIV3_1.Document
  t.match(components?.securitySchemes, { Cookie: { type: 'apiKey', in: 'cookie', name: 'authentication' } })
  t.strictSame(paths?.['/users']?.get?.security, [{ Bearer: [] }, { Cookie: [] }])
  t.match(
    JSON.stringify(components?.schemas?.AuthenticationData),
    '"required":["strategy"]',
    'the cookie may hold the token'
  )
})

t.test('the client needs no storage: the login goes on after a reload', async (t) => {
  const { app } = await create(t)
  const base = await app.listen({ port: 0 })
  const jar = new Map<string, string>()
  // What a browser adds by itself.
  const browser: typeof fetch = async (url, init) => {
    const headers = new Headers(init?.headers)
    headers.set('origin', base)
    headers.set('cookie', [...jar].map((pair) => pair.join('=')).join('; '))
    const response = await fetch(url, { ...init, headers })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) jar.set(String(name), value)
      else jar.delete(String(name))
    }
    return response
  }
  const storage = { getItem: () => null, setItem: () => t.fail('a token is stored'), removeItem: () => {} }
  const connect = () =>
    createClient()
      .configure(rest(base).fetch(browser))
      .configure(login({ cookie: true, storage }))

  const first = connect()
  await t.rejects(first.reAuthenticate(), { code: 401 })
  t.match(await first.authenticate(ada), { user: { email: 'ada@example.com' }, accessToken: undefined })
  t.match(await first.service('me').find(), { email: 'ada@example.com' })

  const reloaded = connect()
  t.match(await reloaded.authenticate(), { user: { email: 'ada@example.com' } })
  t.match(await reloaded.get('authentication'), { authentication: { strategy: 'jwt' } })
  await reloaded.logout()
  t.equal(jar.size, 0)
  await t.rejects(connect().reAuthenticate(), { code: 401 })
  await t.rejects(first.service('me').find(), { code: 401 })
})
