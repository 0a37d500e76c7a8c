import type { Params } from 'fastify-services'
import authentication, { authenticate, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, bearer, createGuardsApp, createPeople, whoami } from '../support/auth-guards.js'
import { createRecorder } from '../support/recorder.js'
import { claims, forge, secret } from '../support/tokens.js'

const forUsers = authenticate('jwt')
const forAdmins = authenticate({ service: 'admin', strategies: ['jwt'] })
const forKeys = authenticate({ service: 'admin', strategies: ['key'] })
const admin = bearer(forge(claims({ aud: 'admin' })))
const root = { id: 1, email: 'root@example.com' }
const hi = async () => 'let in'
const key: Strategy = {
  parse: ({ headers }) => (headers['x-admin'] === undefined ? null : { key: headers['x-admin'] }),
  authenticate: ({ key }) => (key === 'good' ? { admin: root } : (null as never))
}

/** How a service that is guarded for users may pass its params on. */
const ways: [how: string, pass: (params: Params) => Params][] = [
  ['as they are', (params) => params],
  ['with another query', (params) => ({ ...params, query: {} })],
  ['as a copy through JSON', (params) => JSON.parse(JSON.stringify(params)) as Params],
  [
    'with a copy of its authentication',
    (params) => ({ ...params, authentication: { ...Object(params.authentication) } })
  ],
  [
    'one by one',
    ({ provider, user, authentication, authenticated }) => ({ provider, user, authentication, authenticated }) as Params
  ],
  ['with an admin put in', (params) => ({ ...params, admin: root })]
]

// Users, and admins with a service of their own, the same secret and the same ids.
const [guarded, open] = [createRecorder(), createRecorder()]
const app = await createGuardsApp(t, {
  before: async (app) => {
    app.service('admins', createPeople([root]))
    const strategies = { jwt: true, key }
    await app.register(authentication, { secret, path: 'admin', service: 'admins', entity: 'admin', strategies })
    app.service('guarded', guarded.service, around(forUsers))
    app.service('open', open.service)
    app.all('/route', { preHandler: forUsers }, hi)
    app.service('a/:provider/:authenticated/:user', whoami, around(forUsers))
    app.service('b/:provider/:authenticated/:user', whoami)
    app.get('/c/:authenticated', { preHandler: forUsers }, hi)

    const find = async ({ admin, user, authentication }: Params) => ({ admin, user, authentication })
    app.service('audit', { find }, around(forAdmins))
    app.service('both', whoami, around(forUsers, forAdmins))
    app.service('with-key', { find }, around(forUsers, forKeys))
    app.get('/audit-route', { preHandler: forAdmins }, hi)
    app.get('/both-route', { onRequest: forUsers, preHandler: forAdmins }, hi)
    app.service('me', whoami, around(forUsers))
    for (const [index, [, pass]] of ways.entries()) {
      app.service(
        `relay/${index}`,
        { find: async (params) => app.service('audit').find(pass(params)) },
        around(forUsers)
      )
      app.service(`same/${index}`, { find: async (params) => app.service('me').find(pass(params)) }, around(forUsers))
    }
    const relay = async ({ feathers }: { feathers: object }) =>
      app.service('audit').find({ ...feathers, provider: 'rest' })
    app.get('/relay-route', { preHandler: forUsers }, relay)
    app.get('/relay-admin', { preHandler: forAdmins }, relay)
  }
})

const spoofed = {
  provider: '',
  authenticated: 'true',
  user: '1',
  authentication: 'jwt',
  access_token: forge(),
  accessToken: forge(),
  token: forge(),
  jwt: forge()
}
const none = { provider: 'rest', user: undefined, authenticated: undefined, authentication: undefined }

/** Who called the open service, and that nobody has called the guarded one. */
function check(t: Test) {
  for (const { params } of open.calls.splice(0)) {
    const { provider, user, authenticated, authentication } = params
    t.strictSame({ provider, user, authenticated, authentication }, none)
  }
  t.same(guarded.calls, [])
}

