import t, { type Test } from 'tap'
import { claims, forge, now } from '../support/tokens.js'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

const jwt = (accessToken: unknown) => ({ strategy: 'jwt', accessToken, email: undefined, password: undefined })

t.test("`{ strategy: 'jwt', accessToken }` → 201 with the same token", async (t) => {
  const app = await createUsersApp(t as Test)
  const { accessToken, authentication } = (await login(app)).body
  const payload = { strategy: 'jwt', accessToken }
  const response = await app.inject({ method: 'POST', url: '/authentication', payload })
  t.equal(response.statusCode, 201)
  t.equal(response.headers['cache-control'], 'no-store')
  t.same(response.json(), {
    accessToken,
    authentication: { strategy: 'jwt', accessToken, payload: authentication.payload },
    user: { id: 1, email: user.email }
  })
})

t.test('the token of the body counts, and not that of the header', async (t) => {
  const app = await createUsersApp(t as Test)
  const request = (token: string, accessToken: string) =>
    ask(app, token, { method: 'POST', url: '/authentication', payload: { strategy: 'jwt', accessToken } })
  t.equal((await request('bad', forge())).status, 201)
  t.equal((await request(forge(), 'bad')).status, 401)
  t.match(await ask(app, forge(), { method: 'POST', url: '/authentication', payload: { strategy: 'jwt' } }), {
    status: 401,
    body: { message: 'Invalid access token' }
  })
})

t.test('a login with a token does not make it live longer', async (t) => {
  const app = await createUsersApp(t as Test)
  const exp = now() + 5
  const { body } = await login(app, jwt(forge(claims({ exp }))))
  t.equal(body.authentication.payload.exp, exp)
})

t.test('the user is the one of now, and not that of the login', async (t) => {
  const app = await createUsersApp(t as Test)
  const { accessToken } = (await login(app)).body
  await app.service('users').patch(1, { email: 'countess@example.com' })
  t.same((await login(app, jwt(accessToken))).body.user, { id: 1, email: 'countess@example.com' })
})

t.test('`authStrategies` without jwt: no login by a token, but guards and logouts read it', async (t) => {
  const app = await createUsersApp(t as Test, { options: { authStrategies: ['local'] } })
  const { accessToken } = (await login(app)).body
  t.match(await login(app, jwt(accessToken)), {
    status: 401,
    body: { message: 'Invalid authentication information (strategy not allowed in authStrategies)' }
  })
  t.equal((await ask(app, accessToken, { method: 'DELETE', url: '/authentication' })).status, 200)
})

t.test('tokens without users: a login gives the claims', async (t) => {
  const app = await createUsersApp(t as Test, { options: { entity: null, strategies: { jwt: true } } })
  const token = forge(claims({ sub: 'device-7', scope: 'read' }))
  const { status, body } = await login(app, jwt(token))
  t.equal(status, 201)
  t.same(Object.keys(body).sort(), ['accessToken', 'authentication'])
  t.match(body, { accessToken: token, authentication: { payload: { sub: 'device-7', scope: 'read' } } })
})
