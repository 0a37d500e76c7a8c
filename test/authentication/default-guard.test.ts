import '../support/auth-scrypt.js'
import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import services, { type HookContext, resource, type ServiceOptions } from 'fastify-services'
import authentication, { type AuthenticationOptions, authenticate, own } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import * as z from 'zod'

const secret = 'a secret of more than thirty-two bytes'
const notes = () => ({ find: async () => [], get: async (id: string) => ({ id }), stats: async () => ({}) })

/** An application whose services are guarded, and a function that gives the status of a call. */
async function create(t: Test, options: Partial<AuthenticationOptions>, add: (app: FastifyInstance) => unknown) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  app.service('before', notes())
  await app.register(authentication, { secret, guard: 'jwt', ...options })
  app.service('users', memory({ startId: 1 }) as object)
  await add(app)
  await app.ready()
  await app
    .service<ReturnType<typeof memory>>('users')
    .create({ email: 'ada@example.com', password: 'secret' } as never)
  const statusOf = async (url: string, headers = {}) => (await app.inject({ url, headers })).statusCode
  return { app, statusOf }
}

t.test('error hooks of all services see what the guard throws', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const errors: unknown[] = []
  const note = ({ error }: HookContext) => void errors.push(Object(error).name)
  await app.register(services, { errorHandler: { html: false, logger: false }, hooks: { error: { all: [note] } } })
  await app.register(authentication, { secret, guard: 'jwt', entity: null, strategies: { jwt: true } })
  app.service('notes', notes())
  t.equal((await app.inject('/notes')).statusCode, 401)
  t.strictSame(errors, ['NotAuthenticated'])
})

t.test('all services are guarded, those that were there before and those that come later', async (t) => {
  const { app, statusOf } = await create(t, {}, (app) => {
    app.service('later', notes(), { methods: ['find', 'get', 'stats'] })
    return app.register(async (child) => void child.service('inner', notes()), { prefix: '/v1' })
  })
  for (const url of ['/before', '/later', '/later/1', '/v1/inner', '/users', '/users/1'])
    t.equal(await statusOf(url), 401, url)
  t.strictSame(await app.service<ReturnType<typeof notes>>('later').find(), [], 'the server itself may call')
  const header = await app.inject({
    method: 'POST',
    url: '/later',
    headers: { 'x-service-method': 'stats' },
    payload: {}
  })
  t.equal(header.statusCode, 401)
})

t.test('what `public` names is open: services, and single methods', async (t) => {
  const names = ['countries', 'posts.find', 'users.create', 'v1/inner.get']
  const { statusOf, app } = await create(t, { public: names }, (app) => {
    app.service('countries', notes())
    app.service('posts', notes())
    return app.register(async (child) => void child.service('inner', notes()), { prefix: '/v1' })
  })
  const open = ['/countries', '/countries/1', '/posts', '/v1/inner/1']
  for (const url of open) t.equal(await statusOf(url), 200, url)
  for (const url of ['/posts/1', '/users', '/v1/inner', '/before']) t.equal(await statusOf(url), 401, url)
  const signUp = await app.inject({
    method: 'POST',
    url: '/users',
    payload: { email: 'bob@example.com', password: 'x' }
  })
  t.equal(signUp.statusCode, 201)
})

t.test('logins are open, and their tokens open the rest', async (t) => {
  const { app, statusOf } = await create(t, {}, (app) => {
    app.service('me', { find: async ({ user }: { user?: { email: string } } = {}) => [user?.email] })
  })
  const payload = { strategy: 'local', email: 'ada@example.com', password: 'secret' }
  const login = await app.inject({ method: 'POST', url: '/authentication', payload })
  t.equal(login.statusCode, 201)
  const headers = { authorization: `Bearer ${login.json().accessToken}` }
  t.equal(await statusOf('/before', headers), 200)
  const me = await app.inject({ url: '/me', headers })
  t.strictSame(me.json(), ['ada@example.com'], 'hooks and methods know who calls')
})

