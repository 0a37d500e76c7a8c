import { BadGateway, Forbidden, NotFound, Unavailable } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { claims, forge, now } from '../support/tokens.js'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

const guarded = { hooks: { around: { all: [authenticate('jwt')] } } }

/** An application whose users service does as `state.act` says, and counts. */
async function createApp(t: Test) {
  const state = { calls: 0, act: (): unknown => undefined }
  const hook = async (context: { result?: unknown }) => {
    state.calls++
    const result = await state.act()
    if (result !== undefined) context.result = result
  }
  const app = await createUsersApp(t, {
    before: (app) => {
      app.service('users').hooks({ before: { get: [hook], find: [hook] } })
      app.service('me', { find: async ({ user }: { user?: object }) => user ?? null }, guarded)
      app.get('/route', { preHandler: authenticate('jwt') }, (request) => request.user)
    }
  })
  /** The status of everything that a token is good for. */
  const statuses = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const payload = { strategy: 'jwt', accessToken: token }
    const requests = [
      { url: '/me', headers },
      { url: '/route', headers },
      { method: 'DELETE', url: '/authentication', headers },
      { method: 'POST', url: '/authentication', payload }
    ] as const
    return Promise.all(requests.map(async (request) => (await app.inject(request)).statusCode))
  }
  return { app, state, statuses }
}

t.test('token of a deleted user: 401', async (t) => {
  const { app, statuses } = await createApp(t as Test)
  const { accessToken } = (await login(app)).body
  t.same(await statuses(accessToken), [200, 200, 200, 201])
  await app.service('users').remove(1)
  t.same(await statuses(accessToken), [401, 401, 401, 401])
  t.match((await ask(app, accessToken, '/me')).body, { name: 'NotAuthenticated', message: 'Invalid access token' })
  await app.service('users').create({ ...user })
  t.same(await statuses(accessToken), [401, 401, 401, 401], 'the next user has another id')
})

const failing = (error: unknown) => () => {
  throw error
}

t.test('a users service that fails: its status stays', async (t) => {
  const { app, state, statuses } = await createApp(t as Test)
  const rows: [row: string, error: unknown, status: number][] = [
    ['an error', new Error('no database'), 500],
    ['a text', 'no database', 500],
    ['nothing', undefined, 500],
    ['a code of a driver', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 500],
    ['a code of a driver that is a number', Object.assign(new Error('x'), { code: 404 }), 500],
    ['Unavailable', new Unavailable(), 503],
    ['BadGateway', new BadGateway(), 502],
    ['Forbidden', new Forbidden(), 403]
  ]
  for (const [row, error, status] of rows) {
    state.act = failing(error)
    t.same(await statuses(forge()), [status, status, status, status], row)
    t.equal((await login(app)).status, status, `${row}, at a login`)
  }
  state.act = () => undefined
  t.same(await statuses(forge()), [200, 200, 200, 201], 'and is back')
})

t.test('a users service that finds none: 401', async (t) => {
  const { state, statuses } = await createApp(t as Test)
  const foreign = Object.assign(new Error('No record'), { code: 404, name: 'NotFound', className: 'not-found' })
  for (const act of [() => null, failing(new NotFound()), failing(foreign)]) {
    state.act = act
    t.same(await statuses(forge()), [401, 401, 401, 401])
  }
})

t.test('a token that is not good asks for no user', async (t) => {
  const { state, statuses } = await createApp(t as Test)
  state.calls = 0
  for (const token of ['', 'bad', forge(claims(), {}, 'x'.repeat(32)), forge(claims({ exp: now() - 1 }))])
    t.same(await statuses(token), [401, 401, 401, 401])
  t.equal(state.calls, 0)
  await statuses(forge())
  t.ok(state.calls > 0)
})
