import t, { type Test } from 'tap'
import { createSessionsApp, createStore, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { ask, login } from '../support/users-app.js'

async function createFailingApp(t: Test, refresh = false) {
  const { store, failing } = createStore()
  let called = 0
  const app = await createSessionsApp(t, { revocation: true, refresh, store }, (app) => {
    app.service('me').hooks({ before: { find: [async () => void called++] } })
    app.service('open', { find: async () => [] })
  })
  return { app, failing, calls: () => called, repair: () => Object.assign(failing, { get: no, set: no }) }
}

const yes = () => true
const no = () => false
const isList = (key: string) => key.includes(':revoked:')
const isSession = (key: string) => key.includes(':session:')

t.test('when the store can not be read, the calls that ask it fail with 500, and nobody is let in', async (t) => {
  const { app, failing, calls, repair } = await createFailingApp(t)
  const { accessToken } = (await login(app)).body
  failing.get = yes
  t.strictSame(await waysIn(app, accessToken), [500, 500, 500])
  t.match(await ask(app, accessToken, '/me'), { status: 500, body: { name: 'GeneralError' } })
  t.equal((await logout(app, accessToken)).status, 500)
  t.equal(calls(), 0)
  t.equal((await ask(app, 'nonsense', '/me')).status, 401, 'what is no token is refused without it')
  t.equal((await ask(app, accessToken, '/open')).status, 200, 'what is open stays open')
  t.equal((await login(app)).status, 201, 'a log-in needs no store')
  repair()
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201])
})

t.test('a logout that can not be written down is 500, not a success', async (t) => {
  const { app, failing, repair } = await createFailingApp(t)
  const { accessToken } = (await login(app)).body
  let logouts = 0
  app.service('authentication').on('logout', () => logouts++)
  failing.set = yes
  t.equal((await logout(app, accessToken)).status, 500)
  t.equal(logouts, 0)
  repair()
  t.equal((await logout(app, accessToken)).status, 200, 'it may be tried again')
  t.strictSame(await waysIn(app, accessToken), [401, 401, 401])
  t.equal(logouts, 1)
})

for (const [what, isBroken] of Object.entries({ 'the list': isList, 'the login': isSession }))
  t.test(`a logout that fails in the middle, at ${what}, can be tried again until all has ended`, async (t) => {
    const { app, failing, repair } = await createFailingApp(t, true)
    const { accessToken, refreshToken } = (await login(app)).body
    failing.set = isBroken
    await logout(app, accessToken)
    repair()
    await logout(app, accessToken)
    t.strictSame(await waysIn(app, accessToken), [401, 401, 401], 'the access token')
    t.equal((await refresh(app, refreshToken)).status, 401, 'the refresh token')
  })
