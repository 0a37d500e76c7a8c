import t from 'tap'
import { createUsers, isHashOf, type User } from '../support/auth-passwords.js'
import { useFullCost } from '../support/auth-scrypt.js'
import { toHash } from '../support/stored-password.js'

// Here a hash costs what it does for users; elsewhere in the tests it costs next to nothing.
useFullCost()

const email = 'ada@example.com'

/** How many turns of the event loop pass while something is under way. */
async function turns(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  let isDone = false
  const turn = () => {
    count++
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isDone = true
  return count
}

t.test('hashing and verifying do not block the event loop, and node:crypto verifies the hash', async (t) => {
  const { app, users, login } = await createUsers(t)
  app.get('/plain', async () => 'plain')
  await app.ready()
  const whileHashing = await turns(() => users.create({ email, password: 'correct horse' }))
  t.ok(whileHashing > 20, `${whileHashing} turns while hashing`)
  const { password } = (await users.get(1)) as User
  t.match(password, /^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  t.ok(isHashOf(password, 'correct horse'))
  const whileVerifying = await turns(async () => t.equal((await login(email, 'correct horse')).status, 201))
  t.ok(whileVerifying > 20, `${whileVerifying} turns while verifying`)
  const order: string[] = []
  const logins = [email, 'bob@example.com'].map(async (email) => {
    t.equal((await login(email, 'wrong horse')).status, 401)
    order.push('login')
  })
  for (let asked = 0; asked < 3; asked++) order.push((await app.inject('/plain')).body)
  await Promise.all(logins)
  t.strictSame(order, ['plain', 'plain', 'plain', 'login', 'login'], 'other requests are answered meanwhile')
})

t.test('a stored hash with other parameters is verified with those', async (t) => {
  const { users, login } = await createUsers(t, { options: {} })
  for (const cost of [{ ln: 4 }, { ln: 10, r: 4, p: 2 }, { ln: 17, p: 1 }, { length: 64 }]) {
    const { id } = (await users.create({ email, password: toHash('correct horse', cost) })) as { id: number }
    t.equal((await login(email, 'correct horse')).status, 201, JSON.stringify(cost))
    t.equal((await login(email, 'wrong horse')).status, 401)
    await users.remove(id)
  }
})
