import t from 'tap'
import { scryptHash } from '../../lib/authentication/scrypt.js'
import { createUsers, toHash } from '../support/auth-passwords.js'

const email = 'ada@example.com'

t.test('a stored hash with other parameters is verified with those', async (t) => {
  const { users, login } = await createUsers(t, { options: {} })
  const costs = [{ ln: 4 }, { ln: 10, r: 4, p: 2 }, { ln: 15, r: 8, p: 3 }, { ln: 17, p: 1 }, { length: 64 }]
  for (const cost of costs) {
    const { id } = (await users.create({ email, password: toHash('correct horse', cost) })) as { id: number }
    t.equal((await login(email, 'correct horse')).status, 201, JSON.stringify(cost))
    t.equal((await login(email, 'wrong horse')).status, 401)
    await users.remove(id)
  }
})

const salt = 'c2FsdHNhbHRzYWx0c2FsdA'
const good = toHash('correct horse', { ln: 14, r: 8, p: 5 })
const malformed: Record<string, unknown> = {
  'with nothing in its last part': `$scrypt$ln=14,r=8,p=5$${salt}$`,
  'of no bytes': `$scrypt$ln=14,r=8,p=5$${salt}$A`,
  'with nothing but underscores': '$scrypt$ln=14,r=8,p=5$_$_',
  'cut by a character': good.slice(0, -1),
  'cut short': good.slice(0, -22),
  'cut to a byte': good.slice(0, good.lastIndexOf('$') + 3),
  'with a line end': `${good}\n`,
  'with a space before it': ` ${good}`,
  'padded twice': `${good}==`,
  'of N = 1': `$scrypt$ln=0,r=8,p=5$${salt}$${salt}`,
  'of N = 2^99': `$scrypt$ln=99,r=8,p=5$${salt}$${salt}`,
  'of N = 2^40': `$scrypt$ln=40,r=8,p=5$${salt}$${salt}`,
  'of 1 TiB': `$scrypt$ln=30,r=8,p=1$${salt}$${salt}`,
  'of N = 2^21': `$scrypt$ln=21,r=8,p=1$${salt}$${salt}`,
  'of r = 0': `$scrypt$ln=14,r=0,p=5$${salt}$${salt}`,
  'of p = 0': `$scrypt$ln=14,r=8,p=0$${salt}$${salt}`,
  'of negative cost': `$scrypt$ln=-1,r=8,p=5$${salt}$${salt}`,
  'of another function': good.replace('scrypt', 'argon2id'),
  'the password itself': 'correct horse',
  empty: '',
  null: null,
  'a number': 7,
  'an object': { password: good },
  'a list': [good],
  true: true
}

t.test('malformed stored hashes never let in, and never are a 500', async (t) => {
  const { users, login } = await createUsers(t, { options: {} })
  for (const [name, password] of Object.entries(malformed)) {
    const { id } = (await users.create({ email, password })) as { id: number }
    const { status, body } = await login(email, 'correct horse')
    t.strictSame([status, body.message], [401, 'Invalid login'], `a hash ${name}`)
    await users.remove(id)
  }
  await users.create({ email, password: good })
  t.equal((await login(email, 'correct horse')).status, 201, 'one that is good lets in after all these')
})

t.test('a stored hash that would take more memory than a server has is not computed', async (t) => {
  for (const cost of ['ln=20,r=99,p=1', 'ln=21,r=8,p=1', 'ln=30,r=8,p=1'])
    t.notOk(scryptHash.reads(`$scrypt$${cost}$${salt}$${salt}`), cost)
  t.ok(scryptHash.reads(`$scrypt$ln=17,r=8,p=1$${salt}$${salt}`), 'the costliest of those that OWASP recommends is')
})
