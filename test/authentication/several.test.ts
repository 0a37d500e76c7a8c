import type { FastifyInstance } from 'fastify'
import authentication, { type AuthenticationOptions, authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, bearer, createGuardsApp, createPeople, login, whoami } from '../support/auth-guards.js'
import { claims, forge, secret } from '../support/tokens.js'
import { createServicesApp } from '../support/users-app.js'

const other = 'another secret of 32 bytes, for admins'
const root = { id: 1, email: 'root@example.com' }
const guards = {
  users: authenticate('jwt'),
  named: authenticate({ service: 'authentication', strategies: ['jwt'] }),
  admins: authenticate({ service: 'admin/login', strategies: ['jwt'] }),
  slashes: authenticate({ service: '/admin/login/', strategies: ['jwt'] })
}

/** Users and admins in one instance: paths, secrets and users of their own. */
const createSeveral = (t: Test, options: object = { secret: other }) =>
  createGuardsApp(t, {
    before: async (app) => {
      app.service('admins', createPeople([root]))
      const settings = {
        secret,
        path: '/admin/login/',
        service: 'admins',
        entity: 'admin',
        ...options
      }
      await app.register(authentication, settings)
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
  const app = await createSeveral(t)
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
  const app = await createSeveral(t, {})
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
  const app = await createSeveral(t, {
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
  const app = await createSeveral(t, {
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

t.test('two that share users give no password away, whichever of them reads it', async (t) => {
  const { find, get } = createPeople()
  const withPin = <R extends object>(record: R) => ({ ...record, pin: '1234' })
  const people = {
    find: async (params: Parameters<typeof find>[0]) => (await find(params)).map(withPin),
    get: async (id: string) => withPin(await get(id))
  }
  const app = await createGuardsApp(t, {
    people: people as never,
    before: async (app) => {
      const local = { passwordField: 'pin', entityPasswordField: 'pin' }
      await app.register(authentication, { secret: other, path: 'second', strategies: { jwt: true, local } })
      app.service('first-only', whoami, around(authenticate({ service: 'authentication', strategies: ['jwt'] })))
      app.service('second-only', whoami, around(authenticate({ service: 'second', strategies: ['jwt'] })))
    }
  })
  const tokens = { first: forge(), second: forge(claims({ aud: 'second' }), {}, other) }
  for (const [name, token] of Object.entries(tokens)) {
    const { body } = await ask(app, `/${name}-only`, bearer(token))
    t.match(body, { user: ada })
    t.strictSame(Object.keys(body.user).sort(), ['email', 'id'], name)
  }
})

t.test('`params.authentication` where nobody asked is that which the first of the instance reads', async (t) => {
  const app = await createGuardsApp(t, {
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

const person = (name: string) => ({ id: 1, email: `${name}@example.com` })

/** A version of an application under a prefix: its users, its authentication, a guarded service and a guarded route. */
const version =
  (name: string, options: Partial<AuthenticationOptions> = {}) =>
  async (app: FastifyInstance) => {
    app.service('users', createPeople([person(name)]))
    await app.register(authentication, { secret, ...options })
    app.service('me', whoami, around(authenticate('jwt')))
    app.get('/route', { preHandler: authenticate('jwt') }, async ({ user }) => ({ user }))
  }

async function createVersions(t: Test, root: (app: FastifyInstance) => unknown = () => {}) {
  const app = await createServicesApp(t)
  app.register(version('v1'), { prefix: '/v1' })
  app.register(version('v2', { path: 'login' }), { prefix: '/v2' })
  await root(app)
  await app.ready()
  return app
}

const tokens = {
  v1: bearer(forge(claims({ aud: 'v1/authentication' }))),
  v2: bearer(forge(claims({ aud: 'v2/login' }))),
  root: bearer()
}

t.test('in prefixes: each finds its own users, and logs in under its prefix', async (t) => {
  const app = await createVersions(t)
  for (const [name, url] of [
    ['v1', '/v1/authentication'],
    ['v2', '/v2/login']
  ] as const) {
    const { email } = person(name)
    const { status, body } = await login(app, { email }, url)
    t.match(
      [status, body],
      [
        201,
        {
          user: person(name),
          authentication: { payload: { aud: url.slice(1) } }
        }
      ],
      url
    )
    for (const place of ['me', 'route'])
      t.match((await ask(app, `/${name}/${place}`, bearer(body.accessToken))).body, { user: person(name) })
    t.equal((await ask(app, url, bearer(body.accessToken), 'DELETE')).status, 200)
  }
  t.equal((await login(app, { email: 'v2@example.com' }, '/v1/authentication')).status, 401)
  t.equal((await login(app)).status, 404, 'there is none at the root')
})

t.test('a token of one is not good for the other, with the same secret and the same ids', async (t) => {
  const app = await createVersions(t)
  for (const [token, other] of [
    ['v1', 'v2'],
    ['v2', 'v1']
  ] as const)
    for (const place of ['me', 'route']) {
      t.equal((await ask(app, `/${token}/${place}`, tokens[token])).status, 200)
      t.equal((await ask(app, `/${other}/${place}`, tokens[token])).status, 401)
    }
})

t.test('from anywhere it is named by its path, prefix included; within its prefix also without', async (t) => {
  const named = (service: string) => authenticate({ service, strategies: ['jwt'] })
  const app = await createVersions(t, (app) => {
    app.service('first', whoami, around(named('v1/authentication')))
    app.service('second', whoami, around(named('v2/login')))
    app.get('/first-route', { preHandler: named('v1/authentication') }, async ({ user }) => ({ user }))
    app.register(
      async (v3) => {
        await version('v3')(v3)
        v3.service('own', whoami, around(named('authentication')))
        v3.service('whole', whoami, around(named('v3/authentication')))
        v3.service('first', whoami, around(named('v1/authentication')))
      },
      { prefix: '/v3' }
    )
  })
  const third = bearer(forge(claims({ aud: 'v3/authentication' })))
  for (const url of ['/first', '/first-route', '/v3/first']) {
    t.match(await ask(app, url, tokens.v1), { status: 200, body: { user: person('v1') } }, url)
    t.same([(await ask(app, url, tokens.v2)).status, (await ask(app, url, third)).status], [401, 401], url)
  }
  t.match(await ask(app, '/second', tokens.v2), {
    status: 200,
    body: { user: person('v2') }
  })
  for (const url of ['/v3/own', '/v3/whole']) {
    t.match(await ask(app, url, third), { status: 200, body: { user: person('v3') } }, url)
    t.equal((await ask(app, url, tokens.v1)).status, 401)
  }
})

t.test('beside one at the root: a path of the root is not that of a prefix', async (t) => {
  const app = await createVersions(t, version('root'))
  t.match((await ask(app, '/me', tokens.root)).body, {
    user: person('root')
  })
  t.equal((await login(app, { email: 'root@example.com' })).status, 201)
  t.match((await ask(app, '/v1/me', tokens.v1)).body, { user: person('v1') })
  t.same([(await ask(app, '/me', tokens.v1)).status, (await ask(app, '/v1/me', tokens.root)).status], [401, 401])
})
