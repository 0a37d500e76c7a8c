import type { FastifyInstance } from 'fastify'
import type { Params } from 'fastify-services'
import authentication, { authenticate, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, bearer, createGuardsApp, createPeople, whoami } from '../support/auth-guards.js'
import { claims, forge, secret } from '../support/tokens.js'

const forUsers = authenticate('jwt')
const forAdmins = authenticate({ service: 'admin', strategies: ['jwt'] })
const admin = bearer(forge(claims({ aud: 'admin' })))
const root = { id: 1, email: 'root@example.com' }

/** An application with users, and with admins: a service of their own, the same secret, the same ids. */
const create = (t: Test, before: (app: FastifyInstance) => unknown) =>
  createGuardsApp(t, {
    before: async (app) => {
      app.service('admins', createPeople([root]))
      await app.register(authentication, { secret, path: 'admin', service: 'admins', entity: 'admin' })
      app.service('audit', { find: async ({ admin, user }: Params) => ({ admin, user }) }, around(forAdmins))
      await before(app)
    }
  })

t.test('a guard of a second authentication service is not passed by a caller of the first', async (t) => {
  const app = await create(t as Test, (app) => {
    app.service('both', whoami, around(forUsers, forAdmins))
    app.get('/route', { preHandler: forAdmins }, async () => 'let in')
    app.get('/both-route', { onRequest: forUsers, preHandler: forAdmins }, async () => 'let in')
  })
  for (const url of ['/audit', '/both', '/route', '/both-route']) {
    t.equal((await ask(app, url)).status, 401, url)
    t.equal((await ask(app, url, {})).status, 401, url)
  }
  t.match(await ask(app, '/audit', admin), { status: 200, body: { admin: root } })
  t.equal((await ask(app, '/route', admin)).status, 200)
  t.equal((await ask(app, '/both', admin)).status, 401, 'nor the other way round')
})

const ways: [how: string, pass: (params: Params) => Params][] = [
  ['as they are', (params) => params],
  ['with another query', (params) => ({ ...params, query: {} })],
  ['as a copy through JSON', (params) => JSON.parse(JSON.stringify(params)) as Params],
  [
    'with a copy of its authentication',
    (params) => ({ ...params, authentication: { ...Object(params.authentication) } })
  ],
  [
    'one by one',
    ({ provider, user, authentication, authenticated }) => ({ provider, user, authentication, authenticated }) as Params
  ],
  ['with an admin put in', (params) => ({ ...params, admin: root })]
]

for (const [how, pass] of ways)
  t.test(`nor when a service of the first passes its params on, ${how}`, async (t) => {
    const app = await create(t as Test, (app) => {
      app.service('relay', { find: async (params) => app.service('audit').find(pass(params)) }, around(forUsers))
      app.service('me', whoami, around(forUsers))
      app.service('same', { find: async (params) => app.service('me').find(pass(params)) }, around(forUsers))
    })
    t.equal((await ask(app, '/relay')).status, 401)
    t.match(await ask(app, '/same'), { status: 200, body: { user: ada, strategy: 'jwt' } }, 'its own guard is passed')
  })

t.test('nor when a guarded route passes its params on', async (t) => {
  const app = await create(t as Test, (app) => {
    const relay = async ({ feathers }: { feathers: object }) =>
      app.service('audit').find({ ...feathers, provider: 'rest' })
    app.get('/relay', { preHandler: forUsers }, relay)
    app.get('/relay-admin', { preHandler: forAdmins }, relay)
  })
  t.equal((await ask(app, '/relay')).status, 401)
  t.match(await ask(app, '/relay-admin', admin), { status: 200, body: { admin: root } })
})

t.test('where both let in, there are the one and the other', async (t) => {
  const forKeys = authenticate({ service: 'admin', strategies: ['key'] })
  const key: Strategy = {
    parse: ({ headers }) => (headers['x-admin'] === undefined ? null : { key: headers['x-admin'] }),
    authenticate: ({ key }) => (key === 'good' ? { admin: root } : (null as never))
  }
  const app = await createGuardsApp(t as Test, {
    before: async (app) => {
      await app.register(authentication, { secret, path: 'admin', entity: 'admin', strategies: { key } })
      const service = { find: async ({ user, admin, authentication }: Params) => ({ user, admin, authentication }) }
      app.service('both', service, around(forUsers, forKeys))
    }
  })
  t.same((await ask(app, '/both', { ...bearer(), 'x-admin': 'good' })).body, {
    user: ada,
    admin: root,
    authentication: { strategy: 'key' }
  })
  for (const headers of [bearer(), { 'x-admin': 'good' }, { ...bearer(), 'x-admin': 'bad' }] as Record<
    string,
    string
  >[])
    t.equal((await ask(app, '/both', headers)).status, 401)
})
