import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationOptions, authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { around, ask, createGuardsApp, createPeople, login, whoami } from '../support/auth-guards.js'
import { secret } from '../support/tokens.js'
import { createServicesApp } from '../support/users-app.js'

type Step = (app: FastifyInstance) => unknown
const start = (t: Test, before: Step) => createGuardsApp(t, { before })
const hi = async () => 'let in'
const jwt = authenticate('jwt')
const wrong = authenticate('jwt', 'jtw')
const on = (service: string) => authenticate({ service, strategies: ['jwt'] })
const other = (app: FastifyInstance, options: object = {}) =>
  app.register(authentication, { secret: 'x'.repeat(32), path: 'other', ...options })
const me = (options: object) => (app: FastifyInstance) => app.service('me', whoami, options)
const route = (options: object) => (app: FastifyInstance) => app.get('/route', options, hi)
const none = /There is no authentication here: register the plugin fastify-services\/authentication/
const onItself =
  /authenticate\('jwt'\) guards the authentication service 'authentication', where logins come without a token: remove it/

const steps: [what: string, message: RegExp, steps: Record<string, Step>][] = [
  [
    'an unknown strategy fails at start, wherever the hook comes from',
    /^authenticate\('jtw'\) at '(v1\/)?me': there is no such strategy\. Enabled: jwt, local$/,
    {
      'around all': me(around(wrong)),
      'around a method': me({ hooks: { around: { find: [wrong] } } }),
      before: me({ hooks: { before: [wrong] } }),
      'without a type': me({ hooks: { find: [wrong] } }),
      'behind another one': me(around(jwt, wrong)),
      'added by hooks()': (app) => app.service('me', whoami).hooks({ around: { all: [wrong] } }),
      'as middleware': me({ before: wrong }),
      'in a list of middleware': me({ before: [jwt, wrong] }),
      'in a child': (app) => app.register(async (child) => void me(around(wrong))(child), { prefix: '/v1' })
    }
  ],
  [
    'an unknown strategy on a route fails at start',
    /authenticate\('jtw'\) at '\/(v1\/)?route': there is no such strategy\. Enabled: jwt, local/,
    {
      onRequest: route({ onRequest: wrong }),
      preParsing: (app) => app.post('/route', { preParsing: [wrong] }, hi),
      preValidation: route({ preValidation: [wrong] }),
      preHandler: route({ preHandler: [jwt, wrong] }),
      'route()': (app) => app.route({ method: ['GET', 'POST'], url: '/route', preHandler: wrong, handler: hi }),
      'in a child': (app) => app.register(async (child) => void route({ preHandler: wrong })(child), { prefix: '/v1' })
    }
  ],
  [
    'a strategy that is only in another authentication service',
    /authenticate\('other'\) at 'me': there is no such strategy/,
    {
      other: async (app) => {
        await other(app, { strategies: { jwt: true, other: { authenticate: () => ({}) } } })
        me(around(authenticate('other')))(app)
      }
    }
  ],
  [
    'an unknown service',
    /There is no service 'nowhere'\. Registered: 'users', 'authentication'/,
    { 'a hook': me(around(on('nowhere'))), 'a route': route({ preHandler: on('nowhere') }) }
  ],
  [
    'a service that is no authentication service',
    /The service 'users' is no authentication service: name one/,
    { 'a hook': me(around(on('users'))), 'a route': route({ preHandler: on('users') }) }
  ],
  [
    'as an after or error hook it would come too late',
    /^authenticate at 'me' is a hook for 'before' or 'around', not for '(after|error)'$/,
    {
      after: me({ hooks: { after: { all: [jwt] } } }),
      'after a method': me({ hooks: { after: { find: jwt } } }),
      error: me({ hooks: { error: { all: [jwt] } } }),
      'error of a method': me({ hooks: { error: { find: jwt } } })
    }
  ],
  ['nor as middleware after the call', /authenticate at 'me' is a hook for /, { after: me({ after: [jwt] }) }],
  [
    'where the handler has run already it would let everybody in: that fails at start',
    /authenticate at '\/route' is a hook for /,
    Object.fromEntries(
      ['preSerialization', 'onSend', 'onResponse', 'onError'].map((place) => [place, route({ [place]: jwt })])
    )
  ],
  [
    'on the authentication service itself',
    onItself,
    {
      'by hooks()': (app) => app.service('authentication').hooks({ around: { all: [jwt] } }),
      'also where it asks another one': async (app) => {
        await other(app)
        app.service('authentication').hooks({ around: { all: [on('other')] } })
      }
    }
  ]
]

for (const [what, message, rows] of steps)
  t.test(what, async (t) => {
    for (const [where, step] of Object.entries(rows)) await t.rejects(start(t, step), { message }, where)
  })

t.test('on the authentication service itself, by its options', async (t) => {
  for (const options of [around(jwt), { hooks: { before: { create: jwt } } }, { before: jwt }])
    await t.rejects(createGuardsApp(t, { options }), onItself)
})

t.test('names that are no strategies of ours', async (t) => {
  for (const name of ['JWT', 'constructor', '__proto__', 'toString', 'size', 'refresh', ' jwt'])
    await t.rejects(
      start(t, me(around(authenticate(name)))),
      { message: `authenticate('${name}') at 'me': there is no such strategy. Enabled: jwt, local` },
      name
    )
})

