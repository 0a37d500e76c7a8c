import { authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

const guarded = { hooks: { around: { all: [authenticate('jwt')] } } }
const me = { find: async ({ user }: { user?: object }) => user ?? null }

t.test('what middleware or a hook has set in `authentication` counts, and not the header', async (t) => {
  const app = await createUsersApp(t, {
    before: (app) => {
      app.addHook('onRequest', async (request) => {
        const accessToken = request.headers['x-token']
        if (accessToken !== undefined) request.feathers.authentication = { strategy: 'jwt', accessToken }
      })
      app.service('me', me, guarded)
      app.get('/route', { preHandler: authenticate('jwt') }, (request) => request.user)
    }
  })
  const { accessToken } = (await login(app)).body
  for (const url of ['/me', '/route']) {
    t.equal((await ask(app, 'bad', { url, headers: { 'x-token': accessToken } })).status, 200, url)
    t.equal((await ask(app, accessToken, { url, headers: { 'x-token': 'bad' } })).status, 401, url)
    t.equal((await ask(app, accessToken, url)).status, 200, url)
  }
})

t.test('a service that reads no requests takes nothing that another one has read', async (t) => {
  const app = await createUsersApp(t, {
    before: async (app) => {
      const { default: authentication } = await import('fastify-services/authentication')
      await app.register(authentication, { secret: 'x'.repeat(32), path: 'quiet', parseStrategies: [] })
      const guard = authenticate({ service: 'quiet', strategies: ['jwt'] })
      app.service('me', me, { hooks: { around: { all: [guard] } } })
    }
  })
  const { accessToken } = (await login(app, {}, 'quiet')).body
  t.match(await ask(app, accessToken, '/me'), { status: 401, body: { message: 'Not authenticated' } })
  t.equal((await ask(app, accessToken, { method: 'DELETE', url: '/quiet' })).status, 401)
  const call = { authentication: { strategy: 'jwt', accessToken }, provider: 'rest' }
  t.match(await app.service('me').find(call), { email: user.email }, 'a call that says itself who it is')
})

t.test('a call of the server with the params of its caller needs no credentials, good or bad', async (t) => {
  const app = await createUsersApp(t, {
    before: (app) => {
      app.service('me', me, guarded)
      app.service('open', { find: async ({ provider, ...params }) => app.service('me').find(params) })
    }
  })
  t.equal((await ask(app, 'bad', '/open')).status, 204)
  t.equal((await ask(app, (await login(app)).body.accessToken, '/open')).status, 204)
})
