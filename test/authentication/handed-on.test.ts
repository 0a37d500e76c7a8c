import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HookContext, Params } from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, apiKey, around, ask, bearer, bob, createGuardsApp, createPeople, login } from '../support/auth-guards.js'
import { claims, forge, secret } from '../support/tokens.js'

const root = { id: 1, email: 'root@example.com' }
const keys = {
  ...apiKey,
  authenticate: (...args: Parameters<typeof apiKey.authenticate>) => ({ ...apiKey.authenticate(...args), role: 'a' })
}
const forAdmins = authenticate({ service: 'admin/login', strategies: ['jwt'] })
const adminOf = bearer(forge(claims({ aud: 'admin/login' })))

/** What a service is told of its caller. */
const told = {
  async find({ provider, user, admin, authenticated, authentication, role }: Params & Record<string, unknown>) {
    const { strategy } = Object(authentication)
    return { provider, user, admin, authenticated, strategy, role }
  }
}

type Hand = (params: Params) => Params & Record<string, unknown>

/** The ways in which a hook hands params on, with what they say of a provider: none where the server calls. */
const ways: Record<string, Hand> = {
  'as they are': (params) => params,
  'a copy': (params) => ({ ...params }),
  'without the credentials': ({ authentication, ...params }) => params,
  'without the user': ({ authentication, user, admin, ...params }) => params,
  'the user alone': ({ user, authenticated }) => ({ user: user ?? null, authenticated, provider: 'rest' }),
  'the credentials alone': ({ authentication, authenticated }) => ({ authentication, authenticated, provider: 'rest' })
}

/** Users at `/authentication` and others at `/admin/login`; services of the first hand their params to one of the second. */
async function createHanding(t: Test, options: object = {}) {
  const app = await createGuardsApp(t, {
    options: { strategies: { jwt: true, local: true, keys } },
    before: async (app) => {
      app.service('admins', createPeople([root]))
      await app.register(authentication, { secret, path: 'admin/login', service: 'admins', ...options })
      app.service('audit', told, around(forAdmins))
      app.service('both', told, around(authenticate('jwt', 'keys'), forAdmins))
      for (const [name, hand] of Object.entries(ways)) addHanding(app, name, hand)
    }
  })
  return app
}

const withoutProvider = ({ provider, ...params }: Params) => params

function addHanding(app: FastifyInstance, name: string, hand: Hand) {
  const path = name.replaceAll(' ', '-')
  const to = (change: Hand) => ({
    find: async (params: Params) => app.service(String(params.headers?.['x-to'] ?? 'audit')).find(change(params))
  })
  const guard = authenticate('jwt', 'keys')
  app.service(
    `outside/${path}`,
    to((params) => ({ ...hand(params) })),
    around(guard)
  )
  app.service(
    `inside/${path}`,
    to((params) => withoutProvider(hand(params))),
    around(guard)
  )
}

const callers = { 'a token': bearer(), 'a key': { 'x-api-key': 'good' } }

t.test('who is known to one authentication is nobody to another, however params are handed on', async (t) => {
  for (const options of [{}, { entity: 'admin' }]) {
    const app = await createHanding(t, options)
    for (const [kind, headers] of Object.entries(callers))
      for (const name of Object.keys(ways)) {
        const path = name.replaceAll(' ', '-')
        const label = `${name}, by ${kind}, ${JSON.stringify(options)}`
        t.equal((await ask(app, `/outside/${path}`, headers)).status, 401, `${label}: no proof`)
        const { status, body } = await ask(app, `/inside/${path}`, headers)
        t.strictSame([status, body], [200, {}], `${label}: a call of the server tells of nobody`)
      }
  }
})

t.test('who proves it to both is known to both', async (t) => {
  const app = await createHanding(t, { strategies: { jwt: { header: 'X-Admin' } } })
  const both = { ...bearer(), 'x-admin': adminOf.authorization }
  const { status, body } = await ask(app, '/outside/a-copy', both)
  t.match([status, body], [200, { user: root, authenticated: true, strategy: 'jwt' }], 'the credentials are read again')
})

