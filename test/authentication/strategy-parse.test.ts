import type { FastifyRequest } from 'fastify'
import { type HookContext, type NextFunction, NotAuthenticated, type Params } from 'fastify-services'
import {
  type AuthenticationRequest,
  authenticate,
  type JwtOptions,
  JwtStrategy,
  type Strategy
} from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, apiKey, around, ask, bearer, bob, createGuardsApp, login, whoami } from '../support/auth-guards.js'
import { claims, forge } from '../support/tokens.js'

const guard = authenticate('jwt', 'apiKey')
const both = { ...bearer(), 'x-api-key': 'good' }

t.test('what finds no credentials says `null`', async (t) => {
  const jwt = new JwtStrategy()
  for (const authorization of [undefined, '', 'Bearer', 'Bearer a b'])
    t.equal(jwt.parse({ headers: { authorization } } as FastifyRequest), null, String(authorization))
})

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
  for (const payload of [undefined, {}, { sub: '' }, { sub: Number.NaN }, { sub: true }, { sub: {} }]) {
    const strategy = { authenticate: () => ({ authentication: { payload } }) } as unknown as Strategy
    const app = await createGuardsApp(t, { options: { entity: null, strategies: { own: strategy } } })
    t.match(await login(app, { strategy: 'own' }), {
      status: 500,
      body: {
        message: `The strategy 'own' does not say whom a token belongs to: return the user, or authentication.payload.sub`
      }
    })
  }
})

