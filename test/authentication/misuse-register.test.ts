import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationOptions, authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { around, createGuardsApp, createPeople, login, whoami } from '../support/auth-guards.js'
import { secret } from '../support/tokens.js'

const start = (t: Test, options: Partial<AuthenticationOptions>, people?: object) =>
  createGuardsApp(t, { options, ...(people && { people }) })
const { find, get } = createPeople()

t.test('without fastify-services: register that first', async (t) => {
  const message = /fastify-services\/authentication needs fastify-services: register that plugin first/
  const alone = Fastify()
  t.teardown(() => alone.close())
  await t.rejects(async () => alone.register(authentication, { secret }), message)

  const inner = Fastify()
  t.teardown(() => inner.close())
  inner.register(async (child) => void (await child.register(services)))
  inner.register(authentication, { secret })
  await t.rejects(async () => inner.ready(), message, 'where it is registered in a child alone')

  const late = Fastify()
  t.teardown(() => late.close())
  late.register(authentication, { secret })
  late.register(services)
  await t.rejects(async () => late.ready(), message, 'where it comes later')
})

t.test('a guard without any authentication', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('me', whoami, around(authenticate('jwt')))
  await t.rejects(
    async () => app.ready(),
    /There is no authentication here: register the plugin fastify-services\/authentication/
  )
})

t.test('twice at a path, or where another service stands', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', createPeople())
  await app.register(authentication, { secret })
  await t.rejects(
    async () => app.register(authentication, { secret }),
    /A service 'authentication' is registered already: choose another path/
  )
  const taken = Fastify()
  t.teardown(() => taken.close())
  await taken.register(services)
  taken.service('users', createPeople())
  await t.rejects(
    async () => taken.register(authentication, { secret, path: '/users/' }),
    /A service 'users' is registered already/
  )
})

t.test('the service of the users is missing, or lacks what the strategies need', async (t) => {
  await t.rejects(start(t as Test, { service: 'people' }), {
    message:
      "Authentication has no service 'people' to find users in: register it, name another one in the option `service`, or set `entity` to null"
  })
  await t.rejects(start(t as Test, {}, { find }), /The strategy 'jwt' needs the method 'get' of the service 'users'/)
  await t.rejects(start(t as Test, {}, { get }), /The strategy 'local' needs the method 'find' of the service 'users'/)
  await t.resolves(start(t as Test, { strategies: { jwt: true } }, { get }), 'jwt alone needs no find')
  await t.resolves(start(t as Test, { strategies: { local: true } }, { find }), 'local alone needs no get')
  await t.rejects(
    start(t as Test, { entity: null }),
    /The strategy 'local' needs users: set the option `entity` of authentication/
  )
})

t.test('users without the property that `entityId` names: a login says so', async (t) => {
  const app = await start(t as Test, { entityId: 'key' })
  t.match(await login(app), {
    status: 500,
    body: {
      name: 'GeneralError',
      message: "A user of the service 'users' has no 'key': name its id in the option `entityId` of authentication"
    }
  })
  for (const key of [null, undefined]) {
    const [record] = await createPeople().find({})
    const nameless = await start(t as Test, { entityId: 'key' }, { get, find: async () => [{ ...record, key }] })
    t.match(await login(nameless), { status: 500, body: { message: /has no 'key'/ } })
  }
})

t.test('the id is that which the service of the users names', async (t) => {
  const [record] = await createPeople().find({})
  const one = { ...record, id: undefined, _id: 'abc' }
  const mongo = { id: '_id', find: async () => [one], get: async () => one }
  const { body } = await login(await start(t as Test, {}, mongo))
  t.equal(body.authentication.payload.sub, 'abc')
})
