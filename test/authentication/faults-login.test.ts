import t from 'tap'
import { startChild } from '../support/request-child.js'

const user = { email: 'ada@example.com', password: 'a long secret' }
const local = { strategy: 'local', ...user }
const noUsers = 'the users service is not asked, no hash is computed'
const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

// What may be asked of the users service, and how many hashes are computed, for each row.
type Row = [row: string, body: unknown, message: RegExp, calls?: string[]]
const login = /^Invalid login$/
const information = /^Invalid authentication information/

const rows: Row[] = [
  ['email: {"$gt":""}', { ...local, email: { $gt: '' } }, login],
  ['email: an array', { ...local, email: [user.email] }, login],
  ['email: a number', { ...local, email: 1 }, login],
  ['email: null', { ...local, email: null }, login],
  ['email: empty', { ...local, email: '' }, login],
  ['email: missing', { strategy: 'local', password: 'x' }, login],
  ['email: 1,025 characters', { ...local, email: 'a'.repeat(1025) }, login],
  ['password: missing', { strategy: 'local', email: user.email }, login],
  ['password: empty', { ...local, password: '' }, login],
  ['password: an object', { ...local, password: { $ne: '' } }, login],
  ['password: an array', { ...local, password: [user.password] }, login],
  ['password: 1 MB', { ...local, password: 'a'.repeat(1_000_000) }, login],
  ['password: 1,025 characters', { ...local, password: 'a'.repeat(1025) }, login],
  ['wrong password', { ...local, password: 'wrong' }, login, ['find', 'hash']],
  ['unknown user', { ...local, email: 'bob@example.com' }, login, ['find', 'hash']],
  ['unknown user: `__proto__`', { ...local, email: '__proto__' }, login, ['find', 'hash']],
  ['1,024 characters', { ...local, password: 'ä'.repeat(1024) }, login, ['find', 'hash']],
  ['strategy: missing', user, /no `strategy` set/],
  ['strategy: null', { ...local, strategy: null }, /no `strategy` set/],
  ['strategy: an array', { ...local, strategy: ['local'] }, information],
  ['strategy: unknown', { ...local, strategy: 'magic' }, information],
  ['strategy: __proto__', { ...local, strategy: '__proto__' }, information],
  ['strategy: constructor', { ...local, strategy: 'constructor' }, information],
  ['strategy: one that is not enabled', { ...local, strategy: 'refresh' }, information],
  ['a list of logins', [local], information],
  ['an empty list', [], information],
  ['jwt without a token', { strategy: 'jwt' }, /^Invalid access token/],
  ['jwt with an object', { strategy: 'jwt', accessToken: {} }, /^Invalid access token/]
]

t.test('Authentication: logins that are 401, with the status and body of the others of their kind', async (t) => {
  const { request, alive } = await startChild(t)
  for (const [row, body, message, calls = []] of rows)
    await t.test(row, async (t) => {
      const answer = await request('POST', '/authentication', json, JSON.stringify(body))
      t.equal(answer.status, 401)
      t.equal(answer.headers['www-authenticate'], 'Bearer')
      const expected = { name: 'NotAuthenticated', message, code: 401, className: 'not-authenticated' }
      t.match(JSON.parse(answer.body), expected)
      t.same(Object.keys(JSON.parse(answer.body)), Object.keys(expected))
      t.same(
        (await alive(t, row)).map(({ method }) => method),
        calls,
        noUsers
      )
    })
})

t.test('Authentication: `email[$gt]=` in a form, and a good one', async (t) => {
  const { request, alive } = await startChild(t)
  for (const body of ['strategy=local&email[$gt]=&password=x', 'strategy=local&email[]=ada@example.com&password=x']) {
    t.equal((await request('POST', '/authentication', form, body)).status, 401, body)
    t.same(await alive(t, body), [], noUsers)
  }
  const good = 'strategy=local&email=ada%40example.com&password=a+long+secret'
  t.equal((await request('POST', '/authentication', form, good)).status, 201)
})

t.test('`payload`, `secret`, `user`, `jwtOptions` in the body: ignored', async (t) => {
  const { request } = await startChild(t)
  const extra = {
    ...{
      payload: { admin: true, sub: '2', exp: 9999999999 },
      secret: 'x',
      user: { id: 2 },
      jwtOptions: { subject: '2' }
    },
    ...{
      authStrategies: ['x'],
      jwt: {},
      params: {},
      query: {},
      accessToken: 'x',
      authentication: { payload: { sub: '2' } }
    }
  }
  const answer = await request('POST', '/authentication', json, JSON.stringify({ ...local, ...extra }))
  const { authentication, user: found, accessToken } = JSON.parse(answer.body)
  t.equal(answer.status, 201)
  t.same(found, { email: user.email, id: 1 })
  t.same(Object.keys(authentication.payload).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'sub'])
  t.match(authentication, { strategy: 'local', payload: { sub: '1' } })
  t.equal(authentication.payload.exp - authentication.payload.iat, 86_400)
  t.equal((await request('GET', '/me', { Authorization: `Bearer ${accessToken}` })).status, 200)
})

t.test('no data, no object, other methods', async (t) => {
  const { request, alive } = await startChild(t)
  t.equal((await request('POST', '/authentication')).status, 400)
  for (const body of ['null', '1', '"s"', '{'])
    t.equal((await request('POST', '/authentication', json, body)).status, 400)
  for (const verb of ['GET', 'PUT', 'PATCH']) {
    const answer = await request(verb, '/authentication', json, verb === 'GET' ? '' : '{}')
    t.same([answer.status, answer.headers.allow], [405, 'POST, DELETE'], verb)
  }
  t.equal((await request('DELETE', '/authentication')).status, 401)
  await alive(t, 'the end')
})
