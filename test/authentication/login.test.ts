import authentication, { type AuthenticationResult, authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { decode } from '../support/auth-fault-tokens.js'
import { claims, forge, now, secret } from '../support/tokens.js'
import { addUsers, ask, createServicesApp, createUsersApp, login, user } from '../support/users-app.js'

const url = '/authentication'
const guarded = { hooks: { around: { all: [authenticate('jwt')] } } }
const shown = { id: 1, email: user.email }
const local = (changes: object = {}) => ({ strategy: 'local', ...user, ...changes })
const jwt = (accessToken: unknown) => ({ strategy: 'jwt', accessToken, email: undefined, password: undefined })
const post = (payload: object | string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url, payload, headers })
const unauthenticated = (message: string) => ({
  name: 'NotAuthenticated',
  message,
  code: 401,
  className: 'not-authenticated'
})

const app = await createUsersApp(t, {
  server: { routerOptions: { maxParamLength: 1000 } },
  before: (app) => app.service('me', { find: async () => 'let in' }, guarded)
})

t.test("`POST /authentication` `{ strategy: 'local', email, password }` → 201 and these fields", async (t) => {
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(base + url, { method: 'POST', headers, body: JSON.stringify(local()) })
  t.equal(response.status, 201)
  t.match(response.headers.get('content-type'), /^application\/json/)
  t.equal(response.headers.get('cache-control'), 'no-store')
  t.equal(response.headers.get('www-authenticate'), null)
  const { accessToken, ...body } = (await response.json()) as { accessToken: string }
  t.strictSame(
    body,
    { authentication: { strategy: 'local', payload: decode(accessToken, 1) }, user: shown },
    '`user` never holds the password'
  )
  t.match(accessToken, /^[\w-]+\.[\w-]+\.[\w-]+$/, 'The response carries the JWT in a field named `accessToken`')
})

t.test(
  'a login as JSON with a charset, as a form, with a slash; whatever is accepted, and with another header',
  async (t) => {
    const json = JSON.stringify(local())
    const form = new URLSearchParams(local()).toString()
    const rows: [payload: string, headers: Record<string, string>, target?: string][] = [
      [json, { 'content-type': 'application/json; charset=utf-8' }],
      [form, { 'content-type': 'application/x-www-form-urlencoded' }],
      [json, { 'content-type': 'application/json' }, `${url}/`],
      ...['text/html', '*/*', 'application/xml'].map((accept): (typeof rows)[number] => [
        json,
        { 'content-type': 'application/json', accept }
      ]),
      ...['Bearer bad', 'Basic YTpi', ''].map((authorization): (typeof rows)[number] => [
        json,
        { 'content-type': 'application/json', authorization }
      ])
    ]
    const seen = new Set<unknown>()
    for (const [payload, headers, target = url] of rows) {
      const response = await app.inject({ method: 'POST', url: target, headers, payload })
      t.equal(response.statusCode, 201, JSON.stringify(headers))
      const { accessToken, authentication, user } = response.json()
      t.same(user, shown)
      t.notOk(seen.has(accessToken) || seen.has(authentication.payload.jti), 'each one has a token of its own')
      seen.add(accessToken).add(authentication.payload.jti)
    }
  }
)

t.test('`POST {base_url}/authentication`: under a prefix, and at a path of its own', async (t) => {
  const app = await createServicesApp(t)
  await app.register(
    async (api) => {
      addUsers(api)
      await api.register(authentication, { secret })
      await api.register(authentication, { secret, path: '/auth/login/' })
    },
    { prefix: '/api/v1' }
  )
  await app.ready()
  await app.service('api/v1/users').create({ ...user })
  for (const path of ['api/v1/authentication', 'api/v1/auth/login']) {
    const { status, body } = await login(app, {}, path)
    t.equal(status, 201, path)
    t.equal(body.authentication.payload.aud, path, '`aud` (default the authentication path)')
  }
})

