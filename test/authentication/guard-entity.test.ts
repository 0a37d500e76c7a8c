import { authenticate, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, bearer, bob, createGuardsApp, createPeople, login } from '../support/auth-guards.js'
import { claims, forge } from '../support/tokens.js'

const guard = authenticate('jwt')
const all = { find: async (params: object) => params }

t.test('another name for users: `entity`', async (t) => {
  const app = await createGuardsApp(t as Test, {
    options: { entity: 'account' },
    before: (app) => {
      app.service('params', all, around(guard))
      app.get('/route', { preHandler: guard }, async (request) => {
        const { account, user } = request as typeof request & { account?: unknown }
        return { account, user, feathers: Object.keys(request.feathers) }
      })
    }
  })
  const { body } = await ask(app, '/params')
  t.match(body, { account: ada, authenticated: true, authentication: { strategy: 'jwt' } })
  t.notHas(body, 'user')
  const seen = (await ask(app, '/route')).body
  t.same(seen.account, ada)
  t.notHas(seen, 'user')
  t.same(seen.feathers.sort(), ['account', 'authenticated', 'authentication'])
  const answer = (await login(app)).body
  t.same([answer.account, answer.user], [ada, undefined])
})

t.test('another service, and another property that holds the id: `service`, `entityId`', async (t) => {
  const members = [{ key: 'm-1', email: 'ada@example.com' }]
  const app = await createGuardsApp(t as Test, {
    options: { service: 'members', entity: 'member', entityId: 'key' },
    before: (app) => {
      app.service('members', {
        find: async () => members,
        get: async (id) => members.find(({ key }) => key === id) ?? null
      })
      app.service('params', all, around(guard))
    }
  })
  t.match((await ask(app, '/params', bearer(forge(claims({ sub: 'm-1' }))))).body, { member: { key: 'm-1' } })
  t.equal((await ask(app, '/params')).status, 401, 'a user of the other service is none')
})

t.test('`entity: null`: tokens that stand for no users', async (t) => {
  const people = createPeople()
  const app = await createGuardsApp(t as Test, {
    people,
    options: { entity: null, strategies: { jwt: true } },
    before: (app) => {
      app.service('params', all, around(guard))
      app.get('/route', { preHandler: guard }, async (request) => ({
        has: 'user' in request,
        feathers: request.feathers
      }))
    }
  })
  const token = forge(claims({ sub: 'printer', scope: 'print' }))
  const { body } = await ask(app, '/params', bearer(token))
  t.match(body, {
    authenticated: true,
    authentication: { strategy: 'jwt', payload: { sub: 'printer', scope: 'print' } }
  })
  t.notHas(body, 'user')
  const seen = (await ask(app, '/route', bearer(token))).body
  t.match(seen, { has: false, feathers: { authenticated: true, authentication: { payload: { sub: 'printer' } } } })
  t.same([people.gets, (await ask(app, '/route', {})).status], [0, 401])
})

t.test('without users no service of users is needed', async (t) => {
  const strategies: Record<string, Strategy | boolean> = { jwt: true }
  const app = await createGuardsApp(t as Test, { options: { entity: null, service: 'nowhere', strategies } })
  t.equal((await ask(app, '/authentication', bearer(), 'DELETE')).status, 200)
})

t.test("a host's own `user` on requests stays its own where no guard stands", async (t) => {
  const app = await createGuardsApp(t as Test, {
    before: (app) => {
      app.decorateRequest('user', null as never)
      app.addHook('onRequest', async (request) => {
        request.user = bob
      })
      app.get('/theirs', async ({ user }) => user)
      app.get('/ours', { preHandler: guard }, async ({ user }) => user)
    }
  })
  t.same((await ask(app, '/theirs')).body, bob)
  t.same((await ask(app, '/ours')).body, ada)
  t.same((await ask(app, '/theirs')).body, bob)
})
