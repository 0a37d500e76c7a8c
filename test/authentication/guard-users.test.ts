import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadGateway, BadRequest, Forbidden, NotFound, type Params, Unavailable } from 'fastify-services'
import authentication, { authenticate, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import {
  ada,
  around,
  ask,
  bearer,
  bob,
  createGuardsApp,
  createPeople,
  login,
  password
} from '../support/auth-guards.js'
import { toHash } from '../support/stored-password.js'
import { claims, forge, now, secret } from '../support/tokens.js'
import { createServicesApp } from '../support/users-app.js'

const guard = authenticate('jwt')
const all = { find: async (params: object) => params }
const tell = async ({ user }: FastifyRequest) => ({ user: user ?? null })

t.test('another name for users: `entity`', async (t) => {
  const app = await createGuardsApp(t, {
    options: { entity: 'account' },
    before: (app) => {
      app.service('params', all, around(guard))
      app.get('/route', { preHandler: guard }, async (request) => {
        const { account, user } = request as typeof request & { account?: unknown }
        return { account, user, feathers: Object.keys(request.feathers) }
      })
    }
  })
  const { body } = await ask(app, '/params')
  t.match(body, { account: ada, authenticated: true, authentication: { strategy: 'jwt' } })
  t.notHas(body, 'user')
  const seen = (await ask(app, '/route')).body
  t.same(seen.account, ada)
  t.notHas(seen, 'user')
  t.same(seen.feathers.sort(), ['account', 'authenticated', 'authentication'])
  const answer = (await login(app)).body
  t.same([answer.account, answer.user], [ada, undefined])
})

/** Users in a class of one's own: pages whatever is asked, `null` for nobody. */
class Members {
  readonly list = [{ key: 'm-1', email: ada.email, password: toHash(password) }]
  // No name of a property, as it is in adapters.
  id = 0
  async find({ query }: Params) {
    const data = this.list.filter(({ email }) => email === query?.email)
    return { total: data.length, limit: 10, skip: 0, data }
  }
  async get(id: unknown) {
    return this.list.find(({ key }) => key === id) ?? null
  }
}

t.test(
  'another service, and another property that holds the id; the users may be any object with `find` and `get`',
  async (t) => {
    const members = new Members()
    const app = await createGuardsApp(t, {
      options: { service: 'members', entity: 'member', entityId: 'key' },
      before: (app) => {
        app.service('members', members as object)
        app.service('params', all, around(guard))
      }
    })
    const { status, body } = await login(app)
    const member = { key: 'm-1', email: ada.email }
    t.match([status, body], [201, { member, authentication: { payload: { sub: 'm-1' } } }])
    t.same((await ask(app, '/params', bearer(body.accessToken))).body.member, member)
    t.equal((await ask(app, '/params')).status, 401, 'a user of the other service is none')
    members.list.pop()
    t.equal((await ask(app, '/params', bearer(body.accessToken))).status, 401, 'token of a deleted user')
    t.equal((await login(app)).status, 401)
  }
)

t.test('a users service may name its id later than its guards start', async (t) => {
  class Accounts {
    id = 'id'
    async find() {
      return []
    }
    async get(id: unknown) {
      return { [this.id]: Number(id), email: ada.email }
    }
    async setup() {
      this.id = 'key'
    }
  }
  const app = await createServicesApp(t)
  await app.register(authentication, { secret, strategies: { jwt: true } })
  app.service('users', new Accounts())
  app.service('params', all, around(guard))
  await app.ready()
  t.match(await ask(app, '/params'), { status: 200, body: { user: { key: 1, email: ada.email } } })
})

t.test('a user whose id can not be read is known by the subject of the claims', async (t) => {
  class Account {
    get id(): number {
      throw new Error('not loaded')
    }
  }
  const strategy: Strategy = {
    parse: ({ headers }) => (headers['x-key'] === undefined ? null : { key: headers['x-key'] }),
    authenticate: () => ({ user: new Account(), authentication: { payload: { sub: '1' } } })
  }
  const app = await createGuardsApp(t, {
    options: { strategies: { jwt: true, strategy } },
    before: (app) => app.service('params', { find: async () => ['found'] }, around(authenticate('strategy')))
  })
  t.strictSame((await ask(app, '/params', { 'x-key': 'any' })).body, ['found'])
})

t.test('`entity: null`: tokens that stand for no users, and no service of users is needed', async (t) => {
  const people = createPeople()
  const app = await createGuardsApp(t, {
    people,
    options: { entity: null, service: 'nowhere', strategies: { jwt: true } },
    before: (app) => {
      app.service('params', all, around(guard))
      app.get('/route', { preHandler: guard }, async (request) => ({
        has: 'user' in request,
        feathers: request.feathers
      }))
    }
  })
  const token = forge(claims({ sub: 'printer', scope: 'print' }))
  const authentication = { strategy: 'jwt', payload: { sub: 'printer', scope: 'print' } }
  const { body } = await ask(app, '/params', bearer(token))
  t.match(body, { authenticated: true, authentication })
  t.notHas(body, 'user')
  const seen = (await ask(app, '/route', bearer(token))).body
  t.match(seen, { has: false, feathers: { authenticated: true, authentication } })
  t.same([people.gets, (await ask(app, '/route', {})).status], [0, 401])
  t.equal((await ask(app, '/authentication', bearer(), 'DELETE')).status, 200)
})

t.test('`entity: null`: the owner of a token may have a number as the id', async (t) => {
  const machine: Strategy = {
    parse: ({ headers }) => (headers['x-id'] ? { id: Number(headers['x-id']) } : null),
    authenticate: ({ id }) => ({ authentication: { payload: { sub: id as number } } })
  }
  const app = await createServicesApp(t)
  await app.register(authentication, { secret, entity: null, strategies: { jwt: true, machine } })
  app.service('params', all, around(authenticate('jwt', 'machine')))
  const { status, body } = await login(app, { strategy: 'machine', id: 7 })
  t.match([status, body.authentication], [201, { payload: { sub: '7' } }])
  for (const headers of [bearer(body.accessToken), { 'x-id': '7' }])
    t.match((await ask(app, '/params', headers)).body, { authentication: { payload: { sub: '7' } } })
  t.equal((await login(app, { strategy: 'machine', id: Number.NaN })).status, 500, 'no id')
})

t.test("a host's own `user` on requests stays its own where no guard stands", async (t) => {
  const app = await createGuardsApp(t, {
    before: (app) => {
      app.decorateRequest('user', null as never)
      app.addHook('onRequest', async (request) => {
        request.user = bob
      })
      app.get('/theirs', tell)
      app.get('/ours', { preHandler: guard }, tell)
    }
  })
  for (const [url, user] of [
    ['/theirs', bob],
    ['/ours', ada],
    ['/theirs', bob]
  ] as const)
    t.same((await ask(app, url)).body, { user })
})

/** An application whose users service does as `state.act` says, and counts. */
async function createActing(t: Test) {
  const state = { calls: 0, act: (): unknown => undefined }
  const hook = async (context: { result?: unknown }) => {
    state.calls++
    const result = await state.act()
    if (result !== undefined) context.result = result
  }
  const app = await createGuardsApp(t, {
    before: (app) => {
      app.service('users').hooks({ before: { get: [hook], find: [hook] } })
      app.service('me', all, around(guard))
      app.get('/route', { preHandler: guard }, tell)
    }
  })
  /** The status of everything that a token is good for. */
  const statuses = async (token: string) => {
    const headers = bearer(token)
    const requests = [
      ask(app, '/me', headers),
      ask(app, '/route', headers),
      ask(app, '/authentication', headers, 'DELETE'),
      login(app, { strategy: 'jwt', accessToken: token })
    ]
    return (await Promise.all(requests)).map(({ status }) => status)
  }
  return { app, state, statuses }
}

const failing = (error: unknown) => () => {
  throw error
}

t.test('a users service that fails: its status stays', async (t) => {
  const { app, state, statuses } = await createActing(t)
  t.same(await statuses(forge()), [200, 200, 200, 201])
  const rows: [row: string, error: unknown, status: number][] = [
    ['an error', new Error('no database'), 500],
    ['a text', 'no database', 500],
    ['nothing', undefined, 500],
    ['a code of a driver', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 500],
    ['a code of a driver that is a number', Object.assign(new Error('x'), { code: 404 }), 500],
    ['Unavailable', new Unavailable(), 503],
    ['BadGateway', new BadGateway(), 502],
    ['Forbidden', new Forbidden(), 403]
  ]
  for (const [row, error, status] of rows) {
    state.act = failing(error)
    t.same(await statuses(forge()), [status, status, status, status], row)
    t.equal((await login(app)).status, status, `${row}, at a login`)
  }
  state.act = () => undefined
  t.same(await statuses(forge()), [200, 200, 200, 201], 'and is back')
})

t.test('a users service that finds none, or another one: 401', async (t) => {
  const { state, statuses } = await createActing(t)
  t.same(await statuses(forge(claims({ sub: '3' }))), [401, 401, 401, 401], 'token of a deleted user')
  const foreign = Object.assign(new Error('No record'), { code: 404, name: 'NotFound', className: 'not-found' })
  const bad = failing(new BadRequest('invalid input syntax for type integer'))
  for (const act of [() => null, failing(new NotFound()), failing(foreign), bad]) {
    state.act = act
    t.same(await statuses(forge()), [401, 401, 401, 401])
  }
})

t.test('a token that is not good asks for no user', async (t) => {
  const { state, statuses } = await createActing(t)
  for (const token of ['', 'bad', forge(claims(), {}, 'x'.repeat(32)), forge(claims({ exp: now() - 1 }))])
    t.same(await statuses(token), [401, 401, 401, 401])
  t.equal(state.calls, 0)
  await statuses(forge())
  t.ok(state.calls > 0)
})

type Jwt = { sign(payload: object): string }

async function createHost(t: Test, order: string, namespace?: string) {
  const app = await createServicesApp(t)
  const host = () => app.register(fastifyJwt, { secret: 'that of the host', ...(namespace && { namespace }) })
  const ours = async (app: FastifyInstance) => {
    app.service('users', createPeople())
    await app.register(authentication, { secret })
    await app.register(authentication, { secret, path: 'other' })
  }
  if (order === 'before') await host()
  await ours(app)
  if (order === 'after') await host()
  const verify = namespace ? `${namespace}JwtVerify` : 'jwtVerify'
  app.get('/host', async (request) => {
    await (request as unknown as Record<string, () => Promise<void>>)[verify]?.()
    return request.user
  })
  app.get('/ours', { preHandler: guard }, tell)
  app.get('/open', tell)
  await app.ready()
  return app
}

for (const order of ['before', 'after'])
  for (const namespace of [undefined, 'own'])
    t.test(`a host with @fastify/jwt ${namespace ?? 'without a namespace'}, registered ${order} ours`, async (t) => {
      const app = await createHost(t, order, namespace)
      const jwt = namespace ? (app.jwt as unknown as Record<string, Jwt>)[namespace] : (app.jwt as Jwt)
      const [theirs, ours] = [bearer(jwt?.sign({ name: 'of the host' })), bearer((await login(app)).body.accessToken)]
      t.match(await ask(app, '/host', theirs), { status: 200, body: { name: 'of the host' } })
      t.match(await ask(app, '/ours', ours), { status: 200, body: { user: ada } })
      t.equal((await ask(app, '/host', ours)).status, 401)
      t.equal((await ask(app, '/ours', theirs)).status, 401)
      t.same((await ask(app, '/open', ours)).body, { user: null })
      const keys = namespace ? [namespace] : ['cookie', 'decode', 'lookupToken', 'options', 'sign', 'verify']
      t.same(Object.keys(app.jwt).sort(), keys, 'nothing is added to its object')
    })

t.test('a host without it gets none', async (t) => {
  const app = await createGuardsApp(t)
  t.notOk(app.hasDecorator('jwt'))
  t.notOk(app.hasRequestDecorator('user'))
  t.notOk(app.hasRequestDecorator('jwtVerify'))
})
