import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate, hashPassword } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { logout } from '../support/auth-sessions.js'
import { secret } from '../support/tokens.js'
import { ask, login, user } from '../support/users-app.js'

const paths = ['shop/authentication', 'office/authentication'] as const

/** Two authentication services under prefixes, the same user in both, and guards at the root, which has none: they name one. */
async function createTwo(t: Test): Promise<{ app: FastifyInstance; asked: (string | undefined)[] }> {
  const asked: (string | undefined)[] = []
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services)
  for (const prefix of ['/shop', '/office'])
    await app.register(
      async (child) => {
        const hooks = { before: { create: [hashPassword('password')] } }
        child.service('users', memory({ startId: 1 }) as object, { hooks })
        const isRevoked = (_payload: object, request?: { ip: string; url: string }) => {
          asked.push(request && `${prefix} ${request.ip} ${request.url}`)
          return false
        }
        await child.register(authentication, { secret, revocation: true, isRevoked })
      },
      { prefix }
    )
  for (const service of paths) {
    const guard = authenticate({ service, strategies: ['jwt'] })
    const name = service.split('/')[0] as string
    app.service(`of-${name}`, { find: async () => ['hi'] }, { hooks: { around: { all: [guard] } } })
    app.get(`/route-${name}`, { preHandler: guard }, () => ['hi'])
  }
  await app.ready()
  for (const name of ['shop/users', 'office/users']) await app.service(name).create({ ...user })
  return { app, asked }
}

t.test(
  'a guard that names an authentication service works where the instance has none, as a hook and on a route',
  async (t) => {
    const { app, asked } = await createTwo(t)
    const [shop, office] = [(await login(app, {}, paths[0])).body, (await login(app, {}, paths[1])).body]
    for (const [name, good, bad] of [
      ['shop', shop, office],
      ['office', office, shop]
    ] as const)
      for (const url of [`/of-${name}`, `/route-${name}`]) {
        t.equal((await ask(app, good.accessToken, url)).status, 200, url)
        t.strictSame(asked.splice(0), [`/${name} 127.0.0.1 ${url}`], 'its own rule is asked, with the request')
        t.equal((await ask(app, bad.accessToken, url)).status, 401, `${url} with a token of the other one`)
        t.strictSame(asked.splice(0), [])
      }
  }
)

t.test('each authentication service has its own list', async (t) => {
  const { app } = await createTwo(t)
  const [shop, office] = [(await login(app, {}, paths[0])).body, (await login(app, {}, paths[1])).body]
  t.equal((await logout(app, shop.accessToken, paths[1])).status, 401, 'a logout at the other one is refused')
  t.equal((await ask(app, shop.accessToken, '/route-shop')).status, 200)
  t.equal((await logout(app, shop.accessToken, paths[0])).status, 200)
  t.equal((await ask(app, shop.accessToken, '/route-shop')).status, 401)
  t.equal((await ask(app, office.accessToken, '/route-office')).status, 200)
})
