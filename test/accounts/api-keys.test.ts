import swagger from '@fastify/swagger'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import { ApiKeyStrategy, type ApiKeyStrategyOptions, apiKeys } from 'fastify-services/accounts'
import authentication, { type AuthenticationOptions, type Strategy } from 'fastify-services/authentication'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'
import { list, startEvents } from '../support/events-app.js'
import { claims, forge, secret } from '../support/tokens.js'
import { apiKeysContract, createKeysApp } from './api-keys-contract.js'

const users = () => memory({ startId: 1 })

await apiKeysContract(t, '@feathersjs/memory', async () => ({ users: users(), keys: memory({ startId: 1 }) }))

t.test('a service of keys with pages', async (t) => {
  const keys = memory({ paginate: { default: 1, max: 1 } })
  const { send, ada } = await createKeysApp(t, { users: users(), keys })
  for (const name of ['one', 'two']) await send('POST /api-keys', { ...ada, body: { name } })
  const { body } = await send('POST /api-keys', { ...ada, body: { name: 'three' } })
  t.match((await send('GET /api-keys', ada)).body, { total: 3, data: { length: 1 } })
  t.equal((await send('GET /reports', { headers: { 'x-api-key': body.key } })).status, 200)
})

t.test('an adapter that takes many records: one key is made at a time, and those of others stay', async (t) => {
  const { send, service, ada, bob } = await createKeysApp(t, { users: users(), keys: memory({ multi: true }) })
  for (const { id } of [ada, ada, bob]) await service.create({ name: 'CI', userId: id })
  const body = [{ name: 'one' }, { name: 'two' }]
  t.match(await send('POST /api-keys', { ...ada, body }), { status: 400, body: { message: /no list of records/ } })
  t.match((await send('PATCH /api-keys', { ...ada, body: { name: 'all' } })).body, { length: 2 })
  t.match((await send('DELETE /api-keys', ada)).body, { length: 2 })
  t.match(await service.find(), [{ name: 'CI', userId: bob.id }])
})

t.test('keys beside the logins of another library', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', memory({ store: { u1: { id: 'u1' } } } as object), { methods: [] })
  const session: Strategy = {
    parse: ({ headers }) => (headers['x-session'] ? { id: headers['x-session'] } : null),
    authenticate: ({ id }) => ({ user: { id } })
  }
  const strategies = { session, apiKey: new ApiKeyStrategy() }
  await app.register(authentication, { strategies, guard: ['session', 'apiKey'] })
  app.service('api-keys', memory(), apiKeys({ strategies: ['session'] }))
  app.service('me', { find: async ({ user }: { user?: unknown }) => ({ user }) })
  const [url, payload] = ['/api-keys', { name: 'CI' }]
  const { key } = (await app.inject({ method: 'POST', url, payload, headers: { 'x-session': 'u1' } })).json()
  const headers = { 'x-api-key': key }
  t.same((await app.inject({ url: '/me', headers })).json(), { user: { id: 'u1' } })
  t.equal((await app.inject({ method: 'POST', url, payload, headers })).statusCode, 401)
})

t.test('users with texts as ids', async (t) => {
  const people = memory({ store: { u1: { id: 'u1', email: 'eve', password: 'x' } } } as object)
  const { service, send } = await createKeysApp(t, { users: people, keys: memory() })
  const { key } = await service.create({ name: 'CI', userId: 'u1' })
  t.match((await send('GET /reports', { headers: { 'x-api-key': key } })).body, { user: { email: 'eve' } })
})

t.test('a time is a date, a number or a text, as the adapter returns it', async (t) => {
  const { service, send, ada } = await createKeysApp(t, { users: users(), keys: memory({ startId: 1 }) })
  const { patch } = service as unknown as { patch(id: unknown, data: object): Promise<unknown> }
  const { id, key } = await service.create({ name: 'CI', userId: ada.id })
  for (const [isOver, ms] of [
    [false, Date.now() + 3_600_000],
    [true, Date.now() - 1000]
  ] as const)
    for (const expiresAt of [new Date(ms), ms, new Date(ms).toISOString()]) {
      await patch(id, { expiresAt })
      const { status } = await send('GET /reports', { headers: { 'x-api-key': key } })
      t.equal(status, isOver ? 401 : 200, `${typeof expiresAt} ${ms}`)
    }
  await patch(id, { expiresAt: 'soon' })
  t.equal((await send('GET /reports', { headers: { 'x-api-key': key } })).status, 401, 'what is no time is over')
})

t.test('a service of keys that ignores the query accepts no other key', async (t) => {
  const keys = { find: async () => ({ data: [{ hash: 'x', userId: 1 }] }) }
  const { send } = await createKeysApp(t, { users: users(), keys })
  t.equal((await send('GET /reports', { headers: { 'x-api-key': 'sk_x' } })).status, 401)
})

async function start(t: Test, options: Partial<AuthenticationOptions> = {}, settings?: ApiKeyStrategyOptions) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', users(), { methods: [] })
  const strategies = { jwt: true, local: true, apiKey: new ApiKeyStrategy(settings) }
  await app.register(authentication, { secret, strategies, ...options })
  app.service('api-keys', memory(), apiKeys())
  await app.ready()
}

