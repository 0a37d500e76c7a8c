import type { HookContext } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

const url = '/authentication'
const hash = /password|\$scrypt/
const shown = { id: 1, email: user.email }

t.test('hooks and events as on any service, plus `login` and `logout`', async (t) => {
  type Told = { user: { email: string }; more?: number }
  const events: unknown[] = []
  const app = await createUsersApp(t, {
    options: { hooks: { after: { create: [({ result }) => ({ result: { ...Object(result), more: 1 } })] } } },
    before: (app) => {
      for (const event of ['created', 'removed', 'login', 'logout'])
        app.service('authentication').on(event, (result, context) => {
          const { user, more } = result as Told
          events.push([event, user.email, more, (context as { method: string }).method])
          t.notMatch(JSON.stringify(result), hash, 'no event holds the password')
        })
    }
  })
  await login(app, { password: 'wrong' })
  t.same(events, [])
  const { body } = await login(app)
  t.match(body, { more: 1, user: { email: user.email } })
  await ask(app, body.accessToken, { method: 'DELETE', url })
  await ask(app, 'bad', { method: 'DELETE', url })
  const { email } = user
  t.same(events.splice(0), [
    ['login', email, 1, 'create'],
    ['created', email, 1, 'create'],
    ['logout', email, undefined, 'remove'],
    ['removed', email, undefined, 'remove']
  ])
  const internal = await app.service('authentication').create({ strategy: 'local', ...user })
  t.equal(events.length, 2)
  t.notMatch(JSON.stringify(internal), hash, 'nor the result of a login within the server')
})

t.test('options of the registration are passed on', async (t) => {
  const seen: unknown[] = []
  const app = await createUsersApp(t, {
    options: {
      config: { tag: 'login' },
      bodyLimit: 100,
      before: [async (request) => void seen.push(request.routeOptions.config)],
      after: [async (_request, reply) => void reply.header('x-after', '1')],
      schema: { create: { body: { type: 'object', required: ['strategy'] } } }
    }
  })
  const response = await app.inject({ method: 'POST', url, payload: { strategy: 'local', ...user } })
  t.match([response.statusCode, response.headers], [201, { 'x-after': '1' }])
  t.match(seen, [{ tag: 'login' }])
  t.equal((await login(app, { strategy: undefined })).status, 400)
  t.equal((await login(app, { more: 'x'.repeat(100) })).status, 413)
  t.equal((await ask(app, response.json().accessToken, { method: 'DELETE', url })).status, 200)
})

const seen: unknown[] = []
const look = async ({ params }: HookContext) => void seen.push(params.user)
const app = await createUsersApp(t, {
  before: (app) => {
    const guard = authenticate('jwt')
    const find = async (params: { user?: object }) => void seen.push(params.user)
    app.service('me', { find }, { hooks: { around: { all: [guard] }, before: { all: [look] } } })
    app.get('/route', { preHandler: guard }, async ({ user, feathers }) => void seen.push(user, feathers.user))
  }
})

t.test('What a caller over REST gets never holds the password', async (t) => {
  const { body } = await login(app)
  const token = body.accessToken
  t.notMatch(JSON.stringify(body), hash, 'a login')
  const jwt = await ask(app, token, { method: 'POST', url, payload: { strategy: 'jwt', accessToken: token } })
  t.notMatch(JSON.stringify(jwt), hash, 'a login with a token')
  t.notMatch(JSON.stringify(await ask(app, token, { method: 'DELETE', url })), hash, 'a logout')
  t.same((await ask(app, token, '/users')).body, [shown])
  t.same((await ask(app, token, '/users/1')).body, shown)
  t.same((await ask(app, token, '/users/1?$select[]=password')).body, { id: 1 })
  t.match(
    await app.service('users').get(1),
    { email: user.email, password: /^\$scrypt\$/ },
    'internal results keep the hash'
  )
})

t.test('`params.user` and `request.user` do not', async (t) => {
  const { accessToken } = (await login(app)).body
  await ask(app, accessToken, '/me')
  await ask(app, accessToken, '/route')
  t.same(seen, Array(4).fill(shown))
})
