import t, { type Test } from 'tap'
import { startAuth } from '../support/auth-fault-child.js'
import { forge } from '../support/tokens.js'

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
  ['nested 50,000 deep: the email', `{"strategy":"local","email":${deep(50_000)},"password":"x"}`, 401, invalid],
  ['__proto__ in the body', `{"__proto__":${JSON.stringify(login)}}`, 400],
  ['__proto__ beside a login', JSON.stringify(login).replace('{', '{"__proto__":{"polluted":1},'), 400],
  ['constructor.prototype', JSON.stringify(login).replace('{', '{"constructor":{"prototype":{"polluted":1}},'), 400],
  ['no JSON', '{"strategy":', 400],
  ['NaN', '{"strategy":NaN}', 400],
  ['trailing junk', `${JSON.stringify(login)}x`, 400]
]

const forms: Row[] = [
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

t.test('Authentication: logins of every kind, as JSON and as a form', async (t) => {
  const { request, alive } = await startAuth(t as Test)
  for (const [type, rows] of [
    ['application/json', bodies],
    ['application/x-www-form-urlencoded', forms]
  ] as const)
    for (const [row, body, status, message = /./, done = []] of rows)
      await t.test(`${type.slice(12)}: ${row}`, async (t) => {
        const answer = await request('POST', '/authentication', { 'Content-Type': type }, body)
        t.equal(answer.status, status)
        t.match(JSON.parse(answer.body), { code: status, message })
        const calls = await alive(t as Test, row)
        t.same(
          calls.map(({ method }) => method),
          done
        )
        t.equal(answer.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined)
      })
})
