import bcryptjs from 'bcryptjs'
import t from 'tap'
import { bcryptHash, createUsers, toHash } from '../support/auth-passwords.js'
import { scryptCalls } from '../support/auth-passwords-scrypt.js'

const malformed = {
  none: undefined,
  null: null,
  empty: '',
  plain: 'wrong horse',
  number: 2,
  'another kind': '$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA'
}

t.test('with bcrypt: one hash of scrypt and one of bcrypt each, whatever is stored', async (t) => {
  const compared: string[] = []
  const compare = (password: string, hash: string) => {
    compared.push(hash)
    return bcryptjs.compare(password, hash)
  }
  const { users, login } = await createUsers(t, {
    options: {},
    authentication: { strategies: { local: { bcrypt: { compare } } } }
  })
  const stored = { bcrypt: bcryptHash, scrypt: toHash('correct horse', { ln: 14, r: 8, p: 5 }), ...malformed }
  for (const [email, password] of Object.entries(stored)) await users.create({ email, password })
  for (const email of ['unknown', ...Object.keys(stored)]) {
    scryptCalls()
    compared.length = 0
    t.equal((await login(email, 'wrong horse')).status, 401, email)
    t.match(scryptCalls().calls, [{ characters: 11, cost: 'N=16384,r=8,p=5,length=32' }], `${email}: scrypt`)
    t.match(compared, { length: 1, 0: /^\$2[aby]\$\d\d\$.{53}$/ }, `${email}: bcrypt`)
  }
  for (const email of ['bcrypt', 'scrypt']) {
    scryptCalls()
    compared.length = 0
    t.equal((await login(email, 'correct horse')).status, 201, `${email}: a right password`)
    t.match([scryptCalls().calls, compared], [{ length: 1 }, { length: 1 }], 'costs the same')
  }
})

t.test('with bcrypt: an unknown user costs as much as the costliest hash of the table that was seen', async (t) => {
  const costs: string[] = []
  const compare = async (_password: string, hash: string) => {
    costs.push(hash.slice(4, 6))
    return false
  }
  const { users, login } = await createUsers(t, {
    options: {},
    authentication: { strategies: { local: { bcrypt: { compare } } } }
  })
  for (const cost of ['12', '04', '11'])
    await users.create({ email: cost, password: bcryptHash.replace('$04$', `$${cost}$`) })
  for (const email of ['unknown', '12', 'unknown', '04', 'unknown', '11', 'unknown']) await login(email, 'wrong horse')
  t.strictSame(costs, ['10', '12', '12', '04', '12', '11', '12'])
})

t.test('with bcrypt: no hash for what can be no password', async (t) => {
  const compared: string[] = []
  const compare = async (_password: string, hash: string) => compared.push(hash) === 0
  const { login } = await createUsers(t, { authentication: { strategies: { local: { bcrypt: { compare } } } } })
  scryptCalls()
  for (const password of [undefined, null, '', {}, ['x'], 1, 'x'.repeat(1025), 'a\0b'])
    t.equal((await login('ada@example.com', password)).status, 401)
  t.strictSame([scryptCalls().calls, compared], [[], []])
})
