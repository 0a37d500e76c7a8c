import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { NotAuthenticated } from 'fastify-services'
import authentication, {
  type AuthenticationOptions,
  authenticate,
  own,
  type Strategy
} from 'fastify-services/authentication'
import { openapi } from 'fastify-services/openapi'
import type { OpenAPIV3_1 } from 'openapi-types'
import t, { type Test } from 'tap'

/** Sessions of another library: a cookie names the user. */
const session: Strategy = {
  parse: ({ headers }) => (headers.cookie ? { cookie: headers.cookie } : null),
  authenticate({ cookie }) {
    const [, id] = /^session=(\w+)$/.exec(String(cookie)) ?? []
    if (id === undefined) throw new NotAuthenticated('No session')
    return { user: { id, name: id.toUpperCase() } }
  },
  describe: () => ({ security: { type: 'apiKey', in: 'cookie', name: 'session' } })
}

async function create(t: Test, options: AuthenticationOptions = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  await app.register(swagger, openapi({ info: { title: 'Test', version: '1.0.0' } }))
  await app.register(authentication, { strategies: { session }, guard: 'session', ...options })
  app.service('notes', memory({ startId: 1 }), { hooks: { around: { all: [own('userId')] } } })
  app.get(
    '/who',
    { preHandler: authenticate({ service: 'authentication', strategies: ['session'] }) },
    async (request) => request.user
  )
  await app.ready()
  return app
}

t.test('strategies that read requests by themselves need no secret, no log-in and no service of users', async (t) => {
  const app = await create(t)
  const headers = { cookie: 'session=ada' }
  t.equal((await app.inject('/notes')).statusCode, 401)
  t.equal((await app.inject({ url: '/notes', headers: { cookie: 'session=' } })).statusCode, 401)
  const note = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'Hi' }, headers })
  t.strictSame(note.json(), { id: 1, text: 'Hi', userId: 'ada' })
  t.strictSame((await app.inject({ url: '/notes', headers: { cookie: 'session=bob' } })).json(), [])
  t.strictSame((await app.inject({ url: '/who', headers })).json(), { id: 'ada', name: 'ADA' })
  const login = {
    method: 'POST',
    url: '/authentication',
    payload: { strategy: 'session', cookie: 'session=ada' }
  } as const
  t.equal((await app.inject(login)).statusCode, 404, 'there is nothing to log in at')
  t.throws(() => app.service('authentication'), /authentication/)

  const { paths = {}, components } = app.swagger() as OpenAPIV3_1.Document
  t.strictSame(Object.keys(paths).sort(), ['/notes', '/notes/{id}', '/who'])
  t.strictSame(paths['/notes']?.get?.security, [{ session: [] }])
  t.match(components?.securitySchemes, { session: { type: 'apiKey', in: 'cookie', name: 'session' } })
})

t.test('where something needs tokens, the secret is asked for', async (t) => {
  const loginOnly: Strategy = { authenticate: () => ({ user: { id: 1 } }) }
  const rows: AuthenticationOptions[] = [
    { strategies: { jwt: true, session } },
    { strategies: { local: true, session } },
    { strategies: { session, loginOnly } },
    { path: 'login' },
    { authStrategies: ['session'] },
    { refresh: true },
    { revocation: true },
    { cookie: true, strategies: { session, jwt: true } },
    { hooks: {} },
    { isRevoked: () => false }
  ]
  for (const options of rows)
    await t.rejects(create(t, options), /`secret` of authentication is missing/, Object.keys(options).join())
  await t.rejects(create(t, { secret: '' }), /`secret` of authentication is missing/)
})

t.test('a strategy that finds users or verifies tokens after all says what it lacks', async (t) => {
  const asking = (ask: NonNullable<Strategy['setup']>): Strategy => ({ ...session, setup: ask })
  const users = asking((authenticator, name) => authenticator.entities.require('get', name))
  await t.rejects(create(t, { strategies: { session: users } }), /has no service 'users' to find users in/)
  let verify = async () => {}
  const tokens = asking((authenticator) => {
    verify = async () => void (await authenticator.verifyAccessToken('abc'))
  })
  await create(t, { strategies: { session: tokens } })
  await t.rejects(verify(), /need the option `secret`/)
})

t.test('beside a log-in with tokens: each is asked for what it reads', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  app.service('members', memory({ startId: 1 }))
  await app.register(authentication, { secret: 'a secret of more than thirty-two bytes', service: 'members' })
  await app.register(async (child) => {
    await child.register(authentication, { strategies: { session }, guard: 'session' })
    child.service('inner', { find: async ({ user }: { user?: unknown } = {}) => user })
  })
  app.service('outer', { find: async () => [] }, { hooks: { around: { all: [authenticate('jwt')] } } })
  await app.ready()
  const headers = { cookie: 'session=ada' }
  t.match((await app.inject({ url: '/inner', headers })).json(), { id: 'ada' })
  t.equal((await app.inject({ url: '/outer', headers })).statusCode, 401)
  t.equal((await app.inject('/inner')).statusCode, 401)
})
