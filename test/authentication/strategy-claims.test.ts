import { NotAuthenticated } from 'fastify-services'
import { authenticate, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, bearer, createGuardsApp, login } from '../support/auth-guards.js'

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
  const app = await createGuardsApp(t as Test, {
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
    const app = await createGuardsApp(t as Test, { options: { entity: null, strategies: { own } } })
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
  const app = await createGuardsApp(t as Test, {
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

t.test('a strategy that returns nothing lets nobody in; what it returns beside goes into params', async (t) => {
  const results = [null, undefined, false, 'yes', { user: ada, tenant: 'acme' }] as const
  for (const result of results) {
    const own = { parse: () => ({}), authenticate: async () => result } as unknown as Strategy
    const app = await createGuardsApp(t as Test, {
      options: { strategies: { jwt: true, own } },
      before: (app) => app.service('me', all, around(authenticate('own')))
    })
    const { status, body } = await ask(app, '/me', {})
    if (typeof result !== 'object' || result === null) t.match([status, body.message], [401, 'Not authenticated'])
    else t.match([status, body], [200, { user: ada, tenant: 'acme', authenticated: true, provider: 'rest' }])
  }
})