t.test('mistakes stop the start', async (t) => {
  for (const [error, options, settings] of [
    [/'apiKey', which the option `authStrategies` .+ can't log in: it only reads/, { authStrategies: ['apiKey'] }],
    [/^The strategy 'apiKey' finds keys in .*register it.*There is no service 'keys'/, {}, { service: 'keys' }],
    [/'apiKey' needs users/, { entity: null, strategies: { jwt: true, apiKey: new ApiKeyStrategy() } }],
    [/The option `header` of ApiKeyStrategy must be a non-empty string/, {}, { header: '' }],
    [/ApiKeyStrategy has no option 'heder'.+ Did you mean 'header'/, {}, { heder: 'x' }]
  ] as [RegExp, object, object?][])
    await t.rejects(start(t, options, settings), { message: error }, String(error))
  for (const prefix of ['', 'a b', 'sk-', 'x'.repeat(21), 1])
    t.throws(() => apiKeys({ prefix } as object), { message: /`prefix` of apiKeys\(\) must be up to 20 letters/ })
  t.throws(() => apiKeys({ strategies: [] }), { message: /authenticate needs the name of a strategy/ })
})

t.test('two authentications can not share the keys, unless they share the users', async (t) => {
  const create = async (service: string, withKeys: boolean) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    app.service('users', users(), { methods: [] })
    app.service('staff', users(), { methods: [] })
    const keys = { apiKey: new ApiKeyStrategy() }
    await app.register(authentication, { secret, strategies: { jwt: true, local: true, ...(withKeys && keys) } })
    app.service('api-keys', memory(), apiKeys())
    const strategies = { jwt: true, local: true, ...keys }
    await app.register((child) => child.register(authentication, { secret, service, strategies }), { prefix: '/admin' })
    await app.ready()
  }
  const message = /The keys of 'api-keys' would be good for users of '(users|staff)' and of '(users|staff)': give each/
  for (const withKeys of [true, false]) {
    await t.rejects(create('staff', withKeys), { message }, `the outer one reads keys: ${withKeys}`)
    await create('users', withKeys)
  }
})

t.test('a removed key ends its streams within a heartbeat, a valid one does not', async (t) => {
  const { app, subscribe } = await startEvents(
    t,
    async (app) => {
      app.service('users', users(), { methods: [] })
      const strategies = { jwt: true, local: true, apiKey: new ApiKeyStrategy({ header: 'X-Key' }) }
      await app.register(authentication, { secret, strategies, guard: ['jwt', 'apiKey'] })
      app.service('api-keys', memory({ startId: 1 }), apiKeys())
      app.service('notes', memory())
      await app.service<Record<string, (data: object) => unknown>>('users').create?.({ email: 'ada' })
    },
    { services: { notes: true, 'api-keys': true }, heartbeat: 50 }
  )
  const service = app.service<{ create(data: object): Promise<{ key: string }>; remove(id: number): unknown }>(
    'api-keys'
  )
  const headers = async () => ({ 'x-key': (await service.create({ name: 'CI', userId: 1 })).key })
  const [first, second] = [await headers(), await headers()]
  const stream = await subscribe(list('notes'), first).connected
  const other = await subscribe(list('notes'), second).connected
  const own = await subscribe(list('api-keys'), { authorization: `Bearer ${forge(claims())}` }).connected
  t.equal((await subscribe(list('api-keys'), first).end()).status, 401)
  await service.remove(1)
  t.match((await stream.end()).events, [{ event: 'stopped', reason: 'revoked' }])
  t.notOk(other.isOver)
  await headers()
  await own.count(2)
  t.match(own.events, [{ event: 'removed' }, { event: 'created' }])
  for (const secretText of ['sk_', 'hash']) t.notMatch(JSON.stringify(own.frames), secretText)
})

t.test('an OpenAPI document has the key in one answer, and the header', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, openapi({ info: { title: 'x', version: '1' } }))
  await app.register(services)
  app.service('users', users(), { methods: [] })
  const strategies = { jwt: true, local: true, apiKey: new ApiKeyStrategy() }
  await app.register(authentication, { secret, strategies, guard: ['jwt', 'apiKey'] })
  app.service('api-keys', memory(), apiKeys())
  app.service('reports', memory())
  await app.ready()
  const { paths, components } = JSON.parse(JSON.stringify(app.swagger()))
  const { ApiKey, NewApiKey, ApiKeyData, ApiKeyPatch, AuthenticationData } = components.schemas
  const fields = ['id', 'name', 'start', 'createdAt', 'expiresAt']
  t.same(Object.keys(ApiKey.properties), fields)
  t.same(Object.keys(NewApiKey.properties), [...fields, 'key'])
  t.match(ApiKeyData, { required: ['name'], properties: { name: {}, expiresAt: {} } })
  t.same(Object.keys(ApiKeyPatch.properties), ['name'])
  t.match(components.securitySchemes.apiKey, { type: 'apiKey', in: 'header', name: 'X-API-Key' })
  t.same(paths['/reports'].get.security, [{ Bearer: [] }, { apiKey: [] }])
  t.same(paths['/api-keys'].get.security, [{ Bearer: [] }])
  t.notMatch(JSON.stringify(AuthenticationData), 'apiKey')
  t.notMatch(JSON.stringify(paths['/api-keys']), /hash|userId/)
})
