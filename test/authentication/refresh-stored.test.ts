import t from 'tap'
import { createClock, createSessionsApp, createStore, logout, refresh } from '../support/auth-sessions.js'
import { login, user } from '../support/users-app.js'

t.test('the store never holds a usable token: only hashes', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: true, revocation: true, store })
  const first = (await login(app)).body
  const second = (await refresh(app, first.refreshToken)).body
  const other = (await login(app)).body
  await logout(app, other.accessToken)

  const stored = JSON.stringify(sets)
  for (const { accessToken, refreshToken } of [first, second, other]) {
    for (const token of [accessToken, refreshToken, ...accessToken.split('.').slice(1), ...refreshToken.split('.')])
      t.notOk(stored.includes(token), 'no token, and no part of one')
    t.notOk(stored.includes(Buffer.from(refreshToken).toString('base64url')))
  }
  t.notMatch(stored, /scrypt/, 'no password')
  t.notOk(stored.includes(user.password))

  const words = new Set([stored, ...stored.split(/["\\:,{}[\]]+/), ...sets.flatMap(({ key, value }) => [key, value])])
  const ids = [...words].filter((word) => /^[\w-]{22}$/.test(word))
  const hashes = [...words].filter((word) => /^[\w-]{43}$/.test(word))
  t.ok(ids.length > 0 && hashes.length > 0)
  const made = ids.flatMap((id) => hashes.map((hash) => `${id}.${hash}`))
  for (const token of [...words, ...made]) t.equal((await refresh(app, token)).status, 401)
  t.equal((await refresh(app, second.refreshToken)).status, 201, 'and the login that they belong to goes on')
})

t.test('for each login it holds one entry, whatever the number of refreshes', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: true, store })
  let { body } = await login(app)
  for (let i = 0; i < 4; i++) body = (await refresh(app, body.refreshToken)).body
  t.equal(sets.length, 5)
  t.strictSame([...new Set(sets.map(({ key }) => key))], [`authentication:session:${body.authentication.payload.sid}`])
  const values = sets.map(({ value }) => JSON.parse(value).hash)
  t.equal(new Set(values).size, 5, 'the hash of the one that is good, and no other')
})

t.test('a login that has ended is remembered as long as its tokens could come back', async (t) => {
  const clock = createClock(t)
  const { store } = createStore()
  const app = await createSessionsApp(t, { refresh: { expiresIn: '1h' }, revocation: true, store })
  const { refreshToken } = (await login(app)).body
  const next = (await refresh(app, refreshToken)).body
  await refresh(app, refreshToken)
  for (const seconds of [1, 1800, 1800, 3600]) {
    clock.forward(seconds)
    for (const token of [refreshToken, next.refreshToken]) t.equal((await refresh(app, token)).status, 401)
  }
})
