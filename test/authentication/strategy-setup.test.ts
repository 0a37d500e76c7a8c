import { JwtStrategy, LocalStrategy, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, bob, createGuardsApp, login, password } from '../support/auth-guards.js'

const quiet = { authenticate: () => ({ user: bob }) }

t.test('`setup` runs once, before the server starts, in order, with what finds users and the name', async (t) => {
  const seen: unknown[] = []
  const spy = (): Strategy => ({
    ...quiet,
    async setup(authentication, name) {
      await new Promise(setImmediate)
      seen.push([name, authentication.strategyNames, authentication.entities.name])
    }
  })
  const app = await createGuardsApp(t as Test, {
    options: { strategies: { one: spy(), jwt: true, two: spy() }, entity: 'account' },
    before: (app) => void app.addHook('onReady', async () => void seen.push('ready'))
  })
  const names = ['one', 'jwt', 'two']
  const all = [['one', names, 'account'], ['two', names, 'account'], 'ready']
  t.same(seen, all)
  await app.ready()
  await login(app, { strategy: 'one' })
  t.same(seen, all)
})

t.test('it runs before a login that comes earlier than the start', async (t) => {
  const seen: unknown[] = []
  const own: Strategy = { setup: () => seen.push('setup'), authenticate: () => ({ user: { id: seen.push('login') } }) }
  await createGuardsApp(t as Test, {
    options: { strategies: { own, jwt: true } },
    before: async (app) => {
      const service = app.service('authentication')
      await Promise.all([service.create({ strategy: 'own' }), service.create({ strategy: 'own' })])
    }
  })
  t.same(seen, ['setup', 'login', 'login'])
})

t.test('one that throws stops the start', async (t) => {
  const reasons = [
    () => {
      throw new Error('no directory')
    },
    async () => Promise.reject(new Error('no directory'))
  ]
  for (const setup of reasons)
    await t.rejects(createGuardsApp(t as Test, { options: { strategies: { jwt: true, own: { ...quiet, setup } } } }), {
      message: 'no directory'
    })
})

t.test('it may use the authentication: find users, verify tokens', async (t) => {
  const seen: unknown[] = []
  const link: Strategy = {
    setup(authentication) {
      this.authenticate = async ({ token }, params) => {
        const { sub } = await authentication.verifyAccessToken(token)
        seen.push(await authentication.entities.find({ email: ada.email }, params))
        return { user: await authentication.entities.get(sub, params) }
      }
    },
    authenticate: () => ({})
  }
  const app = await createGuardsApp(t as Test, { options: { strategies: { jwt: true, local: true, link } } })
  const { accessToken } = (await login(app)).body
  t.match(await login(app, { strategy: 'link', token: accessToken }), { status: 201, body: { user: ada } })
  t.match(seen, [{ id: 1, password: /^\$scrypt/ }], 'the server sees the hash')
  t.match(await login(app, { strategy: 'link', token: 'bad' }), {
    status: 401,
    body: { message: 'Invalid access token' }
  })
})

t.test('our strategies under other names, several of a kind', async (t) => {
  const app = await createGuardsApp(t as Test, {
    options: {
      strategies: {
        token: new JwtStrategy(),
        byEmail: new LocalStrategy(),
        byId: new LocalStrategy({ usernameField: 'number', entityUsernameField: 'email' })
      }
    }
  })
  const { body } = await login(app, { strategy: 'byEmail' })
  t.match(body, { user: ada, authentication: { strategy: 'byEmail' } })
  t.match(await login(app, { strategy: 'token', accessToken: body.accessToken }), { status: 201, body: { user: ada } })
  t.match(await login(app, { strategy: 'byId', email: undefined, number: bob.email, password }), {
    status: 201,
    body: { user: bob, authentication: { strategy: 'byId' } }
  })
  for (const strategy of ['jwt', 'local']) t.equal((await login(app, { strategy })).status, 401, strategy)
})
