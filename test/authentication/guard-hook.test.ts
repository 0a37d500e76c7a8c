import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AroundHook, HookContext, HookOptions, Params } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { decode } from '../support/auth-fault-tokens.js'
import {
  ada,
  apiKey,
  around,
  ask,
  bearer,
  bob,
  createGuardsApp,
  createPeople,
  login,
  whoami
} from '../support/auth-guards.js'
import { createRecorder } from '../support/recorder.js'
import { claims, forge, now } from '../support/tokens.js'

const guard = authenticate('jwt')
const ifGiven: AroundHook = (context, next) => (context.params.authentication ? guard(context, next) : next())
const ifHeader = async (request: FastifyRequest, reply: FastifyReply) => {
  if (request.headers.authorization !== undefined) await guard(request, reply)
}
const letIn = { user: ada, strategy: 'jwt', authenticated: true, provider: 'rest' }
const none = { user: null, strategy: null, authenticated: null, provider: 'rest' }
const refused = { name: 'NotAuthenticated', code: 401, className: 'not-authenticated' }
const bad = ['bad', forge(claims({ sub: '3' })), forge(claims({ exp: now() - 1 })), forge(claims(), {}, 'x'.repeat(32))]

const people = createPeople()
const { service: things, calls } = createRecorder()
const archive = async (_data: unknown, { user }: Params) => user ?? null
const seen: unknown[] = []
const look = async ({ params }: HookContext) => void seen.push([params.user ?? null, params.authenticated ?? null])
const services: Record<string, { hooks: HookOptions }> = {
  around: around(guard),
  before: { hooks: { before: { all: [guard] } } },
  each: { hooks: { around: [guard] } },
  looked: { hooks: { before: { all: [look, guard, look] }, after: { all: [look] } } },
  optional: { hooks: { around: { all: [ifGiven] } } }
}
const app = await createGuardsApp(t, {
  people,
  options: { strategies: { jwt: true, local: true, apiKey } },
  before: (app) => {
    for (const [name, options] of Object.entries(services)) app.service(name, whoami, options)
    app.service('open', { find: async (params) => params })
    app.service('added', whoami)
    app.service('added').hooks({ around: { find: [guard] } })
    app.service('things', things, { hooks: { around: { create: [guard] }, before: { remove: [guard] } } })
    app.service(
      'custom',
      { find: async () => [], archive },
      { methods: ['find', 'archive'], hooks: { around: { archive: [guard] } } }
    )
    app.service('params', { find: async (params) => params }, around(guard))
    app.service('middleware', whoami, { before: [guard] })
    app.service('alone', whoami, { before: guard })
    app.service('twice', whoami, { before: [guard], ...around(guard) })
    app.service('keys', whoami, { before: [guard], ...around(authenticate('apiKey')) })
    app.service('followed', whoami, {
      before: [
        async (request) => void seen.push(request.user ?? null),
        guard,
        async (request) => void seen.push(request.user, request.feathers.user)
      ]
    })
    app.get('/news', { preHandler: ifHeader }, async ({ user }) => ({ user: user ?? null }))
  }
})

const places = {
  'a hook for `around`': '/around',
  'a hook for `before`': '/before',
  'a hook for all types': '/each',
  'one that is added by `hooks()` later': '/added',
  '`before` middleware of a service': '/middleware',
  'one alone, without a list': '/alone'
}
for (const [as, url] of Object.entries(places))
  t.test(`as ${as}: lets in who proves who they are`, async (t) => {
    t.match(await ask(app, url), { status: 200, body: letIn })
    t.match((await ask(app, url, bearer(forge(claims({ sub: '2' }))))).body, { ...letIn, user: bob })
    for (const headers of [{}, ...bad.map(bearer)] as Record<string, string>[]) {
      const { status, body, headers: answered } = await ask(app, url, headers)
      t.match([status, body], [401, refused])
      const isRefused = body.message.startsWith('Invalid access token')
      t.equal(answered['www-authenticate'], isRefused ? 'Bearer error="invalid_token"' : 'Bearer')
    }
    t.equal((await ask(app, url, {}, 'HEAD')).status, 401, 'HEAD is guarded as GET is')
    t.equal((await ask(app, url, bearer(), 'HEAD')).status, 200)
  })

