import { createHash } from 'node:crypto'
import '../support/auth-scrypt.js'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import services from 'fastify-services'
import { type ApiKey, ApiKeyStrategy, type ApiKeys, type ApiKeysOptions, apiKeys } from 'fastify-services/accounts'
import authentication from 'fastify-services/authentication'
import type { Test } from 'tap'
import { claims, forge, secret } from '../support/tokens.js'

interface Adapters {
  readonly users: object
  readonly keys: object
}

interface Stored extends ApiKey {
  readonly hash: string
  readonly userId: number
}

interface Inner extends Omit<ApiKeys, 'find'> {
  find(params?: object): Promise<Stored[]>
}

type Body = Record<string, unknown> & { readonly key: string; readonly id: number; readonly message: string }

/** An application with two users, who have a token and may create keys. */
export async function createKeysApp(t: Test, { users, keys }: Adapters, options: ApiKeysOptions = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', users, { methods: [] })
  const strategies = { jwt: true, local: true, apiKey: new ApiKeyStrategy() }
  await app.register(authentication, { secret, strategies, guard: ['jwt', 'apiKey'] })
  app.service('api-keys', keys, apiKeys(options))
  app.service('reports', { find: async ({ user }: { user?: unknown }) => ({ user }) })
  await app.ready()
  const people = app.service<{ create(data: object): Promise<{ id: number }>; remove(id: number): unknown }>('users')
  const createUser = async (email: string) => {
    const { id } = await people.create({ email, password: 'correct horse' })
    return { id, headers: { authorization: `Bearer ${forge(claims({ sub: String(id) }))}` } }
  }
  const service = app.service<Inner>('api-keys')
  return { app, service, people, send: senderTo(app), ada: await createUser('ada'), bob: await createUser('bob') }
}

const senderTo =
  (app: FastifyInstance) =>
  async (call: string, { headers = {}, body }: { headers?: object; body?: unknown } = {}) => {
    const [method, url] = call.split(' ') as ['GET', string]
    const payload = body === undefined ? {} : { payload: body as object }
    const request: InjectOptions = { method, url, headers: { accept: 'application/json', ...headers }, ...payload }
    const response = await app.inject(request)
    return { status: response.statusCode, body: response.json() as Body, text: response.body }
  }

const withKey = (key: string | string[]) => ({ headers: { 'x-api-key': key } })
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')
const shownFields = ['createdAt', 'expiresAt', 'id', 'name', 'start']

// Hidden fields, the fields that only the server sets, and bodies of other shapes.
const refusedBodies: Record<string, unknown> = {
  'no name': {},
  'an empty name': { name: '' },
  'a long name': { name: 'x'.repeat(101) },
  'a name that is no text': { name: { $ne: '' } },
  'a list': [{ name: 'CI' }],
  'a time in the past': { name: 'CI', expiresAt: '2020-01-01T00:00:00Z' },
  'a leap second, which no date has': { name: 'CI', expiresAt: '9999-12-31T23:59:60Z' },
  'a time that is no text': { name: 'CI', expiresAt: 4e12 },
  'a hash': { name: 'CI', hash: hashOf('sk_chosen') },
  'a user': { name: 'CI', userId: 2 },
  'an id': { name: 'CI', id: 9 },
  'a start': { name: 'CI', start: 'sk_' },
  'a key': { name: 'CI', key: 'sk_chosen' },
  'a time of creation': { name: 'CI', createdAt: '2020-01-01T00:00:00Z' }
}

const refusedQueries = ['hash', 'userId', 'key'].flatMap((field) => [
  `${field}=1`,
  `${field}[$gt]=`,
  `$select=${field}`,
  `$select[]=${field}%20as%20name`,
  `$sort[${field}]=1`,
  `$or[0][${field}]=1`,
  `$or[0][$and][0][${field}][$gt]=`
])