t.test('misuse that can be seen at once', async (t) => {
  const guard = authenticate as (...names: unknown[]) => unknown
  for (const names of [[], [''], [undefined], [{ strategies: [] }], [{ service: 'a' }], [null], [['jwt']]])
    t.throws(() => guard(...names), /authenticate needs the name of a strategy: authenticate\('jwt'\)/)
})

t.test('no server listens then', async (t) => {
  const app = start(t, async (app) => {
    me(around(wrong))(app)
    await t.rejects(app.listen({ port: 0 }), /there is no such strategy/)
    t.notOk(app.server.listening)
  })
  await t.rejects(app)
})

/** Starts an application without authentication, unless a step registers it. */
async function startOwn(t: Test, ...steps: Step[]): Promise<FastifyInstance> {
  const app = await createServicesApp(t)
  for (const step of steps) await step(app)
  await app.ready()
  return app
}

const register =
  (options: Partial<AuthenticationOptions> = {}): Step =>
  async (app) => {
    app.service('users', createPeople())
    await app.register(authentication, { secret, ...options })
  }

t.test('also where the route was there before the authentication, or stands beside it', async (t) => {
  const unknown = /authenticate\('jtw'\) at '\/route': there is no such strategy/
  const early = route({ preHandler: wrong })
  await t.rejects(startOwn(t, early, register()), unknown, 'before')
  const child: Step = (app) => app.register(async (child) => register()(child), { prefix: '/v1' })
  await t.rejects(startOwn(t, child, early), unknown, 'beside')
})

t.test('a guard without any authentication fails at start', async (t) => {
  for (const step of [me(around(jwt)), route({ preHandler: jwt })]) await t.rejects(startOwn(t, step), none)
})

t.test('without any of our plugins it lets nobody in, and says why', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.get('/one', { preHandler: jwt }, hi)
  app.get('/named', { preHandler: on('authentication') }, hi)
  for (const url of ['/one', '/named'])
    t.match(await ask(app, url), { status: 500, body: { message: /There is no authentication here: register/ } }, url)
})

t.test('without fastify-services: register that first', async (t) => {
  const message = /fastify-services\/authentication needs fastify-services: register that plugin first/
  const bare = () => {
    const app = Fastify()
    t.teardown(() => app.close())
    return app
  }
  await t.rejects(async () => bare().register(authentication, { secret }), message)
  const inner = bare()
  inner.register(async (child) => void (await child.register(services)))
  inner.register(authentication, { secret })
  await t.rejects(async () => inner.ready(), message, 'where it is registered in a child alone')
  const late = bare()
  late.register(authentication, { secret })
  late.register(services)
  await t.rejects(async () => late.ready(), message, 'where it comes later')
})

t.test('twice at a path, or where another service stands', async (t) => {
  const taken = /A service 'authentication' is registered already, at .+: choose another path/
  await t.rejects(
    startOwn(t, register(), (app) => app.register(authentication, { secret })),
    taken
  )
  await t.rejects(startOwn(t, register({ path: '/users/' })), /A service 'users' is registered already/)
})

t.test('the service of the users is missing, or lacks what the strategies need', async (t) => {
  const { find, get } = createPeople()
  const start = (options: Partial<AuthenticationOptions>, people?: object) =>
    createGuardsApp(t, { options, ...(people && { people }) })
  const message =
    "Authentication has no service 'people' to find users in: register it, name another one in the option `service`, or set `entity` to null"
  await t.rejects(start({ service: 'people' }), { message })
  await t.rejects(start({}, { find }), /The strategy 'jwt' needs the method 'get' of the service 'users'/)
  await t.rejects(start({}, { get }), /The strategy 'local' needs the method 'find' of the service 'users'/)
  await t.resolves(start({ strategies: { jwt: true } }, { get }), 'jwt alone needs no find')
  await t.resolves(start({ strategies: { local: true } }, { find }), 'local alone needs no get')
  await t.rejects(
    start({ entity: null }),
    /The strategy 'local' needs users: set the option `entity` of authentication/
  )

  const [record] = await createPeople().find({})
  const nameless = "A user of the service 'users' has no 'key': name its id in the option `entityId` of authentication"
  for (const key of [{}, { key: null }, { key: undefined }]) {
    const app = await start({ entityId: 'key' }, { get, find: async () => [{ ...record, ...key }] })
    t.match(await login(app), { status: 500, body: { name: 'GeneralError', message: nameless } }, 'a login says so')
  }
  const ofMongo = { ...record, id: undefined, _id: 'abc' }
  const { body } = await login(await start({}, { id: '_id', find: async () => [ofMongo], get: async () => ofMongo }))
  t.equal(body.authentication.payload.sub, 'abc', 'the id is that which the service of the users names')
})

t.test('a call before the server is ready, and one without what it needs', async (t) => {
  const app = await createServicesApp(t)
  await app.register(authentication, { secret })
  const call = () => app.service('authentication').create({ strategy: 'jwt', accessToken: 'x' })
  await t.rejects(call(), /has no service 'users'/)
  app.service('users', memory() as object)
  await t.rejects(call(), { code: 401 })
  await app.ready()
  t.equal((await ask(app, '/users')).status, 200)
})
