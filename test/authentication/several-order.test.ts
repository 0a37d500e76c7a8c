import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, bearer, createPeople, login, whoami } from '../support/auth-guards.js'
import { claims, forge, secret } from '../support/tokens.js'
import { createServicesApp } from '../support/users-app.js'

const guard = authenticate('jwt')

const person = (name: string) => ({ id: 1, email: `${name}@example.com` })

/** Users, their authentication, a guarded service and a guarded route in one instance. */
async function fill(app: FastifyInstance, name: string | null): Promise<void> {
  app.service('me', whoami, around(guard))
  app.get('/route', { preHandler: guard }, async ({ user }) => ({ user }))
  if (name === null) return
  app.service('users', createPeople([person(name)]))
  await app.register(authentication, { secret })
}

async function createNested(t: Test, names: readonly (string | null)[]) {
  const app = await createServicesApp(t)
  const [root, a, b, c] = names as [string | null, string | null, string | null, string | null]
  app.register(
    async (context) => {
      context.register(
        async (two) => {
          await fill(two, b)
          two.register(async (three) => fill(three, c), { prefix: '/c' })
        },
        { prefix: '/b' }
      )
      await fill(context, a)
    },
    { prefix: '/a' }
  )
  await fill(app, root)
  await app.ready()
  return app
}

/** Whose token opens the service and the route of each instance. */
async function openers(app: FastifyInstance) {
  const audiences = {
    root: 'authentication',
    a: 'a/authentication',
    b: 'a/b/authentication',
    c: 'a/b/c/authentication'
  }
  const seen: Record<string, string[]> = {}
  for (const prefix of ['', '/a', '/a/b', '/a/b/c']) {
    seen[prefix] = []
    for (const [name, aud] of Object.entries(audiences)) {
      const headers = bearer(forge(claims({ aud })))
      const answers = [await ask(app, `${prefix}/me`, headers), await ask(app, `${prefix}/route`, headers)]
      const [me, route] = answers.map(({ status, body }) => (status === 200 ? body.user.email : status))
      t.equal(me, route)
      if (me !== 401) seen[prefix]?.push(`${name}: ${me}`)
    }
  }
  return seen
}

t.test('an instance has its own', async (t) => {
  t.same(await openers(await createNested(t, ['root', 'a', 'b', 'c'])), {
    '': ['root: root@example.com'],
    '/a': ['a: a@example.com'],
    '/a/b': ['b: b@example.com'],
    '/a/b/c': ['c: c@example.com']
  })
})

t.test('or that of the nearest instance around it', async (t) => {
  t.same(await openers(await createNested(t, ['root', 'a', null, null])), {
    '': ['root: root@example.com'],
    '/a': ['a: a@example.com'],
    '/a/b': ['a: a@example.com'],
    '/a/b/c': ['a: a@example.com']
  })
  t.same(await openers(await createNested(t, ['root', null, 'b', null])), {
    '': ['root: root@example.com'],
    '/a': ['root: root@example.com'],
    '/a/b': ['b: b@example.com'],
    '/a/b/c': ['b: b@example.com']
  })
})

t.test('or the only one of the application, wherever it stands', async (t) => {
  const all = ['c: c@example.com']
  const app = await createNested(t, [null, null, null, 'c'])
  t.same(await openers(app), {
    '': all,
    '/a': all,
    '/a/b': all,
    '/a/b/c': all
  })
})

t.test('where there are several and none is around, the start fails: name one', async (t) => {
  await t.rejects(
    createNested(t, [null, null, 'b', 'c']),
    /There are several authentication services, and none of them is for this instance: name one, as in authenticate\(/
  )
})

t.test('two applications in one server know nothing of each other', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  for (const name of ['a', 'b'])
    app.register(
      async (child) => {
        await child.register(services)
        await fill(child, name)
      },
      { prefix: `/${name}` }
    )
  await app.ready()
  for (const [first, other] of [
    ['a', 'b'],
    ['b', 'a']
  ]) {
    const headers = bearer(forge(claims({ aud: `${first}/authentication` })))
    t.match(await ask(app, `/${first}/me`, headers), {
      status: 200,
      body: { user: { email: `${first}@example.com` } }
    })
    t.equal((await ask(app, `/${other}/me`, headers)).status, 401)
  }
})

const admin = authenticate({ service: 'admin', strategies: ['jwt'] })
const options = { secret, path: 'admin', service: 'admins', entity: 'admin' }
const boss = { id: 1, email: 'root@example.com' }

/** The parts of an application; they may be registered in any order. */
const parts: Record<string, (app: FastifyInstance, isAwaited: boolean) => unknown> = {
  users: (app) => app.service('users', createPeople()),
  admins: (app) => app.service('admins', createPeople([boss])),
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
        t.match(await ask(app, url, token), { status: 200, body: { admin: boss } }, url)
        t.equal((await ask(app, url)).status, 401, url)
      }
      t.match((await ask(app, '/open')).body, {
        strategy: 'jwt',
        user: null
      })
      t.equal((await login(app)).status, 201)
      t.equal((await login(app, { email: boss.email }, '/admin')).status, 201)
      t.notMatch((await app.inject('/users')).body, /scrypt/, 'the hash does not leave')
      t.notMatch((await app.inject('/admins')).body, /scrypt/)
    })