t.test('`?provider=x&authenticated=true`: `params.provider` is `rest`, nothing is authenticated', async (t) => {
  for (const query of [
    '?provider=x&authenticated=true',
    `?${new URLSearchParams(spoofed)}`,
    `?authentication[strategy]=jwt&authentication[accessToken]=${forge()}&user[id]=1`,
    `?Authorization=Bearer%20${forge()}&headers[authorization]=Bearer%20${forge()}`,
    '?__proto__[authenticated]=true&constructor[prototype][authenticated]=true'
  ]) {
    for (const url of ['/guarded', '/guarded/1', '/route']) t.equal((await ask(app, url + query, {})).status, 401, url)
    t.equal((await ask(app, `/open${query}`, {})).status, 200)
  }
  check(t)
})

t.test('headers of those names do nothing', async (t) => {
  const headers = {
    ...spoofed,
    feathers: '{"authenticated":true}',
    'x-authenticated': 'true',
    cookie: `jwt=${forge()}`
  }
  for (const url of ['/guarded', '/route']) t.equal((await ask(app, url, headers)).status, 401, url)
  t.equal((await ask(app, '/open', headers)).status, 200)
  check(t)
})

t.test('a body of those names does nothing', async (t) => {
  const bodies = [
    { ...spoofed, authentication: { strategy: 'jwt', accessToken: forge() } },
    { params: { authenticated: true, provider: undefined }, feathers: { authenticated: true } },
    { strategy: 'jwt', accessToken: forge() }
  ]
  for (const payload of bodies) {
    const send = async (url: string) => (await app.inject({ method: 'POST', url, payload })).statusCode
    t.same([await send('/guarded'), await send('/route'), await send('/open')], [401, 401, 201])
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = 'provider=&authenticated=true&authentication[strategy]=jwt'
  t.equal((await app.inject({ method: 'POST', url: '/guarded', headers: form, payload })).statusCode, 401)
  check(t)
})

t.test('a placeholder named `provider`, `user` or `authenticated`', async (t) => {
  t.equal((await ask(app, '/a/x/true/1', {})).status, 401)
  t.match((await ask(app, '/b/x/true/1', {})).body, { user: null, authenticated: null, provider: 'rest' })
  t.equal((await ask(app, '/c/true', {})).status, 401)
})

t.test('a guard of a second authentication service is not passed by a caller of the first', async (t) => {
  for (const url of ['/audit', '/both', '/audit-route', '/both-route']) {
    t.equal((await ask(app, url)).status, 401, url)
    t.equal((await ask(app, url, {})).status, 401, url)
  }
  t.match(await ask(app, '/audit', admin), { status: 200, body: { admin: root } })
  t.equal((await ask(app, '/audit-route', admin)).status, 200)
  t.equal((await ask(app, '/both', admin)).status, 401, 'nor the other way round')
})

for (const [index, [how]] of ways.entries())
  t.test(`nor when a service of the first passes its params on, ${how}`, async (t) => {
    t.equal((await ask(app, `/relay/${index}`)).status, 401)
    const expected = { status: 200, body: { user: ada, strategy: 'jwt' } }
    t.match(await ask(app, `/same/${index}`), expected, 'its own guard is passed')
  })

t.test('nor when a guarded route passes its params on', async (t) => {
  t.equal((await ask(app, '/relay-route')).status, 401)
  t.match(await ask(app, '/relay-admin', admin), { status: 200, body: { admin: root } })
})

t.test('where both let in, there are the one and the other', async (t) => {
  const good = { user: ada, admin: root, authentication: { strategy: 'key' } }
  t.same((await ask(app, '/with-key', { ...bearer(), 'x-admin': 'good' })).body, good)
  const headers = [bearer(), { 'x-admin': 'good' }, { ...bearer(), 'x-admin': 'bad' }] as Record<string, string>[]
  for (const header of headers) t.equal((await ask(app, '/with-key', header)).status, 401)
})