t.test('a method with a guard of its own has that one alone', async (t) => {
  const apiKey = {
    parse: ({ headers }: { headers: Record<string, unknown> }) =>
      headers['x-api-key'] ? { apiKey: headers['x-api-key'] } : null,
    authenticate: async () => ({ user: { id: 7 } })
  }
  const { statusOf } = await create(t, { strategies: { jwt: true, local: true, apiKey: apiKey as never } }, (app) => {
    app.service('keys', notes(), { hooks: { around: { find: [authenticate('apiKey')] } } })
    app.service('routes', notes(), { before: [authenticate('apiKey')] })
  })
  const headers = { 'x-api-key': '1' }
  t.equal(await statusOf('/keys', headers), 200)
  t.equal(await statusOf('/keys'), 401)
  t.equal(await statusOf('/keys/1', headers), 401, 'its other methods are guarded as all are')
  t.equal(await statusOf('/routes/1', headers), 200)
  t.equal(await statusOf('/routes/1'), 401)
})

t.test('of several guards, that of the nearest instance decides', async (t) => {
  const { app, statusOf } = await create(t, {}, (app) =>
    app.register(
      async (child) => {
        child.service('members', memory({ startId: 1 }) as object)
        child.service('open', notes())
        child.service('closed', notes())
        const options = { secret: `${secret}, another one`, guard: 'jwt', service: 'members', public: ['open'] }
        await child.register(authentication, { ...options, jwt: { audience: 'v1' } })
      },
      { prefix: '/v1' }
    )
  )
  t.equal(await statusOf('/v1/open'), 200)
  t.equal(await statusOf('/v1/closed'), 401)
  t.equal(await statusOf('/before'), 401)
  await app
    .service<ReturnType<typeof memory>>('v1/members')
    .create({ email: 'eve@example.com', password: 'x' } as never)
  const payload = { strategy: 'local', email: 'eve@example.com', password: 'x' }
  const login = await app.inject({ method: 'POST', url: '/v1/authentication', payload })
  const headers = { authorization: `Bearer ${login.json().accessToken}` }
  t.equal(await statusOf('/v1/closed', headers), 200)
  t.equal(await statusOf('/before', headers), 401, 'a member is no user')
})

t.test('mistakes stop the start', async (t) => {
  const start = (options: Partial<AuthenticationOptions>) => create(t, options, () => undefined)
  await t.rejects(
    start({ guard: 'jtw' }),
    /The strategy 'jtw', which the option `guard` of authentication names, is not among/
  )
  await t.rejects(start({ guard: [] }), /`guard` of authentication must be the name of a strategy/)
  await t.rejects(start({ public: ['bfore'] }), /`public` of authentication names 'bfore', which is no service/)
  await t.rejects(start({ public: ['before.fnd'] }), /names 'before.fnd'/)
  const unguarded = { guard: undefined, public: ['before'] } as object
  await t.rejects(start(unguarded), /`public` of authentication needs `guard`/)
})

t.test('printServices shows who may call what', async (t) => {
  const { app } = await create(t, { public: ['before.find'] }, (app) => {
    app.service('reports', notes(), { methods: ['find', 'stats'], routes: { stats: 'GET /stats' } })
  })
  t.equal(
    app.printServices(),
    `before
  find    GET     /before          anybody
  get     GET     /before/:id      Bearer

authentication
  create  POST    /authentication  anybody
  remove  DELETE  /authentication  Bearer

users
  find    GET     /users           Bearer
  get     GET     /users/:id       Bearer
  create  POST    /users           Bearer
  update  PUT     /users/:id       Bearer
  patch   PATCH   /users/:id       Bearer
  remove  DELETE  /users/:id       Bearer

reports
  find    GET     /reports         Bearer
  stats   GET     /reports/stats   Bearer
`
  )
})

