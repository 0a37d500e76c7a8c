import '../support/auth-scrypt.js'
import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, {
  type AuthenticationOptions,
  authenticate,
  JwtStrategy,
  protect,
  type Strategy
} from 'fastify-services/authentication'
import events from 'fastify-services/events'
import t, { type Test } from 'tap'
import { All, apiKey, documentOf, follow, operationsOf, type Part } from './app.js'

const secret = 'x'.repeat(64)
const user = {
  type: 'object',
  required: ['id', 'password'],
  properties: { id: { type: 'integer' }, email: { type: 'string' }, password: { type: 'string' } }
}

async function withLogin(app: FastifyInstance, options: Partial<AuthenticationOptions> = {}) {
  app.service('users', memory(), { schema: { get: { response: user }, find: { response: user } } })
  await app.register(authentication, { secret, ...options })
}

/** Every scheme that the document asks for is declared. */
function assertDeclared(t: Test, document: Part): void {
  const sets = [document.security ?? [], Object.values(securityOf(document))].flat(2).filter(Boolean)
  const names = new Set(sets.flatMap((set: object) => Object.keys(set)))
  t.strictSame(
    [...names].filter((name) => !(name in document.components.securitySchemes)),
    []
  )
}

const securityOf = (document: Part) =>
  Object.fromEntries(Object.entries(operationsOf(document)).map(([name, { security }]) => [name, security]))

