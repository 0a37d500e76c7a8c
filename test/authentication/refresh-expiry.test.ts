import t from 'tap'
import { createClock, createSessionsApp, createStore, refresh } from '../support/auth-sessions.js'
import { ask, login } from '../support/users-app.js'

t.test("`refresh: { expiresIn: '2s' }` ends a login after 2 seconds", async (t) => {
  const clock = createClock(t)
  const app = await createSessionsApp(t, { refresh: { expiresIn: '2s' } })
  const { accessToken, refreshToken } = (await login(app)).body
  clock.forward(2)
  const { status, body } = await refresh(app, refreshToken)
  t.equal(status, 401)
  t.match(body, { name: 'NotAuthenticated', message: /^Invalid refresh token/ })
  t.equal((await ask(app, accessToken, '/me')).status, 200, 'the access token has a time of its own')
})

t.test('the time is counted from the log-in: a refresh does not prolong it', async (t) => {
  const clock = createClock(t)
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: { expiresIn: '1h' }, store })
  let { body } = await login(app)
  for (let i = 0; i < 5; i++) {
    clock.forward(10 * 60)
    const next = await refresh(app, body.refreshToken)
    t.equal(next.status, 201, `after ${10 * (i + 1)} minutes`)
    body = next.body
  }
  t.ok(
    sets.every(({ seconds }, i) => Math.abs(seconds - (3600 - 600 * i)) < 5),
    'nor does the store keep it longer'
  )
  clock.forward(10 * 60)
  t.equal((await refresh(app, body.refreshToken)).status, 401, 'after an hour')
})

t.test('a store that forgets late prolongs nothing', async (t) => {
  const clock = createClock(t)
  const values = new Map<string, string>()
  const store = { get: (key: string) => values.get(key), set: (key: string, value: string) => values.set(key, value) }
  const app = await createSessionsApp(t, { refresh: { expiresIn: 60 }, store })
  const { refreshToken } = (await login(app)).body
  clock.forward(60)
  t.match(await refresh(app, refreshToken), { status: 401, body: { message: 'Invalid refresh token: it has expired' } })
})

t.test('by default a login can be kept alive for 30 days', async (t) => {
  const clock = createClock(t)
  const app = await createSessionsApp(t, { refresh: true })
  const day = 24 * 60 * 60
  let { refreshToken } = (await login(app)).body
  for (const days of [15, 14.9]) {
    clock.forward(days * day)
    refreshToken = (await refresh(app, refreshToken)).body.refreshToken
    t.type(refreshToken, 'string')
  }
  clock.forward(0.1 * day)
  t.equal((await refresh(app, refreshToken)).status, 401)
})

t.test('a refresh works when the access token has expired: that is what it is for', async (t) => {
  const clock = createClock(t)
  const app = await createSessionsApp(t, { refresh: true, revocation: true })
  const { accessToken, refreshToken } = (await login(app)).body
  clock.forward(15 * 60)
  t.match(await ask(app, accessToken, '/me'), {
    status: 401,
    body: { message: 'Invalid access token: it has expired' }
  })
  const { status, body } = await refresh(app, refreshToken)
  t.equal(status, 201)
  t.equal((await ask(app, body.accessToken, '/me')).status, 200)
})

t.test('a time that is none stops the start', async (t) => {
  for (const expiresIn of ['soon', '', 0, -1, Number.NaN, '10ms', Number.POSITIVE_INFINITY])
    await t.rejects(createSessionsApp(t, { refresh: { expiresIn } }), /refresh\.expiresIn/, String(expiresIn))
  const misspelt = { refresh: { expires: '1h' } as object }
  await t.rejects(createSessionsApp(t, misspelt), /refresh\.expires/, 'one that is misspelt')
})