t.test('claims beside a user; those of the service are its own', async (t) => {
  const payload = { role: 'editor', sub: '9', iss: 'x', aud: 'x', exp: 1, nbf: 9e9, iat: 1, jti: 'x', sid: 'x' }
  const strategy: Strategy = { authenticate: () => ({ user: ada, authentication: { payload } }) }
  const app = await createGuardsApp(t, {
    options: { strategies: { jwt: true, own: strategy } },
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
      const strategy = { parse: () => ({}), authenticate: async () => result } as unknown as Strategy
      const app = await createGuardsApp(t, {
        options: { strategies: { jwt: true, own: strategy } },
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

const token = forge()

/** Asks a guarded service and a guarded route with headers; gives the status that both have. */
async function createAsk(t: Test, jwt: true | JwtOptions | JwtStrategy = true) {
  const app = await createGuardsApp(t, {
    options: { strategies: { local: true, jwt, old: new JwtStrategy({ header: 'X-Old' }) } },
    before: (app) => {
      app.service('me', whoami, around(authenticate('jwt')))
      app.get('/route', { preHandler: authenticate('jwt') }, () => 'let in')
      app.service('any', whoami, around(authenticate('jwt', 'old')))
      app.service('old', whoami, around(authenticate('old')))
    }
  })
  const ask = async (headers: Record<string, string | string[]>) => {
    const [first, second] = await Promise.all(['/me', '/route'].map((url) => app.inject({ url, headers })))
    t.equal(first?.statusCode, second?.statusCode, 'the service and the route agree')
    if (first?.statusCode === 200) t.match(first.json(), { user: ada, strategy: 'jwt' })
    return first?.statusCode
  }
  return { app, ask }
}

// `x` stands for the token.
const forms: [row: string, values: string[]][] = [
  ['`Authorization: Bearer <token>`', ['Bearer x']],
  ['scheme in any case', ['bearer x', 'BEARER x', 'bEaReR x', 'jwt x', 'Jwt x', 'bearer: x']],
  ['also a bare token', ['x', ' x ']],
  ['`JWT <token>`', ['JWT x', 'JWT: x']],
  ['`Bearer: <token>`', ['Bearer: x']],
  ['more than one space', ['Bearer   x', 'Bearer x  ', '  Bearer   x  ']]
]
const badForms = [
  '',
  'Bearer',
  'JWT',
  'Basic x',
  'Token x',
  'x Bearer',
  'Bearer x x',
  'Bearer Bearer x',
  'Bearer:x',
  'Bearer,x',
  'Bearerx'
]

t.test('the forms of the header', async (t) => {
  const { ask } = await createAsk(t)
  for (const [row, values] of forms)
    await t.test(row, async (t) => {
      for (const value of values) t.equal(await ask({ authorization: value.replace('x', token) }), 200, value)
    })
  for (const value of badForms)
    t.equal(await ask({ authorization: value.replaceAll('x', token) }), 401, `\`${value}\`: 401`)
})

const options = { header: 'X-Access-Token', schemes: ['Token', 'Key'] }
for (const [kind, jwt] of Object.entries({ options, 'a strategy': new JwtStrategy(options) }))
  t.test(`a header and schemes of its own, by ${kind}: those alone, and the bare token`, async (t) => {
    const { ask } = await createAsk(t, jwt)
    for (const value of ['Token x', 'token x', 'KEY x', 'Key: x', 'Token: x', 'x'])
      t.equal(await ask({ 'x-access-token': value.replace('x', token) }), 200, value)
    for (const value of ['Bearer x', 'JWT x', 'Token', 'key', 'Tokens x', ''])
      t.equal(await ask({ 'x-access-token': value.replace('x', token) }), 401, value)
    for (const value of ['Token x', 'Bearer x', 'x'])
      t.equal(await ask({ authorization: value.replace('x', token) }), 401, `${value} in the header that is not read`)
  })

t.test('a header of its own: that one alone is read', async (t) => {
  const { ask } = await createAsk(t, { header: 'X-Access-Token' })
  t.equal(await ask({ 'x-access-token': token }), 200)
  t.equal(await ask({ 'x-access-token': `Bearer ${token}` }), 200)
  t.equal(await ask({ 'x-access-token': token, authorization: 'Bearer bad' }), 200)
  t.equal(await ask({ 'x-access-token': 'bad', authorization: `Bearer ${token}` }), 401)
  t.equal(await ask({ 'x-access-token': [token, token] }), 401, 'twice')
})

t.test('no schemes: the bare token alone; and two of a kind, with a header each', async (t) => {
  const { app, ask } = await createAsk(t, { schemes: [] })
  t.equal(await ask({ authorization: token }), 200)
  t.equal(await ask({ authorization: `Bearer ${token}` }), 401)
  const send = async (url: string, headers: object) =>
    (await app.inject({ url, headers: { accept: 'application/json', ...headers } })).json()
  const old = { 'x-old': token }
  t.match(await send('/any', { authorization: token }), { strategy: 'jwt' })
  t.match(await send('/any', old), { strategy: 'old' })
  t.match(await send('/old', old), { strategy: 'old' })
  t.match(await send('/old', { authorization: token }), { code: 401 })
})

t.test('a subclass with a `parse` of its own reads the request as it is when the guard asks', async (t) => {
  class TokenHeader extends JwtStrategy {
    override parse({ headers }: FastifyRequest) {
      return headers['x-token'] === undefined ? null : { accessToken: headers['x-token'] }
    }
  }
  const removeToken = async ({ headers }: FastifyRequest) => void delete headers['x-token']
  const app = await createGuardsApp(t, {
    options: { strategies: { jwt: new TokenHeader() } },
    before: (app) => {
      app.service('me', whoami, around(authenticate('jwt')))
      app.service('removed', whoami, { before: removeToken, ...around(authenticate('jwt')) })
    }
  })
  const headers = { 'x-token': forge() }
  t.match((await ask(app, '/me', headers)).body, { user: ada })
  t.match(await ask(app, '/removed', headers), { status: 401, body: { message: 'Not authenticated' } })
})

t.test('each guard gets the credentials as they were sent, whatever a strategy does to them', async (t) => {
  const seen: unknown[] = []
  class Changing extends JwtStrategy {
    override async authenticate(credentials: AuthenticationRequest, params: Params) {
      seen.push(credentials.accessToken)
      const result = await super.authenticate({ ...credentials }, params)
      credentials.accessToken = 'changed'
      return result
    }
  }
  const guard = authenticate('jwt')
  const forget = async (context: HookContext, next: NextFunction) => {
    const { authentication, ...params } = context.params
    context.params = { ...params, authentication: read.get(context), authenticated: false }
    await next()
  }
  const read = new Map<unknown, unknown>()
  const remember = async (context: HookContext, next: NextFunction) => {
    read.set(context, context.params.authentication)
    await next()
  }
  const app = await createGuardsApp(t, {
    options: { strategies: { jwt: new Changing() } },
    before: (app) => app.service('me', whoami, { hooks: { around: { all: [remember, guard, forget, guard] } } })
  })
  const token = forge()
  t.equal((await ask(app, '/me', bearer(token))).status, 200)
  t.strictSame(seen, [token, token])
})
