import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { BadRequest, NotAuthenticated, type Params, type Query } from 'fastify-services'
import {
  type AuthenticationRequest,
  type Authenticator,
  authenticate,
  JwtStrategy,
  LocalStrategy,
  type Strategy
} from 'fastify-services/authentication'
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
  password,
  whoami
} from '../support/auth-guards.js'

const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url')
const keys = new Map([
  [hashOf('f4Jq1HWTtGzXk0pm'), '2'],
  [hashOf('of nobody'), '9']
])

/** The worked example of the documentation. */
class ApiKeyStrategy implements Strategy {
  #authentication!: Authenticator

  setup(authentication: Authenticator) {
    this.#authentication = authentication
  }

  parse({ headers }: FastifyRequest) {
    const apiKey = headers['x-api-key']
    return apiKey === undefined ? null : { apiKey }
  }

  async authenticate({ apiKey }: AuthenticationRequest, params: Params) {
    const userId = typeof apiKey === 'string' ? keys.get(hashOf(apiKey)) : undefined
    const user = userId && (await this.#authentication.entities.get(userId, params))
    if (!user) throw new NotAuthenticated('Invalid API key')
    return { user }
  }
}

const apiKeyOf = (value: string) => ({ 'x-api-key': value })

const createKeys = (t: Test, options: object = {}) =>
  createGuardsApp(t, {
    options: { strategies: { jwt: true, local: true, apiKey: new ApiKeyStrategy() }, ...options },
    before: (app) => {
      app.service('keys', whoami, around(authenticate('apiKey')))
      app.service('any', whoami, around(authenticate('jwt', 'apiKey')))
      app.service('tokens', whoami, around(authenticate('jwt')))
      app.get('/route', { preHandler: authenticate('apiKey') }, async ({ user }) => user)
    }
  })

const app = await createKeys(t)

t.test("the `Strategy` interface for a user's own: an API key in a header", async (t) => {
  const expected = { user: bob, strategy: 'apiKey', authenticated: true, provider: 'rest' }
  for (const url of ['/keys', '/any']) t.same((await ask(app, url, apiKeyOf('f4Jq1HWTtGzXk0pm'))).body, expected, url)
  t.same((await ask(app, '/route', apiKeyOf('f4Jq1HWTtGzXk0pm'))).body, bob)
  t.match((await ask(app, '/any')).body, { user: ada, strategy: 'jwt' })
  for (const url of ['/keys', '/any', '/route']) {
    for (const value of ['', 'another', 'of nobody', hashOf('f4Jq1HWTtGzXk0pm')])
      t.match(
        await ask(app, url, apiKeyOf(value)),
        { status: 401, body: { message: 'Invalid API key' } },
        `${url} ${value}`
      )
    t.match(await ask(app, url, {}), { status: 401, body: { message: 'Not authenticated' } })
  }
})

t.test('a key opens nothing that wants a token, a token nothing that wants a key', async (t) => {
  t.equal((await ask(app, '/tokens', apiKeyOf('f4Jq1HWTtGzXk0pm'))).status, 401)
  for (const url of ['/keys', '/route']) t.equal((await ask(app, url)).status, 401, url)
})

t.test('it may log in, unless `authStrategies` leaves it out', async (t) => {
  const request = { strategy: 'apiKey', apiKey: 'f4Jq1HWTtGzXk0pm' }
  const { status, body } = await login(app, request)
  t.match([status, body], [201, { user: bob, authentication: { strategy: 'apiKey', payload: { sub: '2' } } }])
  t.match((await ask(app, '/tokens', bearer(body.accessToken))).body, { user: bob, strategy: 'jwt' })
  t.equal((await login(app, { ...request, apiKey: { $ne: '' } })).status, 401)

  const closed = await createKeys(t, { authStrategies: ['local', 'jwt'] })
  t.match(await login(closed, request), {
    status: 401,
    body: { message: 'Invalid authentication information (strategy not allowed in authStrategies)' }
  })
  t.equal((await ask(closed, '/keys', apiKeyOf('f4Jq1HWTtGzXk0pm'))).status, 200, 'a guard takes it all the same')
})

const reserved = { sub: 'x', iss: 'x', aud: 'x', exp: 1, iat: 1, jti: 'x' }
const nobody = /does not say whom a token belongs to: return the user, or authentication.payload.sub/
const noId = /A user of the service 'users' has no 'id': name its id in the option `entityId` of authentication/
const gives: readonly [result: unknown, status: number, answer: string | RegExp | object][] = [
  ...[undefined, null, 'text'].map((result): (typeof gives)[0] => [result, 401, 'Not authenticated']),
  [{}, 500, nobody],
  ...[{ name: 'Bob' }, null, { id: null }].map((user): (typeof gives)[0] => [{ user }, 500, noId]),
  [{ authentication: { payload: { sub: 'x' } } }, 201, { authentication: { payload: { sub: 'x' } } }],
  [
    { user: bob, authentication: { strategy: 'fake', payload: { ...reserved, a: 1 } } },
    201,
    { user: bob, authentication: { strategy: 'own', payload: { sub: '2', iss: 'fastify-services', a: 1 } } }
  ],
  [{ user: bob, accessToken: 'mine' }, 201, { accessToken: 'mine', user: bob }],
  [{ user: bob, authentication: { payload: { a: 'x'.repeat(7000) } } }, 500, /The access token is too long/]
]

t.test('what it may return at a login, and what is answered', async (t) => {
  let result: unknown
  const app = await createKeys(t, {
    strategies: { jwt: true, own: { authenticate: () => result }, apiKey: new ApiKeyStrategy() }
  })
  for (const [given, status, answer] of gives) {
    result = given
    const body = typeof answer === 'string' || answer instanceof RegExp ? { message: answer } : answer
    t.match(await login(app, { strategy: 'own' }), { status, body }, JSON.stringify(given)?.slice(0, 80))
  }
})

t.test('it logs out, too: the answer is who that was', async (t) => {
  const { status, body } = await ask(app, '/authentication', apiKeyOf('f4Jq1HWTtGzXk0pm'), 'DELETE')
  t.same([status, body], [200, { user: bob, authentication: { strategy: 'apiKey' } }])
})

t.test('also where tokens can be revoked: it has none', async (t) => {
  const app = await createKeys(t, { revocation: true })
  const headers = apiKeyOf('f4Jq1HWTtGzXk0pm')
  t.equal((await ask(app, '/authentication', headers, 'DELETE')).status, 200)
})

const quiet = { authenticate: () => ({ user: bob }) }

t.test('`setup` runs once, before the server starts, in order, with what finds users and the name', async (t) => {
  const seen: unknown[] = []
  const spy = (): Strategy => ({
    ...quiet,
    async setup(authentication, name) {
      await new Promise(setImmediate)
      seen.push([name, authentication.strategyNames, authentication.entities.name])
    }
  })
  const app = await createGuardsApp(t, {
    options: { strategies: { one: spy(), jwt: true, two: spy() }, entity: 'account' },
    before: (app) => void app.addHook('onReady', async () => void seen.push('ready'))
  })
  const names = ['one', 'jwt', 'two']
  const all = [['one', names, 'account'], ['two', names, 'account'], 'ready']
  t.same(seen, all)
  await app.ready()
  await login(app, { strategy: 'one' })
  t.same(seen, all)
})

t.test('it runs before a login that comes earlier than the start', async (t) => {
  const seen: unknown[] = []
  const strategy: Strategy = {
    setup: () => seen.push('setup'),
    authenticate: () => ({ user: { id: seen.push('login') } })
  }
  await createGuardsApp(t, {
    options: { strategies: { own: strategy, jwt: true } },
    before: async (app) => {
      const service = app.service('authentication')
      await Promise.all([service.create({ strategy: 'own' }), service.create({ strategy: 'own' })])
    }
  })
  t.same(seen, ['setup', 'login', 'login'])
})

t.test('one that throws stops the start', async (t) => {
  const reasons = [
    () => {
      throw new Error('no directory')
    },
    async () => Promise.reject(new Error('no directory'))
  ]
  for (const setup of reasons)
    await t.rejects(createGuardsApp(t, { options: { strategies: { jwt: true, own: { ...quiet, setup } } } }), {
      message: 'no directory'
    })
})

t.test('it may use the authentication: find users, verify tokens', async (t) => {
  const seen: unknown[] = []
  const link: Strategy = {
    setup(authentication) {
      this.authenticate = async ({ token }, params) => {
        const { sub } = await authentication.verifyAccessToken(token)
        seen.push(await authentication.entities.find({ email: ada.email }, params))
        return { user: await authentication.entities.get(sub, params) }
      }
    },
    authenticate: () => ({})
  }
  const app = await createGuardsApp(t, { options: { strategies: { jwt: true, local: true, link } } })
  const { accessToken } = (await login(app)).body
  t.match(await login(app, { strategy: 'link', token: accessToken }), { status: 201, body: { user: ada } })
  t.match(seen, [{ id: 1, password: /^\$scrypt/ }], 'the server sees the hash')
  t.match(await login(app, { strategy: 'link', token: 'bad' }), {
    status: 401,
    body: { message: 'Invalid access token' }
  })
})

t.test('our strategies under other names, several of a kind', async (t) => {
  const app = await createGuardsApp(t, {
    options: {
      strategies: {
        token: new JwtStrategy(),
        byEmail: new LocalStrategy(),
        byId: new LocalStrategy({ usernameField: 'number', entityUsernameField: 'email' })
      }
    }
  })
  const { body } = await login(app, { strategy: 'byEmail' })
  t.match(body, { user: ada, authentication: { strategy: 'byEmail' } })
  t.match(await login(app, { strategy: 'token', accessToken: body.accessToken }), { status: 201, body: { user: ada } })
  t.match(await login(app, { strategy: 'byId', email: undefined, number: bob.email, password }), {
    status: 201,
    body: { user: bob, authentication: { strategy: 'byId' } }
  })
  for (const strategy of ['jwt', 'local']) t.equal((await login(app, { strategy })).status, 401, strategy)
})

/** Users of whom some may log in; `queries` are those that their service has got. */
function createMembers() {
  const people = createPeople()
  const queries: Query[] = []
  const find = async ({ query = {} }: Params) => {
    queries.push(query)
    const { confirmed, ...rest } = query
    const matches = await people.find({ query: rest })
    return confirmed === undefined ? matches : matches.filter(({ id }) => id === ada.id)
  }
  return { queries, people: { get: people.get, find } }
}

class ConfirmedOnly extends LocalStrategy {
  readonly seen: unknown[] = []

