import type { FastifyReply, FastifyRequest } from 'fastify'
import { Forbidden, NotAuthenticated } from 'fastify-services'
import authentication, { authenticate, type Strategy } from 'fastify-services/authentication'
import t from 'tap'
import {
  ada,
  apiKey,
  around,
  ask,
  bearer,
  bob,
  createGuardsApp,
  createPeople,
  login,
  whoami
} from '../support/auth-guards.js'
import { claims, forge, secret } from '../support/tokens.js'
import { createServicesApp } from '../support/users-app.js'

const guard = authenticate('jwt')
const hi = async () => 'let in'
const tell = async ({ user }: FastifyRequest) => ({ user: user ?? null })

const seen: string[] = []
const note = (name: string) => async () => void seen.push(name)
const people = createPeople()
const places = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const
const handler = async ({ user, feathers, body }: FastifyRequest) => ({ user, feathers, body })
const app = await createGuardsApp(t, {
  people,
  options: { strategies: { apiKey, jwt: true, local: true } },
  before: async (app) => {
    for (const place of places) {
      app.post(`/${place}/one`, { [place]: guard }, handler)
      app.post(`/${place}/list`, { [place]: [async () => {}, guard] }, handler)
      if (place !== 'preParsing')
        await app.register(
          async (instance) => {
            instance.addHook(place, guard)
            instance.get('/route', tell)
            instance.service('me', whoami)
            instance.service('twice', whoami, around(guard))
            await instance.register(async (inner) => void inner.get('/inner', tell))
          },
          { prefix: `/own/${place}` }
        )
    }
    await app.register(
      async (instance) => {
        instance.addHook('onRequest', authenticate('nope'))
        instance.get('/route', hi)
      },
      { prefix: '/nope' }
    )
    app.get('/noted', { onRequest: [guard, note('onRequest')], preHandler: note('preHandler') }, note('handler'))
    app.post('/notes', { preHandler: guard }, tell)
    app.get('/notes', tell)
    app.get('/notes/all', tell)
    app.get('/any', { preHandler: authenticate('jwt', 'apiKey') }, tell)
    app.get('/one', { preHandler: guard }, tell)
  }
})

for (const place of places)
  t.test(`as \`${place}\` of a route: sets the authentication result on the request`, async (t) => {
    for (const url of [`/${place}/one`, `/${place}/list`]) {
      const send = (headers: object) =>
        app.inject({ method: 'POST', url, headers: { ...headers }, payload: { text: 'hi' } })
      const token = forge()
      const { user, feathers, body } = (await send(bearer(token))).json()
      t.same([user, body], [ada, { text: 'hi' }], url)
      t.match(feathers, {
        user: ada,
        authenticated: true,
        authentication: { strategy: 'jwt', accessToken: token, payload: { sub: '1' } }
      })
      t.same(Object.keys(feathers).sort(), ['authenticated', 'authentication', 'user'])
      t.equal((await send({})).statusCode, 401)
      t.equal((await send(bearer(forge(claims({ sub: '3' }))))).statusCode, 401, 'nobody has this id')
    }
  })

for (const place of ['onRequest', 'preValidation', 'preHandler'])
  t.test(`a guard for all routes of a plugin: \`addHook('${place}')\``, async (t) => {
    const ownURL = `/own/${place}`
    for (const url of ['route', 'inner', 'me', 'twice']) {
      t.equal((await ask(app, `${ownURL}/${url}`, {})).status, 401, url)
      people.gets = 0
      t.match(await ask(app, `${ownURL}/${url}`), { status: 200, body: { user: ada } }, url)
      t.equal(people.gets, 1, `${url}: a hook behind it asks nothing again`)
    }
    for (const url of ['me', 'twice'])
      t.same(
        (await ask(app, `${ownURL}/${url}`)).body,
        { user: ada, strategy: 'jwt', authenticated: true, provider: 'rest' },
        'the params of a guard'
      )
    t.match(await ask(app, `${ownURL}/me`, {}), {
      body: { name: 'NotAuthenticated', className: 'not-authenticated' },
      headers: { 'www-authenticate': 'Bearer' }
    })
    t.same((await ask(app, '/notes', {})).body, { user: null }, 'others stand outside')
    t.equal((await login(app)).status, 201, 'and so does the login')
  })

t.test('a wrong name in an `addHook` lets nobody in', async (t) => {
  for (const headers of [undefined, {}]) t.equal((await ask(app, '/nope/route', headers)).status, 401)
})

t.test('the handler and the hooks behind it do not run for those who are not let in', async (t) => {
  t.equal((await ask(app, '/noted', {})).status, 401)
  t.same(seen, [])
  t.equal((await ask(app, '/noted')).status, 200)
  t.same(seen, ['onRequest', 'preHandler', 'handler'])
})

t.test('it belongs to its route, and to no other at the same path', async (t) => {
  for (const url of ['/notes', '/notes/all']) {
    t.same((await ask(app, url, {})).body, { user: null })
    t.same((await ask(app, url)).body, { user: null }, 'where no guard asks, nobody is known')
  }
  t.equal((await ask(app, '/notes', {}, 'POST')).status, 401)
  t.same((await ask(app, '/notes', bearer(), 'POST')).body, { user: ada })
  t.equal((await app.inject({ method: 'POST', url: '/NOTES/' })).statusCode, 404)
})

