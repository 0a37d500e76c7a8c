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
      for (const [path, given] of Object.entries(hooks)) app.service(path, mirror as object, { hooks: given })
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

t.test('one without an authentication lets nobody in: that stops the start', async (t) => {
  const app = await createMounted(t, feathers(), {
    after: (app) => app.service('ours', mirror as object, { hooks: hooks.direct as object })
  })
  await t.rejects(async () => app.ready(), { message: /at 'ours' .* import \{ authenticate \} from/ })
})

t.test('with an authentication of ours beside it, its guards are to be replaced', async (t) => {
  const secret = 'y'.repeat(32)
  const { app } = await createMoved(t, async (app) => {
    await app.register(authentication, { secret, entity: null, path: 'login', strategies: { jwt: true } })
  })
  await t.rejects(async () => app.ready(), { message: /at 'direct' .* import \{ authenticate \} from/ })
})

t.test('where it would come too late, or not at all, it stops the start', async (t) => {
  const guard = authenticate('jwt')
  const not = (type: string) => new RegExp(`at '.*late' is a hook for 'before' or 'around', not for '${type}'`)
  const late: [(app: FastifyInstance) => unknown, RegExp][] = [
    [(app) => app.service('late', mirror as object, { hooks: { error: { all: [guard] } } as object }), not('error')],
    [(app) => app.service('late', mirror as object, { hooks: { after: { all: [guard] } } as object }), not('after')],
    [(app) => app.service('late', mirror as object, { before: [guard as never] }), /at 'late' .* let nobody in/],
    [(app) => app.get('/late', { preHandler: [guard as never] }, () => 'late'), /at '\/late' .* let nobody in/]
  ]
  for (const [add, message] of late) {
    const { app } = await createMoved(t, add)
    await t.rejects(async () => app.ready(), { message })
  }
})

t.test(
  'inside an instance whose hooks get other settings, it finds no authentication: that stops the start',
  async (t) => {
    const { app } = await createMoved(t, async (app) => {
      await app.register(async (inner) => {
        await inner.register(mounted, { settings: {} })
        inner.service('inner', mirror as object, { hooks: hooks.direct as object })
      })
    })
    await t.rejects(async () => app.ready(), { message: /at 'inner' .* let nobody in/ })
  }
)
