import fastifyJwt from '@fastify/jwt'
import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate, hashPassword } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { secret } from '../support/tokens.js'
import { ask, login, user } from '../support/users-app.js'

type Jwt = { sign(payload: object): string; verify(token: string): object }

async function createHost(t: Test, order: 'before' | 'after', namespace?: string) {
  const app = Fastify()
  t.teardown(() => app.close())
  const own = () => app.register(fastifyJwt, { secret: 'that of the host', ...(namespace && { namespace }) })
  const ours = async (app: FastifyInstance) => {
    await app.register(services)
    app.service('users', memory({ startId: 1 }) as object, {
      hooks: { before: { create: [hashPassword('password')] } }
    })
    await app.register(authentication, { secret })
    await app.register(authentication, { secret, path: 'other' })
  }
  if (order === 'before') await own()
  await ours(app)
  if (order === 'after') await own()
  const verify = namespace ? `${namespace}JwtVerify` : 'jwtVerify'
  app.get('/host', async (request) => {
    await (request as unknown as Record<string, () => Promise<void>>)[verify]?.()
    return request.user
  })
  app.get('/ours', { preHandler: authenticate('jwt') }, (request) => request.user)
  app.get('/open', (request) => ({ user: request.user ?? null }))
  await app.ready()
  await app.service('users').create({ ...user })
  return app
}

for (const order of ['before', 'after'] as const)
  for (const namespace of [undefined, 'own'])
    t.test(`a host with @fastify/jwt ${namespace ?? 'without a namespace'}, registered ${order} ours`, async (t) => {
      const app = await createHost(t as Test, order, namespace)
      const jwt = namespace ? (app.jwt as unknown as Record<string, Jwt>)[namespace] : (app.jwt as Jwt)
      const token = jwt?.sign({ name: 'of the host' }) ?? ''
      const { accessToken } = (await login(app)).body
      t.match(await ask(app, token, '/host'), { status: 200, body: { name: 'of the host' } })
      t.match(await ask(app, accessToken, '/ours'), { status: 200, body: { email: user.email } })
      t.equal((await ask(app, accessToken, '/host')).status, 401)
      t.equal((await ask(app, token, '/ours')).status, 401)
      t.same((await ask(app, accessToken, '/open')).body, { user: null })
      const keys = namespace ? [namespace] : ['cookie', 'decode', 'lookupToken', 'options', 'sign', 'verify']
      t.same(Object.keys(app.jwt).sort(), keys, 'nothing is added to its object')
    })

t.test('a host without it gets none', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', memory() as object)
  await app.register(authentication, { secret })
  await app.ready()
  t.notOk(app.hasDecorator('jwt'))
  t.notOk(app.hasRequestDecorator('user'))
  t.notOk(app.hasRequestDecorator('jwtVerify'))
})
