import { AuthenticationService, authenticate, JWTStrategy } from '@feathersjs/authentication'
import { feathers } from '@feathersjs/feathers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ServicesOptions } from 'fastify-services'
import authentication, {
  authenticate as guard,
  type AuthenticationService as Ours
} from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'

interface Given {
  settings?: object
  plugin?: ServicesOptions
  after?: (app: FastifyInstance) => unknown
}

const strategy = {
  parse: ({ headers }: FastifyRequest) => (headers['x-known'] ? {} : null),
  authenticate: async () => ({ user: { id: '1', of: 'ours' }, role: 'a', provider: 'known', headers: { of: 'ours' } })
}
const byHeader = { 'x-known': 'yes' }

/** An application with users and a secret of its own, and beside it our authentication with others. */
async function createBoth(t: Test, { settings, plugin = {}, after }: Given = {}) {
  const theirs: Theirs = feathers()
  const base = { secret: 'x'.repeat(32), entity: 'user', service: 'users', authStrategies: ['jwt'] }
  theirs.set('authentication', { ...base, ...settings })
  const service = new AuthenticationService(theirs)
  service.register('jwt', new JWTStrategy())
  const users: object = { id: 'id', get: async (id: unknown) => ({ id, of: 'theirs' }) }
  theirs.use('users', users)
  theirs.use('authentication', service)
  theirs.use('guarded', mirror)
  theirs.use('open', mirror)
  theirs.service('guarded').hooks({ around: { all: [authenticate('jwt')] } })
  const app = await createMounted(t, theirs, {
    plugin,
    after: async (app) => {
      app.service('people', { get: async (id: unknown) => ({ id, of: 'ours' }) } as object)
      const strategies = { known: strategy, jwt: true }
      await app.register(authentication, { secret: 'y'.repeat(32), path: 'login', service: 'people', strategies })
      app.service('ours', mirror as object, { hooks: { around: { all: [guard('jwt', 'known')] } } })
      await after?.(app)
    }
  })
  await app.ready()
  const login = await app.service<Ours>('login').create({ strategy: 'known' })
  const ours = { authorization: `Bearer ${login.accessToken}` }
  return { app, ours, theirs: { authorization: `Bearer ${await service.createAccessToken({}, { subject: '1' })}` } }
}

t.test('each reads what its own strategies are to read', async (t) => {
  const { app, ours, theirs } = await createBoth(t, { settings: { parseStrategies: [] } })
  t.match(await request(app, 'GET', '/guarded', { headers: theirs }), { status: 401 })
  t.equal((await request(app, 'GET', '/open', { headers: theirs })).body.authentication, undefined)
  t.match(await request(app, 'GET', '/ours', { headers: ours }), { status: 200, body: { user: { of: 'ours' } } })
})

t.test('whom a guard of ours lets in before the call, those of the mounted application do not know', async (t) => {
  const after = (app: FastifyInstance) => app.addHook('preHandler', guard('jwt', 'known'))
  const { app, ours, theirs } = await createBoth(t, { after })
  t.match(await request(app, 'GET', '/ours', { headers: ours }), { status: 200, body: { user: { of: 'ours' } } })
  t.match(await request(app, 'GET', '/guarded', { headers: ours }), { status: 401 })
  t.match(await request(app, 'GET', '/guarded', { headers: theirs }), { status: 401 }, 'the guard of ours')
  const open = await request(app, 'GET', '/open', { headers: byHeader })
  t.same(Object.keys(open.body).sort(), ['headers', 'provider', 'query', 'route'])
  const both = await request(app, 'GET', '/guarded', { headers: { ...theirs, ...byHeader } })
  t.match(both, { status: 200, body: { user: { of: 'theirs' }, authenticated: true } }, 'who proves it to both')
  t.notOk('role' in both.body)
})

t.test('nor whom a guard among the hooks of the plugin lets in', async (t) => {
  const replaced: object[] = []
  const plugin: ServicesOptions = {
    hooks: {
      around: { find: [guard('jwt', 'known')] },
      before: {
        find: [
          (context) => {
            // Nothing is left of the objects that the guard has made.
            const params = structuredClone({ ...context.params, headers: { ...context.params.headers } })
            context.params = Object.freeze(params)
            replaced.push(context.params)
          }
        ]
      }
    }
  }
  const { app, ours } = await createBoth(t, { settings: { parseStrategies: [] }, plugin })
  for (const headers of [ours, byHeader]) {
    t.match(await request(app, 'GET', '/guarded', { headers }), { status: 401 })
    const { status, body } = await request(app, 'GET', '/open', { headers })
    t.match({ status, keys: Object.keys(body) }, { status: 200, keys: ['query', 'headers', 'route', 'provider'] })
  }
  t.match(replaced[0], { authenticated: true, user: { of: 'ours' } }, 'hooks of the plugin know them')
})

t.test('what a hook of the host says itself counts', async (t) => {
  const ownParams = { user: { id: '5' }, authenticated: true }
  const after = (app: FastifyInstance) =>
    app.addHook('preHandler', async (request) => {
      Object.assign(request.feathers, ownParams)
    })
  const { app } = await createBoth(t, { after })
  t.match(await request(app, 'GET', '/guarded'), { status: 200, body: ownParams })
})

t.test('what asks the authentication of a mounted application itself gets what its strategy gives', async (t) => {
  const theirs: Theirs = feathers()
  theirs.set('authentication', { secret: 'x'.repeat(32), entity: null, authStrategies: ['some', 'none'] })
  const service = new AuthenticationService(theirs)
  const strategy = (result: object | undefined) => ({ authenticate: async () => result, parse: async () => null })
  service.register('some', strategy({ accessToken: 'a', role: 'b' }) as never)
  service.register('none', strategy(undefined) as never)
  theirs.use('authentication', service)
  const app = await createMounted(t, theirs)
  await app.ready()
  const registered = theirs.service('authentication') as unknown as AuthenticationService
  const ask = (strategy: string, params?: object) =>
    registered.authenticate({ strategy }, params as never, 'some', 'none')
  t.equal(await ask('none', {}), undefined)
  t.match(await ask('some', {}), { accessToken: 'a', role: 'b' })
  t.same(await ask('some', { provider: 'rest' }), { accessToken: 'a', role: 'b' })
  t.same(await ask('some'), { accessToken: 'a', role: 'b' })
})
