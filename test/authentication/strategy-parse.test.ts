import type { FastifyRequest } from 'fastify'
import { authenticate, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, apiKey, around, ask, bearer, bob, createGuardsApp, whoami } from '../support/auth-guards.js'
import { claims, forge } from '../support/tokens.js'

const guard = authenticate('jwt', 'apiKey')
const both = { ...bearer(), 'x-api-key': 'good' }

t.test('the order of `parseStrategies`: the first that finds credentials is asked', async (t) => {
  for (const [parseStrategies, expected] of [
    [undefined, ada],
    [['jwt', 'apiKey'], ada],
    [['apiKey', 'jwt'], bob]
  ] as const) {
    const app = await createGuardsApp(t as Test, {
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
  const app = await createGuardsApp(t as Test, {
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
  const app = await createGuardsApp(t as Test, {
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
  const app = await createGuardsApp(t as Test, {
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
