import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { NotAuthenticated, type Params } from 'fastify-services'
import {
  type AuthenticationRequest,
  type Authenticator,
  authenticate,
  JwtStrategy,
  LocalStrategy,
  type Strategy
} from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, bearer, bob, createGuardsApp, login, password, whoami } from '../support/auth-guards.js'

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

t.test("the `Strategy` interface for a user's own: an API key in a header", async (t) => {
  const app = await createKeys(t)
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
  const app = await createKeys(t)
  t.equal((await ask(app, '/tokens', apiKeyOf('f4Jq1HWTtGzXk0pm'))).status, 401)
  for (const url of ['/keys', '/route']) t.equal((await ask(app, url)).status, 401, url)
})

t.test('it may log in, unless `authStrategies` leaves it out', async (t) => {
  const request = { strategy: 'apiKey', apiKey: 'f4Jq1HWTtGzXk0pm' }
  const open = await createKeys(t)
  const { status, body } = await login(open, request)
  t.match([status, body], [201, { user: bob, authentication: { strategy: 'apiKey', payload: { sub: '2' } } }])
  t.match((await ask(open, '/tokens', bearer(body.accessToken))).body, { user: bob, strategy: 'jwt' })
  t.equal((await login(open, { ...request, apiKey: { $ne: '' } })).status, 401)

  const closed = await createKeys(t, { authStrategies: ['local', 'jwt'] })
  t.match(await login(closed, request), {
    status: 401,
    body: { message: 'Invalid authentication information (strategy not allowed in authStrategies)' }
  })
  t.equal((await ask(closed, '/keys', apiKeyOf('f4Jq1HWTtGzXk0pm'))).status, 200, 'a guard takes it all the same')
})

t.test('it logs out, too: the answer is who that was', async (t) => {
  const app = await createKeys(t)
  const { status, body } = await ask(app, '/authentication', apiKeyOf('f4Jq1HWTtGzXk0pm'), 'DELETE')
  t.same([status, body], [200, { user: bob, authentication: { strategy: 'apiKey' } }])
})

const machine: Strategy = {
  parse: ({ headers }) => (headers['x-key'] === undefined ? null : { key: headers['x-key'] }),
  authenticate({ key }) {
    if (key !== 'good') throw new NotAuthenticated('Invalid login')
    return { authentication: { payload: { sub: 'printer', scope: ['print'] }, model: 'X1' } }
  }
}
const all = { find: async (params: object) => params }
const entityless = { entity: null, strategies: { jwt: true, machine } }

t.test('`entity: null`: a strategy returns the claims, `sub` among them', async (t) => {
  const app = await createGuardsApp(t, {
    options: entityless,
    before: (app) => {
      app.service('jobs', all, around(authenticate('jwt')))
      app.service('direct', all, around(authenticate('machine')))
      app.get('/route', { preHandler: authenticate('machine') }, async (request) => ({
        ...request.feathers,
        hasUser: 'user' in request
      }))
    }
  })
  const { status, body } = await login(app, { strategy: 'machine', key: 'good' })
  t.equal(status, 201)
  t.same(Object.keys(body).sort(), ['accessToken', 'authentication'])
  t.match(body.authentication, {
    strategy: 'machine',
    model: 'X1',
    payload: { sub: 'printer', scope: ['print'], iss: 'fastify-services', aud: 'authentication' }
  })
  const { authentication } = (await ask(app, '/jobs', bearer(body.accessToken))).body
  t.match(authentication, { strategy: 'jwt', payload: { sub: 'printer', scope: ['print'] } })
  t.notHas(authentication, 'model', 'what is no claim is not in the token')
  const expected = { strategy: 'machine', model: 'X1', payload: { sub: 'printer', scope: ['print'] } }
  t.same((await ask(app, '/direct', { 'x-key': 'good' })).body.authentication, expected)
  t.same((await ask(app, '/route', { 'x-key': 'good' })).body, {
    authentication: expected,
    authenticated: true,
    hasUser: false
  })
  t.equal((await login(app, { strategy: 'machine', key: 'bad' })).status, 401)
})

t.test('without a `sub` nobody gets a token: an error that says what to do', async (t) => {
  for (const payload of [undefined, {}, { sub: '' }, { sub: 5 }]) {
    const own = { authenticate: () => ({ authentication: { payload } }) } as unknown as Strategy
    const app = await createGuardsApp(t, { options: { entity: null, strategies: { own } } })
    t.match(await login(app, { strategy: 'own' }), {
      status: 500,
      body: {
        message: `The strategy 'own' does not tell whom a token stands for: let it return the user, or authentication.payload.sub`
      }
    })
  }
})

t.test('claims beside a user; those of the service are its own', async (t) => {
  const payload = { role: 'editor', sub: '9', iss: 'x', aud: 'x', exp: 1, nbf: 9e9, iat: 1, jti: 'x', sid: 'x' }
  const own: Strategy = { authenticate: () => ({ user: ada, authentication: { payload } }) }
  const app = await createGuardsApp(t, {
    options: { strategies: { jwt: true, own } },
    before: (app) => app.service('me', all, around(authenticate('jwt')))
  })
  const { body } = await login(app, { strategy: 'own' })
  t.match(body.authentication.payload, { role: 'editor', sub: '1', iss: 'fastify-services', aud: 'authentication' })
  for (const name of ['exp', 'iat', 'jti']) t.not(body.authentication.payload[name], Object(payload)[name], name)
  for (const name of ['nbf', 'sid']) t.notHas(body.authentication.payload, name)
  t.match((await ask(app, '/me', bearer(body.accessToken))).body, {
    user: ada,
    authentication: { payload: { role: 'editor' } }
  })
})

t.test(
  'a strategy that returns nothing lets nobody in; what it returns beside goes into params, but no password',
  async (t) => {
    const results = [
      null,
      undefined,
      false,
      'yes',
      { user: { ...ada, password: 'never shown' }, tenant: 'acme' }
    ] as const
    for (const result of results) {
      const own = { parse: () => ({}), authenticate: async () => result } as unknown as Strategy
      const app = await createGuardsApp(t, {
        options: { strategies: { jwt: true, own } },
        before: (app) => app.service('me', all, around(authenticate('own')))
      })
      const answers = [await ask(app, '/me', {}), await login(app, { strategy: 'own' })]
      if (typeof result !== 'object' || result === null)
        for (const { status, body } of answers) t.match([status, body.message], [401, 'Not authenticated'])
      else
        for (const [index, { status, body }] of answers.entries())
          t.strictSame([status, body.user, body.tenant], [200 + index, ada, 'acme'])
    }
  }
)

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
  const own: Strategy = { setup: () => seen.push('setup'), authenticate: () => ({ user: { id: seen.push('login') } }) }
  await createGuardsApp(t, {
    options: { strategies: { own, jwt: true } },
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
