import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type RegisteredService } from 'fastify-services'
import authentication, { type Authenticator, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'

/** The names of all members of an object, its own and the inherited ones. */
function membersOf(object: object): PropertyKey[] {
  const members: PropertyKey[] = []
  for (let owner = object; owner !== Object.prototype; owner = Object.getPrototypeOf(owner))
    members.push(...Reflect.ownKeys(owner))
  return members
}

async function start(t: Test, own: Strategy) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', memory())
  await app.register(authentication, { secret: 'x'.repeat(32), refresh: true, strategies: { jwt: true, own } })
  return app
}

t.test('the service has `create`, `remove` and `setup` alone, beside what every service has', async (t) => {
  const app = await start(t as Test, { authenticate: () => ({}) })
  const plain = app.service('plain', { create: async () => 1, remove: async () => 1, setup: async () => {} })
  const service: RegisteredService = app.service('authentication')
  t.same(membersOf(service).sort(), membersOf(plain).sort())
  t.same(Object.getPrototypeOf(service), Object.getPrototypeOf(plain))
  for (const name of ['create', 'remove', 'setup']) t.ok(membersOf(service).includes(name), name)
})

t.test('a strategy gets what it may use, and nothing else', async (t) => {
  let given: Authenticator | undefined
  const own: Strategy = {
    setup: (authentication) => {
      given = authentication
    },
    authenticate: () => ({})
  }
  const app = await start(t as Test, own)
  await app.ready()
  const names = ['entities', 'log', 'passwords', 'strategyNames', 'verifyAccessToken']
  t.same(membersOf(given ?? {}).sort(), names)
  t.same(given?.strategyNames, ['jwt', 'own', 'refresh'])
})

t.test('`verifyAccessToken` hands the request of a call to `isRevoked`', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const seen: unknown[] = []
  const link: Strategy = {
    setup({ verifyAccessToken }) {
      this.authenticate = async ({ token }, params) => ({
        authentication: { payload: { sub: (await verifyAccessToken(token, params)).sub } }
      })
    },
    authenticate: () => ({ authentication: { payload: { sub: 'r2' } } })
  }
  const strategies = { jwt: true, link, first: { authenticate: link.authenticate } }
  const isRevoked = (_payload: unknown, request?: { url: string }) => seen.push(request?.url) < 0
  await app.register(services)
  await app.register(authentication, { secret: 'x'.repeat(32), entity: null, strategies, isRevoked })
  await app.ready()
  const service = app.service('authentication')
  const { accessToken: token } = Object(await service.create({ strategy: 'first' }))
  const payload = { strategy: 'link', token }
  t.equal((await app.inject({ method: 'POST', url: '/authentication?over=http', payload })).statusCode, 201)
  await service.create(payload)
  t.same(seen, ['/authentication?over=http', undefined])
})
