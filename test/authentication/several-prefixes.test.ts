import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationOptions, authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { around, ask, bearer, createPeople, login, whoami } from '../support/auth-guards.js'
import { claims, forge, secret } from '../support/tokens.js'

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

async function create(t: Test, root: (app: FastifyInstance) => unknown = () => {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
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
  const app = await create(t as Test)
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
  const app = await create(t as Test)
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
  const app = await create(t as Test, (app) => {
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
  const app = await create(t as Test, version('root'))
  t.match((await ask(app, '/me', tokens.root)).body, {
    user: person('root')
  })
  t.equal((await login(app, { email: 'root@example.com' })).status, 201)
  t.match((await ask(app, '/v1/me', tokens.v1)).body, { user: person('v1') })
  t.same([(await ask(app, '/me', tokens.v1)).status, (await ask(app, '/v1/me', tokens.root)).status], [401, 401])
})
