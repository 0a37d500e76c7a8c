import type { FastifyRequest } from 'fastify'
import type { TokenPayload } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createSessionsApp, logout } from '../support/auth-sessions.js'
import { claims, forge, now } from '../support/tokens.js'
import { ask, login } from '../support/users-app.js'

interface Asked {
  readonly payload: TokenPayload
  readonly url: string | undefined
  readonly ip: string | undefined
}

async function createAskingApp(t: Test) {
  const asked: Asked[] = []
  const isRevoked = (payload: TokenPayload, request: FastifyRequest | undefined) => {
    asked.push({ payload, url: request?.url, ip: request?.ip })
    return false
  }
  const app = await createSessionsApp(t, { isRevoked }, (app) => {
    app.service('open', { find: async () => [] })
    app.service('outer', { find: async ({ provider, ...params }) => app.service('me').find(params) })
  })
  return { app, asked, since: () => asked.splice(0) }
}

t.test('`isRevoked` is asked on every verification, with the claims and the request', async (t) => {
  const { app, since } = await createAskingApp(t)
  const { accessToken, authentication } = (await login(app)).body
  t.strictSame(since(), [], 'a log-in verifies no token')
  const { payload } = authentication
  const one = (url: string) => [{ payload, url, ip: '192.0.2.7' }]
  const remoteAddress = '192.0.2.7'
  const headers = { authorization: `Bearer ${accessToken}` }

  for (const time of ['once', 'and each time again']) {
    await app.inject({ url: '/me', remoteAddress, headers })
    t.strictSame(since(), one('/me'), `the guard of a service, ${time}`)
    await app.inject({ url: '/route', remoteAddress, headers })
    t.strictSame(since(), one('/route'), `the guard of a route, ${time}`)
  }
  const again = { strategy: 'jwt', accessToken }
  await app.inject({ method: 'POST', url: '/authentication', remoteAddress, payload: again })
  t.strictSame(since(), one('/authentication'), 'a log-in with the token')
  await app.inject({ method: 'DELETE', url: '/authentication', remoteAddress, headers })
  t.strictSame(since(), one('/authentication'), 'a logout')
  t.match(payload, { sub: '1', jti: String, iat: Number, exp: Number, aud: 'authentication' })
})

t.test('`isRevoked` gets no request for a call of the server', async (t) => {
  const { app, since } = await createAskingApp(t)
  const { accessToken, authentication } = (await login(app)).body
  const call = { authentication: { strategy: 'jwt', accessToken } }
  const internal = [{ payload: authentication.payload, url: undefined, ip: undefined }]
  await app.service('me').find(call)
  t.strictSame(since(), internal, 'of a guarded service')
  await app.service('me').find({ ...call, provider: 'rest' })
  t.strictSame(since(), internal, 'of one that says it comes from outside')
  await app.service('authentication').create(call.authentication)
  t.strictSame(since(), internal, 'a log-in')
  await app.service('authentication').remove(null, call)
  t.strictSame(since(), internal, 'a logout')
  await app.service('me').find()
  t.strictSame(since(), [], 'without a token there is nothing to ask')
})

t.test('`isRevoked` is not asked where nothing is verified', async (t) => {
  const { app, since } = await createAskingApp(t)
  const { accessToken } = (await login(app)).body
  t.equal((await ask(app, accessToken, '/open')).status, 200)
  t.equal((await ask(app, accessToken, '/outer')).status, 200)
  t.strictSame(since(), [], 'no guard asks who calls')
  for (const token of ['nonsense', forge(claims({ exp: now() - 1 })), forge(claims(), {}, 'x'.repeat(32))]) {
    t.equal((await ask(app, token, '/me')).status, 401)
    t.equal((await logout(app, token)).status, 401)
  }
  t.strictSame(since(), [], 'tokens that are not good anyway')
})
