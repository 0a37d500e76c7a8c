import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate, hashPassword } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { secret } from '../support/tokens.js'
import { ask, login, user } from '../support/users-app.js'

const guarded = { hooks: { around: { all: [authenticate('jwt')] } } }
const ping = { find: async () => ['pong'] }

/** A shop with customers under /shop, and admins at the root, which may be registered after it. */
async function createShop(t: Test, hasAdmins: boolean) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('ping', ping, guarded)
  app.get('/route', { preHandler: authenticate('jwt') }, () => ['pong'])
  await app.register(
    async (shop) => {
      shop.service('customers', memory({ startId: 1 }) as object, {
        hooks: { before: { create: [hashPassword('password')] } }
      })
      await shop.register(authentication, { secret, service: 'customers' })
      shop.service('ping', ping, guarded)
    },
    { prefix: '/shop' }
  )
  if (hasAdmins) {
    app.service('users', memory({ startId: 1 }) as object, {
      hooks: { before: { create: [hashPassword('password')] } }
    })
    await app.register(authentication, { secret: secret.replace('a', 'b') })
  }
  await app.ready()
  await app.service('shop/customers').create({ ...user })
  if (hasAdmins) await app.service('users').create({ ...user })
  return app
}

t.test('an instance has its own authentication, in whichever order they are registered', async (t) => {
  const app = await createShop(t, true)
  const [admin, customer] = [await login(app), await login(app, {}, 'shop/authentication')]
  const seen = async (token: string) =>
    Promise.all(['/ping', '/route', '/shop/ping'].map(async (url) => (await ask(app, token, url)).status))
  t.same(await seen(admin.body.accessToken), [200, 200, 401])
  t.same(await seen(customer.body.accessToken), [401, 401, 200])
})

t.test('the only one stands for the rest of the application', async (t) => {
  const app = await createShop(t, false)
  const { body } = await login(app, {}, 'shop/authentication')
  for (const url of ['/ping', '/route', '/shop/ping']) t.equal((await ask(app, body.accessToken, url)).status, 200, url)
})

t.test('of several, none stands for an instance that has none: it must be named', async (t) => {
  const create = async (guard: ReturnType<typeof authenticate>) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    for (const prefix of ['/a', '/b'])
      await app.register(
        async (child) => {
          child.service('users', memory({ startId: 1 }) as object)
          await child.register(authentication, { secret })
        },
        { prefix }
      )
    app.service('ping', ping, { hooks: { around: { all: [guard] } } })
    return app.ready()
  }
  await t.rejects(
    create(authenticate('jwt')),
    /There are several authentication services, and none of them is for this instance/
  )
  await create(authenticate({ service: 'b/authentication', strategies: ['jwt'] }))
})
