import '../support/auth-scrypt.js'
import { authenticate } from '@feathersjs/authentication'
import { hooks as helpers, passwordHash } from '@feathersjs/authentication-local'
import type { HookContext } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import { resolve, hooks as schemaHooks } from '@feathersjs/schema'
import bcrypt from 'bcryptjs'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationOptions } from 'fastify-services/authentication'
import feathers, { applicationOf } from 'fastify-services/feathers'
import { iff, isProvider } from 'feathers-hooks-common'
import t, { type Test } from 'tap'

const { hashPassword, protect } = helpers
const secret = 's'.repeat(32)
const ada = { email: 'ada', password: 'secret' }

async function create(t: Test, hooks: never, options: Partial<AuthenticationOptions> = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  await app.register(feathers)
  await app.register(authentication, { secret, strategies: { jwt: true, local: true }, ...options })
  app.service('users', memory({ startId: 1, multi: true }), { hooks })
  return app
}
const post = (app: FastifyInstance, url: string, payload: object) => app.inject({ method: 'POST', url, payload })
const login = async (app: FastifyInstance, password: string) =>
  (await post(app, '/authentication', { strategy: 'local', email: 'ada', password })).statusCode

for (const [name, hooks] of Object.entries({
  'passwordHash, a resolver': {
    around: {
      create: [
        schemaHooks.resolveData(resolve<typeof ada, HookContext>({ password: passwordHash({ strategy: 'local' }) }))
      ]
    }
  },
  'hashPassword, a before hook': { before: { create: [hashPassword('password')] } },
  'hashPassword, an around hook': { around: { create: [hashPassword('password')] } },
  'hashPassword with the path of the service': {
    before: { create: [hashPassword('password', { authentication: 'authentication' })] }
  }
}))
  t.test(`${name}: users log in with what it has hashed`, async (t) => {
    const app = await create(t, { ...hooks, after: { all: [protect('password')] } } as never)
    const { statusCode, body } = await post(app, '/users', ada)
    t.equal(statusCode, 201)
    t.notOk(JSON.parse(body).password, 'protect keeps it in')
    const { password } = await app.service<{ get(id: number): Promise<typeof ada> }>('users').get(1)
    t.match(password, /^\$scrypt\$/)
    t.same([await login(app, 'secret'), await login(app, 'wrong')], [201, 401])
  })

t.test('a login that replaces a hash is not hashed again', async (t) => {
  const hash = await bcrypt.hash('secret', 4)
  const options = { strategies: { local: { bcrypt: true, rehash: true } } }
  const app = await create(t, { before: { patch: [hashPassword('password')] } } as never, options)
  await app.service<{ create(user: object): Promise<void> }>('users').create({ ...ada, password: hash })
  t.same([await login(app, 'secret'), await login(app, 'secret')], [201, 201])
  const { password } = await app.service<{ get(id: number): Promise<typeof ada> }>('users').get(1)
  t.match(password, /^\$scrypt\$/)
})

t.test('what can not be hashed', async (t) => {
  const app = await create(t, { before: { create: [hashPassword('password')] } } as never)
  t.match((await post(app, '/users', { ...ada, password: 1 })).json(), { code: 400, message: /A password is a string/ })
  const missing = await create(t, { before: { create: [hashPassword('password', { strategy: 'none' })] } } as never)
  t.match((await post(missing, '/users', ada)).json(), { code: 400, message: /Could not find 'none'/ })
  const { defaultAuthentication } = applicationOf(app) as object as {
    defaultAuthentication(path?: string): { getStrategy(name: string): { hashPassword(text: string): Promise<string> } }
  }
  t.match(await defaultAuthentication().getStrategy('local').hashPassword('secret'), /^\$scrypt\$/)
  t.throws(() => defaultAuthentication().getStrategy('none'), { message: /There are: jwt, local/ })
  for (const path of ['users', 'nothing']) t.throws(() => defaultAuthentication(path), { message: /no authentication/ })
})

t.test('of several authentication services, the one that is responsible hashes', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  await app.register(feathers)
  const asked: string[] = []
  for (const name of ['v1', 'v2'])
    await app.register(
      async (child) => {
        await child.register(authentication, { secret, strategies: { [name]: { authenticate: () => ({}) } } })
        const see = ({ app }: { app: object }) => {
          const { defaultAuthentication } = app as {
            defaultAuthentication(): { getStrategies(name: string): unknown[] }
          }
          for (const value of ['v1', 'v2'])
            if (defaultAuthentication().getStrategies(value).length > 0) asked.push(value)
        }
        child.service('users', memory(), { hooks: { before: { find: [see] } } })
      },
      { prefix: name }
    )
  for (const name of ['v2', 'v1']) await app.inject(`/${name}/users`)
  t.same(asked, ['v2', 'v1'])
})

t.test('without an authentication service, the helper says which plugin is missing', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  await app.register(feathers)
  app.service('users', memory(), { hooks: { before: { create: [hashPassword('password')] } } })
  t.match((await post(app, '/users', ada)).json(), { code: 500, message: /register the plugin fastify-services\/auth/ })
})

const line = /import \{ authenticate \} from 'fastify-services\/authentication'/

t.test('the guard of Feathers lets nobody in, and says the line to change', async (t) => {
  for (const hooks of [
    { around: { all: [authenticate('jwt')] } },
    { before: { find: [authenticate({ service: 'authentication', strategies: ['jwt'] })] } },
    { before: { find: [iff(isProvider('external'), authenticate('jwt'))] } }
  ]) {
    const app = await create(t, hooks as never)
    t.equal((await app.inject('/users')).statusCode, 401)
    const headers = { authorization: 'Bearer anything' }
    const { statusCode, body } = await app.inject({ url: '/users', headers })
    t.equal(statusCode, 500)
    t.match(JSON.parse(body).message, line)
  }
})

t.test('of authentications in encapsulated parts alone, the first is found', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(feathers)
  for (const name of ['first', 'last'])
    await app.register(
      async (child) => {
        const strategies = { [name]: { authenticate: () => ({}) } }
        await child.register(authentication, { secret, entity: null, strategies })
      },
      { prefix: name }
    )
  const found = (applicationOf(app) as object as { defaultAuthentication(): Found }).defaultAuthentication()
  t.ok(found.getStrategy('first'))
  t.throws(() => found.getStrategy('last'), { message: /^There is no strategy 'last' .+ There are: first$/ })
})

interface Found {
  getStrategy(name: string): unknown
}
