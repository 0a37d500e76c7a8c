import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { claims, forge, now, secret } from '../support/tokens.js'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

const url = '/authentication'
const logout = { method: 'DELETE', url } as const

t.test('`DELETE /authentication` with the header → the authentication result', async (t) => {
  const app = await createUsersApp(t as Test)
  const { accessToken, authentication } = (await login(app)).body
  const headers = { authorization: `Bearer ${accessToken}` }
  const response = await app.inject({ ...logout, headers })
  t.equal(response.statusCode, 200)
  t.equal(response.headers['cache-control'], 'no-store')
  t.same(response.json(), {
    accessToken,
    authentication: { strategy: 'jwt', accessToken, payload: authentication.payload },
    user: { id: 1, email: user.email }
  })
})

t.test('`DELETE /authentication` without a valid token: 401', async (t) => {
  const app = await createUsersApp(t as Test)
  const rows: [row: string, authorization: string | undefined, message: string][] = [
    ['no header', undefined, 'Not authenticated'],
    ['an empty header', '', 'Not authenticated'],
    ['no token', 'Bearer', 'Not authenticated'],
    ['another scheme', `Basic ${forge()}`, 'Not authenticated'],
    ['what is no token', 'Bearer bad', 'Invalid access token'],
    ['another secret', `Bearer ${forge(claims(), {}, 'x'.repeat(32))}`, 'Invalid access token'],
    ['an expired token', `Bearer ${forge(claims({ exp: now() - 1 }))}`, 'Invalid access token: it has expired'],
    ['a deleted user', `Bearer ${forge(claims({ sub: '2' }))}`, 'Invalid access token']
  ]
  for (const [row, authorization, message] of rows) {
    const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) }
    const response = await app.inject({ ...logout, headers })
    t.equal(response.headers['www-authenticate'], 'Bearer', row)
    t.same(response.json(), { name: 'NotAuthenticated', message, code: 401, className: 'not-authenticated' }, row)
  }
})

t.test('a body at a logout is ignored, and an empty JSON one is no error', async (t) => {
  const app = await createUsersApp(t as Test)
  const authorization = `Bearer ${forge()}`
  const type = { 'content-type': 'application/json' }
  t.equal((await app.inject({ ...logout, headers: { authorization, ...type } })).statusCode, 200)
  const payload = { strategy: 'jwt', accessToken: forge() }
  t.equal((await app.inject({ ...logout, headers: { authorization, ...type }, payload })).statusCode, 200)
  t.equal((await app.inject({ ...logout, payload })).statusCode, 401, 'the token is that of the header')
})

t.test('a token as the id: its own, and no other', async (t) => {
  const app = Fastify({ routerOptions: { maxParamLength: 1000 } })
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', memory({ startId: 1 }) as object)
  await app.register(authentication, { secret })
  await app.ready()
  await app.service('users').create({ email: user.email })
  const [token, other] = [forge(), forge(claims({ jti: 'other' }))]
  t.match(await ask(app, token, { method: 'DELETE', url: `${url}/${token}` }), {
    status: 200,
    body: { accessToken: token }
  })
  for (const id of [other, 'null', '1'])
    t.match(await ask(app, token, { method: 'DELETE', url: `${url}/${id}` }), {
      status: 401,
      body: { message: 'Invalid access token' }
    })
})

t.test('without `revocation` a token is good until it expires', async (t) => {
  const app = await createUsersApp(t as Test)
  const { accessToken } = (await login(app)).body
  t.equal((await ask(app, accessToken, logout)).status, 200)
  t.equal((await ask(app, accessToken, logout)).status, 200)
})