t.test("`{ strategy: 'jwt', accessToken }` → 201 with the same token", async (t) => {
  const { accessToken, authentication } = (await login(app)).body
  const response = await post({ strategy: 'jwt', accessToken })
  t.equal(response.statusCode, 201)
  t.equal(response.headers['cache-control'], 'no-store')
  t.same(response.json(), {
    accessToken,
    authentication: { strategy: 'jwt', accessToken, payload: authentication.payload },
    user: shown
  })
  const exp = now() + 5
  const { body } = await login(app, jwt(forge(claims({ exp }))))
  t.equal(body.authentication.payload.exp, exp, 'which does not make it live longer')
})

t.test('the token of the body counts, and not that of the header', async (t) => {
  const request = (token: string, accessToken?: string) =>
    ask(app, token, { method: 'POST', url, payload: { strategy: 'jwt', accessToken } })
  t.equal((await request('bad', forge())).status, 201)
  t.equal((await request(forge(), 'bad')).status, 401)
  t.match(await request(forge()), { status: 401, body: { message: 'Invalid access token' } })
})

t.test('the user is the one of now, and not that of the login', async (t) => {
  const email = 'countess@example.com'
  await app.service('users').create({ ...user, email })
  const { accessToken } = (await login(app, { email })).body
  await app.service('users').patch(2, { email: 'lovelace@example.com' })
  t.same((await login(app, jwt(accessToken))).body.user, { id: 2, email: 'lovelace@example.com' })
  await app.service('users').remove(2)
  t.equal((await login(app, jwt(accessToken))).status, 401)
})

t.test('`authStrategies` without jwt: no login by a token, but guards and logouts read it', async (t) => {
  const app = await createUsersApp(t, { options: { authStrategies: ['local'] } })
  const { accessToken } = (await login(app)).body
  const message = 'Invalid authentication information (strategy not allowed in authStrategies)'
  t.match(await login(app, jwt(accessToken)), { status: 401, body: { message } })
  t.equal((await ask(app, accessToken, { method: 'DELETE', url })).status, 200)
})

t.test('tokens without users: a login gives the claims', async (t) => {
  const app = await createUsersApp(t, { options: { entity: null, strategies: { jwt: true } } })
  const token = forge(claims({ sub: 'device-7', scope: 'read' }))
  const { status, body } = await login(app, jwt(token))
  t.equal(status, 201)
  t.same(Object.keys(body).sort(), ['accessToken', 'authentication'])
  t.match(body, { accessToken: token, authentication: { payload: { sub: 'device-7', scope: 'read' } } })
})

const login401 = (payload: object) => ({ method: 'POST', url, payload }) as const
const me = (headers: Record<string, string>) => ({ method: 'GET', url: '/me', headers }) as const
const logout = (authorization?: string) =>
  ({ method: 'DELETE', url, headers: authorization === undefined ? {} : { authorization } }) as const
const another = forge(claims(), {}, 'x'.repeat(32))
const expired = forge(claims({ exp: now() - 1 }))

