import t from 'tap'
import { scryptHash } from '../../lib/authentication/scrypt.js'
import { createUsers } from '../support/auth-passwords.js'

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

t.test('hashing and verifying do not block the event loop', async (t) => {
  let hash = ''
  const whileHashing = await turns(async () => {
    hash = await scryptHash.hash('correct horse')
  })
  t.ok(whileHashing > 20, `${whileHashing} turns while hashing`)
  const whileVerifying = await turns(async () => t.ok(await scryptHash.compare('correct horse', hash)))
  t.ok(whileVerifying > 20, `${whileVerifying} turns while verifying`)
  const whileRefusing = await turns(async () => t.notOk(await scryptHash.compare('wrong horse', undefined)))
  t.ok(whileRefusing > 20, `${whileRefusing} turns where there is no hash`)
})

t.test('other requests are answered while passwords are hashed', async (t) => {
  const { app, users, login } = await createUsers(t)
  app.get('/plain', async () => 'plain')
  await users.create({ email: 'ada@example.com', password: 'correct horse' })
  await app.ready()
  const order: string[] = []
  const logins = ['correct horse', 'wrong horse'].map((password) =>
    login('ada@example.com', password).then(() => order.push('login'))
  )
  for (let asked = 0; asked < 3; asked++) order.push((await app.inject('/plain')).body)
  await Promise.all(logins)
  t.strictSame(order, ['plain', 'plain', 'plain', 'login', 'login'])
})
