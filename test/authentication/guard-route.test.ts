import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, apiKey, ask, bearer, bob, createGuardsApp, createPeople } from '../support/auth-guards.js'
import { claims, forge } from '../support/tokens.js'

const guard = authenticate('jwt')
const places = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const

for (const place of places)
  t.test(`as \`${place}\` of a route: sets the authentication result on the request`, async (t) => {
    const app = await createGuardsApp(t as Test, {
      before: (app) => {
        const handler = async (request: { user?: unknown; feathers: object; body: unknown }) => ({
          user: request.user,
          feathers: request.feathers,
          body: request.body
        })
        app.post('/one', { [place]: guard }, handler)
        app.post('/list', { [place]: [async () => {}, guard] }, handler)
      }
    })
    const send = (url: string, headers: object) =>
      app.inject({ method: 'POST', url, headers: { ...headers }, payload: { text: 'hi' } })
    for (const url of ['/one', '/list']) {
      const token = forge()
      const { user, feathers, body } = (await send(url, bearer(token))).json()
      t.same([user, body], [ada, { text: 'hi' }], url)
      t.match(feathers, {
        user: ada,
        authenticated: true,
        authentication: { strategy: 'jwt', accessToken: token, payload: { sub: '1' } }
      })
      t.same(Object.keys(feathers).sort(), ['authenticated', 'authentication', 'user'])
      t.equal((await send(url, {})).statusCode, 401)
      t.equal((await send(url, bearer(forge(claims({ sub: '3' }))))).statusCode, 401, 'nobody has this id')
    }
  })

t.test('the handler and the hooks behind it do not run for those who are not let in', async (t) => {
  const seen: string[] = []
  const note = (name: string) => async () => void seen.push(name)
  const app = await createGuardsApp(t as Test, {
    before: (app) =>
      app.get('/route', { onRequest: [guard, note('onRequest')], preHandler: note('preHandler') }, note('handler'))
  })
  t.equal((await ask(app, '/route', {})).status, 401)
  t.same(seen, [])
  t.equal((await ask(app, '/route')).status, 200)
  t.same(seen, ['onRequest', 'preHandler', 'handler'])
})

t.test('it belongs to its route, and to no other at the same path', async (t) => {
  const app = await createGuardsApp(t as Test, {
    before: (app) => {
      app.post('/notes', { preHandler: guard }, async ({ user }) => user)
      app.get('/notes', async ({ user }) => ({ user: user ?? null }))
      app.get('/notes/all', async ({ user }) => ({ user: user ?? null }))
    }
  })
  for (const url of ['/notes', '/notes/all']) {
    t.same((await ask(app, url, {})).body, { user: null })
    t.same((await ask(app, url)).body, { user: null }, 'where no guard asks, nobody is known')
  }
  t.equal((await ask(app, '/notes', {}, 'POST')).status, 401)
  t.same((await ask(app, '/notes', bearer(), 'POST')).body, ada)
  t.equal((await app.inject({ method: 'POST', url: '/NOTES/' })).statusCode, 404)
})

t.test('of several strategies the first that reads something is asked', async (t) => {
  const people = createPeople()
  const app = await createGuardsApp(t as Test, {
    people,
    options: { strategies: { apiKey, jwt: true } },
    before: (app) => app.get('/route', { preHandler: authenticate('jwt', 'apiKey') }, async ({ user }) => user)
  })
  t.same((await ask(app, '/route')).body, ada)
  t.same((await ask(app, '/route', { 'x-api-key': 'good' })).body, bob)
  t.same((await ask(app, '/route', { ...bearer(), 'x-api-key': 'good' })).body, bob)
  t.equal((await ask(app, '/route', { ...bearer(), 'x-api-key': 'bad' })).status, 401)
  t.equal(people.gets, 1)
})

t.test('what it sets is not shared between requests', async (t) => {
  const app = await createGuardsApp(t as Test, {
    before: (app) => app.get('/route', { preHandler: guard }, async ({ user }) => ({ user }))
  })
  const tokens = Array.from({ length: 20 }, (_, index) => forge(claims({ sub: String((index % 2) + 1) })))
  const answers = await Promise.all(tokens.map((token) => ask(app, '/route', bearer(token))))
  t.same(
    answers.map(({ body }) => body.user),
    tokens.map((_, index) => (index % 2 ? bob : ada))
  )
})
