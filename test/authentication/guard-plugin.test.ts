import type { AroundHook } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, ask, createGuardsApp, login, whoami } from '../support/auth-guards.js'

const guard = authenticate('jwt')

t.test('for all services it would stand on the authentication service itself: that fails at start', async (t) => {
  for (const type of ['around', 'before'] as const)
    for (const method of ['all', 'create', 'remove'])
      await t.rejects(
        createGuardsApp(t as Test, { plugin: { hooks: { [type]: { [method]: [guard] } } } }),
        /authenticate\('jwt'\) stands on the authentication service 'authentication', where logins come without a token/,
        `${type} ${method}`
      )
})

t.test('for all services but that one: a hook that asks it', async (t) => {
  const others: AroundHook = (context, next) => (context.path === 'authentication' ? next() : guard(context, next))
  const app = await createGuardsApp(t as Test, {
    plugin: { hooks: { around: { all: [others] } } },
    before: (app) => app.service('me', whoami)
  })
  t.equal((await ask(app, '/me', {})).status, 401)
  t.equal((await ask(app, '/users/1', {})).status, 401)
  const { status, body } = await login(app)
  t.equal(status, 201)
  t.match(await ask(app, '/me', { authorization: body.accessToken }), { status: 200, body: { user: ada } })
  t.match(await ask(app, '/users/1'), { status: 200, body: ada })
  t.match(await app.service('me').find(), { user: null }, 'a call of the server needs no token')
})

t.test('for a method that the authentication service does not have, it stands on the others alone', async (t) => {
  const app = await createGuardsApp(t as Test, {
    plugin: { hooks: { around: { find: [guard] }, before: { patch: [guard] } } },
    before: (app) => app.service('me', { ...whoami, get: async (id: string) => ({ id }) })
  })
  t.equal((await ask(app, '/me', {})).status, 401)
  t.match(await ask(app, '/me'), { status: 200, body: { user: ada } })
  t.equal((await ask(app, '/me/1', {})).status, 200)
  t.equal((await login(app)).status, 201)
})
