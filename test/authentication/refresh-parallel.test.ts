import t from 'tap'
import { createSessionsApp, createStore, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { login } from '../support/users-app.js'

const count = (statuses: number[], status: number) => statuses.filter((one) => one === status).length

for (const [name, store] of Object.entries({ 'in memory': undefined, 'that answers later': createStore().store }))
  t.test(`of parallel uses of a refresh token exactly one wins, with a store ${name}`, async (t) => {
    const app = await createSessionsApp(t, { refresh: true, revocation: true, ...(store && { store }) })
    for (const uses of [2, 10]) {
      const { refreshToken } = (await login(app)).body
      const answers = await Promise.all(Array.from({ length: uses }, () => refresh(app, refreshToken)))
      const statuses = answers.map(({ status }) => status)
      t.equal(count(statuses, 201), 1, `of ${uses} uses`)
      t.equal(count(statuses, 401), uses - 1, 'the others are refused')
      const winner = answers.find(({ status }) => status === 201)?.body
      t.equal((await refresh(app, winner?.refreshToken)).status, 401, 'a token was used twice: the login is over')
      t.strictSame(await waysIn(app, String(winner?.accessToken)), [401, 401, 401])
      t.equal((await refresh(app, refreshToken)).status, 401)
    }
  })

t.test('logins do not wait for each other', async (t) => {
  const { store } = createStore()
  let isHeld = false
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = {
    ...store,
    async get(key: string) {
      if (isHeld && key.endsWith(one.authentication.payload.sid as string)) await held
      return store.get(key)
    }
  }
  const app = await createSessionsApp(t, { refresh: true, store: slow })
  const [one, two] = [(await login(app)).body, (await login(app)).body]
  isHeld = true
  const waiting = refresh(app, one.refreshToken)
  t.equal((await refresh(app, two.refreshToken)).status, 201)
  release()
  t.equal((await waiting).status, 201)
})

t.test('a logout beside a refresh: whichever comes first, the login is over after both', async (t) => {
  const { store } = createStore()
  const app = await createSessionsApp(t, { refresh: true, revocation: true, store })
  for (const isFirst of [true, false]) {
    const { accessToken, refreshToken } = (await login(app)).body
    const first = isFirst ? logout(app, accessToken) : undefined
    const trade = refresh(app, refreshToken)
    const end = first ?? logout(app, accessToken)
    t.equal((await end).status, 200)
    const next = await trade
    t.ok([201, 401].includes(next.status))
    t.equal((await refresh(app, refreshToken)).status, 401)
    t.equal((await refresh(app, next.body.refreshToken)).status, 401)
    if (next.status === 201) t.strictSame(await waysIn(app, next.body.accessToken), [401, 401, 401])
    t.strictSame(await waysIn(app, accessToken), [401, 401, 401])
  }
})
