import { setTimeout } from 'node:timers/promises'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { decode } from '../support/auth-fault-tokens.js'
import { claims, forge, now } from '../support/tokens.js'
import { ask, createUsersApp, login } from '../support/users-app.js'

const me = { find: async () => 'let in' }
const guarded = { hooks: { around: { all: [authenticate('jwt')] } } }
const createApp = (t: Test, expiresIn?: string | number, refresh = false) =>
  createUsersApp(t, {
    options: { ...(expiresIn !== undefined && { jwt: { expiresIn } }), refresh },
    before: (app) => app.service('me', me, guarded)
  })

const rows: [expiresIn: string | number | undefined, seconds: number][] = [
  [undefined, 86_400],
  ['1d', 86_400],
  ['15m', 900],
  ['12h', 43_200],
  ['7d', 604_800],
  ['90s', 90],
  ['1 day', 86_400],
  ['1500ms', 1],
  [60, 60],
  [1.5, 1]
]

t.test('`expiresIn`: 1 day, or the seconds or the span of the option', async (t) => {
  for (const [expiresIn, seconds] of rows) {
    const { accessToken, authentication } = (await login(await createApp(t as Test, expiresIn))).body
    const { iat, exp } = decode(accessToken, 1)
    t.equal(Number(exp) - Number(iat), seconds, `${expiresIn}`)
    t.same(authentication.payload, decode(accessToken, 1))
  }
})

t.test('15 minutes where refresh tokens are on, unless the option says otherwise', async (t) => {
  for (const [expiresIn, seconds] of [
    [undefined, 900],
    ['1h', 3600]
  ] as const) {
    const { iat, exp } = decode((await login(await createApp(t as Test, expiresIn, true))).body.accessToken, 1)
    t.equal(Number(exp) - Number(iat), seconds)
  }
})

t.test('a token is good until it expires', async (t) => {
  const app = await createApp(t as Test, 1)
  const { accessToken } = (await login(app)).body
  t.equal((await ask(app, accessToken, '/me')).status, 200)
  const expired = {
    status: 401,
    body: { message: 'Invalid access token: it has expired', code: 401, className: 'not-authenticated' }
  }
  const { exp } = decode(accessToken, 1)
  await setTimeout(Number(exp) * 1000 - Date.now() + 10)
  t.match(await ask(app, accessToken, '/me'), expired)
  t.match(await ask(app, accessToken, { method: 'DELETE', url: '/authentication' }), expired)
  t.match(await login(app, { strategy: 'jwt', accessToken }), expired)
})

t.test('the age of a token is its own: what others have signed may live longer or shorter', async (t) => {
  const app = await createApp(t as Test, '15m')
  t.equal((await ask(app, forge(claims({ exp: now() + 1_000_000 })), '/me')).status, 200)
  t.equal((await ask(app, forge(claims({ exp: now() - 1, iat: now() })), '/me')).status, 401)
})