  override async getEntityQuery(query: Query, params: Params) {
    this.seen.push([query, params.provider])
    return { ...query, confirmed: true, $limit: 1 }
  }
}

t.test('a subclass with `getEntityQuery` lets only some users log in', async (t) => {
  const local = new ConfirmedOnly()
  const { people, queries } = createMembers()
  const app = await createGuardsApp(t, { people, options: { strategies: { jwt: true, local } } })
  t.match(await login(app), { status: 201, body: { user: ada } })
  t.match(await login(app, { email: bob.email }), { status: 401, body: { message: 'Invalid login' } })
  t.same(local.seen, [
    [{ email: ada.email }, 'rest'],
    [{ email: bob.email }, 'rest']
  ])
  t.same(queries, [
    { email: ada.email, confirmed: true, $limit: 1 },
    { email: bob.email, confirmed: true, $limit: 1 }
  ])
})

t.test('the answer is that of a wrong password', async (t) => {
  const { people } = createMembers()
  const app = await createGuardsApp(t, {
    people,
    options: { strategies: { jwt: true, local: new ConfirmedOnly() } }
  })
  const [unconfirmed, wrong, nobody] = [
    await login(app, { email: bob.email }),
    await login(app, { password: 'wrong' }),
    await login(app, { email: 'nobody@example.com' })
  ]
  t.same([unconfirmed?.status, unconfirmed?.body], [wrong?.status, wrong?.body])
  t.same([nobody?.status, nobody?.body], [wrong?.status, wrong?.body])
})

t.test('by default the query is the name alone, and one record', async (t) => {
  const { people, queries } = createMembers()
  const app = await createGuardsApp(t, { people })
  await login(app, { confirmed: 'no', $limit: 5, role: 'admin' })
  t.same(queries, [{ email: ada.email, $limit: 1 }], 'nothing else of the body is in it')
})

t.test('fields of its own: of the login, and of the user', async (t) => {
  const { people, queries } = createMembers()
  const local = new ConfirmedOnly({
    usernameField: 'login',
    passwordField: 'pass',
    entityUsernameField: 'email',
    entityPasswordField: 'password'
  })
  const app = await createGuardsApp(t, { people, options: { strategies: { jwt: true, local } } })
  t.equal((await login(app)).status, 401)
  t.match(await login(app, { login: ada.email, pass: password }), { status: 201, body: { user: ada } })
  t.same(queries, [{ email: ada.email, confirmed: true, $limit: 1 }], 'the login without them asked nobody')
})

t.test('a subclass may say more of who logs in', async (t) => {
  class WithRole extends LocalStrategy {
    override async authenticate(...args: Parameters<LocalStrategy['authenticate']>) {
      const result = await super.authenticate(...args)
      return { ...result, authentication: { payload: { role: 'editor' } } }
    }
  }
  const app = await createGuardsApp(t, { options: { strategies: { jwt: true, local: new WithRole() } } })
  const { body } = await login(app)
  t.match(body, { user: ada, authentication: { strategy: 'local', payload: { role: 'editor', sub: '1' } } })
  t.notMatch(JSON.stringify(body), /scrypt/)
})

const eve = { id: 7, email: 'eve@example.com', password: 'the hash', devices: [{ password: 'an older hash' }] }
const shown = { id: 7, email: 'eve@example.com', devices: [{}] }
const refuse = () => {
  throw new BadRequest('Refused', { user: eve, errors: { password: 'is too old' } })
}

t.test('the password of a user that a strategy returns leaves nowhere', async (t) => {
  const strategy: Strategy = { authenticate: () => ({ user: eve }), parse: () => ({}) }
  const seen: unknown[] = []
  const app = await createGuardsApp(t as Test, {
    options: { strategies: { own: strategy, jwt: true } },
    before: (app) => {
      app.service('users').hooks({ before: { get: [async () => ({ result: eve })] } })
      app.get('/own', { preHandler: authenticate('own') }, (request) => request.user)
      app.service('authentication').on('login', ({ user }: { user: object }) => void seen.push(user))
    }
  })
  t.same((await login(app, { strategy: 'own' })).body.user, shown, 'a login over HTTP')
  t.same(Object(await app.service('authentication').create({ strategy: 'own' })).user, shown, 'a login of the server')
  t.same((await app.inject('/own')).json(), shown, 'a guard')
  t.same(seen, [shown, shown], 'an event')
})

t.test('nor that in an error which a strategy throws', async (t) => {
  const strategy: Strategy = { authenticate: refuse }
  const reading: Strategy = { authenticate: () => ({}), parse: refuse }
  const app = await createGuardsApp(t as Test, {
    options: { strategies: { own: strategy, jwt: true } },
    before: (app) => void app.service('open', { find: async () => [] })
  })
  const other = await createGuardsApp(t as Test, {
    options: { strategies: { reading, jwt: true } },
    before: (app) => void app.service('open', { find: async () => [] })
  })
  const expected = { message: 'Refused', data: { user: shown }, errors: { password: 'is too old' } }
  const { status, body } = await login(app, { strategy: 'own' })
  t.match({ status, ...body }, { status: 400, ...expected })
  t.same(body.data, expected.data)
  const read = await other.inject({ url: '/open', headers: { accept: 'application/json' } })
  t.equal(read.statusCode, 400)
  t.same(read.json().data, expected.data)
})

t.test('where there are no users there are no such fields: errors stay as they are', async (t) => {
  const app = await createGuardsApp(t as Test, {
    options: { entity: null, strategies: { own: { authenticate: refuse }, jwt: true } }
  })
  t.same((await login(app, { strategy: 'own' })).body.data, { user: eve })
})
