import { authenticate, type Secret } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { decode, sign } from '../support/auth-fault-tokens.js'
import { claims, forge, now } from '../support/tokens.js'
import { ask, createUsersApp, login } from '../support/users-app.js'

const [oldest, old, current] = ['1'.repeat(32), '2'.repeat(32), '3'.repeat(32)] as const

const createApp = (t: Test, secret: Secret | Secret[]) =>
  createUsersApp(t, {
    options: { secret },
    before: (app) => app.get('/me', { preHandler: authenticate('jwt') }, (request) => request.user)
  })
type App = Awaited<ReturnType<typeof createApp>>
const statusOf = async (app: App, token: string) => (await ask(app, token, '/me')).status

/** Whether a token is signed with a secret. */
function isSignedWith(secret: string, token: string): boolean {
  const [head, body, signature] = token.split('.')
  return sign('HS256', secret, `${head}.${body}`).toString('base64url') === signature
}

t.test('Secret rotation: `secret` may be a list, the first signs', async (t) => {
  const { accessToken } = (await login(await createApp(t as Test, [current, old, oldest]))).body
  t.ok(isSignedWith(current, accessToken))
  t.notOk(isSignedWith(old, accessToken))
})

t.test('Secret rotation: all verify', async (t) => {
  const app = await createApp(t as Test, [current, old, oldest])
  for (const secret of [current, old, oldest]) {
    const token = forge(claims(), {}, secret)
    t.equal(await statusOf(app, token), 200)
    t.equal((await login(app, { strategy: 'jwt', accessToken: token })).status, 201)
    t.equal((await ask(app, token, { method: 'DELETE', url: '/authentication' })).status, 200)
  }
  t.equal(await statusOf(app, forge(claims(), {}, '4'.repeat(32))), 401)
  t.equal(await statusOf(app, forge(claims(), {}, current + old)), 401)
})

t.test('Secret rotation: step by step, nobody is logged out', async (t) => {
  const before = (await login(await createApp(t as Test, old))).body.accessToken
  const rotated = await createApp(t as Test, [current, old])
  t.equal(await statusOf(rotated, before), 200)
  const after = (await login(rotated)).body.accessToken
  const last = await createApp(t as Test, current)
  t.equal(await statusOf(last, after), 200)
  t.equal(await statusOf(last, before), 401, 'the old secret is taken away')
})

t.test('Secret rotation: a login with a token of an old secret gives that same token', async (t) => {
  const app = await createApp(t as Test, [current, old])
  const token = forge(claims(), {}, old)
  t.equal((await login(app, { strategy: 'jwt', accessToken: token })).body.accessToken, token)
})

t.test('Secret rotation: a token of an old secret is held to the same rules', async (t) => {
  const app = await createApp(t as Test, [current, old])
  const changes = [{ aud: 'other' }, { iss: 'other' }, { sub: undefined }, { exp: undefined }, { nbf: now() + 60 }]
  for (const change of changes) t.equal(await statusOf(app, forge(claims(change), {}, old)), 401)
  t.equal(await statusOf(app, forge(claims(), { alg: 'HS512' }, old, 'sha512')), 401)
})

t.test('Secret rotation: whichever secret has signed it, an expired token is said to be that', async (t) => {
  const app = await createApp(t as Test, [current, old, oldest])
  const message = async (key: string) => (await ask(app, forge(claims({ exp: 1 }), {}, key), '/me')).body.message
  for (const key of [current, old, oldest]) t.equal(await message(key), 'Invalid access token: it has expired')
  t.equal(await message('4'.repeat(32)), 'Invalid access token')
})

t.test('a list of one, of Buffers and texts, of the same twice', async (t) => {
  const lists: Secret[][] = [[current], [Buffer.from(current), old], [current, Buffer.from(old)], [current, current]]
  for (const secret of lists) {
    const app = await createApp(t as Test, secret)
    const { accessToken } = (await login(app)).body
    t.ok(isSignedWith(current, accessToken))
    t.equal(decode(accessToken, 0).alg, 'HS256')
    t.equal(await statusOf(app, accessToken), 200)
    if (secret.length > 1 && secret[1] !== current) t.equal(await statusOf(app, forge(claims(), {}, old)), 200)
  }
})