t.test('`params.authentication`, `params.user` and `params.authenticated` are set for hooks and methods', async (t) => {
  const token = forge()
  const { user, authentication, authenticated, provider } = (await ask(app, '/params', bearer(token))).body
  t.strictSame([user, authenticated, provider], [ada, true, 'rest'])
  t.strictSame(authentication, { strategy: 'jwt', accessToken: token, payload: decode(token, 1) })
})

t.test('it belongs to the methods that it is given to', async (t) => {
  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, headers = {}) =>
    (await app.inject({ method, url, headers, ...(method !== 'GET' && { payload: {} }) })).statusCode
  t.same(
    [await send('GET', '/things'), await send('GET', '/things/1'), await send('PATCH', '/things/1')],
    [200, 200, 200]
  )
  t.same(
    [await send('POST', '/things'), await send('DELETE', '/things/1'), await send('DELETE', '/things')],
    [401, 401, 401]
  )
  t.same([await send('POST', '/things', bearer()), await send('DELETE', '/things/1', bearer())], [201, 200])
  t.same(
    calls.map(({ method, params }) => [method, params.user]),
    [
      ['find', undefined],
      ['get', undefined],
      ['patch', undefined],
      ['create', ada],
      ['remove', ada]
    ]
  )
})

t.test('a custom method is guarded as the six are', async (t) => {
  const send = (headers: object) =>
    app.inject({ method: 'POST', url: '/custom', payload: {}, headers: { 'x-service-method': 'archive', ...headers } })
  t.equal((await send({})).statusCode, 401)
  t.same((await send(bearer())).json(), ada)
  t.equal((await ask(app, '/custom', {})).status, 200)
})

t.test(
  'hooks and middleware before the guard see no user, those behind it do, and do not run for who is not let in',
  async (t) => {
    for (const headers of [{}, ...bad.map(bearer)] as Record<string, string>[]) {
      await ask(app, '/looked', headers)
      await ask(app, '/followed', headers)
      t.same(seen.splice(0), [[null, null], null])
    }
    await ask(app, '/looked')
    t.same(seen.splice(0), [
      [null, null],
      [ada, true],
      [ada, true]
    ])
    await ask(app, '/followed')
    t.same(seen.splice(0), [null, ada, ada])
  }
)

t.test('a hook behind middleware asks nothing a second time, and one with other strategies does', async (t) => {
  people.gets = 0
  t.match((await ask(app, '/twice')).body, { user: ada })
  t.equal(people.gets, 1)
  t.equal((await ask(app, '/keys')).status, 401)
  t.match((await ask(app, '/keys', { ...bearer(), 'x-api-key': 'good' })).body, { user: bob, strategy: 'apiKey' })
})

t.test('middleware guards REST alone: a call of the server does not meet it', async (t) => {
  t.match(await app.service('middleware').find({ provider: 'rest' }), { user: null })
})

t.test('a hook that asks the guard only where there are credentials', async (t) => {
  t.match(await ask(app, '/optional', {}), { status: 200, body: none })
  t.match(await ask(app, '/optional'), { status: 200, body: letIn })
  for (const token of bad) t.equal((await ask(app, '/optional', bearer(token))).status, 401, 'a bad token is refused')
  for (const authorization of ['', 'Bearer', 'Basic YTpi'])
    t.match(
      await ask(app, '/optional', { authorization }),
      { status: 200, body: none },
      `no credentials: '${authorization}'`
    )
  t.match(await app.service('optional').find(), { user: null }, 'the server itself')
  t.equal((await ask(app, '/optional', { 'x-api-key': 'good' })).status, 401, 'credentials of another strategy')
  for (const key of ['good', 'bad'])
    t.match((await ask(app, '/optional', { ...bearer(), 'x-api-key': key })).body, { user: ada, strategy: 'jwt' })
})

