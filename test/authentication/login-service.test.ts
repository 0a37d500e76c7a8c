import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance } from 'fastify'
import services, {
  Conflict,
  Forbidden,
  type HookContext,
  type NextFunction,
  type Params,
  type RegisteredService
} from 'fastify-services'
import authentication, {
  type Authenticator,
  authenticate,
  LocalStrategy,
  type Strategy
} from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createUsers, isHashOf, type User } from '../support/auth-passwords.js'
import { toHash } from '../support/stored-password.js'
import { secret } from '../support/tokens.js'
import { ask, createServicesApp, createUsersApp, login, user } from '../support/users-app.js'

const url = '/authentication'
const hash = /password|\$scrypt/
const visible = { id: 1, email: user.email }

t.test('hooks and events as on any service, plus `login` and `logout`', async (t) => {
  type Told = { user: { email: string }; more?: number }
  const events: unknown[] = []
  const app = await createUsersApp(t, {
    options: { hooks: { after: { create: [({ result }) => ({ result: { ...Object(result), more: 1 } })] } } },
    before: (app) => {
      for (const event of ['created', 'removed', 'login', 'logout'])
        app.service('authentication').on(event, (result, context) => {
          const { user, more } = result as Told
          events.push([event, user.email, more, (context as { method: string }).method])
          t.notMatch(JSON.stringify(result), hash, 'no event holds the password')
        })
    }
  })
  await login(app, { password: 'wrong' })
  t.same(events, [])
  const { body } = await login(app)
  t.match(body, { more: 1, user: { email: user.email } })
  await ask(app, body.accessToken, { method: 'DELETE', url })
  await ask(app, 'bad', { method: 'DELETE', url })
  const { email } = user
  t.same(events.splice(0), [
    ['login', email, 1, 'create'],
    ['created', email, 1, 'create'],
    ['logout', email, undefined, 'remove'],
    ['removed', email, undefined, 'remove']
  ])
  const internal = await app.service('authentication').create({ strategy: 'local', ...user })
  t.equal(events.length, 2)
  t.notMatch(JSON.stringify(internal), hash, 'nor the result of a login within the server')
})

t.test('nobody is told of a login that a hook of all services refuses behind it', async (t) => {
  const events: string[] = []
  const refuse = async ({ path }: HookContext, next: NextFunction) => {
    await next()
    if (path === 'authentication') throw new Forbidden('not today')
  }
  const app = await createUsersApp(t, {
    plugin: { hooks: { around: { all: [refuse] } } },
    before: (app) => {
      for (const event of ['created', 'login']) app.service('authentication').on(event, () => void events.push(event))
    }
  })
  t.equal((await login(app)).status, 403)
  t.same(events, [])
})

t.test('options of the registration are passed on', async (t) => {
  const seen: unknown[] = []
  const app = await createUsersApp(t, {
    options: {
      config: { tag: 'login' },
      bodyLimit: 100,
      before: [async (request) => void seen.push(request.routeOptions.config)],
      after: [async (_request, reply) => void reply.header('x-after', '1')],
      schema: { create: { body: { type: 'object', required: ['strategy'] } } }
    }
  })
  const response = await app.inject({ method: 'POST', url, payload: { strategy: 'local', ...user } })
  t.match([response.statusCode, response.headers], [201, { 'x-after': '1' }])
  t.match(seen, [{ tag: 'login' }])
  t.equal((await login(app, { strategy: undefined })).status, 400)
  t.equal((await login(app, { more: 'x'.repeat(100) })).status, 413)
  t.equal((await ask(app, response.json().accessToken, { method: 'DELETE', url })).status, 200)
})

const seen: unknown[] = []
const look = async ({ params }: HookContext) => void seen.push(params.user)
const app = await createUsersApp(t, {
  before: (app) => {
    const guard = authenticate('jwt')
    const find = async (params: { user?: object }) => void seen.push(params.user)
    app.service('me', { find }, { hooks: { around: { all: [guard] }, before: { all: [look] } } })
    app.get('/route', { preHandler: guard }, async ({ user, feathers }) => void seen.push(user, feathers.user))
  }
})

t.test('What a caller over REST gets never holds the password', async (t) => {
  const { body } = await login(app)
  const token = body.accessToken
  t.notMatch(JSON.stringify(body), hash, 'a login')
  const jwt = await ask(app, token, { method: 'POST', url, payload: { strategy: 'jwt', accessToken: token } })
  t.notMatch(JSON.stringify(jwt), hash, 'a login with a token')
  t.notMatch(JSON.stringify(await ask(app, token, { method: 'DELETE', url })), hash, 'a logout')
  t.same((await ask(app, token, '/users')).body, [visible])
  t.same((await ask(app, token, '/users/1')).body, visible)
  t.same((await ask(app, token, '/users/1?$select[]=password')).body, { id: 1 })
  t.match(
    await app.service('users').get(1),
    { email: user.email, password: /^\$scrypt\$/ },
    'internal results keep the hash'
  )
})

