import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, createGuardsApp, createPeople, login, whoami } from '../support/auth-guards.js'
import { secret } from '../support/tokens.js'

const guard = authenticate('jwt')

for (const place of ['onRequest', 'preValidation', 'preHandler'] as const)
  t.test(`a guard for all routes of a plugin: \`addHook('${place}')\``, async (t) => {
    const app = await createGuardsApp(t as Test, {
      before: async (app) => {
        app.get('/open', async ({ user }) => ({ user: user ?? null }))
        await app.register(
          async (instance) => {
            instance.addHook(place, guard)
            instance.get('/route', async ({ user }) => ({ user }))
            instance.service('me', whoami)
            await instance.register(async (inner) => {
              inner.get('/inner', async ({ user }) => ({ user }))
            })
          },
          { prefix: '/own' }
        )
      }
    })
    for (const url of ['/own/route', '/own/inner', '/own/me']) {
      t.equal((await ask(app, url, {})).status, 401, url)
      t.match(await ask(app, url), { status: 200, body: { user: ada } }, url)
    }
    t.same((await ask(app, '/open', {})).body, { user: null })
    t.equal((await login(app)).status, 201, 'the login stands outside')
  })

t.test('a service behind it has the params of a guard, whose hook then asks nothing again', async (t) => {
  const people = createPeople()
  const app = await createGuardsApp(t as Test, {
    people,
    before: (app) =>
      app.register(async (instance) => {
        instance.addHook('onRequest', guard)
        instance.service('me', whoami)
        instance.service('twice', whoami, around(guard))
      })
  })
  for (const url of ['/me', '/twice']) {
    people.gets = 0
    const expected = { user: ada, strategy: 'jwt', authenticated: true, provider: 'rest' }
    t.same((await ask(app, url)).body, expected)
    t.equal(people.gets, 1, url)
  }
  t.match(await ask(app, '/me', {}), {
    status: 401,
    body: { name: 'NotAuthenticated', className: 'not-authenticated' },
    headers: { 'www-authenticate': 'Bearer' }
  })
})

t.test('routes and hooks that were there before authentication are guarded too', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.get('/early', { onRequest: [guard] }, async ({ user }) => user)
  app.register(async (instance) => {
    instance.addHook('preHandler', guard)
    instance.get('/inner', async ({ user }) => user)
  })
  app.service('me', whoami, around(guard))
  app.service('users', createPeople())
  await app.register(authentication, { secret })
  for (const url of ['/early', '/inner']) {
    t.equal((await ask(app, url, {})).status, 401, url)
    t.same((await ask(app, url)).body, ada, url)
  }
  t.match((await ask(app, '/me')).body, { user: ada })
})

t.test('a wrong name in an `addHook` lets nobody in', async (t) => {
  const app = await createGuardsApp(t as Test, {
    before: (app) =>
      app.register(async (instance) => {
        instance.addHook('onRequest', authenticate('nope'))
        instance.get('/route', async () => 'let in')
      })
  })
  for (const headers of [undefined, {}]) t.equal((await ask(app, '/route', headers)).status, 401)
})
