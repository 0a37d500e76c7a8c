import type { HookContext, Params } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { decode } from '../support/auth-fault-tokens.js'
import { claims, forge, now } from '../support/tokens.js'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

type Seen = Pick<Params, 'provider'> & { user?: unknown; authentication?: unknown; authenticated?: unknown }

/** An application with a guarded service and one without a guard; both note what is in their params. */
async function createSpy(t: Test) {
  const seen: [place: string, params: Seen][] = []
  const note = (place: string, { provider, user, authentication, authenticated }: Seen) =>
    void seen.push([place, { provider, user, authentication, authenticated } as Seen])
  const service = (name: string) => ({ find: async (params: Seen) => note(`${name}: the method`, params) })
  const hook = async ({ params }: HookContext) => note('guarded: a hook', params)
  const app = await createUsersApp(t, {
    before: (app) => {
      const hooks = { around: { all: [authenticate('jwt')] }, before: { all: [hook] } }
      app.service('guarded', service('guarded'), { hooks })
      app.service('open', service('open'))
    }
  })
  return { app, seen }
}

t.test('`params.authentication`, `params.user` and `params.authenticated` are set for hooks and methods', async (t) => {
  const { app, seen } = await createSpy(t as Test)
  const { accessToken } = (await login(app)).body
  t.equal((await ask(app, accessToken, '/guarded')).status, 204)
  const expected = {
    provider: 'rest',
    user: { id: 1, email: user.email },
    authentication: { strategy: 'jwt', accessToken, payload: decode(accessToken, 1) },
    authenticated: true
  }
  t.strictSame(seen, [
    ['guarded: a hook', expected],
    ['guarded: the method', expected]
  ])
})

t.test('Protected service methods called from the server itself (no `provider`) need no token', async (t) => {
  const { app, seen } = await createSpy(t as Test)
  const none = { provider: undefined, user: undefined, authentication: undefined, authenticated: undefined }
  await app.service('guarded').find()
  await app.service('guarded').find({ query: { a: '1' } })
  await app.service('guarded').find({ provider: undefined } as never)
  t.strictSame(
    seen.filter(([place]) => place === 'guarded: the method').map(([, params]) => params),
    [none, none, none]
  )
  const rest = { provider: 'rest' } as Params
  await t.rejects(app.service('guarded').find(rest), { code: 401, message: 'Not authenticated' })
})

t.test('protected, and no token: neither hooks nor the method run', async (t) => {
  const { app, seen } = await createSpy(t as Test)
  for (const token of ['', 'bad', forge(claims({ exp: now() - 1 }))])
    t.equal((await ask(app, token, '/guarded')).status, 401)
  t.equal((await app.inject('/guarded')).statusCode, 401)
  t.same(seen, [])
})

t.test('A bad token where no guard asks is ignored', async (t) => {
  const { app, seen } = await createSpy(t as Test)
  for (const token of ['', 'bad', forge(claims({ exp: now() - 1 })), forge(claims(), {}, 'x'.repeat(32))])
    t.equal((await ask(app, token, '/open')).status, 204)
  t.equal(seen.length, 4)
  for (const [place, params] of seen) {
    t.equal(place, 'open: the method')
    t.strictSame([params.user, params.authenticated], [undefined, undefined], 'nothing is believed of it')
  }
})

t.test('what a client sends under those names is not believed', async (t) => {
  const { app, seen } = await createSpy(t as Test)
  const query = 'authenticated=true&user[id]=1&provider=&authentication[strategy]=jwt'
  const headers = { authenticated: 'true', user: '{"id":1}', provider: '' }
  t.equal((await app.inject({ url: `/guarded?${query}`, headers })).statusCode, 401)
  t.equal((await app.inject({ url: `/open?${query}`, headers })).statusCode, 204)
  t.strictSame(seen, [
    ['open: the method', { provider: 'rest', user: undefined, authentication: undefined, authenticated: undefined }]
  ])
})
