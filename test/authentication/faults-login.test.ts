import t from 'tap'
import { startAuth } from '../support/auth-fault-child.js'
import { forge } from '../support/tokens.js'

const { request, alive } = await startAuth(t)
const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const login = { strategy: 'local', email: 'ada@example.com', password: 'a long secret' }
const encoded = 'strategy=local&email=ada%40example.com&password=a+long+secret'
const asked = ['find', 'hash']
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

// The last one: what is done for it. By default the users service is not asked, and no hash is computed.
type Row = [row: string, body: string, status: number, message?: string | RegExp, done?: string[]]
const invalid = 'Invalid login'
const none = 'Invalid authentication information (no `strategy` set)'
const unknown = 'Invalid authentication information (strategy not allowed in authStrategies)'
const text = (row: string, changes: object, ...rest: [number, (string | RegExp)?, string[]?]): Row => [
  row,
  JSON.stringify({ ...login, ...changes }),
  ...rest
]

const bodies: Row[] = [
  text('wrong password', { password: 'wrong' }, 401, invalid, asked),
  text('unknown user', { email: 'bob@example.com' }, 401, invalid, asked),
  text('email: missing', { email: undefined }, 401, invalid),
  text('password: missing', { password: undefined }, 401, invalid),
  text('email: 1,025 characters', { email: 'a'.repeat(1025) }, 401, invalid),
  text('password: 1,025 characters', { password: 'a'.repeat(1025) }, 401, invalid),
  text('password: 1,024 characters', { password: 'ä'.repeat(1024) }, 401, invalid, asked),
  ['an empty list', '[]', 401, /^Invalid authentication information/],
  ['jwt without a token', '{"strategy":"jwt"}', 401, 'Invalid access token'],
  ['jwt with an object', '{"strategy":"jwt","accessToken":{}}', 401, 'Invalid access token'],
  ...['null', '1', '"s"', '{'].map((body): Row => [body, body, 400]),
  ...[{ $gt: '' }, { $ne: null }, { $regex: '.*' }, { $where: '1' }, { toString: 'x' }, { length: 5 }, {}].map(
    (email) => text(`email: ${JSON.stringify(email)}`, { email }, 401, invalid)
  ),
  ...[[], [['ada@example.com']], [{ $gt: '' }], 0, 1.5, true, false, null, ''].map((email) =>
    text(`email: ${JSON.stringify(email)}`, { email }, 401, invalid)
  ),
  ...[{ $ne: '' }, {}, [], ['a long secret'], 0, 1, true, null, ''].map((password) =>
    text(`password: ${JSON.stringify(password)}`, { password }, 401, invalid)
  ),
  text('email: with a NUL', { email: 'ada@example.com\0' }, 401, invalid),
  text('password: with a NUL', { password: 'a long secret\0' }, 401, invalid),
  text('email: 1 MB', { email: 'a'.repeat(1_000_000) }, 401, invalid),
  text('password: 1,025 characters of an emoji', { password: '💥'.repeat(513) }, 401, invalid),
  text('password: 1,024 characters of an emoji', { password: '💥'.repeat(512) }, 401, invalid, asked),
  text('password: a lone surrogate', { password: '\ud800' }, 401, invalid, asked),
  text('password: with spaces around', { password: ' a long secret ' }, 401, invalid, asked),
  text('password: in another case', { password: 'A long secret' }, 401, invalid, asked),
  ...['__proto__', 'constructor', 'toString', 'null', "' OR 1=1 --", '*', '%', 'ada@example.com '].map((email) =>
    text(`email: ${email}`, { email }, 401, invalid, asked)
  ),
  ...[undefined, null, '', 0, false].map((strategy) => text(`strategy: ${strategy}`, { strategy }, 401, none)),
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'Local', 'local ', 'refresh', 'magic', '*', ','].map(
    (strategy) => text(`strategy: ${strategy}`, { strategy }, 401, unknown)
  ),
  ...[['local'], { local: true }, 1, true].map((strategy) =>
    text(`strategy: ${JSON.stringify(strategy)}`, { strategy }, 401, /^Invalid authentication information/)
  ),
  ['an array of logins', JSON.stringify([login, login]), 401, none],
  ['an empty object', '{}', 401, none],
  ['nested', JSON.stringify({ login, data: login, body: login }), 401, none],
  ['strategy twice', '{"strategy":"local","strategy":"jwt"}', 401, 'Invalid access token'],
  ['jwt: a list with a good token', JSON.stringify({ strategy: 'jwt', accessToken: [forge()] }), 401, /access token/],
  ['jwt: the token elsewhere', JSON.stringify({ strategy: 'jwt', token: forge() }), 401, 'Invalid access token'],
  ['nested 50,000 deep: a list', deep(50_000), 400],
  ['a list of something else than logins', '[1]', 400, /must be an object/],
  ['nested 50,000 deep: the email', `{"strategy":"local","email":${deep(50_000)},"password":"x"}`, 400, /nested/],
  ['__proto__ in the body', `{"__proto__":${JSON.stringify(login)}}`, 400],
  ['__proto__ beside a login', JSON.stringify(login).replace('{', '{"__proto__":{"polluted":1},'), 400],
  ['constructor.prototype', JSON.stringify(login).replace('{', '{"constructor":{"prototype":{"polluted":1}},'), 400],
  ['no JSON', '{"strategy":', 400],
  ['NaN', '{"strategy":NaN}', 400],
  ['trailing junk', `${JSON.stringify(login)}x`, 400]
]

