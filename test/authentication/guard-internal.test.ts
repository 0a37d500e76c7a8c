import type { Params } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, apiKey, around, ask, bearer, bob, createGuardsApp, createPeople, whoami } from '../support/auth-guards.js'
import { claims, forge } from '../support/tokens.js'

const guard = authenticate('jwt')

t.test('Protected service methods called from the server itself (no `provider`) need no token', async (t) => {
  const people = createPeople()
  const app = await createGuardsApp(t as Test, {
    people,
    before: (app) => app.service('me', whoami, around(guard))
  })
  const none = { user: null, strategy: null, authenticated: null, provider: null }
  for (const params of [undefined, {}, { query: {} }, { provider: undefined }, { provider: '' }] as Params[])
    t.match(await app.service('me').find(params), { ...none, provider: params?.provider ?? null })
  t.equal(people.gets, 0)
  for (const provider of ['rest', 'socketio', 'x'])
    await t.rejects(app.service('me').find({ provider }), { code: 401, message: 'Not authenticated' })
})

t.test('with `params.authentication` they are verified, as any other', async (t) => {
  const app = await createGuardsApp(t as Test, {
    options: { strategies: { jwt: true, apiKey } },
    before: (app) => {
      app.service('me', whoami, around(guard))
      app.service('any', whoami, around(authenticate('jwt', 'apiKey')))
    }
  })
  const call = (path: string, authentication: object, more: Params = {}) =>
    app.service(path).find({ authentication, ...more })
  const token = { strategy: 'jwt', accessToken: forge() }
  for (const more of [{}, { provider: 'rest' }])
    t.match(await call('me', token, more), { user: ada, strategy: 'jwt', authenticated: true })
  t.match(await call('any', { strategy: 'apiKey', apiKey: 'good' }), { user: bob, strategy: 'apiKey' })
  await t.rejects(call('any', { strategy: 'apiKey', apiKey: 'bad' }), { code: 401, message: 'Invalid API key' })
  await t.rejects(call('me', { strategy: 'apiKey', apiKey: 'good' }), { code: 401 }, 'a strategy that is not named')
  await t.rejects(call('me', { ...token, accessToken: 'bad' }), { code: 401, message: 'Invalid access token' })
  for (const authentication of [{}, { strategy: '' }, { strategy: '__proto__' }, { strategy: ['jwt'] }])
    await t.rejects(call('me', authentication), { code: 401 })
})

t.test('a call that passes its params on is the same caller; one without a provider is the server', async (t) => {
  const people = createPeople()
  const app = await createGuardsApp(t as Test, {
    people,
    before: (app) => {
      app.service('me', whoami, around(guard))
      app.service('guarded', { find: async (params) => app.service('me').find(params) }, around(guard))
      app.service('open', { find: async (params) => app.service('me').find(params) })
      app.service('inner', { find: async ({ provider, ...params }) => app.service('me').find(params) }, around(guard))
      app.service('server', { find: async () => app.service('me').find() }, around(guard))
    }
  })
  const caller = { user: ada, strategy: 'jwt', authenticated: true }
  t.match((await ask(app, '/guarded')).body, { ...caller, provider: 'rest' })
  t.equal(people.gets, 1, 'the second guard asks nothing again')
  t.match((await ask(app, '/open')).body, { ...caller, provider: 'rest' }, 'the guard further in reads the request')
  t.equal((await ask(app, '/open', {})).status, 401)
  t.equal((await ask(app, '/open', bearer('bad'))).status, 401)
  t.match((await ask(app, '/inner')).body, { ...caller, provider: null }, 'who calls is still told')
  t.match((await ask(app, '/server')).body, { user: null, authenticated: null, provider: null })
})

t.test('params of a call are not changed for the one who called', async (t) => {
  const app = await createGuardsApp(t as Test, { before: (app) => app.service('me', whoami, around(guard)) })
  const params = { authentication: { strategy: 'jwt', accessToken: forge(claims({ sub: '2' })) } }
  const copy = structuredClone(params)
  t.match(await app.service('me').find(params), { user: bob })
  t.same(params, copy)
})