t.test('on a route: a hook that looks at the header', async (t) => {
  t.match(await ask(app, '/news', {}), { status: 200, body: { user: null } })
  t.match(await ask(app, '/news', bearer(forge(claims({ sub: '2' })))), { status: 200, body: { user: bob } })
  const { status, headers } = await ask(app, '/news', bearer('bad'))
  t.same([status, headers['www-authenticate']], [401, 'Bearer error="invalid_token"'])
})

t.test('A bad token where no guard asks is ignored: what the request carries proves nothing', async (t) => {
  people.gets = 0
  for (const token of bad) {
    const { status, body } = await ask(app, '/open', bearer(token))
    t.same(
      [status, body.authentication, body.user, body.authenticated],
      [200, { strategy: 'jwt', accessToken: token }, undefined, undefined]
    )
  }
  t.equal((await ask(app, '/open', { authorization: 'Bearer ' })).status, 200)
  t.equal((await ask(app, '/open', {})).body.authentication, undefined)
  t.same((await ask(app, '/open', { 'x-api-key': 'bad' })).body.authentication, { strategy: 'apiKey', apiKey: 'bad' })
  t.equal(people.gets, 0, 'nobody was asked')
})

t.test('for all services it would stand on the authentication service itself: that fails at start', async (t) => {
  for (const type of ['around', 'before'] as const)
    for (const method of ['all', 'create', 'remove'])
      await t.rejects(
        createGuardsApp(t, { plugin: { hooks: { [type]: { [method]: [guard] } } } }),
        /authenticate\('jwt'\) guards the authentication service 'authentication', where logins come without a token/,
        `${type} ${method}`
      )
})

t.test('for all services but that one: a hook that asks it', async (t) => {
  const others: AroundHook = (context, next) => (context.path === 'authentication' ? next() : guard(context, next))
  const app = await createGuardsApp(t, {
    plugin: { hooks: { around: { all: [others] } } },
    before: (app) => app.service('me', whoami)
  })
  t.equal((await ask(app, '/me', {})).status, 401)
  t.equal((await ask(app, '/users/1', {})).status, 401)
  const { status, body } = await login(app)
  t.equal(status, 201)
  t.match(await ask(app, '/me', { authorization: body.accessToken }), { status: 200, body: { user: ada } })
  t.match(await ask(app, '/users/1'), { status: 200, body: ada })
  t.match(await app.service('me').find(), { user: null }, 'a call of the server needs no token')
})

t.test('for a method that the authentication service does not have, it stands on the others alone', async (t) => {
  const app = await createGuardsApp(t, {
    plugin: { hooks: { around: { find: [guard] }, before: { patch: [guard] } } },
    before: (app) => app.service('me', { ...whoami, get: async (id: string) => ({ id }) })
  })
  t.equal((await ask(app, '/me', {})).status, 401)
  t.match(await ask(app, '/me'), { status: 200, body: { user: ada } })
  t.equal((await ask(app, '/me/1', {})).status, 200)
  t.equal((await login(app)).status, 201)
})

t.test('what a hook has put on the context does not make it a request', async (t) => {
  const like: AroundHook = async (context, next) => {
    Object.assign(context, { raw: {}, server: {}, headers: {}, feathers: {}, log: {}, routeOptions: {}, id: 1 })
    await next()
  }
  const app = await createGuardsApp(t, {
    before: (app) => {
      app.service('around-like', whoami, { hooks: { around: { all: [like, guard] } } })
      app.service('before-like', whoami, { hooks: { around: { all: [like] }, before: { all: [guard] } } })
    }
  })
  for (const url of ['/around-like', '/before-like']) {
    t.match(await ask(app, url), { status: 200, body: letIn }, url)
    t.match(await ask(app, url, {}), { status: 401, body: refused }, url)
  }
})
