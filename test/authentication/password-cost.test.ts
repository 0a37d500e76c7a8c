import t from 'tap'
import { createUsers, toHash } from '../support/auth-passwords.js'
import { scryptCalls } from '../support/auth-passwords-scrypt.js'

const cost = 'N=16384,r=8,p=5,length=32'
const one = [{ characters: 11, cost }]

t.test('an unknown user, and one without a password, costs the same as a wrong password', async (t) => {
  const { users, login } = await createUsers(t, { options: {} })
  const stored = {
    wrong: toHash('correct horse', { ln: 14, r: 8, p: 5 }),
    none: undefined,
    null: null,
    empty: '',
    number: 1,
    list: ['x'],
    plain: 'wrong horse',
    'another kind': '$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA',
    'a hash of bcrypt': '$2b$10$O23fKeMapksauvDd514.TufBnUq2L5.qqo6u0n9O8Hjh8Z18OuDqG'
  }
  for (const [email, password] of Object.entries(stored)) await users.create({ email, password })
  scryptCalls()
  for (const email of ['unknown', ...Object.keys(stored)]) {
    const { status, headers, body } = await login(email, 'wrong horse')
    t.strictSame(scryptCalls().calls, one, `${email}: one hash, of today's cost`)
    const shown = [status, headers['www-authenticate'], headers['content-length'], body]
    const invalid = { name: 'NotAuthenticated', message: 'Invalid login', code: 401, className: 'not-authenticated' }
    t.strictSame(shown, [401, 'Bearer', '96', invalid], `${email}: the same answer`)
  }
})

t.test('a right password costs one hash', async (t) => {
  const { users, login } = await createUsers(t)
  await users.create({ email: 'ada', password: 'right horse' })
  t.strictSame(scryptCalls().calls, one, 'to sign up')
  t.equal((await login('ada', 'right horse')).status, 201)
  t.strictSame(scryptCalls().calls, one, 'to log in')
})

t.test('password missing, empty, object, 1 MB: 401, no hash computed over 1,024 characters', async (t) => {
  const { users, login, app } = await createUsers(t, { options: {}, server: { bodyLimit: 2_000_000 } })
  await users.create({ email: 'ada', password: toHash('x'.repeat(1025)) })
  scryptCalls()
  const passwords = [
    undefined,
    null,
    '',
    {},
    [],
    ['x'],
    { length: 3 },
    1,
    true,
    'x'.repeat(1025),
    'x'.repeat(1_000_000)
  ]
  for (const password of passwords) {
    const { status, body } = await login('ada', password)
    t.strictSame([status, body.message], [401, 'Invalid login'], JSON.stringify(password)?.slice(0, 20))
  }
  const emails = [undefined, null, '', {}, [], { $gt: '' }, ['ada'], 1, 'x'.repeat(1025)]
  for (const email of emails) t.equal((await login(email as string, 'wrong horse')).status, 401)
  const form = await app.inject({
    method: 'POST',
    url: '/authentication',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'strategy=local&email=ada&password[$gt]='
  })
  t.equal(form.statusCode, 401)
  t.strictSame(scryptCalls().calls, [], 'none was computed')

  t.equal((await login('ada', 'x'.repeat(1024))).status, 401)
  t.match(scryptCalls().calls, [{ characters: 1024 }], '1,024 characters are hashed')
})
