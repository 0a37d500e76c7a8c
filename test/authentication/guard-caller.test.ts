import type { FastifyRequest } from 'fastify'
import type { Params } from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
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
  whoami
} from '../support/auth-guards.js'
import { claims, forge } from '../support/tokens.js'

const [token, key, any] = [authenticate('jwt'), authenticate('apiKey'), authenticate('apiKey', 'jwt')]
const quiet = authenticate({ service: 'quiet', strategies: ['jwt'] })
const both = { ...bearer(), 'x-api-key': 'good' }
const people = createPeople()
const app = await createGuardsApp(t, {
  people,
  options: { strategies: { jwt: true, local: true, apiKey } },
  before: async (app) => {
    const pairs = {
      me: [token],
      any: [any],
      same: [token, token],
      lax: [any, token],
      strict: [token, any],
      other: [token, key]
    }
    for (const [name, guards] of Object.entries(pairs)) {
      app.service(name, whoami, around(...guards))
      app.get(`/route/${name}`, { preHandler: guards }, async ({ user, feathers }) => ({
        user,
        strategy: (feathers.authentication as { strategy: string }).strategy
      }))
    }
    const find = async (params: Params) => app.service('me').find(params)
    for (const [name, value] of Object.entries({ null: null, undefined, empty: '', false: false }))
      app.service(`set/${name}`, { find: async (params: Params) => find({ ...params, authentication: value }) })
    app.service('guarded', { find }, around(token))
    app.service('relay', { find })
    const before = async ({ headers }: FastifyRequest) => {
      headers.authorization = headers['x-instead'] as string | undefined
    }
    app.service('changed', whoami, { before, ...around(token) })
    app.service('named', { find: async (params: Params) => Object.keys(params) })
    const asServer = async ({ provider, ...params }: Params) => app.service('me').find(params)
    app.service('inner', { find: asServer }, around(token))
    app.service('outer', { find: asServer })
    app.service('server', { find: async () => app.service('me').find() }, around(token))
    await app.register(authentication, { secret: 'x'.repeat(32), path: 'quiet', parseStrategies: [] })
    app.service('unread', whoami, around(quiet))
    app.addHook('onRequest', async (request) => {
      const accessToken = request.headers['x-token']
      if (accessToken !== undefined) request.feathers.authentication = { strategy: 'jwt', accessToken }
    })
  }
})

t.test('Protected service methods called from the server itself (no `provider`) need no token', async (t) => {
  const none = { user: null, strategy: null, authenticated: null }
  people.gets = 0
  for (const params of [undefined, {}, { query: { a: '1' } }, { provider: undefined }, { provider: '' }] as Params[])
    t.match(await app.service('me').find(params), { ...none, provider: params?.provider ?? null })
  t.equal(people.gets, 0)
  for (const provider of ['rest', 'socketio', 'x'])
    await t.rejects(app.service('me').find({ provider }), { code: 401, message: 'Not authenticated' })
})

t.test('with `params.authentication` they are verified, as any other', async (t) => {
  const call = (path: string, authentication: object, more: Params = {}) =>
    app.service(path).find({ authentication, ...more })
  const good = { strategy: 'jwt', accessToken: forge() }
  for (const more of [{}, { provider: 'rest' }])
    t.match(await call('me', good, more), { user: ada, strategy: 'jwt', authenticated: true })
  t.match(await call('any', { strategy: 'apiKey', apiKey: 'good' }), { user: bob, strategy: 'apiKey' })
  await t.rejects(call('any', { strategy: 'apiKey', apiKey: 'bad' }), { code: 401, message: 'Invalid API key' })
  await t.rejects(call('me', { strategy: 'apiKey', apiKey: 'good' }), { code: 401 }, 'a strategy that is not named')
  await t.rejects(call('me', { ...good, accessToken: 'bad' }), { code: 401, message: 'Invalid access token' })
  for (const authentication of [{}, { strategy: '' }, { strategy: '__proto__' }, { strategy: ['jwt'] }])
    await t.rejects(call('me', authentication), { code: 401 })
})

t.test('params of a call are not changed for the one who called', async (t) => {
  const params = { authentication: { strategy: 'jwt', accessToken: forge(claims({ sub: '2' })) } }
  const copy = structuredClone(params)
  t.match(await app.service('me').find(params), { user: bob })
  t.same(params, copy)
})

t.test('a call that passes its params on is the same caller; one without a provider is the server', async (t) => {
  const caller = { user: ada, strategy: 'jwt', authenticated: true }
  people.gets = 0
  t.match((await ask(app, '/guarded')).body, { ...caller, provider: 'rest' })
  t.equal(people.gets, 1, 'the second guard asks nothing again')
  t.match((await ask(app, '/relay')).body, { ...caller, provider: 'rest' }, 'the guard further in reads the request')
  t.equal((await ask(app, '/relay', {})).status, 401)
  t.equal((await ask(app, '/relay', bearer('bad'))).status, 401)
  t.match((await ask(app, '/inner')).body, { ...caller, provider: null }, 'who calls is still told')
  t.match((await ask(app, '/server')).body, { user: null, authenticated: null, provider: null })
  for (const headers of [bearer(), bearer('bad'), {}] as Record<string, string>[])
    t.match(
      await ask(app, '/outer', headers),
      { status: 200, body: { user: null } },
      'it needs no credentials, good or bad'
    )
})

