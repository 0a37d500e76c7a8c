import t from 'tap'
import { createSessionsApp, createStore, refresh, waysIn } from '../support/auth-sessions.js'
import { login } from '../support/users-app.js'

const yes = () => true
const no = () => false

t.test('when the store can not be read, a refresh is 500, and the token is not used up', async (t) => {
  const { store, failing } = createStore()
  const app = await createSessionsApp(t, { refresh: true, store })
  const { refreshToken } = (await login(app)).body
  failing.get = yes
  for (let i = 0; i < 2; i++) {
    const { status, body } = await refresh(app, refreshToken)
    t.equal(status, 500)
    t.notOk('accessToken' in body)
  }
  failing.get = no
  t.equal((await refresh(app, refreshToken)).status, 201)
})

t.test('when the store can not be written, neither a log-in nor a refresh gives tokens', async (t) => {
  const { store, failing } = createStore()
  const app = await createSessionsApp(t, { refresh: true, store })
  const { refreshToken } = (await login(app)).body
  failing.set = yes
  for (const answer of [await login(app), await refresh(app, refreshToken)]) {
    t.equal(answer.status, 500)
    t.notOk('accessToken' in answer.body)
    t.notOk('refreshToken' in answer.body)
  }
  failing.set = no
  t.equal((await refresh(app, refreshToken)).status, 201)
})

for (const [what, part] of Object.entries({ 'the login': ':session:', 'the list': ':revoked:' }))
  t.test(
    `a reuse that can not be written down, at ${what}, lets nobody in, and ends the login when it comes again`,
    async (t) => {
      const { store, failing } = createStore()
      const app = await createSessionsApp(t, { refresh: true, revocation: true, store })
      const { refreshToken } = (await login(app)).body
      const next = (await refresh(app, refreshToken)).body
      failing.set = (key) => key.includes(part)
      const { status, body } = await refresh(app, refreshToken)
      t.ok([401, 500].includes(status))
      t.notOk('accessToken' in body)
      failing.set = no
      t.equal((await refresh(app, refreshToken)).status, 401)
      t.equal((await refresh(app, next.refreshToken)).status, 401)
      t.strictSame(await waysIn(app, next.accessToken), [401, 401, 401])
    }
  )

t.test('what the store holds may be broken: nobody is let in', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: true, store })
  for (const value of ['', 'revoked', 'null', '{}', '[]', '{', '1', '{"exp":9999999999}']) {
    const { refreshToken } = (await login(app)).body
    const { key = '' } = sets.at(-1) ?? {}
    await store.set(key, value, 60)
    const { status, body } = await refresh(app, refreshToken)
    t.ok(status === 401 || status === 500, value)
    t.notOk('accessToken' in body)
  }
})
