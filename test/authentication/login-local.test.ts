import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { hashPassword } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { decode } from '../support/auth-fault-tokens.js'
import { secret } from '../support/tokens.js'
import { createUsersApp, login, user } from '../support/users-app.js'

const url = '/authentication'
const form = new URLSearchParams({ strategy: 'local', ...user }).toString()

t.test("`POST /authentication` `{ strategy: 'local', email, password }` → 201 and these fields", async (t) => {
  const app = await createUsersApp(t as Test)
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(base + url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ strategy: 'local', ...user })
  })
  t.equal(response.status, 201)
  t.match(response.headers.get('content-type'), /^application\/json/)
  t.equal(response.headers.get('cache-control'), 'no-store')
  t.equal(response.headers.get('www-authenticate'), null)
  const body = (await response.json()) as Record<'accessToken' | 'user', string> & { authentication: object }
  t.same(Object.keys(body).sort(), ['accessToken', 'authentication', 'user'])
  t.same(Object.keys(body.authentication).sort(), ['payload', 'strategy'])
  t.same(body.authentication, { strategy: 'local', payload: decode(body.accessToken, 1) })
  t.same(body.user, { id: 1, email: user.email }, '`user` never holds the password')
})

t.test('The response carries the JWT in a field named `accessToken`', async (t) => {
  const { body } = await login(await createUsersApp(t as Test))
  t.match(body.accessToken, /^[\w-]+\.[\w-]+\.[\w-]+$/)
  t.same(decode(body.accessToken, 0), { alg: 'HS256', typ: 'JWT' })
})

t.test('a login as JSON with a charset, as a form, with a slash', async (t) => {
  const app = await createUsersApp(t as Test)
  const json = JSON.stringify({ strategy: 'local', ...user })
  for (const [type, payload, target] of [
    ['application/json; charset=utf-8', json, url],
    ['application/x-www-form-urlencoded', form, url],
    ['application/json', json, `${url}/`]
  ] as const) {
    const response = await app.inject({ method: 'POST', url: target, headers: { 'content-type': type }, payload })
    t.equal(response.statusCode, 201, type)
    t.match(response.json(), { user: { email: user.email } })
  }
})

t.test('a login answers JSON, whatever is accepted, and each one has a token of its own', async (t) => {
  const app = await createUsersApp(t as Test)
  const seen = new Set<unknown>()
  for (const accept of ['text/html', '*/*', 'application/xml']) {
    const payload = { strategy: 'local', ...user }
    const response = await app.inject({ method: 'POST', url, headers: { accept }, payload })
    t.equal(response.statusCode, 201, accept)
    const { accessToken, authentication } = response.json()
    t.notOk(seen.has(accessToken) || seen.has(authentication.payload.jti))
    seen.add(accessToken).add(authentication.payload.jti)
  }
})

t.test('a login with the token of somebody else in the header is a login', async (t) => {
  const app = await createUsersApp(t as Test)
  const payload = { strategy: 'local', ...user }
  for (const authorization of ['Bearer bad', 'Basic YTpi', '']) {
    const response = await app.inject({ method: 'POST', url, headers: { authorization }, payload })
    t.equal(response.statusCode, 201, authorization)
  }
})

t.test('`POST {base_url}/authentication`: under a prefix, and at a path of its own', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const hooks = { before: { create: [hashPassword('password')] } }
  await app.register(
    async (api) => {
      api.service('users', memory({ startId: 1 }) as object, { hooks })
      await api.register(authentication, { secret })
      await api.register(authentication, { secret, path: '/auth/login/' })
    },
    { prefix: '/api/v1' }
  )
  await app.ready()
  await app.service('api/v1/users').create({ ...user })
  for (const path of ['api/v1/authentication', 'api/v1/auth/login']) {
    const { status, body } = await login(app, {}, path)
    t.equal(status, 201, path)
    t.equal(body.authentication.payload.aud, path, '`aud` (default the authentication path)')
  }
})
