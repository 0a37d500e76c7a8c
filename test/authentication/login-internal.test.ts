import type { AuthenticationResult } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { decode } from '../support/auth-fault-tokens.js'
import { claims, forge, secret } from '../support/tokens.js'
import { createUsersApp, user } from '../support/users-app.js'

interface Service {
  create(data: unknown, params?: object): Promise<AuthenticationResult & { accessToken: string }>
  remove(id: string | null, params?: object): Promise<AuthenticationResult>
}

async function createService(t: Test) {
  const app = await createUsersApp(t)
  return app.service<Service>('authentication')
}

t.test('a login and a logout within the server', async (t) => {
  const service = await createService(t as Test)
  const { accessToken, authentication } = await service.create({ strategy: 'local', ...user })
  t.match(authentication, { strategy: 'local', payload: decode(accessToken, 1) })
  const credentials = { strategy: 'jwt', accessToken }
  t.equal((await service.create(credentials)).accessToken, accessToken)
  t.match(await service.remove(null, { authentication: credentials }), { accessToken, user: { id: 1 } })
  t.match(await service.remove(accessToken, { authentication: credentials }), { accessToken })
})

t.test('within the server too, every failure is 401', async (t) => {
  const service = await createService(t as Test)
  const rows: [row: string, data: unknown, message: string | RegExp][] = [
    ['a wrong password', { strategy: 'local', ...user, password: 'wrong' }, 'Invalid login'],
    ['a text object as the password', { strategy: 'local', ...user, password: new String('x') }, 'Invalid login'],
    ['an empty object', {}, /no `strategy` set/],
    ['an object without a prototype', Object.create(null), /no `strategy` set/],
    ['a list', [{ strategy: 'local', ...user }], /no `strategy` set/],
    ['a token as bytes', { strategy: 'jwt', accessToken: Buffer.from(forge()) }, 'Invalid access token'],
    ['a token as a text object', { strategy: 'jwt', accessToken: new String(forge()) }, 'Invalid access token'],
    ['a token that makes itself', { strategy: 'jwt', accessToken: { toString: forge } }, 'Invalid access token'],
    [
      'a token of another secret',
      { strategy: 'jwt', accessToken: forge(claims(), {}, `${secret}x`) },
      'Invalid access token'
    ]
  ]
  for (const [row, data, message] of rows)
    await t.rejects(service.create(data), { name: 'NotAuthenticated', code: 401, message }, row)
  for (const authentication of [undefined, {}, { strategy: 'magic' }, { strategy: 'jwt' }])
    await t.rejects(service.remove(null, { authentication }), { name: 'NotAuthenticated', code: 401 })
})

t.test('the cause of a refused token is kept for the log, and does not leave', async (t) => {
  const app = await createUsersApp(t as Test)
  const service = app.service<Service>('authentication')
  const credentials = { strategy: 'jwt', accessToken: forge(claims(), {}, 'x'.repeat(32)) }
  const error = await service.create(credentials).catch((error) => error)
  t.match(error.cause, { code: 'FAST_JWT_INVALID_SIGNATURE' })
  const response = await app.inject({ method: 'POST', url: '/authentication', payload: credentials })
  t.same(Object.keys(response.json()), ['name', 'message', 'code', 'className'])
  t.notMatch(response.body, /FAST_JWT|signature|secret/i)
})