/** @param create returns empty tables */
export async function apiKeysContract(t: Test, name: string, create: (t: Test) => Promise<Adapters>): Promise<void> {
  const start = async (t: Test, options?: ApiKeysOptions) => createKeysApp(t, await create(t), options)

  await t.test(`${name}: a key is shown once, and its hash is stored`, async (t) => {
    const { send, service, ada } = await start(t)
    const events: unknown[] = []
    service.on('created', (record) => void events.push(record))
    const { status, body } = await send('POST /api-keys', { ...ada, body: { name: 'CI' } })
    t.equal(status, 201)
    t.same(Object.keys(body).sort(), [...shownFields, 'key'].sort())
    t.match(body, { name: 'CI', key: /^sk_[\w-]{43}$/, start: body.key.slice(0, 7), expiresAt: null })
    t.ok(Math.abs(Date.parse(String(body.createdAt)) - Date.now()) < 60_000)

    const [stored] = await service.find()
    t.match(stored, { hash: hashOf(body.key), userId: ada.id })
    t.notMatch(JSON.stringify([stored, events]), body.key)
    t.equal(events.length, 1)
    for (const call of ['GET /api-keys', `GET /api-keys/${body.id}`, `DELETE /api-keys/${body.id}`]) {
      const [record] = [(await send(call, ada)).body].flat()
      t.same(Object.keys(Object(record)).sort(), shownFields, call)
      t.same({ ...record, key: body.key }, body, call)
    }
  })

  await t.test(`${name}: a key lets its user in, until it is removed`, async (t) => {
    const { send, ada, bob } = await start(t)
    const { body: key } = await send('POST /api-keys', { ...ada, body: { name: 'CI' } })
    const { body: other } = await send('POST /api-keys', { ...bob, body: { name: 'CI' } })
    t.strictSame((await send('GET /reports', withKey(key.key))).body.user, { id: ada.id, email: 'ada' })
    t.match((await send('GET /reports', withKey(other.key))).body.user, { email: 'bob' })
    t.equal((await send('GET /reports', ada)).status, 200, 'a token does, too')
    t.equal((await send(`DELETE /api-keys/${key.id}`, ada)).status, 200)
    t.match(await send('GET /reports', withKey(key.key)), { status: 401, body: { message: 'Invalid API key' } })
    t.equal((await send('GET /reports', withKey(other.key))).status, 200)
  })

  await t.test(`${name}: what is no valid key is 401`, async (t) => {
    const { send, service, people, ada, bob } = await start(t)
    const { key } = await service.create({ name: 'CI', userId: ada.id })
    const { key: ofBob } = await service.create({ name: 'CI', userId: bob.id })
    const keys: Record<string, string | string[]> = {
      ...{ 'an empty one': '', 'another one': 'sk_x', 'the hash': hashOf(key), 'the start': key.slice(0, 7) },
      ...{ 'in upper case': key.toUpperCase(), 'with a scheme': `Bearer ${key}`, '8 kB': 'x'.repeat(8192) },
      ...{ 'two headers': [key, key], 'two keys': `${key},${ofBob}`, 'bytes above ASCII': 'sk_\u00ff' }
    }
    for (const [label, value] of Object.entries(keys))
      t.match(await send('GET /reports', withKey(value)), { status: 401, body: { message: 'Invalid API key' } }, label)
    t.equal((await send('GET /reports')).body.message, 'Not authenticated', 'none at all')
    t.equal((await send('GET /reports', withKey(ofBob))).status, 200)
    await people.remove(bob.id)
    t.match(await send('GET /reports', withKey(ofBob)), { status: 401, body: { message: 'Invalid API key' } })
  })

  await t.test(`${name}: a key expires`, async (t) => {
    const { send, service, ada } = await start(t)
    const body = { name: 'CI', expiresAt: '2999-01-01T01:00:00+01:00' }
    const { body: key } = await send('POST /api-keys', { ...ada, body })
    t.equal(key.expiresAt, '2999-01-01T00:00:00.000Z')
    t.equal((await send('GET /reports', withKey(key.key))).status, 200)
    const { patch } = service as unknown as { patch(id: number, data: object): Promise<unknown> }
    await patch(key.id, { expiresAt: new Date(Date.now() - 1000).toISOString() })
    t.match(await send('GET /reports', withKey(key.key)), { status: 401, body: { message: 'Invalid API key' } })
    await patch(key.id, { expiresAt: null })
    t.equal((await send('GET /reports', withKey(key.key))).status, 200)
  })

  await t.test(`${name}: users see and change their own keys`, async (t) => {
    const { send, service, ada, bob } = await start(t)
    const { id, key } = await service.create({ name: 'CI', userId: bob.id })
    t.same((await send('GET /api-keys', ada)).body, [])
    const body = { name: 'mine' }
    for (const [call, options] of [
      [`GET /api-keys/${id}`, ada],
      [`PATCH /api-keys/${id}`, { ...ada, body }],
      [`DELETE /api-keys/${id}`, ada]
    ] as const)
      t.match(await send(call, options), { status: 404 }, call)
    t.match(await send(`PATCH /api-keys/${id}`, { ...bob, body }), { status: 200, body: { id, name: 'mine' } })
    t.match(await send(`PATCH /api-keys/${id}`, { ...bob, body: { name: 'x', expiresAt: null } }), { status: 400 })
    t.match(await send(`PUT /api-keys/${id}`, { ...bob, body }), { status: 405 })
    t.match((await send('GET /api-keys?$select=name', bob)).body, [{ id, name: 'mine' }])
    t.match((await send('GET /api-keys?name[$ne]=mine', bob)).body, [])
    t.equal((await send('GET /reports', withKey(key))).status, 200)
  })

  await t.test(`${name}: a key makes no key and no token, and logs nobody out`, async (t) => {
    const { send, service, ada } = await start(t)
    const { id, key } = await service.create({ name: 'CI', userId: ada.id })
    const body = { name: 'another' }
    const strategy = { strategy: 'apiKey', accessToken: key, apiKey: key }
    for (const [call, options] of [
      ['POST /api-keys', { body }],
      ['GET /api-keys', {}],
      [`PATCH /api-keys/${id}`, { body }],
      [`DELETE /api-keys/${id}`, {}],
      ['POST /authentication', { body: strategy }],
      ['POST /authentication', { body: { strategy: 'jwt', accessToken: key } }],
      ['POST /authentication', { body: {} }],
      ['DELETE /authentication', {}]
    ] as const)
      t.equal((await send(call, { ...withKey(key), ...options })).status, 401, call)
    t.equal((await service.find()).length, 1)
    const both = { headers: { ...ada.headers, 'x-api-key': key } }
    t.match(await send('DELETE /authentication', both), { status: 200, body: { authentication: { strategy: 'jwt' } } })
  })

  await t.test(`${name}: bodies and queries that reach for other fields are 400`, async (t) => {
    const { send, service, ada } = await start(t)
    const { id } = await service.create({ name: 'CI', userId: ada.id })
    for (const [label, body] of Object.entries(refusedBodies))
      t.equal((await send('POST /api-keys', { ...ada, body })).status, 400, label)
    for (const query of refusedQueries)
      for (const path of ['/api-keys', `/api-keys/${id}`])
        t.equal((await send(`GET ${path}?${query}`, ada)).status, 400, `${path}?${query}`)
    t.equal((await service.find()).length, 1)
    const { body } = await send('POST /api-keys?$select=key', { ...ada, body: { name: 'whole' } })
    t.same(Object.keys(body).sort(), [...shownFields, 'key'].sort(), 'the answer with a key is always whole')
  })

  await t.test(`${name}: the server creates keys for users`, async (t) => {
    const { send, service, ada } = await start(t, { prefix: 'acme_live' })
    const { key, ...record } = await service.create({ name: 'seed', userId: ada.id })
    t.match(record, { name: 'seed', start: key.slice(0, 'acme_live_1234'.length) })
    t.match(key, /^acme_live_[\w-]{43}$/)
    t.match((await send('GET /reports', withKey(key))).body.user, { email: 'ada' })
    await t.rejects(service.create({ name: 'nobody' }), { code: 400, message: /'userId' is required/ })
  })
}
