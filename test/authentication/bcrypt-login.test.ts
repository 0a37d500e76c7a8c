import bcryptjs from 'bcryptjs'
import t from 'tap'
import { bcryptHash, createUsers, toHash } from '../support/auth-passwords.js'

const withBcrypt = (bcrypt: boolean | { compare(password: string, hash: string): Promise<boolean> }) => ({
  options: {},
  authentication: { strategies: { jwt: true, local: { bcrypt } } }
})
const email = 'ada@example.com'

for (const [name, bcrypt] of [
  ['the peer bcryptjs', true],
  ['a library that is handed in', bcryptjs]
] as const)
  t.test(`bcrypt hashes verify through ${name}: $2a$, $2b$, $2y$`, async (t) => {
    const { users, login } = await createUsers(t, withBcrypt(bcrypt))
    for (const version of ['$2a$', '$2b$', '$2y$']) {
      const { id } = (await users.create({ email, password: bcryptHash.replace('$2b$', version) })) as { id: number }
      const { status, body } = await login(email, 'correct horse')
      t.strictSame([status, body.user], [201, { email, id }], version)
      t.equal((await login(email, 'wrong horse')).status, 401, version)
      t.equal((await login(email, bcryptHash)).status, 401, 'the hash is no password')
      await users.remove(id)
    }
    await users.create({ email, password: toHash('battery staple') })
    t.equal((await login(email, 'battery staple')).status, 201, 'hashes of scrypt verify too')
  })

t.test('a library that is handed in is asked with the password and the hash', async (t) => {
  const asked: unknown[] = []
  const compare = async (password: string, hash: string) => {
    asked.push([password, hash])
    return true
  }
  const { users, login } = await createUsers(t, withBcrypt({ compare }))
  await users.create({ email, password: bcryptHash })
  t.equal((await login(email, 'correct horse')).status, 201)
  t.strictSame(asked, [['correct horse', bcryptHash]])
  t.equal((await login('bob@example.com', 'correct horse')).status, 401, 'its yes to no hash lets nobody in')
  await users.create({ email: 'eve@example.com', password: 'plain' })
  t.equal((await login('eve@example.com', 'plain')).status, 401)
})

for (const bcrypt of [undefined, false])
  t.test(`without the option a bcrypt hash does not let in (bcrypt: ${bcrypt})`, async (t) => {
    const { users, login } = await createUsers(t, {
      options: {},
      authentication: { strategies: { local: bcrypt === undefined ? true : { bcrypt } } }
    })
    await users.create({ email, password: bcryptHash })
    t.match(await login(email, 'correct horse'), { status: 401, body: { message: 'Invalid login' } })
  })

const salted = bcryptHash.slice(0, 29)
const malformed = {
  'of version x': bcryptHash.replace('$2b$', '$2x$'),
  'of version c': bcryptHash.replace('$2b$', '$2c$'),
  'of cost 99': bcryptHash.replace('$04$', '$99$'),
  'of cost 32': bcryptHash.replace('$04$', '$32$'),
  'of cost 3': bcryptHash.replace('$04$', '$03$'),
  'of cost 0': bcryptHash.replace('$04$', '$00$'),
  'with a salt of underscores': `$2b$04$${'_'.repeat(53)}`,
  'with a hash of underscores': `${salted}${'_'.repeat(31)}`,
  'cut short': bcryptHash.slice(0, -1),
  'cut to its salt': salted,
  'with a line end': `${bcryptHash}\n`,
  'of the right length, and nothing else': '$'.repeat(60)
}

t.test('malformed hashes of bcrypt never let in, never are a 500, and change nothing for others', async (t) => {
  const { users, login } = await createUsers(t, withBcrypt(true))
  for (const [name, password] of Object.entries(malformed)) {
    const { id } = (await users.create({ email, password })) as { id: number }
    for (const who of [email, 'nobody@example.com']) {
      const { status, body } = await login(who, 'correct horse')
      t.strictSame([status, body.message], [401, 'Invalid login'], `a hash ${name}: ${who}`)
    }
    await users.remove(id)
  }
  await users.create({ email, password: bcryptHash })
  t.equal((await login(email, 'correct horse')).status, 201)
})
