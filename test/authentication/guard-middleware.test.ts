import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, apiKey, around, ask, bearer, bob, createGuardsApp, createPeople, whoami } from '../support/auth-guards.js'

const guard = authenticate('jwt')

t.test('as `before` middleware of a service: its params are those of a hook', async (t) => {
  const app = await createGuardsApp(t as Test, { before: (app) => app.service('me', whoami, { before: [guard] }) })
  t.match(await ask(app, '/me'), {
    status: 200,
    body: { user: ada, strategy: 'jwt', authenticated: true, provider: 'rest' }
  })
  const { status, body, headers } = await ask(app, '/me', {})
  t.match(
    [status, body],
    [401, { name: 'NotAuthenticated', message: 'Not authenticated', className: 'not-authenticated' }]
  )
  t.equal(headers['www-authenticate'], 'Bearer')
})

t.test('one alone, without a list', async (t) => {
  const app = await createGuardsApp(t as Test, { before: (app) => app.service('me', whoami, { before: guard }) })
  t.equal((await ask(app, '/me', {})).status, 401)
  t.equal((await ask(app, '/me')).status, 200)
})

t.test('middleware behind it sees the user, and does not run for those who are not let in', async (t) => {
  const seen: unknown[] = []
  const app = await createGuardsApp(t as Test, {
    before: (app) =>
      app.service('me', whoami, {
        before: [
          async (request) => void seen.push(request.user ?? null),
          guard,
          async (request) => void seen.push(request.user, request.feathers.user)
        ]
      })
  })
  await ask(app, '/me', {})
  t.same(seen, [null])
  await ask(app, '/me')
  t.same(seen, [null, null, ada, ada])
})

t.test('a hook behind it asks nothing a second time, and one with other strategies does', async (t) => {
  const people = createPeople()
  const app = await createGuardsApp(t as Test, {
    people,
    options: { strategies: { jwt: true, apiKey } },
    before: (app) => {
      app.service('me', whoami, { before: [guard], ...around(guard) })
      app.service('keys', whoami, { before: [guard], ...around(authenticate('apiKey')) })
    }
  })
  t.match((await ask(app, '/me')).body, { user: ada })
  t.equal(people.gets, 1)
  t.equal((await ask(app, '/keys')).status, 401)
  const headers = { ...bearer(), 'x-api-key': 'good' }
  t.match((await ask(app, '/keys', headers)).body, { user: bob, strategy: 'apiKey' })
})

t.test('it guards REST alone: a call of the server does not meet middleware', async (t) => {
  const app = await createGuardsApp(t as Test, { before: (app) => app.service('me', whoami, { before: [guard] }) })
  t.match(await app.service('me').find({ provider: 'rest' }), { user: null })
})
