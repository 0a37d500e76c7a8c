import { Unavailable } from 'fastify-services'
import type { TokenPayload } from 'fastify-services/authentication'
import t from 'tap'
import { createClock, createSessionsApp, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { claims, forge, now } from '../support/tokens.js'
import { ask, login } from '../support/users-app.js'

const good = forge(claims({ jti: 'good' }))
const bad = forge(claims({ jti: 'bad' }))

const answers: Record<string, (payload: TokenPayload) => unknown> = {
  true: () => true,
  'a promise of true': async () => true,
  'a promise of true, later': () => new Promise((resolve) => setTimeout(resolve, 5, true))
}

for (const [name, answer] of Object.entries(answers))
  t.test(`\`isRevoked\` that gives ${name} refuses the token, and no other`, async (t) => {
    const isRevoked = (payload: TokenPayload) => (payload.jti === 'bad' ? answer(payload) : false) as boolean
    const app = await createSessionsApp(t, { isRevoked })
    t.strictSame(await waysIn(app, bad), [401, 401, 401])
    t.match((await ask(app, bad, '/me')).body, { message: 'Invalid access token: it was revoked', code: 401 })
    t.equal((await logout(app, bad)).status, 401)
    t.strictSame(await waysIn(app, good), [200, 200, 201])
    t.equal((await logout(app, good)).status, 200)
    const call = { authentication: { strategy: 'jwt', accessToken: bad } }
    await t.rejects(app.service('me').find(call), { code: 401 }, 'also for a call of the server')
  })

const failures: Record<string, () => unknown> = {
  throws: () => {
    throw new Error('No connection')
  },
  rejects: () => Promise.reject(new Error('No connection')),
  'throws a number': () => {
    throw 404
  },
  'throws with a status of its own': () => {
    throw Object.assign(new Error('No connection'), { statusCode: 200, code: 'ENOENT' })
  },
  'throws undefined': () => {
    throw undefined
  }
}

for (const [name, fail] of Object.entries(failures))
  t.test(`\`isRevoked\` that ${name}: the call is refused with 500, and not let through`, async (t) => {
    const isRevoked = (payload: TokenPayload) => (payload.jti === 'bad' ? fail() : false) as boolean
    let called = 0
    const app = await createSessionsApp(t, { isRevoked }, (app) => {
      app.service('me').hooks({ before: { find: [async () => void called++] } })
    })
    t.strictSame(await waysIn(app, bad), [500, 500, 500])
    t.equal((await logout(app, bad)).status, 500)
    t.equal(called, 0, 'nothing behind the guard has run')
    t.strictSame(await waysIn(app, good), [200, 200, 201], 'others go on')
  })

t.test('`isRevoked` that throws an error of a service: its status is answered', async (t) => {
  const app = await createSessionsApp(t, {
    isRevoked: () => Promise.reject(new Unavailable('Back soon'))
  })
  t.strictSame(await waysIn(app, good), [503, 503, 503])
})

t.test('`isRevoked` stands beside the list of `revocation`', async (t) => {
  const ended = new Map<string, number>()
  const isRevoked = ({ sub, iat }: TokenPayload) => iat <= (ended.get(sub) ?? 0)
  const app = await createSessionsApp(t, { revocation: true, isRevoked })
  t.strictSame(await waysIn(app, bad), [200, 200, 201])
  await logout(app, bad)
  t.strictSame(await waysIn(app, bad), [401, 401, 401], 'on the list')
  t.strictSame(await waysIn(app, good), [200, 200, 201])
  ended.set('1', now() + 1)
  t.strictSame(await waysIn(app, good), [401, 401, 401], 'by the rule')
})

t.test('a rule by `auth_time` refuses what a refresh gives too, and lets in who logs in again', async (t) => {
  const clock = createClock(t)
  const changed = new Map<string, number>()
  const isRevoked = ({ sub, auth_time = 0 }: TokenPayload) => auth_time <= (changed.get(sub) ?? 0)
  const app = await createSessionsApp(t, { refresh: true, isRevoked })
  const { refreshToken, accessToken } = (await login(app)).body
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201])
  changed.set('1', now())
  clock.forward(10)
  const next = (await refresh(app, refreshToken)).body
  for (const token of [accessToken, next.accessToken]) t.strictSame(await waysIn(app, token), [401, 401, 401])
  t.strictSame(await waysIn(app, (await login(app)).body.accessToken), [200, 200, 201])
})
