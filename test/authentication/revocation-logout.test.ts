import t from 'tap'
import { createClock, createSessionsApp, createStore, logout, waysIn } from '../support/auth-sessions.js'
import { ask, login } from '../support/users-app.js'

const revoked = { name: 'NotAuthenticated', message: 'Invalid access token: it was revoked', code: 401 }

t.test('`revocation: true`: a token that was logged out is refused, and others go on', async (t) => {
  const app = await createSessionsApp(t, { revocation: true })
  await app.service('users').create({ email: 'bob@example.com', password: 'a long secret' })
  const [one, two] = [(await login(app)).body, (await login(app)).body]
  const bob = (await login(app, { email: 'bob@example.com' })).body
  t.strictSame(await waysIn(app, one.accessToken), [200, 200, 201])

  const { status, body } = await logout(app, one.accessToken)
  t.equal(status, 200)
  t.match(body, { accessToken: one.accessToken, user: { id: 1 }, authentication: { strategy: 'jwt' } })
  t.strictSame(await waysIn(app, one.accessToken), [401, 401, 401])
  t.match((await ask(app, one.accessToken, '/me')).body, revoked)
  t.match((await logout(app, one.accessToken)).body, revoked, 'a second logout')
  const again = await login(app, { strategy: 'jwt', accessToken: one.accessToken })
  t.match(again.body, revoked, 'and a log-in with it')

  t.strictSame(await waysIn(app, two.accessToken), [200, 200, 201], 'another token of the user')
  t.strictSame(await waysIn(app, bob.accessToken), [200, 200, 201], 'a token of another user')
  t.equal((await login(app)).status, 201, 'and the user may log in again')
})

t.test('`revocation: true`: the token is refused in every form of the header', async (t) => {
  const app = await createSessionsApp(t, { revocation: true })
  const { accessToken } = (await login(app)).body
  await logout(app, accessToken)
  for (const authorization of [accessToken, `JWT ${accessToken}`, `bearer ${accessToken}`, `Bearer: ${accessToken}`]) {
    const response = await app.inject({ url: '/route', headers: { authorization } })
    t.equal(response.statusCode, 401)
    t.equal(response.headers['www-authenticate'], 'Bearer')
  }
})

t.test('`revocation: true`: a token is kept on the list until it expires, and no longer', async (t) => {
  const clock = createClock(t)
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { revocation: true, store, jwt: { expiresIn: '1h' } })
  const { accessToken, authentication } = (await login(app)).body
  clock.forward(1000)
  await logout(app, accessToken)
  t.match(sets, [{ key: `authentication:revoked:${authentication.payload.jti}` }])
  const left = Number(sets[0]?.seconds)
  t.ok(left <= 2600 && left > 2590, 'what is left of the hour')
  clock.forward(2580)
  t.match((await ask(app, accessToken, '/me')).body, revoked, 'shortly before the end')
  clock.forward(30)
  t.match((await ask(app, accessToken, '/me')).body, { message: 'Invalid access token: it has expired', code: 401 })
  t.equal((await logout(app, accessToken)).status, 401)
  t.equal(sets.length, 1, 'one that has expired is not put on the list')
})

t.test('without `revocation` a logout is answered, and the token is good until it expires', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { store })
  const { accessToken } = (await login(app)).body
  t.equal((await logout(app, accessToken)).status, 200)
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201])
  t.strictSame(sets, [], 'the server keeps nothing')
})

t.test('a logout by the server itself revokes too', async (t) => {
  const app = await createSessionsApp(t, { revocation: true })
  const { accessToken } = (await login(app)).body
  const call = { authentication: { strategy: 'jwt', accessToken } }
  await t.rejects(app.service('authentication').remove('another', call), { code: 401, message: 'Invalid access token' })
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201], 'an id that is not the token')
  t.match(await app.service('authentication').remove(accessToken, call), { accessToken, user: { id: 1 } })
  t.strictSame(await waysIn(app, accessToken), [401, 401, 401])
  await t.rejects(app.service('authentication').remove(null, call), { code: 401, message: revoked.message })
  await t.rejects(app.service('authentication').remove(null), { code: 401, message: 'Not authenticated' })
})
