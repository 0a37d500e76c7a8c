import { NotAuthenticated } from 'fastify-services'
import {
  type Authenticator,
  authenticate,
  JwtStrategy,
  LocalStrategy,
  type Strategy
} from 'fastify-services/authentication'
import t from 'tap'
import { claims, forge } from '../support/tokens.js'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

class ApiKeyStrategy implements Strategy {
  seen: unknown[] = []
  setup({ strategyNames }: Authenticator, name: string) {
    this.seen.push(name, strategyNames)
  }
  parse({ headers }: { headers: Record<string, unknown> }) {
    const apiKey = headers['x-api-key']
    return apiKey === undefined ? null : { apiKey }
  }
  async authenticate({ apiKey }: { apiKey?: unknown }) {
    if (apiKey !== 'the key') throw new NotAuthenticated('Invalid API key')
    return { user: { id: 1, email: user.email, password: 'never shown' }, authentication: { scope: 'read' } }
  }
}
const me = {
  find: async ({ user, authentication }: { user?: object; authentication?: object }) => ({ user, authentication })
}

t.test("an API key in a header: a strategy of one's own, as a guard and for a login", async (t) => {
  const apiKey = new ApiKeyStrategy()
  const app = await createUsersApp(t, {
    options: { strategies: { jwt: true, local: true, apiKey }, authStrategies: ['jwt', 'local'] },
    before: (app) => {
      app.service('me', me, { hooks: { around: { all: [authenticate('jwt', 'apiKey')] } } })
      app.get('/keys', { preHandler: authenticate('apiKey') }, (request) => request.user)
    }
  })
  t.same(apiKey.seen, ['apiKey', ['jwt', 'local', 'apiKey']])
  const key = (value: string) => ({ headers: { 'x-api-key': value } })
  const shown = { id: 1, email: user.email }
  t.same((await ask(app, '', { url: '/me', ...key('the key') })).body, {
    user: shown,
    authentication: { strategy: 'apiKey', scope: 'read' }
  })
  t.same((await ask(app, '', { url: '/keys', ...key('the key') })).body, shown)
  t.match(await ask(app, '', { url: '/me', ...key('another') }), { status: 401, body: { message: 'Invalid API key' } })
  const { accessToken } = (await login(app)).body
  t.equal((await ask(app, accessToken, '/keys')).status, 401, 'a token is no API key')
  t.equal(
    (await ask(app, accessToken, { url: '/keys', ...key('the key') })).status,
    200,
    'the guard reads what it asks for'
  )
  t.match(await login(app, { strategy: 'apiKey', apiKey: 'the key' }), {
    status: 401,
    body: { message: /not allowed in authStrategies/ }
  })
})

t.test('which may log in and which may be read from a request are separate options', async (t) => {
  const strategies = { jwt: true, local: true, apiKey: new ApiKeyStrategy() }
  const app = await createUsersApp(t, {
    options: { strategies, authStrategies: ['apiKey'], parseStrategies: ['apiKey', 'jwt'] },
    before: (app) => app.service('me', me, { hooks: { before: { all: [authenticate('jwt', 'apiKey')] } } })
  })
  t.equal((await login(app)).status, 401)
  const { status, body } = await login(app, { strategy: 'apiKey', apiKey: 'the key' })
  t.match(
    [status, body],
    [
      201,
      { accessToken: String, user: { email: user.email }, authentication: { scope: 'read', payload: { sub: '1' } } }
    ]
  )
  t.equal((await ask(app, body.accessToken, '/me')).status, 200)
  const headers = { 'x-api-key': 'bad' }
  t.equal(
    (await ask(app, body.accessToken, { url: '/me', headers })).status,
    401,
    'the first that reads something counts'
  )
})

t.test('tokens without users: `entity: null`', async (t) => {
  const strategies: Record<string, Strategy | true> = {
    jwt: true,
    robot: {
      authenticate: ({ name }) => (name ? { authentication: { payload: { sub: String(name), scope: 'all' } } } : {})
    },
    nobody: { authenticate: () => null as never }
  }
  const app = await createUsersApp(t, {
    options: { strategies, entity: null, refresh: true },
    before: (app) => {
      app.service('me', me, { hooks: { around: { all: [authenticate('jwt')] } } })
      app.get('/route', { preHandler: authenticate('jwt') }, ({ user, feathers }) => ({ user, ...feathers }))
    }
  })
  const { status, body } = await login(app, { strategy: 'robot', name: 'r2' })
  t.match([status, body], [201, { authentication: { payload: { sub: 'r2', scope: 'all' } } }])
  t.match((await ask(app, body.accessToken, '/me')).body, {
    authentication: { strategy: 'jwt', payload: { sub: 'r2' } }
  })
  t.notHas((await ask(app, body.accessToken, '/route')).body, 'user')
  t.equal((await login(app, { strategy: 'refresh', refreshToken: body.refreshToken })).status, 201)
  t.match(await login(app, { strategy: 'robot' }), {
    status: 500,
    body: { message: /does not tell whom a token stands for/ }
  })
  t.match(await login(app, { strategy: 'nobody' }), { status: 401, body: { message: 'Not authenticated' } })
})

t.test('jwt with a header and schemes of its own; local with fields of its own, and a subclass', async (t) => {
  class OnlyStaff extends LocalStrategy {
    override getEntityQuery(query: object) {
      return { ...query, role: 'staff', $limit: 1 }
    }
  }
  const jwt = new JwtStrategy({ header: 'X-Token', schemes: ['Token'] })
  const local = {
    usernameField: 'login',
    passwordField: 'pass',
    entityUsernameField: 'email',
    entityPasswordField: 'password'
  }
  const app = await createUsersApp(t, {
    options: { strategies: { jwt, local, staff: new OnlyStaff() } },
    before: (app) => app.service('me', me, { hooks: { around: { all: [authenticate('jwt')] } } })
  })
  t.equal((await login(app)).status, 401)
  t.equal((await login(app, { login: user.email, pass: user.password })).status, 201)
  t.equal((await login(app, { strategy: 'staff' })).status, 401)
  await app.service('users').patch(1, { role: 'staff' })
  t.equal((await login(app, { strategy: 'staff' })).status, 201)
  const token = forge(claims())
  for (const value of [`Token ${token}`, token, `token: ${token}`])
    t.equal((await ask(app, 'x', { url: '/me', headers: { 'x-token': value } })).status, 200)
  for (const value of [`Bearer ${token}`, 'Token', ''])
    t.equal((await ask(app, token, { url: '/me', headers: { 'x-token': value } })).status, 401)
})
