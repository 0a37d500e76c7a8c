import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { hashPassword } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { isHashOf, secret, type User } from '../support/auth-passwords.js'

async function createTwo(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const options = { hooks: { before: { create: [hashPassword('password')] } } }
  app.service('users', memory({ startId: 1 }) as object, options)
  app.service('admins', memory({ startId: 1 }) as object, {
    hooks: { before: { create: [hashPassword('pass')] } }
  })
  await app.register(authentication, { secret })
  await app.register(authentication, {
    secret: [...secret].reverse().join(''),
    path: 'admin-authentication',
    service: 'admins',
    entity: 'admin',
    strategies: { jwt: true, local: { usernameField: 'name', passwordField: 'word', entityPasswordField: 'pass' } },
    passwords: { concurrent: 1, waiting: 0 }
  })
  const login = (url: string, payload: object) =>
    app.inject({ method: 'POST', url, payload: { strategy: 'local', ...payload } })
  return { app, login }
}

t.test('two authentication services: each has its own users and password fields', async (t) => {
  const { app, login } = await createTwo(t)
  await app.service('users').create({ email: 'ada', password: 'correct horse' })
  await app.service('admins').create({ name: 'grace', pass: 'battery staple' })
  t.ok(isHashOf(((await app.service('users').get(1)) as User).password, 'correct horse'))
  t.ok(isHashOf(((await app.service('admins').get(1)) as User).pass, 'battery staple'))

  const user = await login('/authentication', { email: 'ada', password: 'correct horse' })
  t.strictSame([user.statusCode, user.json().user], [201, { email: 'ada', id: 1 }])
  const admin = await login('/admin-authentication', { name: 'grace', word: 'battery staple' })
  t.strictSame([admin.statusCode, admin.json().admin], [201, { name: 'grace', id: 1 }])

  t.equal((await login('/authentication', { email: 'grace', password: 'battery staple' })).statusCode, 401)
  t.equal((await login('/admin-authentication', { name: 'ada', word: 'correct horse' })).statusCode, 401)
  t.equal((await login('/admin-authentication', { name: 'grace', pass: 'battery staple' })).statusCode, 401)
})

t.test('two authentication services: each keeps the password fields of its users from leaving', async (t) => {
  const { app } = await createTwo(t)
  await app.service('admins').create({ name: 'grace', pass: 'battery staple', password: 'a hint' })
  t.strictSame((await app.inject('/admins/1')).json(), { name: 'grace', password: 'a hint', id: 1 })
})

t.test('two authentication services: the bound of one is not that of the other', async (t) => {
  const { login } = await createTwo(t)
  const wrong = { email: 'x', name: 'x', password: 'x', word: 'x' }
  const urls = ['/admin-authentication', '/admin-authentication', '/authentication']
  const answers = await Promise.all(urls.map((url) => login(url, wrong)))
  t.strictSame(
    answers.map(({ statusCode }) => statusCode),
    [401, 503, 401]
  )
})

t.test('hashPassword for users whom several authentication services of prefixes have in common', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const options = { hooks: { before: { create: [hashPassword('password')] } } }
  app.service('users', memory({ startId: 1 }) as object, options)
  for (const prefix of ['/v1', '/v2'])
    await app.register((child) => child.register(authentication, { secret }), { prefix })
  await t.resolves(async () => void (await app.ready()))
  await app.service('users').create({ email: 'ada', password: 'correct horse' })
  for (const prefix of ['/v1', '/v2']) {
    const payload = { strategy: 'local', email: 'ada', password: 'correct horse' }
    t.equal((await app.inject({ method: 'POST', url: `${prefix}/authentication`, payload })).statusCode, 201, prefix)
  }
})
