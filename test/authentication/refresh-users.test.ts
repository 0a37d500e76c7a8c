import { Unavailable } from 'fastify-services'
import t from 'tap'
import { createSessionsApp, refresh } from '../support/auth-sessions.js'
import { login } from '../support/users-app.js'

t.test('the refresh token of a deleted user is 401', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const { refreshToken } = (await login(app)).body
  await app.service('users').remove(1)
  for (let i = 0; i < 2; i++) {
    const { status, body } = await refresh(app, refreshToken)
    t.equal(status, 401)
    t.match(body, { name: 'NotAuthenticated', message: 'Invalid refresh token' })
    t.notOk('accessToken' in body)
  }
})

t.test('the answer to a refresh shows the user as of now, and no password', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const { refreshToken } = (await login(app)).body
  await app.service('users').patch(1, { email: 'lovelace@example.com', role: 'admin' })
  const { body } = await refresh(app, refreshToken)
  t.strictSame(body.user, { email: 'lovelace@example.com', role: 'admin', id: 1 })
})

for (const [when, provider] of Object.entries({ 'looked up': undefined, 'shown to the client': 'rest' }))
  t.test(`when the user can not be ${when}, the refresh token is not used up`, async (t) => {
    let isDown = false
    const app = await createSessionsApp(t, { refresh: true }, (app) => {
      const fail = async (context: { params: { provider?: string } }) => {
        if (isDown && context.params.provider === provider) throw new Unavailable('The users are down')
      }
      app.service('users').hooks({ before: { get: [fail] } })
    })
    const { refreshToken } = (await login(app)).body
    isDown = true
    for (let i = 0; i < 3; i++)
      t.match(await refresh(app, refreshToken), { status: 503, body: { message: 'The users are down' } })
    isDown = false
    const next = await refresh(app, refreshToken)
    t.equal(next.status, 201)
    t.equal((await refresh(app, next.body.refreshToken)).status, 201)
  })

t.test('a user that a hook refuses gets no new tokens, and the refresh token is not used up', async (t) => {
  let isLocked = true
  const app = await createSessionsApp(t, {
    refresh: true,
    hooks: {
      before: {
        create: [
          async ({ data }) => {
            if (isLocked && (data as { strategy?: string }).strategy === 'refresh') throw new Unavailable('Locked')
          }
        ]
      }
    }
  })
  const { refreshToken } = (await login(app)).body
  t.equal((await refresh(app, refreshToken)).status, 503)
  isLocked = false
  t.equal((await refresh(app, refreshToken)).status, 201)
})
