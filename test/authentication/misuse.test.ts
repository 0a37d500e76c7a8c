import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationOptions, authenticate, hashPassword } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { secret } from '../support/tokens.js'
import { ask, createUsersApp, login } from '../support/users-app.js'

type Step = (app: FastifyInstance) => unknown
const service = { find: async () => [], create: async (data: object) => data }
const around = (guard: ReturnType<typeof authenticate>) => ({ hooks: { around: { all: [guard] } } })

async function start(t: Test, options: Partial<AuthenticationOptions> | false, before: Step = () => {}): Promise<void> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', memory() as object)
  if (options) await app.register(authentication, { secret, ...options })
  await before(app)
  await app.ready()
}

const steps: [what: string, step: Step, message: RegExp][] = [
  [
    'an unknown strategy',
    (app) => app.service('a', service, around(authenticate('jtw'))),
    /authenticate\('jtw'\) at 'a': there is no such strategy\. Enabled: jwt, local/
  ],
  [
    'an unknown strategy before a route',
    (app) => app.get('/a', { preHandler: [authenticate('jwt', 'nope')] }, () => 1),
    /authenticate\('nope'\) at '\/a'/
  ],
  [
    'an unknown strategy as middleware',
    (app) => app.service('a', service, { before: [authenticate('nope')] }),
    /authenticate\('nope'\) at 'a'/
  ],
  [
    'an unknown service',
    (app) => app.service('a', service, around(authenticate({ service: 'nowhere', strategies: ['jwt'] }))),
    /There is no service 'nowhere'\. Registered: /
  ],
  [
    'a service that is no authentication service',
    (app) => app.service('a', service, around(authenticate({ service: 'users', strategies: ['jwt'] }))),
    /'users' is no authentication service: name one/
  ],
  [
    'on the authentication service itself',
    (app) => app.service('authentication').hooks({ around: { all: [authenticate('jwt')] } }),
    /stands on the authentication service 'authentication', where logins come without a token: take it away/
  ],
  [
    'as an after hook',
    (app) => app.service('a', service, { hooks: { after: { all: [authenticate('jwt')] } } }),
    /authenticate at 'a' is a hook for 'before' or 'around', not for 'after'/
  ],
  [
    'hashPassword as an after hook',
    (app) => app.service('a', service, { hooks: { after: { create: [hashPassword('password')] } } }),
    /hashPassword at 'a' is a hook for 'before' or 'around', not for 'after'/
  ]
]

t.test('misuse fails at start, with what to do', async (t) => {
  for (const [what, step, message] of steps) await t.rejects(start(t as Test, {}, step), message, what)
  await t.rejects(
    start(t as Test, false, (app) => app.service('a', service, around(authenticate('jwt')))),
    /There is no authentication here: register the plugin/
  )
  await t.rejects(
    start(t as Test, false, (app) => app.service('a', service, { hooks: { before: { create: [hashPassword('p')] } } })),
    /There is no authentication here/
  )
  const bare = Fastify()
  t.teardown(() => bare.close())
  await t.rejects(
    async () => bare.register(authentication, { secret }),
    /needs fastify-services: register that plugin first/
  )
})

t.test('misuse that can be seen at once', async (t) => {
  const guard = authenticate as (...names: unknown[]) => unknown
  for (const names of [[], [''], [undefined], [{ strategies: [] }], [{ service: 'a' }], [null], [['jwt']]])
    t.throws(() => guard(...names), /authenticate needs the name of a strategy: authenticate\('jwt'\)/)
  t.throws(() => hashPassword(''), /hashPassword needs the name of a field: hashPassword\('password'\)/)
})

t.test('users: a missing service, methods or id', async (t) => {
  const none =
    /has no service 'people' to find users in: register it, name another one in the option `service`, or set `entity` to null/
  await t.rejects(start(t as Test, { service: 'people' }), none)
  const people =
    (object: object): Step =>
    (app) =>
      app.service('people', object)
  await t.rejects(
    start(t as Test, { service: 'people' }, people({ find: async () => [] })),
    /The strategy 'jwt' needs the method 'get' of the service 'people'/
  )
  await t.rejects(
    start(t as Test, { service: 'people', strategies: { local: true } }, people({ get: async () => ({}) })),
    /'local' needs the method 'find'/
  )
  await t.rejects(start(t as Test, { entity: null }), /The strategy 'local' needs users: set the option `entity`/)
  const app = await createUsersApp(t, { options: { entityId: 'key' } })
  t.match(await login(app), {
    status: 500,
    body: { message: /A user of the service 'users' has no 'key': name its id in the option `entityId`/ }
  })
})

t.test('a call before the server is ready, and one without what it needs', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(authentication, { secret })
  const request = { strategy: 'jwt', accessToken: 'x' }
  const call = () => app.service('authentication').create(request)
  await t.rejects(call(), /has no service 'users'/)
  app.service('users', memory() as object)
  await t.rejects(call(), { code: 401 })
  await app.ready()
  t.equal((await ask(app, 'x', '/users')).status, 200)
})