const forms: Row[] = [
  ['email[]=', 'strategy=local&email[]=ada@example.com&password=x', 401, invalid],
  ...['$gt', '$ne', '$regex', '', '0', 'toString'].map(
    (key): Row => [`email[${key}]=`, `strategy=local&email[${key}]=&password=a+long+secret`, 401, invalid]
  ),
  ['email%5B%24gt%5D=', 'strategy=local&email%5B%24gt%5D=&password=x', 401, invalid],
  ['email twice', `${encoded}&email=ada%40example.com`, 401, invalid],
  ['password[]=', 'strategy=local&email=ada%40example.com&password[]=a+long+secret', 401, invalid],
  ['strategy twice', `${encoded}&strategy=local`, 401, /^Invalid authentication information/],
  ['strategy[]=', 'strategy[]=local', 401, /^Invalid authentication information/],
  ['__proto__[strategy]=', '__proto__[strategy]=local&__proto__[polluted]=1', 401, none],
  ['constructor[prototype]', 'constructor[prototype][polluted]=1&strategy=local', 401, invalid],
  ['%zz, half an encoding', 'strategy=local&email=%zz&password=%E0%A4%A', 401, invalid, asked],
  ['%00', 'strategy=local&email=%00&password=%00', 401, invalid],
  ['1001 parameters', `${encoded}${'&a=1'.repeat(998)}`, 400],
  ['too deep', `${encoded}&a[b][c][d][e][f][g]=1`, 400],
  ['JSON in it', JSON.stringify(login), 401, none]
]

t.test('Authentication: logins that are 401, with the status and body of the others of their kind', async (t) => {
  for (const [type, rows] of [
    ['application/json', bodies],
    ['application/x-www-form-urlencoded', forms]
  ] as const)
    for (const [row, body, status, message = /./, done = []] of rows)
      await t.test(`${type.slice(12)}: ${row}`, async (t) => {
        const answer = await request('POST', '/authentication', { 'Content-Type': type }, body)
        t.equal(answer.status, status)
        const told = JSON.parse(answer.body)
        t.match(told, { code: status, message })
        if (status === 401) {
          t.match(told, { name: 'NotAuthenticated', className: 'not-authenticated' })
          t.same(Object.keys(told), ['name', 'message', 'code', 'className'])
        }
        const calls = await alive(t, row)
        t.same(
          calls.map(({ method }) => method),
          done
        )
        t.equal(answer.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined)
      })
})

t.test('Authentication: `email[$gt]=` in a form, and a good one', async (t) => {
  const bad = 'strategy=local&email[$gt]=&password=x'
  t.equal((await request('POST', '/authentication', form, bad)).status, 401, bad)
  t.same(await alive(t, bad), [], 'the users service is not asked, no hash is computed')
  t.equal((await request('POST', '/authentication', form, encoded)).status, 201)
})

t.test('`payload`, `secret`, `user`, `jwtOptions` in the body: ignored', async (t) => {
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
  const answer = await request('POST', '/authentication', json, JSON.stringify({ ...login, ...extra }))
  const { authentication, user: loggedIn, accessToken } = JSON.parse(answer.body)
  t.equal(answer.status, 201)
  t.same(loggedIn, { email: login.email, id: 1 })
  t.same(Object.keys(authentication.payload).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'sub'])
  t.match(authentication, { strategy: 'local', payload: { sub: '1' } })
  t.equal(authentication.payload.exp - authentication.payload.iat, 86_400)
  t.equal((await request('GET', '/me', { Authorization: `Bearer ${accessToken}` })).status, 200)
})