type Row = [row: string, request: ReturnType<typeof login401 | typeof me | typeof logout>, message: string]
const rows: Row[] = [
  ['wrong password: `Invalid login`', login401(local({ password: 'wrong' })), 'Invalid login'],
  ['unknown user: `Invalid login`', login401(local({ email: 'bob@example.com' })), 'Invalid login'],
  ['no password: `Invalid login`', login401(local({ password: undefined })), 'Invalid login'],
  ['no email: `Invalid login`', login401(local({ email: undefined })), 'Invalid login'],
  ['a bad token: `Invalid access token`', login401(jwt('bad')), 'Invalid access token'],
  ['no token: `Invalid access token`', login401(jwt(undefined)), 'Invalid access token'],
  ['an expired one', login401(jwt(expired)), 'Invalid access token: it has expired'],
  [
    'an expired one of another secret',
    login401(jwt(forge(claims({ exp: 1 }), {}, 'x'.repeat(32)))),
    'Invalid access token'
  ],
  ['a bad token before a guard', me({ authorization: 'Bearer bad' }), 'Invalid access token'],
  ['protected and no token: `Not authenticated`', me({}), 'Not authenticated'],
  ['no `strategy`', login401(user), 'Invalid authentication information (no `strategy` set)'],
  [
    'an unknown strategy',
    login401(local({ strategy: 'magic' })),
    'Invalid authentication information (strategy not allowed in authStrategies)'
  ],
  ['`DELETE /authentication` without a valid token: no header', logout(), 'Not authenticated'],
  ['a logout with an empty header', logout(''), 'Not authenticated'],
  ['a logout with no token', logout('Bearer'), 'Not authenticated'],
  ['a logout with another scheme', logout(`Basic ${forge()}`), 'Not authenticated'],
  ['a logout with what is no token', logout('Bearer bad'), 'Invalid access token'],
  ['a logout with another secret', logout(`Bearer ${another}`), 'Invalid access token'],
  ['a logout with an expired token', logout(`Bearer ${expired}`), 'Invalid access token: it has expired'],
  ['a logout of a deleted user', logout(`Bearer ${forge(claims({ sub: '2' }))}`), 'Invalid access token']
]

t.test('Every failure is 401 NotAuthenticated, and carries `WWW-Authenticate: Bearer`', async (t) => {
  for (const [row, request, message] of rows) {
    const headers = { accept: 'application/json', ...('headers' in request && request.headers) }
    const response = await app.inject({ ...request, headers })
    t.equal(response.statusCode, 401, row)
    const challenge = row === 'a bad token before a guard' ? 'Bearer error="invalid_token"' : 'Bearer'
    t.equal(response.headers['www-authenticate'], challenge, row)
    t.same(response.json(), unauthenticated(message), row)
  }
  const page = await app.inject(me({ accept: 'text/html' }))
  t.match([page.statusCode, page.headers], [401, { 'www-authenticate': 'Bearer', 'content-type': /^text\/html/ }])
  t.match(page.body, /Not authenticated/, 'a page for a browser that has sent no JSON')
})

t.test('unknown user against wrong password: same status, headers and body', async (t) => {
  const answers = []
  for (const changes of [{ password: 'wrong' }, { email: 'bob@example.com' }, { email: '', password: '' }]) {
    const { statusCode, headers, body } = await post(local(changes))
    const { date, ...others } = headers
    answers.push({ statusCode, others, body })
  }
  t.same(answers[1], answers[0])
  t.same(answers[2], answers[0])
})

t.test('`DELETE /authentication` with the header → the authentication result', async (t) => {
  const { accessToken, authentication } = (await login(app)).body
  // Without `revocation` a token is good until it expires.
  for (const time of ['once', 'twice']) {
    const response = await app.inject(logout(`Bearer ${accessToken}`))
    t.equal(response.statusCode, 200, time)
    t.equal(response.headers['cache-control'], 'no-store')
    t.same(response.json(), {
      accessToken,
      authentication: { strategy: 'jwt', accessToken, payload: authentication.payload },
      user: shown
    })
  }
})

t.test('no cache keeps what is refused: 400, 401, 405, 413, 415', async (t) => {
  const json = { 'content-type': 'application/json' }
  const rows: [number, object][] = [
    [401, { method: 'POST', payload: local({ password: 'wrong' }) }],
    [401, logout('Bearer bad')],
    [400, { method: 'POST', headers: json, payload: '{' }],
    [413, { method: 'POST', headers: json, payload: `"${'x'.repeat(2 ** 21)}"` }],
    [415, { method: 'POST', headers: { 'content-type': 'text/plain' }, payload: 'x' }],
    [405, { method: 'GET' }],
    [405, { method: 'PATCH', payload: {} }],
    [405, { method: 'POST', headers: { 'x-service-method': 'find' }, payload: {} }]
  ]
  for (const [status, request] of rows) {
    const { statusCode, headers } = await app.inject({ url, ...request })
    t.strictSame([statusCode, headers['cache-control']], [status, 'no-store'], JSON.stringify(request).slice(0, 80))
  }
})

