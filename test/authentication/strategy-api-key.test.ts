import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { NotAuthenticated, type Params } from 'fastify-services'
import {
  type AuthenticationRequest,
  type Authenticator,
  authenticate,
  type Strategy
} from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, bearer, bob, createGuardsApp, login, whoami } from '../support/auth-guards.js'

const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url')
const keys = new Map([
  [hashOf('f4Jq1HWTtGzXk0pm'), '2'],
  [hashOf('of nobody'), '9']
])

/** The worked example of the documentation. */
class ApiKeyStrategy implements Strategy {
  #authentication!: Authenticator

  setup(authentication: Authenticator) {
    this.#authentication = authentication
  }

  parse({ headers }: FastifyRequest) {
    const apiKey = headers['x-api-key']
    return apiKey === undefined ? null : { apiKey }
  }

  async authenticate({ apiKey }: AuthenticationRequest, params: Params) {
    const userId = typeof apiKey === 'string' ? keys.get(hashOf(apiKey)) : undefined
    const user = userId && (await this.#authentication.entities.get(userId, params))
    if (!user) throw new NotAuthenticated('Invalid API key')
    return { user }
  }
}

const create = (t: Test, options: object = {}) =>
  createGuardsApp(t, {
    options: { strategies: { jwt: true, local: true, apiKey: new ApiKeyStrategy() }, ...options },
    before: (app) => {
      app.service('keys', whoami, around(authenticate('apiKey')))
      app.service('any', whoami, around(authenticate('jwt', 'apiKey')))
      app.service('tokens', whoami, around(authenticate('jwt')))
      app.get('/route', { preHandler: authenticate('apiKey') }, async ({ user }) => user)
    }
  })

const key = (value: string) => ({ 'x-api-key': value })

t.test("the `Strategy` interface for a user's own: an API key in a header", async (t) => {
  const app = await create(t as Test)
  const expected = { user: bob, strategy: 'apiKey', authenticated: true, provider: 'rest' }
  for (const url of ['/keys', '/any']) t.same((await ask(app, url, key('f4Jq1HWTtGzXk0pm'))).body, expected, url)
  t.same((await ask(app, '/route', key('f4Jq1HWTtGzXk0pm'))).body, bob)
  t.match((await ask(app, '/any')).body, { user: ada, strategy: 'jwt' })
  for (const url of ['/keys', '/any', '/route']) {
    for (const value of ['', 'another', 'of nobody', hashOf('f4Jq1HWTtGzXk0pm')])
      t.match(await ask(app, url, key(value)), { status: 401, body: { message: 'Invalid API key' } }, `${url} ${value}`)
    t.match(await ask(app, url, {}), { status: 401, body: { message: 'Not authenticated' } })
  }
})

t.test('a key opens nothing that wants a token, a token nothing that wants a key', async (t) => {
  const app = await create(t as Test)
  t.equal((await ask(app, '/tokens', key('f4Jq1HWTtGzXk0pm'))).status, 401)
  for (const url of ['/keys', '/route']) t.equal((await ask(app, url)).status, 401, url)
})

t.test('it may log in, unless `authStrategies` leaves it out', async (t) => {
  const request = { strategy: 'apiKey', apiKey: 'f4Jq1HWTtGzXk0pm' }
  const open = await create(t as Test)
  const { status, body } = await login(open, request)
  t.match([status, body], [201, { user: bob, authentication: { strategy: 'apiKey', payload: { sub: '2' } } }])
  t.match((await ask(open, '/tokens', bearer(body.accessToken))).body, { user: bob, strategy: 'jwt' })
  t.equal((await login(open, { ...request, apiKey: { $ne: '' } })).status, 401)

  const closed = await create(t as Test, { authStrategies: ['local', 'jwt'] })
  t.match(await login(closed, request), {
    status: 401,
    body: { message: 'Invalid authentication information (strategy not allowed in authStrategies)' }
  })
  t.equal((await ask(closed, '/keys', key('f4Jq1HWTtGzXk0pm'))).status, 200, 'a guard takes it all the same')
})

t.test('it logs out, too: the answer is who that was', async (t) => {
  const app = await create(t as Test)
  const { status, body } = await ask(app, '/authentication', key('f4Jq1HWTtGzXk0pm'), 'DELETE')
  t.same([status, body], [200, { user: bob, authentication: { strategy: 'apiKey' } }])
})
