import type { IncomingMessage } from 'node:http'
import {
  AuthenticationBaseStrategy,
  AuthenticationService,
  authenticate,
  JWTStrategy
} from '@feathersjs/authentication'
import { feathers } from '@feathersjs/feathers'
import authentication from 'fastify-services/authentication'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'

class ApiKey extends AuthenticationBaseStrategy {
  async parse({ headers }: IncomingMessage) {
    return headers['x-api-key'] ? { strategy: 'api-key', key: headers['x-api-key'] } : null
  }
  async authenticate({ key }: { key?: string }) {
    if (key !== 'good') throw new Error('bad')
    return { authentication: { strategy: 'api-key' }, machine: 'a' }
  }
}

function createTheirs(settings: object = {}): Theirs {
  const theirs: Theirs = feathers()
  const base = { secret: 'x'.repeat(32), entity: null, authStrategies: ['jwt', 'api-key'] }
  theirs.set('authentication', { ...base, ...settings })
  const service = new AuthenticationService(theirs)
  service.register('jwt', new JWTStrategy())
  service.register('api-key', new ApiKey())
  theirs.use('authentication', service)
  theirs.use('open', mirror)
  theirs.use('guarded', mirror)
  theirs.service('guarded').hooks({ around: { all: [authenticate('jwt', 'api-key')] } })
  return theirs
}

const key = { headers: { 'x-api-key': 'good' } }
const ask = async (app: Awaited<ReturnType<typeof createMounted>>, headers: object = key) =>
  (await request(app, 'GET', '/open', headers)).body.authentication

t.test('params.authentication is what its strategies read from the request', async (t) => {
  const theirs = createTheirs()
  const app = await createMounted(t, theirs)
  t.same(await ask(app), { strategy: 'api-key', key: 'good' })
  t.equal(await ask(app, {}), undefined)
  t.match(await ask(app, { headers: { authorization: 'Bearer a.b.c' } }), { strategy: 'jwt', accessToken: 'a.b.c' })
  t.match(await request(app, 'GET', '/guarded', key), { status: 200, body: { machine: 'a', authenticated: true } })
  t.match(await request(app, 'GET', '/guarded'), { status: 401, body: { message: 'Not authenticated' } })
  const accessToken = await (theirs.service('authentication') as object as AuthenticationService).createAccessToken({})
  const bearer = { headers: { authorization: `Bearer ${accessToken}` } }
  t.match(await request(app, 'GET', '/guarded', bearer), { status: 200, body: { authentication: { accessToken } } })
})

t.test('by the strategies that its settings or the option name', async (t) => {
  t.equal(await ask(await createMounted(t, createTheirs({ parseStrategies: ['jwt'] }))), undefined)
  t.equal(await ask(await createMounted(t, createTheirs({ authStrategies: undefined }))), undefined)
  const named = { authentication: { service: 'authentication', strategies: ['api-key'] } }
  t.match(await ask(await createMounted(t, createTheirs({ parseStrategies: ['jwt'] }), named)), { key: 'good' })
})

t.test('an application without authentication reads none', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('open', mirror)
  t.equal(await ask(await createMounted(t, theirs)), undefined)
})

t.test('our authentication may stand beside it', async (t) => {
  const app = await createMounted(t, createTheirs(), {
    after: async (app) => {
      app.service('users', mirror)
      await app.register(authentication, {
        secret: 'y'.repeat(32),
        path: 'login',
        entity: null,
        strategies: { jwt: true }
      })
      app.service('ours', { find: async ({ authentication }) => ({ authentication }) })
    }
  })
  t.match(await ask(app), { strategy: 'api-key' })
  t.match((await request(app, 'GET', '/ours', key)).body, {})
  const bearer = { headers: { authorization: 'Bearer a.b.c' } }
  t.match((await request(app, 'GET', '/ours', bearer)).body.authentication, { strategy: 'jwt', accessToken: 'a.b.c' })
  t.match((await request(app, 'GET', '/guarded', bearer)).status, 401)
})