t.test('a service may be guarded by both', async (t) => {
  const app = await createHanding(t, { strategies: { jwt: { header: 'X-Admin' } }, entity: 'admin' })
  const both = { 'x-api-key': 'good', 'x-admin': adminOf.authorization }
  const params = { user: bob, admin: root, authenticated: true, role: 'a' }
  t.match((await ask(app, '/both', both)).body, params)
  t.match(await ask(app, '/both', { 'x-api-key': 'good' }), { status: 401 })
  t.match(await ask(app, '/both', { 'x-admin': adminOf.authorization }), { status: 401 })
  const inside = await ask(app, '/inside/a-copy', { ...both, 'x-to': 'both' })
  t.strictSame(inside.body, { user: bob, role: 'a' }, 'a call of the server keeps the user of the first')
})

t.test('a guard of a route and another one of the service', async (t) => {
  const guard = authenticate('jwt', 'keys')
  const app = await createGuardsApp(t, {
    options: { strategies: { jwt: true, local: true, keys } },
    before: async (app) => {
      app.service('admins', createPeople([root]))
      const strategies = { jwt: { header: 'X-Admin' } }
      const admin = { secret, path: 'admin/login', service: 'admins', entity: 'admin', strategies }
      await app.register(authentication, admin)
      app.addHook('preHandler', guard)
      app.service('audit', told, around(forAdmins))
      const forget = (context: HookContext) => {
        delete context.params.authentication
      }
      app.service('forgetful', told, { hooks: { before: { all: [forget, forAdmins] } } })
    }
  })
  const both = { 'x-api-key': 'good', 'x-admin': adminOf.authorization }
  t.match((await ask(app, '/audit', both)).body, { user: bob, admin: root, authenticated: true, role: 'a' })
  for (const url of ['/audit', '/forgetful'])
    t.match(await ask(app, url, { 'x-api-key': 'good' }), { status: 401 }, `${url}: not by the first alone`)
  t.match((await ask(app, '/forgetful', both)).body, { user: bob, admin: root, strategy: 'jwt' })
})

t.test('what the application says itself counts', async (t) => {
  const app = await createHanding(t)
  const audit = app.service<typeof told>('audit')
  const ownParams = { user: { id: 7 }, authenticated: true, provider: 'rest' }
  t.match(await audit.find(ownParams), ownParams)
  t.match(await audit.find({ user: { id: 7 } }), { user: { id: 7 } })
  const mapped: object[] = []
  const { body } = await login(app)
  const params = { provider: 'rest', authentication: { strategy: 'jwt', accessToken: body.accessToken } }
  const guard = authenticate({ service: 'authentication', strategies: ['jwt'] })
  const context = { app, type: 'before' as const, params: params as Params }
  await guard(context)
  t.match(context.params, { user: ada, authenticated: true })
  mapped.push(await audit.find({ ...withoutProvider(context.params), user: { ...root } } as Params))
  t.strictSame(JSON.parse(JSON.stringify(mapped)), [{ user: root }], 'a user of theirs in place of ours stays')
})

t.test('a login reads its user where another authentication guards the users', async (t) => {
  const people = createPeople()
  const handed: unknown[] = []
  const app = await createGuardsApp(t, {
    people,
    before: async (app) => {
      app.service('admins', createPeople([root]))
      await app.register(authentication, { secret, path: 'admin/login', service: 'admins', entity: 'admin' })
      app.service('audit', told, around(forAdmins))
      const log = async (context: HookContext) => {
        if (context.params.provider) handed.push(await app.service('audit').find(context.params).catch(String))
      }
      app.service('users').hooks({ around: { all: [forAdmins] }, after: { get: [log] } })
    }
  })
  t.match(await login(app), { status: 201, body: { user: ada } })
  t.strictSame(handed, ['NotAuthenticated: Not authenticated'], 'its params open no other service')
  t.match(await ask(app, '/users/1'), { status: 401 })
  t.match(await ask(app, '/users/1', adminOf), { status: 200, body: ada })
})

