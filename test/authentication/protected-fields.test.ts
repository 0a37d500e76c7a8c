import authentication, { authenticate, protect } from 'fastify-services/authentication'
import t from 'tap'
import { claims, forge } from '../support/tokens.js'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

t.test('a record with a list `data` is no page: its password does not leave', async (t) => {
  const app = await createUsersApp(t)
  await app.service('users').create({ email: 'b@example.com', password: 'x', data: [{ a: 1 }] })
  const { body } = await ask(app, '', '/users/2')
  t.same(body, { email: 'b@example.com', data: [{ a: 1 }], id: 2 })
  t.notMatch(JSON.stringify((await ask(app, '', '/users')).body), /scrypt|password/)
})

t.test('a second authentication service without `local` knows what never leaves', async (t) => {
  const app = await createUsersApp(t, {
    before: async (app) => {
      await app.register(authentication, { secret: 'y'.repeat(32), path: 'tokens', strategies: { jwt: true } })
      const preHandler = authenticate({ service: 'tokens', strategies: ['jwt'] })
      app.get('/me', { preHandler }, (request) => ({ ...(request.user as object) }))
    }
  })
  const { body } = await ask(app, forge(claims({ aud: 'tokens' }), {}, 'y'.repeat(32)), '/me')
  t.same(body, { email: user.email, id: 1 })
})

t.test('nothing is told by a query of a field that does not leave', async (t) => {
  const app = await createUsersApp(t)
  const queries = [
    'password[$gte]=%24',
    '$or[0][password][$lt]=x',
    '$select[0][password]=1',
    '$sort[password]=1',
    'password=x',
    '$and[0][$or][0][password]='
  ]
  for (const query of queries) {
    const { status, body } = await ask(app, '', `/users?${query}`)
    t.match([status, body], [400, { name: 'BadRequest', message: /password/ }], query)
  }
  t.equal((await ask(app, '', { method: 'DELETE', url: '/users?password[$ne]=x' })).status, 400)
  t.same((await ask(app, '', '/users?$select[]=password&$select[]=email')).body, [{ email: user.email, id: 1 }])
  t.equal(
    ((await app.service('users').find({ query: { password: { $ne: 'x' } } })) as unknown[]).length,
    1,
    'the server may ask'
  )
})

t.test('protect: only around, where nothing gets past it; it says so at start', async (t) => {
  for (const type of ['before', 'after', 'error'] as const) {
    const app = createUsersApp(t, {
      before: (app) =>
        void app.service('secrets', { get: async () => ({}) }, { hooks: { [type]: { all: [protect('a')] } } })
    })
    await t.rejects(app, new RegExp(`protect at 'secrets' is a hook for 'around', not for '${type}'`))
  }
  t.throws(() => protect(), /protect needs the name of a field/)
})

t.test('an answer of a hook that ends the call early, of a page, of nothing', async (t) => {
  const record = { id: 1, secret: 's', toJSON: () => ({ id: 1, secret: 's', at: 'now' }) }
  let result: unknown = record
  const app = await createUsersApp(t, {
    plugin: {
      hooks: {
        around: {
          all: [async (context, next) => (context.path === 'cached' ? void Object.assign(context, { result }) : next())]
        }
      }
    },
    before: (app) =>
      void app.service('cached', { find: async () => [] }, { hooks: { around: { all: [protect('secret')] } } })
  })
  const seen: unknown[] = []
  for (result of [record, [record, 'text'], { total: 1, data: [record] }, { total: 1, data: [] }, 5, 'text'])
    seen.push((await ask(app, '', '/cached')).body)
  const clean = { id: 1, at: 'now' }
  t.same(seen, [clean, [clean, 'text'], { total: 1, data: [clean] }, { total: 1, data: [] }, 5, 'text'])
  t.equal(await app.service('cached').find(), 'text', 'the server gets all of it')
  t.equal((await login(app)).status, 201)
})
