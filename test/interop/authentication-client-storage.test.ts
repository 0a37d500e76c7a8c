import errors from '@feathersjs/errors'
import { Unavailable } from 'fastify-services'
import t, { type Test } from 'tap'
import { clients, createStorage, listen, tokenIn } from '../support/auth-interop-clients.js'
import { createSessionsApp } from '../support/auth-sessions.js'
import { claims, forge, now } from '../support/tokens.js'
import { user } from '../support/users-app.js'

const fails = (call: Promise<unknown>) => call.catch((error) => error) as Promise<errors.FeathersError>

async function serve(t: Test) {
  const state = { isDown: false }
  const app = await createSessionsApp(t, {}, (app) => {
    const check = async () => {
      if (state.isDown) throw new Unavailable('Back soon')
    }
    app.service('users').hooks({ before: { get: [check] } })
  })
  return { base: await app.listen({ port: 0, host: '127.0.0.1' }), state }
}

const bad: Record<string, string> = {
  'a token that has expired': forge(claims({ exp: now() - 1 })),
  'a token of another server': forge(claims({ iss: 'other' })),
  'a token with another signature': forge(claims(), {}, 'x'.repeat(32)),
  'a token of a deleted user': forge(claims({ sub: '99' })),
  'what is no token': 'nonsense'
}

t.test('`@feathersjs/authentication-client`: what is in the storage', async (t) => {
  const { base, state } = await serve(t as Test)
  for (const [name, connect] of Object.entries(clients)) {
    await t.test(`${name}: a bad token is refused, and removed`, async (t) => {
      for (const [row, token] of Object.entries(bad)) {
        const storage = createStorage()
        await storage.setItem('feathers-jwt', token)
        const app = connect(base, storage)
        const events = listen(app)
        const error = await fails(app.reAuthenticate())
        t.type(error, errors.NotAuthenticated, row)
        t.match(error, { message: /^Invalid access token/, code: 401, className: 'not-authenticated' })
        t.equal(await tokenIn(storage), undefined)
        t.strictSame(events, [])
        t.equal(app.authentication.authenticated, false)
        t.type(await fails(app.service('me').find()), errors.NotAuthenticated)
      }
    })

    await t.test(`${name}: without a token nothing is sent`, async (t) => {
      const error = await fails(connect(base, createStorage()).reAuthenticate())
      t.match(error, { message: 'No accessToken found in storage', code: 401 })
    })

    await t.test(`${name}: when the server is in trouble, the token is kept`, async (t) => {
      const storage = createStorage()
      const { accessToken } = await connect(base, storage).authenticate({ strategy: 'local', ...user })
      state.isDown = true
      const error = await fails(connect(base, storage).reAuthenticate())
      state.isDown = false
      t.type(error, errors.Unavailable)
      t.match(error, { message: 'Back soon', code: 503 })
      t.equal(await tokenIn(storage), accessToken)
      t.match(await connect(base, storage).reAuthenticate(), { accessToken })
    })

    await t.test(`${name}: a logout with a token that has expired removes it`, async (t) => {
      const storage = createStorage()
      const app = connect(base, storage)
      await app.authenticate({ strategy: 'local', ...user })
      app.set('authentication', Promise.resolve({ accessToken: bad['a token that has expired'] }))
      t.equal(await app.logout(), null)
      t.equal(await tokenIn(storage), undefined)
    })

    await t.test(`${name}: its options \`scheme\` and \`storageKey\``, async (t) => {
      for (const scheme of ['JWT', 'bearer', 'Bearer:']) {
        const storage = createStorage()
        const app = connect(base, storage, { scheme, storageKey: 'token' })
        const { accessToken } = await app.authenticate({ strategy: 'local', ...user })
        t.match(await app.service('me').find(), { user: { id: 1 } }, scheme)
        t.equal(await tokenIn(storage, 'token'), accessToken)
      }
    })
  }
})