t.test('`params.user` and `request.user` do not', async (t) => {
  const { accessToken } = (await login(app)).body
  await ask(app, accessToken, '/me')
  await ask(app, accessToken, '/route')
  t.same(seen, Array(4).fill(visible))
})

const ada = { email: 'ada@example.com', password: toHash('correct horse'), role: 'admin' }
const shown = { email: 'ada@example.com', role: 'admin', id: 1 }

t.test('protect stands on the entity service by itself: the password is in no reply of it', async (t) => {
  const { users, send } = await createUsers(t, { options: {} })
  t.strictSame((await send('POST', '/users', ada)).body, shown)
  t.strictSame((await send('GET', '/users')).body, [shown])
  t.strictSame((await send('GET', '/users/1')).body, shown)
  t.strictSame((await send('PUT', '/users/1', ada)).body, shown)
  t.strictSame((await send('PATCH', '/users/1', { password: ada.password })).body, shown)
  const stored = (await users.get(1)) as { password: string }
  t.ok(
    isHashOf(stored.password, ada.password),
    'internal results keep the hash, here that of a text which looks like one'
  )
  t.strictSame((await send('DELETE', '/users/1')).body, shown)
})

/** Who is let in by a header, for a guard: its user is the record as it is stored. */
const header = (app: FastifyInstance): Strategy => ({
  parse: ({ headers }) => (headers['x-user'] ? { id: headers['x-user'] } : null),
  authenticate: async ({ id }) => ({ user: await app.service('users').get(String(id)) })
})

t.test('the password is not in `params.user`, `request.user`, a login, a logout; other fields are', async (t) => {
  const seen: unknown[] = []
  const { app, users, login, send } = await createUsers(t, { options: {} })
  await app.register(authentication, {
    secret: secret.toUpperCase(),
    path: 'by-header',
    strategies: { jwt: true, header: header(app) }
  })
  const find = async ({ user }: Params) => void seen.push(user)
  app.service('one', { find }, { hooks: { around: { all: [authenticate('jwt')] } } })
  const guard = authenticate({ service: 'by-header', strategies: ['header'] })
  app.service('two', { find }, { hooks: { around: { all: [guard] } } })
  app.get('/me', { preHandler: authenticate('jwt') }, async ({ user, feathers }) => void seen.push(user, feathers.user))
  app.get('/me/by-header', { preHandler: guard }, async ({ user }) => void seen.push(user))

  await users.create({ ...ada })
  const { body } = await login(ada.email, 'correct horse')
  t.strictSame(body.user, shown, 'a login')
  const headers = { authorization: `Bearer ${body.accessToken}`, 'x-user': '1' }
  for (const url of ['/one', '/two', '/me', '/me/by-header']) await send('GET', url, undefined, headers)
  t.strictSame(seen, Array(5).fill(shown))
  t.strictSame((await send('DELETE', '/authentication', undefined, headers)).body.user, shown, 'a logout')
})

async function createFields(t: Test, options: object[]) {
  const app = await createServicesApp(t)
  for (const [index, part] of options.entries())
    await app.register(authentication, { secret, path: `login-${index}`, ...part })
  app.service('users', memory({ startId: 1 }) as object)
  await app.service('users').create({ email: 'ada', password: 'a', pass: 'b', pin: 'c' })
  return (await app.inject('/users/1')).json() as User
}

t.test('the fields of all local strategies do not leave, in whichever order things are registered', async (t) => {
  const local = { entityPasswordField: 'pass' }
  const pinpad = new LocalStrategy({ passwordField: 'pin' })
  t.strictSame(await createFields(t, [{}]), { email: 'ada', pass: 'b', pin: 'c', id: 1 })
  t.strictSame(await createFields(t, [{ strategies: { local } }]), { email: 'ada', password: 'a', pin: 'c', id: 1 })
  t.strictSame(await createFields(t, [{ strategies: { local, pinpad } }]), { email: 'ada', password: 'a', id: 1 })
  t.strictSame(
    await createFields(t, [{}, { strategies: { pinpad } }]),
    { email: 'ada', pass: 'b', id: 1 },
    'of several'
  )
})

t.test('without a local strategy `password` does not leave; without an entity nothing is protected', async (t) => {
  const none = { strategies: { jwt: true } }
  t.strictSame(await createFields(t, [none]), { email: 'ada', pass: 'b', pin: 'c', id: 1 })
  t.match(await createFields(t, [{ ...none, entity: null }]), { password: 'a', pass: 'b', pin: 'c' })
})

