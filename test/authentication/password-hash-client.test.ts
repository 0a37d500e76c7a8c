import t from 'tap'
import { bcryptHash, createUsers, isHashOf, toHash, type User } from '../support/auth-passwords.js'

t.test('a client that sends a PHC string gets it hashed, and can not log in by what is in it', async (t) => {
  const { users, send, login } = await createUsers(t)
  const sent = toHash('guessed')
  t.equal((await send('POST', '/users', { email: 'eve@example.com', password: sent })).status, 201)
  const { password } = (await users.get(1)) as User
  t.not(password, sent)
  t.ok(isHashOf(password, sent), 'it is a password as any other')
  t.equal((await login('eve@example.com', 'guessed')).status, 401)
  t.equal((await login('eve@example.com', sent)).status, 201)
})

t.test('a client that sends a hash of bcrypt gets it hashed', async (t) => {
  const { users, send, login } = await createUsers(t, { authentication: { strategies: { local: { bcrypt: true } } } })
  await send('POST', '/users', { email: 'eve@example.com', password: bcryptHash })
  t.match(((await users.get(1)) as User).password, /^\$scrypt\$/)
  t.equal((await login('eve@example.com', 'correct horse')).status, 401)
})

t.test('who has a stored hash can not log in with it', async (t) => {
  const { users, login } = await createUsers(t)
  await users.create({ email: 'ada@example.com', password: 'correct horse' })
  const { password } = (await users.get(1)) as User
  const { status, body } = await login('ada@example.com', password)
  t.strictSame([status, body.message], [401, 'Invalid login'])
})

t.test('no query, header or body of a client keeps a password from being hashed', async (t) => {
  const { users, send } = await createUsers(t)
  const data = { password: 'plain', isHashed: true, 'Symbol(isHashed)': true, '@@isHashed': true }
  const headers = { isHashed: 'true', 'x-is-hashed': 'true' }
  t.equal((await send('POST', '/users?isHashed=true&Symbol(isHashed)=1', data, headers)).status, 201)
  t.ok(isHashOf(((await users.get(1)) as User).password, 'plain'))
})

t.test('a password in another form of Unicode is the same (NFKC)', async (t) => {
  const { users, login } = await createUsers(t)
  const composed = 'caf\u00e9 \ufb01ne \u2168'
  const decomposed = 'cafe\u0301 fine IX'
  t.not(composed, decomposed)
  await users.create({ email: 'ada@example.com', password: composed })
  t.ok(isHashOf(((await users.get(1)) as User).password, 'caf\u00e9 fine IX'), 'the NFKC form is hashed')
  t.equal((await login('ada@example.com', decomposed)).status, 201)
  t.equal((await login('ada@example.com', composed)).status, 201)
  t.equal((await login('ada@example.com', 'Caf\u00e9 fine IX')).status, 401, 'case matters')
  t.equal((await login('ada@example.com', `${composed} `)).status, 401, 'and so do spaces')
})
