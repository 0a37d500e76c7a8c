import errors from '@feathersjs/errors'
import type { Application } from '@feathersjs/feathers'
import { Unavailable } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { clients, createStorage, listen, type Storage, tokenIn } from '../support/auth-interop-clients.js'
import { createSessionsApp } from '../support/auth-sessions.js'
import { claims, forge, now } from '../support/tokens.js'
import { user } from '../support/users-app.js'

const credentials = { strategy: 'local', ...user }
const fails = (call: Promise<unknown>) => call.catch((error) => error) as Promise<errors.FeathersError>

async function serve(t: Test): Promise<string> {
  const app = await createSessionsApp(t, { refresh: true, revocation: true, jwt: { expiresIn: '1d' } }, (app) => {
    const notes = {
      get: async (id: string) => ({ id }),
      create: async (data: object) => data,
      patch: async (id: string, data: object) => ({ id, ...data }),
      remove: async (id: string) => ({ id }),
      find: async ({ user, query }: { user?: object; query?: object }) => ({ user, query })
    }
    app.service('notes', notes, { hooks: { around: { all: [authenticate('jwt')] } } })
  })
  return app.listen({ port: 0, host: '127.0.0.1' })
}

type Connect = (storage: Storage) => Application

const suite: Record<string, (t: Test, connect: Connect) => Promise<void>> = {
  async 'logs in and calls a protected service, with each method'(t, connect) {
    const storage = createStorage()
    const app = connect(storage)
    const events = listen(app)
    const result = await app.authenticate(credentials)
    t.match(result, { accessToken: String, user: { id: 1, email: user.email }, authentication: { strategy: 'local' } })
    t.notOk('password' in result.user)
    t.equal(await tokenIn(storage), result.accessToken, 'the token is in the storage')
    t.strictSame(
      events.map(({ event }) => event),
      ['login', 'authenticated']
    )
    t.equal(app.authentication.authenticated, true)
    t.strictSame(await app.get('authentication'), result)

    const notes = app.service('notes')
    t.match(await notes.find({ query: { a: '1' } }), { user: { id: 1, email: user.email }, query: { a: '1' } })
    t.strictSame(await notes.get('1'), { id: '1' })
    t.strictSame(await notes.create({ text: 'ä' }), { text: 'ä' })
    t.strictSame(await notes.patch('1', { text: 'b' }), { id: '1', text: 'b' })
    t.strictSame(await notes.remove('1'), { id: '1' })
  },

  async 'fails with a wrong password, and stays out'(t, connect) {
    const storage = createStorage()
    const app = connect(storage)
    const events = listen(app)
    for (const wrong of [{ password: 'wrong' }, { email: 'nobody@example.com' }, { password: undefined }]) {
      const error = await fails(app.authenticate({ ...credentials, ...wrong }))
      t.type(error, errors.NotAuthenticated)
      t.match(error, { name: 'NotAuthenticated', message: 'Invalid login', code: 401, className: 'not-authenticated' })
    }
    const unknown = await fails(app.authenticate({ strategy: 'github' }))
    t.type(unknown, errors.NotAuthenticated)
    t.match(unknown.message, /^Invalid authentication information/)
    t.equal(await tokenIn(storage), undefined)
    t.equal(app.authentication.authenticated, false)
    t.strictSame(events, [])
    const refused = await fails(app.service('notes').find())
    t.type(refused, errors.NotAuthenticated)
    t.match(refused, { message: 'Not authenticated', code: 401 })
  },

  async 're-authenticates from the storage in a second instance'(t, connect) {
    const storage = createStorage()
    const { accessToken } = await connect(storage).authenticate(credentials)
    const app = connect(storage)
    t.type(await fails(app.service('notes').find()), errors.NotAuthenticated, 'not by itself')
    const result = await app.reAuthenticate()
    t.match(result, { accessToken, user: { id: 1 }, authentication: { strategy: 'jwt', payload: { sub: '1' } } })
    t.match(await app.service('notes').find(), { user: { id: 1 } })
    t.equal(await tokenIn(storage), accessToken)
    t.equal(await app.reAuthenticate(), result, 'once is enough')
    t.match(await app.reAuthenticate(true), { accessToken }, 'unless it is forced')
    t.match(await connect(storage).authenticate(), { accessToken }, 'without arguments it is the same')
  },

  async 'logs out'(t, connect) {
    const storage = createStorage()
    const [app, other] = [connect(storage), connect(storage)]
    const { accessToken } = await app.authenticate(credentials)
    await other.reAuthenticate()
    const events = listen(app)
    const result = await app.logout()
    t.match(result, { accessToken, user: { id: 1 }, authentication: { strategy: 'jwt' } })
    t.strictSame(events, [{ event: 'logout', result }])
    t.equal(await tokenIn(storage), undefined)
    t.equal(app.authentication.authenticated, false)
    t.equal(app.get('authentication'), null)
    t.match(await fails(app.service('notes').find()), { message: 'Not authenticated', code: 401 })
    t.match(await fails(other.service('notes').find()), { code: 401 }, 'with `revocation` the other one is out too')
    t.match(await app.authenticate(credentials), { user: { id: 1 } }, 'and may log in again')
  },

  async 'trades a refresh token'(t, connect) {
    const storage = createStorage()
    const app = connect(storage)
    const { refreshToken } = await app.authenticate(credentials)
    const { refreshToken: second } = await app.authenticate({ strategy: 'refresh', refreshToken })
    const next = await app.authenticate({ strategy: 'refresh', refreshToken: second })
    t.equal(await tokenIn(storage), next.accessToken)
    t.match(await app.service('notes').find(), { user: { id: 1 } })
    t.type(await fails(app.authenticate({ strategy: 'refresh', refreshToken })), errors.NotAuthenticated)
    t.equal(await tokenIn(storage), undefined)
  }
}

t.test('`@feathersjs/authentication-client` works unchanged', async (t) => {
  const base = await serve(t)
  for (const [name, connect] of Object.entries(clients))
    for (const [what, run] of Object.entries(suite))
      await t.test(`${name}: ${what}`, (t) => run(t as Test, (storage) => connect(base, storage)))
})

async function serveChecked(t: Test) {
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
  const { base, state } = await serveChecked(t as Test)
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
