import { AuthenticationService, authenticate, JWTStrategy } from '@feathersjs/authentication'
import { feathers } from '@feathersjs/feathers'
import type { FastifyInstance } from 'fastify'
import authentication from 'fastify-services/authentication'
import mounted from 'fastify-services/feathers'
import { iff, isProvider } from 'feathers-hooks-common'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'

const hooks: Record<string, object> = {
  direct: { around: { all: [authenticate('jwt')] } },
  hidden: { before: { find: [iff(isProvider('external'), authenticate('jwt') as never)] } }
}

/** Services of ours that have kept the guard of a mounted application. */
async function createMoved(t: Test, after: (app: FastifyInstance) => unknown = () => {}) {
  const theirs: Theirs = feathers()
  theirs.set('authentication', { secret: 'x'.repeat(32), entity: 'user', service: 'users', authStrategies: ['jwt'] })
  const service = new AuthenticationService(theirs)
  service.register('jwt', new JWTStrategy())
  theirs.use('users', { id: 'id', get: async (id: unknown) => ({ id, of: 'theirs' }) } as object)
  theirs.use('authentication', service)
  const app = await createMounted(t, theirs, {
    after: async (app) => {
      for (const [path, serviceHooks] of Object.entries(hooks))
        app.service(path, mirror as object, { hooks: serviceHooks })
      await after(app)
    }
  })
  return { app, token: await service.createAccessToken({}, { subject: '1' }) }
}

t.test('a guard of theirs at a service of ours asks the mounted application', async (t) => {
  const { app, token } = await createMoved(t)
  for (const path of Object.keys(hooks)) {
    const ask = (authorization: string) => request(app, 'GET', `/${path}`, { headers: { authorization } })
    t.match(
      await ask(`Bearer ${token}`),
      { status: 200, body: { authenticated: true, user: { id: '1', of: 'theirs' } } },
      path
    )
    t.match(await ask('Bearer anything'), { status: 401 }, path)
    t.match(await ask(''), { status: 401, body: { message: 'Not authenticated' } }, path)
    t.ok(await app.service<typeof mirror>(path).find({}), 'calls inside need no token')
  }
})

t.test('one without an authentication lets nobody in', async (t) => {
  const app = await createMounted(t, feathers(), {
    after: (app) => app.service('ours', mirror as object, { hooks: hooks.direct as object })
  })
  for (const headers of [{}, { authorization: 'Bearer anything' }])
    t.match(await request(app, 'GET', '/ours', { headers }), {
      status: 500,
      body: { message: 'There is no authentication here: register the plugin fastify-services/authentication' }
    })
})

t.test('with an authentication of ours beside it, its guards are to be replaced: they let nobody in', async (t) => {
  const secret = 'y'.repeat(32)
  const { app, token } = await createMoved(t, async (app) => {
    await app.register(authentication, { secret, entity: null, path: 'login', strategies: { jwt: true } })
  })
  for (const path of Object.keys(hooks)) {
    t.match(await request(app, 'GET', `/${path}`), { status: 401 }, path)
    const headers = { authorization: `Bearer ${token}` }
    const answer = await request(app, 'GET', `/${path}`, { headers })
    t.match(answer, { status: 500, body: { message: /import \{ authenticate \} from/ } }, path)
  }
})

t.test('where it can not stand, calls fail', async (t) => {
  const guard = authenticate('jwt')
  const after = 'The authenticate hook must be used as a before hook'
  const { app, token } = await createMoved(t, (app) => {
    app.service('after', mirror as object, { hooks: { after: { all: [guard] } } as object })
    app.service('middleware', mirror as object, { before: [guard as never] })
    app.get('/page', { preHandler: [guard as never] }, () => 'page')
  })
  for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
    t.match(await request(app, 'GET', '/after', { headers }), { status: 401, body: { message: after } })
    for (const url of ['/middleware', '/page'])
      t.match(await request(app, 'GET', url, { headers }), { status: 500 }, url)
  }
})

t.test('inside an instance whose hooks get other settings, it finds no authentication', async (t) => {
  const { app, token } = await createMoved(t, async (app) => {
    await app.register(async (inner) => {
      await inner.register(mounted, { settings: {} })
      inner.service('inner', mirror as object, { hooks: hooks.direct as object })
    })
  })
  const headers = { authorization: `Bearer ${token}` }
  t.match(await request(app, 'GET', '/inner', { headers }), { status: 500 })
})
