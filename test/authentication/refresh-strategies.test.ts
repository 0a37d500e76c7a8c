import { NotAuthenticated } from 'fastify-services'
import { authenticate, type Strategy } from 'fastify-services/authentication'
import t from 'tap'
import { createSessionsApp, logout, refresh } from '../support/auth-sessions.js'
import { ask, login } from '../support/users-app.js'

const card: Strategy = {
  authenticate({ number }) {
    if (number !== '4711') throw new NotAuthenticated('Invalid card')
    return { authentication: { payload: { sub: 'printer', floor: 3 } } }
  }
}

t.test('a refresh works in spite of lists that do not name it', async (t) => {
  for (const authStrategies of [['local'], ['jwt', 'local']]) {
    const app = await createSessionsApp(t, { refresh: true, authStrategies, parseStrategies: ['jwt'] })
    const { refreshToken } = (await login(app)).body
    const next = await refresh(app, refreshToken)
    t.equal(next.status, 201)
    t.equal((await ask(app, next.body.accessToken, '/me')).status, 200)
  }
})

t.test('nor does it change the lists: what they leave out stays out', async (t) => {
  const authStrategies = ['local']
  const app = await createSessionsApp(t, { refresh: true, authStrategies })
  const { accessToken } = (await login(app)).body
  t.equal((await login(app, { strategy: 'jwt', accessToken })).status, 401)
  t.strictSame(authStrategies, ['local'], 'the list of the application is not written to')
})

t.test('with a strategy of the application, and tokens without users', async (t) => {
  const app = await createSessionsApp(t, { refresh: true, entity: null, strategies: { jwt: true, card } })
  const { status, body } = await login(app, { strategy: 'card', number: '4711' })
  t.equal(status, 201)
  t.match(body.authentication.payload, { sub: 'printer', floor: 3, sid: String })
  const next = (await refresh(app, body.refreshToken)).body
  t.match(next.authentication, { strategy: 'refresh', payload: { sub: 'printer', floor: 3 } })
  t.notOk('user' in next)
  t.match((await ask(app, next.accessToken, '/me')).body, { authentication: { payload: { sub: 'printer' } } })
  t.equal((await logout(app, next.accessToken)).status, 200)
  t.equal((await refresh(app, next.refreshToken)).status, 401)
})

t.test('a guard that names it lets nobody in by a request', async (t) => {
  const app = await createSessionsApp(t, { refresh: true }, (app) => {
    app.get('/traded', { preHandler: authenticate('refresh') }, () => 'hi')
  })
  const { accessToken, refreshToken } = (await login(app)).body
  for (const token of [accessToken, refreshToken])
    t.equal((await ask(app, token, `/traded?refreshToken=${token}`)).status, 401)
  t.equal((await refresh(app, refreshToken)).status, 201)
})

t.test('its name is taken where the option is on, and free where it is not', async (t) => {
  const strategies = { jwt: true, local: true, refresh: card }
  await t.rejects(createSessionsApp(t, { refresh: true, strategies }), /'refresh' stands for the option `refresh`/)
  const app = await createSessionsApp(t, { strategies })
  t.equal((await login(app, { strategy: 'refresh', number: '1' })).body.message, 'Invalid card')
})

t.test('a list may name it', async (t) => {
  const app = await createSessionsApp(t, { refresh: true, authStrategies: ['local', 'refresh'] })
  t.equal((await refresh(app, (await login(app)).body.refreshToken)).status, 201)
})
