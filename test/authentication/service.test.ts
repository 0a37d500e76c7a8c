import { authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

t.test('hooks and events as on any service, plus `login` and `logout`', async (t) => {
  type Told = { user: { email: string }; more?: number }
  const events: unknown[] = []
  const app = await createUsersApp(t, {
    options: { hooks: { after: { create: [({ result }) => ({ result: { ...Object(result), more: 1 } })] } } },
    before: (app) => {
      const service = app.service('authentication')
      for (const event of ['created', 'removed', 'login', 'logout'])
        service.on(event, (result, context) => {
          const { user, more } = result as Told
          events.push([event, user.email, more, (context as { method: string }).method])
        })
    }
  })
  await login(app, { password: 'wrong' })
  t.same(events, [])
  const { body } = await login(app)
  t.match(body, { more: 1, user: { email: user.email } })
  await ask(app, body.accessToken, { method: 'DELETE', url: '/authentication' })
  await ask(app, 'bad', { method: 'DELETE', url: '/authentication' })
  t.same(events, [
    ['login', user.email, 1, 'create'],
    ['created', user.email, 1, 'create'],
    ['logout', user.email, undefined, 'remove'],
    ['removed', user.email, undefined, 'remove']
  ])
})

t.test('logs in and out: status, body, headers', async (t) => {
  const app = await createUsersApp(t, { before: (app) => app.service('open', { find: async () => [1] }) })
  const response = await app.inject({ method: 'POST', url: '/authentication', payload: { strategy: 'local', ...user } })
  t.same([response.statusCode, response.headers['cache-control']], [201, 'no-store'])
  const { accessToken, authentication, ...rest } = response.json()
  t.same(rest, { user: { email: user.email, id: 1 } })
  t.match(authentication, {
    strategy: 'local',
    payload: { sub: '1', jti: /^[\da-f-]{36}$/, iss: 'fastify-services', aud: 'authentication' }
  })
  const again = await login(app, { strategy: 'jwt', accessToken })
  t.match(again, {
    status: 201,
    body: { accessToken, user: { id: 1 }, authentication: { strategy: 'jwt', payload: { sub: '1' } } }
  })
  const out = await ask(app, accessToken, { method: 'DELETE', url: '/authentication' })
  t.match(out, { status: 200, body: { accessToken, user: { email: user.email }, authentication: { strategy: 'jwt' } } })
  t.notHas((out.body as { user: object }).user, 'password')
  t.equal((await ask(app, 'bad', '/open')).status, 200, 'a bad token where no guard asks is ignored')
})

t.test('within the server: `create`, `remove` with credentials, the token as id', async (t) => {
  const app = await createUsersApp(t)
  const service = app.service<{
    create(data: object, params?: object): Promise<{ accessToken: string; user: object }>
    remove(id: string | null, params?: object): Promise<{ accessToken: string }>
  }>('authentication')
  const { accessToken, user: found } = await service.create({ strategy: 'local', ...user })
  t.same(found, { email: user.email, id: 1 })
  const params = { authentication: { strategy: 'jwt', accessToken } }
  t.match(await service.remove(accessToken, params), { accessToken })
  await t.rejects(service.remove('another', params), { code: 401, message: 'Invalid access token' })
  await t.rejects(service.remove(null), { code: 401, message: 'Not authenticated' })
})

t.test('options of the registration are passed on; claims by a hook; those of the service are its own', async (t) => {
  const seen: unknown[] = []
  const payload = { role: 'admin', sub: '9', iat: 1, exp: 1, jti: 'x', sid: 'x', nbf: 9e9, iss: 'x', aud: 'x' }
  const app = await createUsersApp(t, {
    options: {
      config: { tag: 'login' },
      bodyLimit: 100,
      before: [async (request) => void seen.push(request.routeOptions.config)],
      after: [async (_request, reply) => void reply.header('x-after', '1')],
      schema: { create: { body: { type: 'object', required: ['strategy'] } } },
      hooks: { before: { create: [({ params }) => ({ params: { ...params, payload } })] } }
    }
  })
  const { body } = await login(app)
  t.match(body.authentication.payload, { role: 'admin', sub: '1', iss: 'fastify-services', aud: 'authentication' })
  t.not(body.authentication.payload.jti, 'x')
  t.notHas(body.authentication.payload, 'sid')
  t.match(seen, [{ tag: 'login' }])
  t.equal((await login(app, { strategy: undefined })).status, 400)
  t.equal((await login(app, { more: 'x'.repeat(100) })).status, 413)
  t.equal((await ask(app, body.accessToken, { method: 'DELETE', url: '/authentication' })).status, 200)
})

t.test('another name for users, and a service that fails: 500 stays 500', async (t) => {
  let isDown = false
  const app = await createUsersApp(t, {
    options: { entity: 'account' },
    before: (app) => {
      app.service('users').hooks({
        before: {
          get: [
            () => {
              if (isDown) throw new Error('no database')
            }
          ]
        }
      })
      app.get('/me', { preHandler: [authenticate('jwt'), authenticate('jwt')] }, (request) => ({
        ...(request as unknown as { account: object }).account,
        ...request.feathers
      }))
    }
  })
  const { accessToken } = (await login(app)).body
  t.match((await ask(app, accessToken, '/me')).body, { email: user.email, account: { id: 1 }, authenticated: true })
  isDown = true
  t.equal((await ask(app, accessToken, '/me')).status, 500)
  t.equal((await login(app)).status, 500)
})
