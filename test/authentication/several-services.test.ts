import authentication, { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, bearer, createGuardsApp, createPeople, login, whoami } from '../support/auth-guards.js'
import { claims, forge, secret } from '../support/tokens.js'

const other = 'another secret of 32 bytes, for admins'
const root = { id: 1, email: 'root@example.com' }
const guards = {
  users: authenticate('jwt'),
  named: authenticate({ service: 'authentication', strategies: ['jwt'] }),
  admins: authenticate({ service: 'admin/login', strategies: ['jwt'] }),
  slashes: authenticate({ service: '/admin/login/', strategies: ['jwt'] })
}

/** Users and admins in one instance: paths, secrets and users of their own. */
const create = (t: Test, options: object = { secret: other }) =>
  createGuardsApp(t, {
    before: async (app) => {
      app.service('admins', createPeople([root]))
      const given = {
        secret,
        path: '/admin/login/',
        service: 'admins',
        entity: 'admin',
        ...options
      }
      await app.register(authentication, given)
      for (const [name, guard] of Object.entries(guards)) {
        const find = async (params: Record<string, unknown>) => ({
          user: params.user,
          admin: params.admin
        })
        app.service(`for-${name}`, { find }, around(guard))
        app.get(`/route/${name}`, { preHandler: guard }, async (request) => ({
          user: request.user,
          admin: (request as { admin?: unknown }).admin
        }))
      }
    }
  })

const places = (...names: (keyof typeof guards)[]) => names.flatMap((name) => [`/for-${name}`, `/route/${name}`])

t.test('several authentication services in one instance, each with its own users, paths and secret', async (t) => {
  const app = await create(t as Test)
  const user = await login(app)
  const admin = await login(app, { email: root.email }, '/admin/login')
  t.match([user.status, user.body], [201, { user: ada, authentication: { payload: { aud: 'authentication' } } }])
  t.match([admin.status, admin.body], [201, { admin: root, authentication: { payload: { aud: 'admin/login' } } }])
  t.notHas(admin.body, 'user')
  for (const url of places('users', 'named')) {
    t.same((await ask(app, url, bearer(user.body.accessToken))).body, { user: ada }, url)
    t.equal((await ask(app, url, bearer(admin.body.accessToken))).status, 401, url)
  }
  for (const url of places('admins', 'slashes')) {
    t.same((await ask(app, url, bearer(admin.body.accessToken))).body, { admin: root }, url)
    t.equal((await ask(app, url, bearer(user.body.accessToken))).status, 401, url)
  }
  t.equal((await login(app, { email: root.email })).status, 401, 'an admin is no user')
  t.equal((await login(app, {}, '/admin/login')).status, 401, 'a user is no admin')
})

t.test('a token is good for one of them alone, with the same secret too', async (t) => {
  const app = await create(t as Test, {})
  const [user, admin] = [bearer(), bearer(forge(claims({ aud: 'admin/login' })))]
  for (const url of places('users')) t.same([await status(url, user), await status(url, admin)], [200, 401])
  for (const url of places('admins')) t.same([await status(url, user), await status(url, admin)], [401, 200])
  const payload = { strategy: 'jwt', accessToken: forge() }
  t.equal((await app.inject({ method: 'POST', url: '/admin/login', payload })).statusCode, 401)
  t.equal((await ask(app, '/admin/login', user, 'DELETE')).status, 401, 'nor to log out')
  t.equal((await ask(app, '/admin/login', admin, 'DELETE')).status, 200)

  async function status(url: string, headers: Record<string, string>) {
    return (await ask(app, url, headers)).status
  }
})

t.test('the strategies of each are its own', async (t) => {
  const app = await create(t as Test, {
    strategies: { jwt: { header: 'X-Admin' } },
    authStrategies: ['jwt']
  })
  const admin = { 'x-admin': forge(claims({ aud: 'admin/login' })) }
  t.equal((await login(app, { email: root.email }, '/admin/login')).status, 401, 'local is not enabled there')
  for (const url of places('admins'))
    t.same((await ask(app, url, { ...bearer(), ...admin })).body, {
      admin: root
    })
  for (const url of places('users'))
    t.same((await ask(app, url, { ...bearer(), ...admin })).body, {
      user: ada
    })
})

t.test('one service of users may stand behind two of them', async (t) => {
  const app = await create(t as Test, {
    secret: other,
    service: 'users',
    entity: 'user'
  })
  const { status, body } = await login(app, {}, '/admin/login')
  t.match([status, body], [201, { user: ada }])
  t.notMatch(JSON.stringify(body), /scrypt/)
  for (const url of places('admins')) t.same((await ask(app, url, bearer(body.accessToken))).body, { user: ada }, url)
  for (const url of places('users')) t.equal((await ask(app, url, bearer(body.accessToken))).status, 401, url)
  t.same((await ask(app, '/users/1', {})).body, ada)
})

t.test('`params.authentication` where nobody asked is that which the first of the instance reads', async (t) => {
  const app = await createGuardsApp(t as Test, {
    before: async (app) => {
      await app.register(authentication, {
        secret: other,
        path: 'second',
        strategies: { jwt: { header: 'X-Second' } }
      })
      app.service('open', whoami)
    }
  })
  t.match((await ask(app, '/open')).body, { strategy: 'jwt', user: null })
  t.match((await ask(app, '/open', { 'x-second': 'token' })).body, {
    strategy: null
  })
})