t.test('in encapsulated parts, too', async (t) => {
  const part = (handed: (params: Params) => Promise<object>) => async (app: FastifyInstance) => {
    app.service('users', createPeople([{ id: 1, email: `${app.prefix}@example.com` }]))
    await app.register(authentication, { secret })
    app.service('told', told, around(authenticate('jwt')))
    app.service('handing', { find: handed }, around(authenticate('jwt')))
  }
  const app = await createGuardsApp(t, {
    before: async (app) => {
      await app.register(
        part(async (params) => app.service<typeof told>('two/told').find(params)),
        { prefix: '/one' }
      )
      await app.register(
        part(async (params) => app.service<typeof told>('one/told').find(withoutProvider(params))),
        { prefix: '/two' }
      )
    }
  })
  const tokenOf = (aud: string) => bearer(forge(claims({ aud })))
  t.match(await ask(app, '/one/told', tokenOf('one/authentication')), { status: 200, body: { authenticated: true } })
  t.match(await ask(app, '/one/handing', tokenOf('one/authentication')), { status: 401 })
  t.strictSame((await ask(app, '/two/handing', tokenOf('two/authentication'))).body, {})
})

for (const shared of [{ id: 9 }, Object.freeze({ id: 9 })]) {
  const label = Object.isFrozen(shared) ? 'a frozen user' : 'a user'
  t.test(`${label} who is one object for all logins proves nothing by the login of another call`, (t) =>
    proveNothing(t, shared)
  )
}

async function proveNothing(t: Test, shared: { id: number }): Promise<void> {
  // Some objects throw when they are asked for a property that they do not have.
  const tenant = new Proxy(
    {},
    {
      getOwnPropertyDescriptor(_, key) {
        throw new Error(`No ${String(key)}`)
      }
    }
  )
  // One login has an object behind a proxy, the other the object itself.
  const place = {}
  const places: Record<string, object> = { one: new Proxy(place, {}), other: place }
  const strategy = (name: string) => ({
    parse: async ({ headers }: FastifyRequest) => (headers['x-by'] === name ? { strategy: name } : null),
    authenticate: async () => ({ user: shared, tenant, place: places[name], authentication: { strategy: name } })
  })
  const ofTenants: Record<string, Hand> = {
    ...ways,
    'the tenant alone': ({ authenticated, ...params }) => ({ tenant: params.tenant, authenticated, provider: 'rest' }),
    'the place alone': ({ authenticated, ...params }) => ({ place: params.place, authenticated, provider: 'rest' })
  }
  const guardOf = (path: string) => around(authenticate({ service: path, strategies: [path] }))
  const app = await createGuardsApp(t, {
    before: async (app) => {
      for (const path of ['one', 'other'])
        await app.register(authentication, { secret, path, strategies: { [path]: strategy(path) } })
      app.service('of-other', told, guardOf('other'))
      for (const [name, hand] of Object.entries(ofTenants)) {
        const find = async (params: Params) => {
          await ask(app, '/of-other', { 'x-by': 'other' })
          return app.service('of-other').find(hand(params))
        }
        app.service(`of-one/${name.replaceAll(' ', '-')}`, { find }, guardOf('one'))
      }
    }
  })
  t.match(await ask(app, '/of-other', { 'x-by': 'other' }), { status: 200, body: { user: shared } })
  for (const name of Object.keys(ofTenants)) {
    const { status } = await ask(app, `/of-one/${name.replaceAll(' ', '-')}`, { 'x-by': 'one' })
    t.equal(status, 401, name)
  }
}

t.test('hooks of users do not get past a guard with the params by which users see themselves', async (t) => {
  const seen: unknown[] = []
  const app = await createGuardsApp(t, {
    before: async (app) => {
      const outcome = (call: Promise<unknown>) =>
        call.then(
          () => 'answered',
          (error) => error.code
        )
      const spy = async ({ params, method }: HookContext, next: () => Promise<void>) => {
        const { find, get } = app.service('admins')
        if (method === 'get' && params.provider)
          seen.push(await outcome(find(params)), await outcome(get(ada.id, params)))
        await next()
      }
      const hooks = { around: { all: [authenticate('jwt')], get: [spy] } }
      app.service('admins', createPeople([ada, bob]), { hooks })
      const strategies = { keys: apiKey }
      await app.register(authentication, { secret, path: 'admin/login', service: 'admins', strategies })
    }
  })
  const payload = { strategy: 'keys', apiKey: 'good' }
  const { statusCode } = await app.inject({ method: 'POST', url: '/admin/login', payload })
  t.equal(statusCode, 201, 'the login shows the user all the same')
  t.same(seen, [401, 401])
})