t.test(
  'an authenticate middleware takes one or more strategy names: the first that reads something is asked',
  async (t) => {
    people.gets = 0
    t.same((await ask(app, '/any')).body, { user: ada })
    for (const headers of [{}, bearer()])
      t.same((await ask(app, '/any', { ...headers, 'x-api-key': 'good' })).body, { user: bob })
    t.equal((await ask(app, '/any', { ...bearer(), 'x-api-key': 'bad' })).status, 401)
    t.equal(people.gets, 1)
    t.equal((await ask(app, '/one', { 'x-api-key': 'good' })).status, 401, 'a strategy that is not named')
  }
)

t.test('what it sets is not shared between requests', async (t) => {
  const tokens = Array.from({ length: 20 }, (_, index) => forge(claims({ sub: String((index % 2) + 1) })))
  const answers = await Promise.all(tokens.map((token) => ask(app, '/one', bearer(token))))
  t.same(
    answers.map(({ body }) => body.user),
    tokens.map((_, index) => (index % 2 ? bob : ada))
  )
})

t.test('routes and hooks that were there before authentication are guarded too', async (t) => {
  const app = await createServicesApp(t)
  app.get('/early', { onRequest: [guard] }, tell)
  app.register(async (instance) => {
    instance.addHook('preHandler', guard)
    instance.get('/inner', tell)
  })
  app.service('me', whoami, around(guard))
  app.service('users', createPeople())
  await app.register(authentication, { secret })
  for (const url of ['/early', '/inner', '/me']) {
    t.equal((await ask(app, url, {})).status, 401, url)
    t.match((await ask(app, url)).body, { user: ada }, url)
  }
})

/** The error handler of a host: it tells what it was handed. */
const errors: unknown[] = []
const ownHandler = (error: Error & { statusCode?: number }, _request: FastifyRequest, reply: FastifyReply) => {
  errors.push(error)
  return reply.code(error.statusCode ?? 500).send({ own: true, error: error.name, message: error.message })
}

t.test(
  'The guard of a host route sets `WWW-Authenticate` and throws: the error handler decides the body',
  async (t) => {
    const app = await createGuardsApp(t, {
      before: async (app) => {
        app.get('/plain', { preHandler: guard }, hi)
        app.get('/early', { onRequest: guard }, hi)
        app.get('/route', { preHandler: guard, errorHandler: ownHandler }, hi)
        await app.register(async (child) => {
          child.setErrorHandler(ownHandler)
          child.get('/child', { preHandler: guard }, hi)
          child.service('me', whoami, around(guard))
          const errorHandler = (_error: Error, _request: FastifyRequest, reply: FastifyReply) =>
            reply.code(418).header('www-authenticate', 'Own').send('')
          child.get('/teapot', { preHandler: guard, errorHandler }, hi)
        })
      }
    })
    for (const url of ['/plain', '/early', '/route', '/child'])
      for (const authorization of [undefined, '', 'Basic YTpi', 'Bearer bad']) {
        const answer = await ask(app, url, authorization === undefined ? {} : { authorization })
        t.equal(answer.status, 401, url)
        const [message, challenge] =
          authorization === 'Bearer bad'
            ? ['Invalid access token', 'Bearer error="invalid_token"']
            : ['Not authenticated', 'Bearer']
        t.equal(answer.headers['www-authenticate'], challenge, url)
        t.match(
          answer.body,
          url === '/plain' || url === '/early' ? { error: 'Unauthorized', message } : { own: true, message }
        )
        t.equal((await ask(app, url)).headers['www-authenticate'], undefined, 'not for those who are let in')
      }
    const [error] = errors as [NotAuthenticated]
    t.type(error, NotAuthenticated)
    const { code, statusCode, className, message } = error
    t.same([code, statusCode, className, message], [401, 401, 'not-authenticated', 'Not authenticated'])
    t.match(
      (await ask(app, '/me', {})).body,
      { name: 'NotAuthenticated', className: 'not-authenticated' },
      'that of services is theirs'
    )
    const { status, headers } = await ask(app, '/teapot', {})
    t.same([status, headers['www-authenticate']], [418, 'Own'], 'what it answers is up to it')
  }
)

t.test('other errors than 401 carry none, and stay what they are', async (t) => {
  const failing = (error: Error): Strategy => ({ parse: () => ({}), authenticate: () => Promise.reject(error) })
  const strategies = {
    jwt: true,
    forbidding: failing(new Forbidden('Not you')),
    broken: failing(new Error('no database'))
  }
  const app = await createGuardsApp(t, {
    options: { strategies },
    before: (app) => {
      for (const name of ['forbidding', 'broken']) {
        app.get(`/${name}`, { preHandler: authenticate(name) }, hi)
        app.service(`${name}-service`, whoami, around(authenticate(name)))
      }
    }
  })
  for (const [name, status, message] of [
    ['forbidding', 403, 'Not you'],
    ['broken', 500, 'no database']
  ] as const)
    for (const url of [`/${name}`, `/${name}-service`]) {
      const answer = await ask(app, url)
      t.match([answer.status, answer.body], [status, { message }], url)
      t.notHas(answer.headers, 'www-authenticate')
    }
})