t.test('a body at a logout is ignored, and an empty JSON one is no error', async (t) => {
  const authorization = `Bearer ${forge()}`
  const type = { 'content-type': 'application/json' }
  t.equal((await app.inject({ ...logout(), headers: { authorization, ...type } })).statusCode, 200)
  const payload = { strategy: 'jwt', accessToken: forge() }
  t.equal((await app.inject({ ...logout(), headers: { authorization, ...type }, payload })).statusCode, 200)
  t.equal((await app.inject({ ...logout(), payload })).statusCode, 401, 'the token is that of the header')
})

t.test('a token as the id of a logout: its own, and no other', async (t) => {
  const [token, other] = [forge(), forge(claims({ jti: 'other' }))]
  const remove = (id: string) => ask(app, token, { method: 'DELETE', url: `${url}/${id}` })
  t.match(await remove(token), { status: 200, body: { accessToken: token } })
  for (const id of [other, 'null', '1'])
    t.match(await remove(id), { status: 401, body: { message: 'Invalid access token' } })
})

interface Service {
  create(data: unknown, params?: object): Promise<AuthenticationResult & { accessToken: string }>
  remove(id: string | null, params?: object): Promise<AuthenticationResult>
}
const service = app.service<Service>('authentication')

t.test('a login and a logout within the server', async (t) => {
  const { accessToken, authentication, ...rest } = await service.create(local())
  t.same(rest, { user: shown })
  t.match(authentication, { strategy: 'local', payload: decode(accessToken, 1) })
  const credentials = { strategy: 'jwt', accessToken }
  t.equal((await service.create(credentials)).accessToken, accessToken)
  for (const id of [null, accessToken])
    t.match(await service.remove(id, { authentication: credentials }), { accessToken, user: { id: 1 } })
  const invalid = { code: 401, message: 'Invalid access token' }
  await t.rejects(service.remove('another', { authentication: credentials }), invalid)
  await t.rejects(service.remove(null), { code: 401, message: 'Not authenticated' })
})

t.test('within the server too, every failure is 401', async (t) => {
  const wrong: [row: string, data: unknown, message: string | RegExp][] = [
    ['a wrong password', local({ password: 'wrong' }), 'Invalid login'],
    ['a text object as the password', local({ password: new String('x') }), 'Invalid login'],
    ['an empty object', {}, /no `strategy` set/],
    ['an object without a prototype', Object.create(null), /no `strategy` set/],
    ['a list', [local()], /no `strategy` set/],
    ['a token as bytes', jwt(Buffer.from(forge())), 'Invalid access token'],
    ['a token as a text object', jwt(new String(forge())), 'Invalid access token'],
    ['a token that makes itself', jwt({ toString: forge }), 'Invalid access token'],
    ['a token of another secret', jwt(forge(claims(), {}, `${secret}x`)), 'Invalid access token']
  ]
  for (const [row, data, message] of wrong)
    await t.rejects(service.create(data), { name: 'NotAuthenticated', code: 401, message }, row)
  for (const authentication of [undefined, {}, { strategy: 'magic' }, { strategy: 'jwt' }])
    await t.rejects(service.remove(null, { authentication }), { name: 'NotAuthenticated', code: 401 })
})

t.test('the cause of a refused token is kept for the log, and does not leave', async (t) => {
  const error = await service.create(jwt(another)).catch((error) => error)
  t.match(error.cause, { code: 'FAST_JWT_INVALID_SIGNATURE' })
  const response = await post(jwt(another))
  t.same(Object.keys(response.json()), ['name', 'message', 'code', 'className'])
  t.notMatch(response.body, /FAST_JWT|signature|secret/i)
})