t.test('a guard that is a hook of an instance guards its services too, and they know who calls', async (t) => {
  const { app, statusOf } = await create(t, { guard: undefined } as object, (app) =>
    app.register(
      async (child) => {
        child.addHook('onRequest', authenticate('jwt'))
        child.service('me', { find: async ({ user }: { user?: { email: string } } = {}) => [user?.email] })
      },
      { prefix: '/v1' }
    )
  )
  t.equal(await statusOf('/v1/me'), 401)
  const payload = { strategy: 'local', email: 'ada@example.com', password: 'secret' }
  const login = await app.inject({ method: 'POST', url: '/authentication', payload })
  const me = await app.inject({ url: '/v1/me', headers: { authorization: `Bearer ${login.json().accessToken}` } })
  t.strictSame(me.json(), ['ada@example.com'])
})

t.test(
  'a guard of an instance refuses a call before its body is read and validated, and verifies it once',
  async (t) => {
    const validated: string[] = []
    const name = z.string().refine(async (value) => validated.push(value))
    const schema = resource(z.object({ id: z.int(), name }), { readOnly: ['id'] })
    const { app } = await create(t, {}, (app) =>
      app.register(async (child) => {
        child.addHook('onRequest', authenticate('jwt'))
        child.service('early', memory() as object, { schema } as ServiceOptions<object>)
      })
    )
    const wrong: InjectOptions[] = [
      { url: '/early?x=1' },
      { method: 'POST', url: '/early', payload: { name: 'nobody' } },
      { method: 'POST', url: '/early', payload: { name: 'x'.repeat(2 ** 21) } },
      { method: 'POST', url: '/early', payload: '{', headers: { 'content-type': 'application/json' } }
    ]
    for (const request of wrong) {
      const { statusCode, headers } = await app.inject(request)
      t.strictSame([statusCode, headers['www-authenticate']], [401, 'Bearer'])
    }
    t.strictSame(validated, [])
    const payload = { strategy: 'local', email: 'ada@example.com', password: 'secret' }
    const login = await app.inject({ method: 'POST', url: '/authentication', payload })
    let asked = 0
    app.service('users').hooks({ before: { get: [async () => void asked++] } })
    const headers = { authorization: `Bearer ${login.json().accessToken}` }
    const answer = await app.inject({ method: 'POST', url: '/early', headers, payload: { name: 'ada' } })
    t.strictSame([answer.statusCode, validated, asked], [201, ['ada'], 1])
  }
)

t.test('of two authentications, `own` reads the user by the one that let the call in', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  for (const [name, options] of Object.entries({ a: { startId: 1 }, b: { id: 'no', startId: 2 } })) {
    app.service(`${name}/users`, memory(options) as object)
    const jwt = { audience: name }
    await app.register(authentication, {
      secret,
      path: `${name}/authentication`,
      service: `${name}/users`,
      jwt
    })
  }
  const notes = memory({ startId: 1 })
  notes.store = { 1: { id: 1, userId: 1 }, 2: { id: 2, userId: 2 } }
  const guard = authenticate({ service: 'b/authentication', strategies: ['jwt'] })
  app.service('notes', notes as object, { hooks: { around: { all: [guard, own('userId')] } } })
  await app.ready()
  const user = { email: 'ada', password: 'x', id: 1 }
  await app.service<ReturnType<typeof memory>>('b/users').create(user as never)
  const payload = { strategy: 'local', email: 'ada', password: 'x' }
  const login = await app.inject({ method: 'POST', url: '/b/authentication', payload })
  const response = await app.inject({ url: '/notes', headers: { authorization: `Bearer ${login.json().accessToken}` } })
  t.strictSame(response.json(), [{ id: 2, userId: 2 }])
})

t.test('a guard for errors is none, also when it comes after the start', async (t) => {
  const { app, statusOf } = await create(t, {}, (app) => void app.service('late', notes()))
  app.service('late').hooks({ error: { get: [authenticate('jwt') as never] } })
  t.equal(await statusOf('/late/1'), 401)
})

t.test('a name of `public` with two meanings stops the start', async (t) => {
  const add = (app: FastifyInstance) => {
    app.service('posts', notes())
    app.service('posts.find', notes())
  }
  await t.rejects(create(t, { public: ['posts.find'] }, add), /'posts.find', which is there twice/)
})
