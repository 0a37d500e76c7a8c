import { BadRequest } from 'fastify-services'
import { authenticate, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createGuardsApp, login } from '../support/auth-guards.js'

const eve = { id: 7, email: 'eve@example.com', password: 'the hash', devices: [{ password: 'an older hash' }] }
const shown = { id: 7, email: 'eve@example.com', devices: [{}] }
const refuse = () => {
  throw new BadRequest('Refused', { user: eve, errors: { password: 'is too old' } })
}

t.test('the password of a user that a strategy returns leaves nowhere', async (t) => {
  const own: Strategy = { authenticate: () => ({ user: eve }), parse: () => ({}) }
  const seen: unknown[] = []
  const app = await createGuardsApp(t as Test, {
    options: { strategies: { own, jwt: true } },
    before: (app) => {
      app.service('users').hooks({ before: { get: [async () => ({ result: eve })] } })
      app.get('/own', { preHandler: authenticate('own') }, (request) => request.user)
      app.service('authentication').on('login', ({ user }: { user: object }) => void seen.push(user))
    }
  })
  t.same((await login(app, { strategy: 'own' })).body.user, shown, 'a login over HTTP')
  t.same(Object(await app.service('authentication').create({ strategy: 'own' })).user, shown, 'a login of the server')
  t.same((await app.inject('/own')).json(), shown, 'a guard')
  t.same(seen, [shown, shown], 'an event')
})

t.test('nor that in an error which a strategy throws', async (t) => {
  const own: Strategy = { authenticate: refuse }
  const reading: Strategy = { authenticate: () => ({}), parse: refuse }
  const app = await createGuardsApp(t as Test, {
    options: { strategies: { own, jwt: true } },
    before: (app) => void app.service('open', { find: async () => [] })
  })
  const other = await createGuardsApp(t as Test, {
    options: { strategies: { reading, jwt: true } },
    before: (app) => void app.service('open', { find: async () => [] })
  })
  const expected = { message: 'Refused', data: { user: shown }, errors: { password: 'is too old' } }
  const { status, body } = await login(app, { strategy: 'own' })
  t.match({ status, ...body }, { status: 400, ...expected })
  t.same(body.data, expected.data)
  const read = await other.inject({ url: '/open', headers: { accept: 'application/json' } })
  t.equal(read.statusCode, 400)
  t.same(read.json().data, expected.data)
})

t.test('where there are no users there are no such fields: errors stay as they are', async (t) => {
  const app = await createGuardsApp(t as Test, {
    options: { entity: null, strategies: { own: { authenticate: refuse }, jwt: true } }
  })
  t.same((await login(app, { strategy: 'own' })).body.data, { user: eve })
})
