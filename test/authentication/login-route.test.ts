import { memory } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import authentication, { authenticate, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { claims, forge } from '../support/tokens.js'
import { ask, createUsersApp, user } from '../support/users-app.js'

const apiKey: Strategy = {
  parse: ({ headers }) => (headers['x-api-key'] === undefined ? null : { apiKey: headers['x-api-key'] }),
  authenticate: ({ apiKey }) => (apiKey === 'good' ? { user: { id: 7, email: 'machine' } } : (null as never))
}

const createApp = (t: Test, before: (app: FastifyInstance) => unknown) =>
  createUsersApp(t, { options: { strategies: { jwt: true, local: true, apiKey } }, before })

t.test('an authenticate middleware takes one or more strategy names', async (t) => {
  const app = await createApp(t as Test, (app) => {
    app.get('/one', { preHandler: authenticate('jwt') }, (request) => request.user)
    app.get('/two', { preHandler: authenticate('jwt', 'apiKey') }, (request) => request.user)
    app.get('/early', { onRequest: authenticate('jwt') }, (request) => request.user)
  })
  const key = { 'x-api-key': 'good', authorization: '' }
  for (const url of ['/one', '/two', '/early'])
    t.same(await ask(app, forge(), url), { status: 200, body: { id: 1, email: user.email } }, url)
  t.same(await ask(app, '', { url: '/two', headers: key }), { status: 200, body: { id: 7, email: 'machine' } })
  t.equal((await ask(app, '', { url: '/one', headers: key })).status, 401, 'a strategy that is not named')
  t.equal((await ask(app, '', { url: '/two', headers: { ...key, 'x-api-key': 'bad' } })).status, 401)
})

t.test('or an options object with `service` and `strategies`', async (t) => {
  const app = await createApp(t as Test, async (app) => {
    app.service('admins', memory({ startId: 1 }) as object)
    await app.register(authentication, { secret: 'y'.repeat(32), service: 'admins', path: 'v1/authentication' })
    const guard = authenticate({ service: 'v1/authentication', strategies: ['jwt'] })
    app.get('/admin', { preHandler: guard }, (request) => request.user)
    app.get('/user', { preHandler: authenticate({ strategies: ['jwt'] }) }, (request) => request.user)
  })
  await app.service('admins').create({ email: 'root@example.com' } as never)
  const admin = forge(claims({ aud: 'v1/authentication' }), {}, 'y'.repeat(32))
  t.same(await ask(app, admin, '/admin'), { status: 200, body: { id: 1, email: 'root@example.com' } })
  t.same(await ask(app, forge(), '/user'), { status: 200, body: { id: 1, email: user.email } })
  t.equal((await ask(app, forge(), '/admin')).status, 401)
  t.equal((await ask(app, admin, '/user')).status, 401)
})

t.test("the guard of a host's own route sets `WWW-Authenticate` and throws the error: 401", async (t) => {
  const app = await createApp(t as Test, (app) => {
    app.get('/route', { preHandler: authenticate('jwt') }, () => 'let in')
  })
  for (const authorization of ['', 'Bearer bad', 'Basic YTpi']) {
    const response = await app.inject({ url: '/route', headers: { authorization } })
    t.equal(response.statusCode, 401)
    t.equal(response.headers['www-authenticate'], 'Bearer')
  }
})

t.test("the host's error handler decides the body", async (t) => {
  const app = await createApp(t as Test, (app) => {
    app.setErrorHandler((error: Error & { statusCode?: number; className?: string }, _request, reply) =>
      reply.code(error.statusCode ?? 500).send({ own: error.message, kind: error.className })
    )
    app.get('/route', { preHandler: authenticate('jwt') }, () => 'let in')
    app.service('me', { find: async () => 1 }, { hooks: { around: { all: [authenticate('jwt')] } } })
  })
  t.same(await ask(app, '', '/route'), { status: 401, body: { own: 'Not authenticated', kind: 'not-authenticated' } })
  t.same(await ask(app, 'bad', '/route'), {
    status: 401,
    body: { own: 'Invalid access token', kind: 'not-authenticated' }
  })
  t.match((await ask(app, '', '/me')).body, { name: 'NotAuthenticated' }, 'that of services is theirs')
})
