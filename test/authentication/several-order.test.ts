import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { ada, around, ask, bearer, createPeople, login, whoami } from '../support/auth-guards.js'
import { claims, forge, secret } from '../support/tokens.js'

const guard = authenticate('jwt')
const admin = authenticate({ service: 'admin', strategies: ['jwt'] })
const options = { secret, path: 'admin', service: 'admins', entity: 'admin' }
const root = { id: 1, email: 'root@example.com' }

/** The parts of an application; they may be registered in any order. */
const parts: Record<string, (app: FastifyInstance, isAwaited: boolean) => unknown> = {
  users: (app) => app.service('users', createPeople()),
  admins: (app) => app.service('admins', createPeople([root])),
  login: (app, isAwaited) => {
    const registered = app.register(authentication, { secret })
    return isAwaited ? registered : undefined
  },
  admin: (app, isAwaited) => {
    const registered = app.register(authentication, options)
    return isAwaited ? registered : undefined
  },
  services(app) {
    app.service('me', whoami, around(guard))
    app.service('open', whoami)
    app.service('audit', { find: async ({ admin }) => ({ admin }) }, around(admin))
  },
  routes(app) {
    app.get('/route', { preHandler: guard }, async ({ user }) => ({ user }))
    app.get('/route-audit', { onRequest: admin }, async (request) => ({
      admin: Object(request).admin
    }))
    app.register(async (child) =>
      child.get('/child', { preHandler: guard }, async ({ user }) => ({
        user
      }))
    )
  }
}

const orders = [
  ['users', 'admins', 'login', 'admin', 'services', 'routes'],
  ['login', 'admin', 'services', 'routes', 'users', 'admins'],
  ['services', 'routes', 'login', 'admin', 'users', 'admins'],
  ['services', 'login', 'users', 'routes', 'admins', 'admin']
]

for (const order of orders)
  for (const isAwaited of [true, false])
    t.test(`in the order ${order.join(', ')}, ${isAwaited ? 'with' : 'without'} await`, async (t) => {
      const app = Fastify()
      t.teardown(() => app.close())
      if (isAwaited) await app.register(services)
      else app.register(services)
      const registerAll = async () => {
        for (const part of order) await parts[part]?.(app, isAwaited)
      }
      if (isAwaited) await registerAll()
      else app.after(registerAll)
      await app.ready()

      for (const url of ['/me', '/route', '/child']) {
        t.match(await ask(app, url), { status: 200, body: { user: ada } }, url)
        t.equal((await ask(app, url, {})).status, 401, url)
      }
      const token = bearer(forge(claims({ aud: 'admin' })))
      for (const url of ['/audit', '/route-audit']) {
        t.match(await ask(app, url, token), { status: 200, body: { admin: root } }, url)
        t.equal((await ask(app, url)).status, 401, url)
      }
      t.match((await ask(app, '/open')).body, {
        strategy: 'jwt',
        user: null
      })
      t.equal((await login(app)).status, 201)
      t.equal((await login(app, { email: root.email }, '/admin')).status, 201)
      t.notMatch((await app.inject('/users')).body, /scrypt/, 'the hash does not leave')
      t.notMatch((await app.inject('/admins')).body, /scrypt/)
    })
