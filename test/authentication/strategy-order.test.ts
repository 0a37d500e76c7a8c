import type { FastifyRequest } from 'fastify'
import type { Params, Query } from 'fastify-services'
import { authenticate, LocalStrategy, type Strategy } from 'fastify-services/authentication'
import t from 'tap'
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
  password,
  whoami
} from '../support/auth-guards.js'
import { claims, forge } from '../support/tokens.js'

const guard = authenticate('jwt', 'apiKey')
const both = { ...bearer(), 'x-api-key': 'good' }

t.test('the order of `parseStrategies`: the first that finds credentials is asked', async (t) => {
  for (const [parseStrategies, expected] of [
    [undefined, ada],
    [['jwt', 'apiKey'], ada],
    [['apiKey', 'jwt'], bob]
  ] as const) {
    const app = await createGuardsApp(t, {
      options: { strategies: { jwt: true, apiKey }, ...(parseStrategies && { parseStrategies }) },
      before: (app) => {
        app.service('me', whoami, around(guard))
        app.get('/route', { preHandler: guard }, async ({ user }) => ({ user }))
      }
    })
    for (const url of ['/me', '/route']) {
      t.match((await ask(app, url, both)).body, { user: expected }, String(parseStrategies))
      t.match((await ask(app, url)).body, { user: ada }, 'one alone is found by any')
      const isBadFirst = expected === ada ? { ...both, ...bearer('bad') } : { ...both, 'x-api-key': 'bad' }
      t.equal((await ask(app, url, isBadFirst)).status, 401, 'the next one is not tried')
    }
  }
})

t.test('what `parseStrategies` leaves out is read from no request, and may log in', async (t) => {
  const app = await createGuardsApp(t, {
    options: { strategies: { jwt: true, apiKey }, parseStrategies: ['apiKey'] },
    before: (app) => app.service('me', whoami, around(guard))
  })
  t.match(await ask(app, '/me'), { status: 401, body: { message: 'Not authenticated' } })
  t.equal((await ask(app, '/me', { 'x-api-key': 'good' })).status, 200)
  const payload = { strategy: 'jwt', accessToken: forge() }
  t.equal((await app.inject({ method: 'POST', url: '/authentication', payload })).statusCode, 201)
  t.equal((await ask(app, '/authentication', bearer(), 'DELETE')).status, 401)
})

t.test('a cookie, read by hand', async (t) => {
  const pattern = /(?:^|;\s*)session=([^;]*)/
  const cookie: Strategy = {
    parse: ({ headers }) => {
      const [, session] = pattern.exec(headers.cookie ?? '') ?? []
      return session === undefined ? null : { session: decodeURIComponent(session) }
    },
    authenticate: ({ session }) => (session === 'bob & co' ? { user: bob } : (null as never))
  }
  const app = await createGuardsApp(t, {
    options: { strategies: { cookie, jwt: true } },
    before: (app) => app.service('me', whoami, around(authenticate('cookie', 'jwt')))
  })
  for (const value of ['session=bob%20%26%20co', 'a=1; session=bob%20%26%20co; b=2'])
    t.match((await ask(app, '/me', { cookie: value })).body, { user: bob, strategy: 'cookie' }, value)
  for (const value of ['session=', 'session=ada', 'a=1; xsession=bob%20%26%20co'])
    t.equal((await ask(app, '/me', { cookie: value })).status, 401, value)
  t.match((await ask(app, '/me', { cookie: 'a=1', ...bearer() })).body, { user: ada, strategy: 'jwt' })
})

t.test('`parse` may return a promise, and reads the request itself', async (t) => {
  const seen: unknown[] = []
  const slow: Strategy = {
    async parse(request: FastifyRequest) {
      seen.push([request.method, request.url, request.ip, request.routeOptions.url])
      await new Promise(setImmediate)
      return request.headers['x-slow'] === undefined ? null : { id: request.headers['x-slow'], strategy: 'another' }
    },
    authenticate: async ({ id, strategy }) => (id === '2' && strategy === 'slow' ? { user: bob } : (null as never))
  }
  const app = await createGuardsApp(t, {
    options: { strategies: { slow, jwt: true } },
    before: (app) => {
      app.service('me', whoami, around(authenticate('slow', 'jwt')))
      app.get('/route', { preHandler: authenticate('slow', 'jwt') }, async ({ user }) => ({ user }))
    }
  })
  for (const url of ['/me', '/route']) {
    t.match(
      (await ask(app, url, { 'x-slow': '2' })).body,
      { user: bob },
      'the name of a strategy is that of its option'
    )
    t.equal((await ask(app, url, { 'x-slow': '1' })).status, 401)
    t.match((await ask(app, url, bearer(forge(claims({ sub: '2' }))))).body, { user: bob })
  }
  t.same(seen[0], ['GET', '/me', '127.0.0.1', '/me'])
})

/** Users of whom some may log in; `queries` are those that their service has got. */
function createMembers() {
  const people = createPeople()
  const queries: Query[] = []
  const find = async ({ query = {} }: Params) => {
    queries.push(query)
    const { confirmed, ...rest } = query
    const found = await people.find({ query: rest })
    return confirmed === undefined ? found : found.filter(({ id }) => id === ada.id)
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