t.test('guards ask for a token, wherever they stand', async (t) => {
  const document = await documentOf(t, async (app) => {
    await withLogin(app)
    const guard = authenticate('jwt')
    app.service('hooked', new All(), { hooks: { around: { get: [guard], create: [guard, guard] } } })
    app.service('middleware', { find: async () => [] }, { before: guard })
    app.service('later', { find: async () => [] }).hooks({ around: [guard] })
  })
  const bearer = [{ Bearer: [] }]
  t.match(securityOf(document), {
    'GET /hooked': [],
    'GET /hooked/{id}': bearer,
    'POST /hooked': bearer,
    'GET /middleware': bearer,
    'GET /later': bearer,
    'POST /authentication': [],
    'DELETE /authentication': bearer
  })
  t.strictSame(document.components.securitySchemes, { Bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } })
  const statuses = (name: string) => Object.keys(operationsOf(document)[name].responses)
  t.strictSame(statuses('GET /hooked/{id}'), ['200', '400', '401', '403', '404', 'default'])
  t.strictSame(statuses('POST /hooked'), ['201', '400', '401', '403', '405', '415', '422', 'default'])
  t.strictSame(statuses('GET /hooked'), ['200', '400', 'default'])
  t.match(follow(document, operationsOf(document)['GET /hooked/{id}'].responses['404']), {
    description: 'Not Found.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  })
})

t.test('also among the hooks of all services', async (t) => {
  const add = async (app: FastifyInstance) => {
    await withLogin(app)
    app.service('posts', new All())
  }
  const plugin = { hooks: { around: { find: [authenticate('jwt')] } } }
  const document = await documentOf(t, add, { plugin })
  t.match(securityOf(document), { 'GET /posts': [{ Bearer: [] }], 'GET /posts/{id}': [] })
})

t.test('strategies say how a request carries the credentials', async (t) => {
  const silent: Strategy = { authenticate: () => ({}), parse: () => null }
  const strategies = { apiKey, silent, proxy: new JwtStrategy({ header: 'X-Token' }) }
  const document = await documentOf(t, async (app) => {
    await withLogin(app, { strategies })
    app.service('either', { find: async () => [] }, { before: authenticate('apiKey', 'proxy', 'silent') })
    app.service('both', { find: async () => [] }, { before: [authenticate('apiKey'), authenticate('proxy')] })
    app.service('unknown', { find: async () => [] }, { before: authenticate('silent') })
  })
  t.match(securityOf(document), {
    'GET /either': [{ apiKey: [] }, { proxy: [] }],
    'GET /both': [{ apiKey: [], proxy: [] }],
    'GET /unknown': [{ Bearer: [] }]
  })
  t.match(document.components.securitySchemes, {
    apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    proxy: { type: 'apiKey', in: 'header', name: 'x-token' },
    Bearer: { type: 'http', scheme: 'bearer' }
  })
  const { schema } = operationsOf(document)['POST /authentication'].requestBody.content['application/json']
  t.match(follow(document, schema).oneOf, [
    { required: ['strategy', 'key'], properties: { strategy: { const: 'apiKey' }, key: { type: 'string' } } },
    { required: ['strategy'], properties: { strategy: { const: 'silent' } } },
    { required: ['strategy', 'accessToken'] }
  ])
})

t.test('a login has its body and its result, with the user that it gives', async (t) => {
  const document = await documentOf(t, (app) => withLogin(app, { refresh: true }))
  const { requestBody, responses, summary } = operationsOf(document)['POST /authentication']
  t.equal(summary, 'Log in')
  const { oneOf } = follow(document, requestBody.content['application/json'].schema)
  t.equal(oneOf.length, 3, 'a body is one of them, and no two')
  t.match(oneOf, [
    { properties: { strategy: { const: 'jwt' }, accessToken: { type: 'string' } } },
    { required: ['strategy', 'email', 'password'], properties: { password: { format: 'password' } } },
    { properties: { strategy: { const: 'refresh' }, refreshToken: {} } }
  ])
  const result = follow(document, responses['201'].content['application/json'].schema)
  const text = { type: 'string' }
  t.strictSame(result, {
    type: 'object',
    required: ['accessToken', 'authentication'],
    properties: {
      accessToken: { ...text, description: 'Later requests send it as `Authorization: Bearer …`.' },
      refreshToken: { ...text, description: 'It is good for one log-in by the strategy `refresh`.' },
      authentication: {
        type: 'object',
        required: ['strategy'],
        properties: {
          strategy: text,
          accessToken: text,
          payload: { type: 'object', description: 'The claims of the token.', additionalProperties: true }
        }
      },
      user: { $ref: '#/components/schemas/Users' }
    }
  })
  t.match(follow(document, responses['401']), { description: 'Unauthorized.' })
  t.notOk(document.paths['/authentication/{id}'])
  t.strictSame(document.components.schemas.Users.required, ['id'], 'the password does not leave')
  t.strictSame(Object.keys(document.components.schemas.Users.properties), ['id', 'email'])
})

t.test('a login by one strategy, of no users, or of users that are under a prefix', async (t) => {
  const document = await documentOf(t, async (app) => {
    await app.register(authentication, { secret, entity: null, strategies: { jwt: true } })
    await app.register(async (child) => withLogin(child, { entity: 'admin' }), { prefix: '/v1' })
  })
  const resultOf = (path: string) =>
    follow(document, operationsOf(document)[`POST ${path}`].responses['201'].content['application/json'].schema)
  const { schema } = operationsOf(document)['POST /authentication'].requestBody.content['application/json']
  t.match(follow(document, schema), { properties: { strategy: { const: 'jwt' } } })
  t.strictSame(Object.keys(resultOf('/authentication').properties), ['accessToken', 'authentication'])
  t.match(resultOf('/v1/authentication').properties, { admin: { $ref: '#/components/schemas/Users' } })
  const login = await documentOf(t, (app) => {
    app.service('users', memory())
    return app.register(authentication, { secret })
  })
  t.strictSame(login.components.schemas.Authentication.properties.user, {}, 'a record without a schema')
  const hidden = await documentOf(t, (app) => {
    app.service('users', memory(), { methods: [] })
    return app.register(authentication, { secret })
  })
  t.strictSame(hidden.components.schemas.Authentication.properties.user, {}, 'a service that is not called over HTTP')
})

t.test('routes and schemes of the application', async (t) => {
  const scheme = { type: 'http', scheme: 'bearer', description: 'From the proxy.' } as const
  const schema = { security: [{ Bearer: [] }] }
  const add = (app: FastifyInstance) => app.get('/me', { schema }, () => ({}))
  const document = await documentOf(t, add)
  t.strictSame(document.components.securitySchemes, { Bearer: { type: 'http', scheme: 'bearer' } })
  const merged = await documentOf(t, add, {
    document: { components: { securitySchemes: { Bearer: scheme, Other: scheme } } }
  })
  t.strictSame(merged.components.securitySchemes, { Bearer: scheme, Other: scheme })
  const none = await documentOf(t, (app) => app.service('posts', new All()))
  t.strictSame(none.components.securitySchemes, {})
})

t.test('what `protect` keeps from leaving is in no record', async (t) => {
  const list = { type: 'array', items: user }
  const document = await documentOf(t, (app) => {
    const hooks = { around: { all: [protect('password', 'id')] } }
    const part = { type: 'object', properties: { password: { type: 'string' } } }
    const schema = { get: { response: user }, update: { response: list }, patch: { response: part } }
    app.service('people', new All(), { hooks, schema })
  })
  const { People, PatchPeopleResult, UpdatePeopleResult } = document.components.schemas
  t.strictSame(PatchPeopleResult, { type: 'object', properties: {} })
  t.strictSame([People.required, Object.keys(People.properties)], [undefined, ['email']])
  t.strictSame(Object.keys(UpdatePeopleResult.items.properties), ['email'], 'of a list, either')
})

t.test('a stream of events asks for the credentials of its lists, whatever is registered first', async (t) => {
  const addLists = (app: FastifyInstance) => app.service('posts', new All(), { before: authenticate('jwt', 'apiKey') })
  const addStream = (app: FastifyInstance) => app.register(events, { services: { posts: true } })
  for (const steps of [
    [addLists, addStream],
    [addStream, addLists]
  ]) {
    const document = await documentOf(t, async (app) => {
      await withLogin(app, { cookie: true, strategies: { jwt: true, apiKey } })
      for (const step of steps) await step(app)
    })
    const security = [{ Bearer: [] }, { apiKey: [] }, { Cookie: [] }]
    t.match(securityOf(document), { 'GET /events': security, 'GET /posts': security })
    t.match(document.components.securitySchemes, { apiKey: { name: 'X-Api-Key' }, Cookie: { in: 'cookie' } })
    t.equal(document.paths['/events'].get['x-fastify-services-security'], undefined)
    assertDeclared(t, document)
  }
})

t.test('a log-out asks for credentials that no other method takes', async (t) => {
  const document = await documentOf(t, (app) => withLogin(app, { cookie: true }))
  t.match(securityOf(document), { 'DELETE /authentication': [{ Bearer: [] }, { Cookie: [] }] })
  assertDeclared(t, document)
})

t.test('two logins with cookies of two names have a scheme each', async (t) => {
  const document = await documentOf(t, async (app) => {
    const withPosts = async (child: FastifyInstance, name: string) => {
      await withLogin(child, { cookie: { name }, guard: 'jwt' })
      child.service('posts', new All())
    }
    await withPosts(app, 'reader')
    await app.register(async (child) => withPosts(child, 'admin'), { prefix: '/v1' })
  })
  t.match(securityOf(document), {
    'GET /posts': [{ Bearer: [] }, { Cookie: [] }],
    'GET /v1/posts': [{ Bearer: [] }, { Cookie2: [] }],
    'DELETE /v1/authentication': [{ Bearer: [] }, { Cookie2: [] }]
  })
  const { Cookie, Cookie2 } = document.components.securitySchemes
  t.strictSame([Cookie.name, Cookie2.name], ['reader', 'admin'])
})

t.test('routes of the application, its transform and its document name the schemes of services', async (t) => {
  const security = [{ Cookie: [] }]
  const document = await documentOf(
    t,
    async (app) => {
      app.get('/me', { schema: { security } }, () => ({}))
      app.get('/them', () => ({}))
      await withLogin(app, { cookie: true })
      app.service('posts', new All(), { schema: { find: { security } } })
    },
    {
      document: { security },
      options: { transform: ({ schema, url }) => ({ schema: url === '/them' ? { security } : schema, url }) }
    }
  )
  const { 'GET /me': me, 'GET /them': them, 'GET /posts': posts } = securityOf(document)
  t.strictSame([me, them, posts, document.security], [security, security, security, security])
  t.match(document.components.securitySchemes, { Cookie: { in: 'cookie' } })
  assertDeclared(t, document)
})

t.test('a scheme that the application declares itself stands for that of a service', async (t) => {
  const Cookie = { type: 'apiKey', in: 'cookie', name: 'reader', description: 'From the login page.' } as const
  const security = [{ Cookie: [] }]
  const document = await documentOf(t, (app) => withLogin(app, { cookie: { name: 'reader' } }), {
    document: { security, components: { securitySchemes: { Cookie } } }
  })
  t.match(securityOf(document), { 'DELETE /authentication': [{ Bearer: [] }, { Cookie: [] }] })
  t.strictSame([document.security, document.components.securitySchemes.Cookie], [security, Cookie])
})

t.test('a scheme that nothing declares is named', async (t) => {
  const schema = { security: [{ Sesion: [] }] }
  const missing = (add: (app: FastifyInstance) => unknown, options = {}) =>
    t.rejects(documentOf(t, add, options), {
      message:
        "The OpenAPI document asks for the security scheme 'Sesion', which nothing declares: declare it in `components.securitySchemes` of openapi()"
    })
  await missing((app) => app.get('/me', { schema }, () => ({})))
  await missing((app) => app.service('posts', new All(), { schema: { find: schema } }))
  await missing(() => {}, { document: schema })
})

t.test('a document that is not made by openapi() is made, too', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger)
  await app.register(services)
  await withLogin(app, { cookie: true, guard: 'jwt' })
  app.service('posts', new All())
  await app.register(events, { services: { posts: true } })
  await app.ready()
  t.ok(operationsOf(app.swagger())['GET /events'])
})
