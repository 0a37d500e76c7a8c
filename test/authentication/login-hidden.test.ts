import type { HookContext } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

const url = '/authentication'

t.test('What a caller over REST gets never holds the password', async (t) => {
  const app = await createUsersApp(t as Test)
  const { body } = await login(app)
  const token = body.accessToken
  t.notMatch(JSON.stringify(body), /password|\$scrypt/, 'a login')
  const jwt = await ask(app, token, { method: 'POST', url, payload: { strategy: 'jwt', accessToken: token } })
  t.notMatch(JSON.stringify(jwt), /password|\$scrypt/, 'a login with a token')
  t.notMatch(JSON.stringify(await ask(app, token, { method: 'DELETE', url })), /password|\$scrypt/, 'a logout')
  t.same((await ask(app, token, '/users')).body, [{ id: 1, email: user.email }])
  t.same((await ask(app, token, '/users/1')).body, { id: 1, email: user.email })
  t.same((await ask(app, token, '/users/1?$select[]=password')).body, { id: 1 })
})

t.test('internal results keep the hash', async (t) => {
  const app = await createUsersApp(t as Test)
  t.match(await app.service('users').get(1), { email: user.email, password: /^\$scrypt\$/ })
})

t.test('`params.user` and `request.user` do not', async (t) => {
  const seen: unknown[] = []
  const look = async ({ params }: HookContext) => void seen.push((params as { user?: object }).user)
  const app = await createUsersApp(t as Test, {
    before: (app) => {
      const find = async (params: { user?: object }) => void seen.push(params.user)
      app.service('me', { find }, { hooks: { around: { all: [authenticate('jwt')] }, before: { all: [look] } } })
      app.get('/route', { preHandler: authenticate('jwt') }, async (request) => {
        seen.push(request.user, (request.feathers as { user?: object }).user)
      })
    }
  })
  const { accessToken } = (await login(app)).body
  await ask(app, accessToken, '/me')
  await ask(app, accessToken, '/route')
  t.same(seen, Array(4).fill({ id: 1, email: user.email }))
})

t.test('the result of a login within the server, its events and its hooks hold none', async (t) => {
  const seen: unknown[] = []
  const app = await createUsersApp(t as Test, {
    options: { hooks: { after: { create: [async ({ result }) => void seen.push(result)] } } },
    before: (app) => {
      for (const event of ['login', 'created']) app.service('authentication').on(event, (result) => seen.push(result))
    }
  })
  seen.push(await app.service('authentication').create({ strategy: 'local', ...user }))
  await login(app)
  t.equal(seen.length, 7)
  t.notMatch(JSON.stringify(seen), /password|\$scrypt/)
})
