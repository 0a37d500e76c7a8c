import type { HookContext } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { claims, forge } from '../support/tokens.js'
import { ask, createUsersApp, login } from '../support/users-app.js'

/** An application whose tokens have a claim of so many characters. */
function createApp(t: Test, size: number) {
  const payload = async ({ params }: HookContext) =>
    void Object.assign(params, { payload: { rights: 'x'.repeat(size) } })
  return createUsersApp(t, {
    options: { hooks: { before: { create: [payload] } } },
    before: (app) => app.get('/me', { preHandler: authenticate('jwt') }, (request) => request.user)
  })
}

t.test('a token with many claims is good', async (t) => {
  const app = await createApp(t as Test, 5000)
  const { accessToken } = (await login(app)).body
  t.ok(accessToken.length > 6000)
  t.equal((await ask(app, accessToken, '/me')).status, 200)
})

t.test('a token that would be too long to be verified is not handed out: an error that says so', async (t) => {
  const app = await createApp(t as Test, 7000)
  const { status, body } = await login(app)
  t.equal(status, 500)
  t.match(body.message, /too (long|large|big|many)|8192/)
})

t.test('12 kB token, and one with a character more than 8 kB: 401, signed or not', async (t) => {
  const app = await createApp(t as Test, 0)
  const padded = (length: number) => {
    const least = forge(claims({ junk: '' })).length
    return forge(claims({ junk: 'x'.repeat(Math.floor(((length - least) * 3) / 4)) }))
  }
  const [fits, exceeds] = [padded(8190), padded(8196)]
  t.ok(fits.length <= 8192 && exceeds.length > 8192)
  t.equal((await ask(app, fits, '/me')).status, 200)
  t.equal((await ask(app, exceeds, '/me')).status, 401)
  t.equal((await ask(app, padded(12_000), '/me')).status, 401)
})