t.test(
  'the password is at no depth of `params.user`, of a login, and of an error that finding a user has ended with',
  async (t) => {
    const seen: unknown[] = []
    let failing = ''
    const team = { of: [{ email: 'bob@example.com', password: 'b' }] }
    const fail = (context: HookContext) => {
      if (failing === context.method) throw new Conflict('no', { user: ada, errors: { team } })
    }
    const { app, users, login, send } = await createUsers(t, { options: { hooks: { before: { all: [fail] } } } })
    const find = async ({ user }: Params) => void seen.push(user)
    app.service('one', { find }, { hooks: { around: { all: [authenticate('jwt')] } } })
    app.get('/me', { preHandler: authenticate('jwt') }, async () => 'hi')
    await users.create({ ...ada, team })
    const deep = { ...shown, team: { of: [{ email: 'bob@example.com' }] } }
    const { body } = await login(ada.email, 'correct horse')
    t.strictSame(body.user, deep)
    const headers = { authorization: `Bearer ${body.accessToken}` }
    await send('GET', '/one', undefined, headers)
    t.strictSame(seen, [deep])

    const { password, ...open } = ada
    const told = { data: { user: open }, errors: { team: deep.team } }
    failing = 'find'
    t.match(await login(ada.email, 'correct horse'), { status: 409, body: told })
    failing = 'get'
    for (const url of ['/one', '/users/1']) {
      const { status, body } = await send('GET', url, undefined, headers)
      t.strictSame([status, body.data, body.errors], [409, told.data, told.errors], url)
    }
    t.notMatch((await app.inject({ url: '/me', headers })).payload, password)
    t.match(
      await users.get(1).catch((error) => error),
      { data: { user: { password } } },
      'the server gets what was thrown'
    )
  }
)

t.test('a cache for all services is inside of it', async (t) => {
  const cached = { ...ada, id: 1 }
  const { send } = await createUsers(t, {
    options: {},
    plugin: { hooks: { around: { all: [async (context) => void Object.assign(context, { result: cached })] } } }
  })
  t.strictSame((await send('GET', '/users/1')).body, shown)
})

/** The names of all members of an object, its own and the inherited ones. */
function membersOf(object: object): PropertyKey[] {
  const members: PropertyKey[] = []
  for (let owner = object; owner !== Object.prototype; owner = Object.getPrototypeOf(owner))
    members.push(...Reflect.ownKeys(owner))
  return members
}

async function createWith(t: Test, strategy: Strategy) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', memory())
  await app.register(authentication, { secret: secret, refresh: true, strategies: { jwt: true, own: strategy } })
  return app
}

t.test('the service has `create`, `remove` and `setup` alone, beside what every service has', async (t) => {
  const app = await createWith(t as Test, { authenticate: () => ({}) })
  const plain = app.service('plain', { create: async () => 1, remove: async () => 1, setup: async () => {} })
  const service: RegisteredService = app.service('authentication')
  t.same(membersOf(service).sort(), membersOf(plain).sort())
  t.same(Object.getPrototypeOf(service), Object.getPrototypeOf(plain))
  for (const name of ['create', 'remove', 'setup']) t.ok(membersOf(service).includes(name), name)
})

t.test('a strategy gets what it may use, and nothing else', async (t) => {
  let authenticator: Authenticator | undefined
  const strategy: Strategy = {
    setup: (authentication) => {
      authenticator = authentication
    },
    authenticate: () => ({})
  }
  const app = await createWith(t as Test, strategy)
  await app.ready()
  const names = ['app', 'entities', 'log', 'passwords', 'strategyNames', 'verifyAccessToken']
  t.same(membersOf(authenticator ?? {}).sort(), names)
  t.same(authenticator?.strategyNames, ['jwt', 'own', 'refresh'])
})

t.test('`verifyAccessToken` hands the request of a call to `isRevoked`', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const seen: unknown[] = []
  const link: Strategy = {
    setup({ verifyAccessToken }) {
      this.authenticate = async ({ token }, params) => ({
        authentication: { payload: { sub: (await verifyAccessToken(token, params)).sub } }
      })
    },
    authenticate: () => ({ authentication: { payload: { sub: 'r2' } } })
  }
  const strategies = { jwt: true, link, first: { authenticate: link.authenticate } }
  const isRevoked = (_payload: unknown, request?: { url: string }) => seen.push(request?.url) < 0
  await app.register(services)
  await app.register(authentication, { secret: secret, entity: null, strategies, isRevoked })
  await app.ready()
  const service = app.service('authentication')
  const { accessToken: token } = Object(await service.create({ strategy: 'first' }))
  const payload = { strategy: 'link', token }
  t.equal((await app.inject({ method: 'POST', url: '/authentication?over=http', payload })).statusCode, 201)
  await service.create(payload)
  t.same(seen, ['/authentication?over=http', undefined])
})
