import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AroundHook } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, apiKey, ask, bearer, bob, createGuardsApp, createPeople, whoami } from '../support/auth-guards.js'
import { claims, forge, now } from '../support/tokens.js'

const guard = authenticate('jwt')
const ifGiven: AroundHook = (context, next) => (context.params.authentication ? guard(context, next) : next())

t.test('a hook that asks the guard only where there are credentials', async (t) => {
  const app = await createGuardsApp(t as Test, {
    before: (app) => app.service('news', whoami, { hooks: { around: { all: [ifGiven] } } })
  })
  const none = { user: null, strategy: null, authenticated: null, provider: 'rest' }
  t.match(await ask(app, '/news', {}), { status: 200, body: none })
  t.match(await ask(app, '/news'), { status: 200, body: { user: ada, strategy: 'jwt', authenticated: true } })
  for (const token of ['bad', forge(claims({ exp: now() - 1 })), forge(claims({ sub: '3' }))])
    t.equal((await ask(app, '/news', bearer(token))).status, 401, 'a bad token is refused')
  for (const authorization of ['', 'Bearer', 'Basic YTpi'])
    t.match(
      await ask(app, '/news', { authorization }),
      { status: 200, body: none },
      `no credentials: '${authorization}'`
    )
  t.match(await app.service('news').find(), { user: null }, 'the server itself')
})

t.test('`params.authentication` before a guard is what the request carries, and proves nothing', async (t) => {
  const people = createPeople()
  const seen: unknown[] = []
  const app = await createGuardsApp(t as Test, {
    people,
    before: (app) => app.service('open', { find: async ({ authentication }) => void seen.push(authentication) })
  })
  const token = forge(claims({ sub: '3' }))
  await ask(app, '/open', bearer(token))
  await ask(app, '/open', {})
  t.same(seen, [{ strategy: 'jwt', accessToken: token }, undefined])
  t.equal(people.gets, 0, 'nobody was asked')
})

t.test('credentials of another strategy than those that the guard takes: they are refused', async (t) => {
  const app = await createGuardsApp(t as Test, {
    options: { strategies: { jwt: true, apiKey } },
    before: (app) => {
      app.service('news', whoami, { hooks: { around: { all: [ifGiven] } } })
      app.service('open', whoami)
    }
  })
  t.match((await ask(app, '/open', { 'x-api-key': 'bad' })).body, { user: null, strategy: 'apiKey' })
  t.equal((await ask(app, '/news', { 'x-api-key': 'good' })).status, 401)
  t.match((await ask(app, '/news', { ...bearer(), 'x-api-key': 'good' })).body, { user: ada, strategy: 'jwt' })
  t.match((await ask(app, '/news', { ...bearer(), 'x-api-key': 'bad' })).body, { user: ada })
})

t.test('on a route: a hook that looks at the header', async (t) => {
  const ifHeader = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.headers.authorization !== undefined) await guard(request, reply)
  }
  const app = await createGuardsApp(t as Test, {
    before: (app) => app.get('/news', { preHandler: ifHeader }, async ({ user }) => ({ user: user ?? null }))
  })
  t.match(await ask(app, '/news', {}), { status: 200, body: { user: null } })
  t.match(await ask(app, '/news', bearer(forge(claims({ sub: '2' })))), { status: 200, body: { user: bob } })
  const { status, headers } = await ask(app, '/news', bearer('bad'))
  t.same([status, headers['www-authenticate']], [401, 'Bearer'])
})