t.test('what middleware or a hook has set in `authentication` counts, and not the header', async (t) => {
  for (const url of ['/me', '/route/me']) {
    t.equal((await ask(app, url, { ...bearer('bad'), 'x-token': forge() })).status, 200, url)
    t.equal((await ask(app, url, { ...bearer(), 'x-token': 'bad' })).status, 401, url)
    t.equal((await ask(app, url)).status, 200, url)
  }
})

t.test('`null`, or what is no object, in `authentication` is as if it were not set', async (t) => {
  for (const name of ['null', 'undefined', 'empty', 'false']) {
    t.match(await ask(app, `/set/${name}`), { status: 200, body: { user: ada, authenticated: true } }, name)
    t.match(await ask(app, `/set/${name}`, {}), { status: 401, body: { message: 'Not authenticated' } }, name)
  }
})

t.test('a service that reads no requests takes nothing that another one has read', async (t) => {
  const { accessToken } = (await login(app, {}, 'quiet')).body
  t.match(await ask(app, '/unread', bearer(accessToken)), { status: 401, body: { message: 'Not authenticated' } })
  t.equal((await ask(app, '/quiet', bearer(accessToken), 'DELETE')).status, 401)
  const call = { authentication: { strategy: 'jwt', accessToken }, provider: 'rest' }
  t.match(await app.service('unread').find(call), { user: ada }, 'a call that says itself who it is')
})

/** What the service and the route of a pair of guards answer: the user and the strategy, or the status. */
async function see(name: string, headers: Record<string, string>) {
  people.gets = 0
  const answers = [await ask(app, `/${name}`, headers), await ask(app, `/route/${name}`, headers)]
  return answers.map(({ status, body }) => (status === 200 ? [body.user, body.strategy] : status))
}

const [byToken, byKey, nobody] = [Array(2).fill([ada, 'jwt']), Array(2).fill([bob, 'apiKey']), [401, 401]]
const rows: [pair: string, what: string, headers: Record<string, string>, seen: unknown[], gets?: number][] = [
  ['same', 'the same guard twice asks once, for the service and the route', bearer(), byToken, 2],
  ['same', 'and lets in nobody without credentials', {}, nobody],
  ['lax', 'a stricter guard is not passed by what a laxer one has let in', { 'x-api-key': 'good' }, nobody],
  ['lax', 'it reads what it asks for', bearer(), byToken],
  ['lax', 'also beside what the laxer one has read', both, byToken],
  ['lax', 'and beside what is bad of it', { ...both, 'x-api-key': 'bad' }, byToken],
  [
    'strict',
    'a laxer one behind a stricter one lets in whom that has let in, and asks nothing again',
    both,
    byToken,
    2
  ],
  ['strict', 'and nobody else', { 'x-api-key': 'good' }, nobody],
  ['other', 'two that ask for different things want both, and the last tells who calls', both, byKey],
  ['other', 'the first is not enough', bearer(), nobody],
  ['other', 'nor is the second', { 'x-api-key': 'good' }, nobody]
]

t.test('two guards, one behind the other', async (t) => {
  for (const [pair, what, headers, expected, gets] of rows) {
    t.same(await see(pair, headers), expected, what)
    if (gets !== undefined) t.equal(people.gets, gets, what)
  }
})

t.test('the users service may have the guard that asks it: a call of the server needs no credentials', async (t) => {
  const people = createPeople()
  const app = await createGuardsApp(t, {
    people,
    before: (app) => {
      app.get('/me', { preHandler: token }, ({ user }) => user)
      const endless = () => {
        if (people.gets > 20) throw new Error('endless')
      }
      app.service('users').hooks({ around: { all: [token] }, before: { get: [endless] } })
    }
  })
  const headers = bearer((await login(app)).body.accessToken)
  people.gets = 0
  t.match(await ask(app, '/me', headers), { status: 200, body: ada })
  t.equal(people.gets, 1)
  t.match(await ask(app, '/users/1', headers), { status: 200, body: ada })
  t.equal(people.gets, 3)
  t.equal((await ask(app, '/users/1', bearer('bad'))).status, 401)
})

t.test('a call without credentials has no param for them', async (t) => {
  t.notOk((await app.inject('/named')).json().includes('authentication'))
  t.ok((await app.inject({ url: '/named', headers: bearer(forge()) })).json().includes('authentication'))
})

t.test('a guard reads the request as middleware before the call has left it', async (t) => {
  const other = `Bearer ${forge(claims({ sub: '2' }))}`
  t.equal((await ask(app, '/changed', bearer())).status, 401, 'without the header')
  t.match(await ask(app, '/changed', { ...bearer(), 'x-instead': other }), { status: 200, body: { user: bob } })
  t.match(await ask(app, '/changed', { ...bearer('bad'), 'x-instead': other }), { status: 200, body: { user: bob } })
})
