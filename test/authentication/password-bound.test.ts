import t from 'tap'
import { Passwords } from '../../lib/authentication/password.js'
import { createUsers, toHash } from '../support/auth-passwords.js'
import { scryptCalls, scryptStarted } from '../support/auth-passwords-scrypt.js'

const unavailable = { name: 'Unavailable', code: 503, className: 'unavailable' }
const data = { email: 'ada@example.com', password: toHash('correct horse') }
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status)

t.test('a bound on concurrent hashes: beyond it Unavailable with Retry-After, and logins work again', async (t) => {
  const authentication = { passwords: { concurrent: 1, waiting: 0 } }
  const { users, login } = await createUsers(t, { options: {}, authentication })
  await users.create(data)
  const unknown = login('bob@example.com', 'wrong horse')
  await scryptStarted()
  const refused = await login('ada@example.com', 'correct horse')
  t.match(refused, { status: 503, body: unavailable, headers: { 'retry-after': /^[1-9]\d*$/ } })
  t.match(refused.body.message, /try again/)
  t.equal((await unknown).status, 401)
  t.equal((await login('ada@example.com', 'correct horse')).status, 201, 'works again')
})

t.test('a bound on concurrent hashes: some wait, the others are not kept', async (t) => {
  const { users, login } = await createUsers(t, {
    options: {},
    authentication: { passwords: { concurrent: 1, waiting: 2 } }
  })
  await users.create(data)
  scryptCalls()
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => login('ada@example.com', 'correct horse')))
  t.strictSame(statuses(answers).sort(), [201, 201, 201, 503, 503])
  t.match(scryptCalls(), { calls: { length: 3 }, most: 1 }, 'nothing is computed for those beyond it')
})

t.test('a bound on concurrent hashes: hashPassword has the same one', async (t) => {
  const { users, send, login } = await createUsers(t, { authentication: { passwords: { concurrent: 1, waiting: 0 } } })
  const first = send('POST', '/users', { email: 'ada@example.com', password: 'correct horse' })
  await scryptStarted()
  const second = await send('POST', '/users', { email: 'bob@example.com', password: 'battery staple' })
  t.match(second, { status: 503, body: unavailable, headers: { 'retry-after': /^[1-9]\d*$/ } })
  t.equal((await login('ada@example.com', 'correct horse')).status, 503, 'of both together')
  t.equal((await first).status, 201)
  t.match(await users.find(), { length: 1 }, 'nothing was stored')
  const list = [1, 2, 3].map((id) => ({ email: `${id}@example.com`, password: 'x' }))
  scryptCalls()
  t.equal((await send('POST', '/users', list)).status, 201, 'a batch takes one place')
  t.match(scryptCalls(), { calls: { length: 3 }, most: 1 })
})

t.test('a hash that fails gives its place back', async (t) => {
  const compare = async () => {
    throw new Error('broken')
  }
  const { login } = await createUsers(t, {
    authentication: {
      passwords: { concurrent: 1, waiting: 0 },
      strategies: { local: { bcrypt: { compare } } }
    }
  })
  for (let time = 0; time < 2; time++) t.not((await login('ada@example.com', 'correct horse')).status, 503)
})

t.test('as many at once as the option says, by default three', async (t) => {
  for (const [options, expected] of [
    [{ concurrent: 2 }, 2],
    [{}, 3]
  ] as const) {
    const passwords = new Passwords(options)
    scryptCalls()
    await Promise.all(Array.from({ length: 5 }, () => passwords.verify('x', toHash('y', { ln: 12 }))))
    t.match(scryptCalls(), { calls: { length: 5 }, most: expected })
  }
})

t.test('options that are no whole numbers say what to do', async (t) => {
  const message = /`passwords` of authentication are whole numbers: `concurrent` from 1, `waiting` from 0/
  const wrong = [{ concurrent: 0 }, { concurrent: 1.5 }, { concurrent: '3' }, { waiting: -1 }, { waiting: Infinity }]
  for (const passwords of wrong)
    await t.rejects(createUsers(t, { authentication: { passwords: passwords as object } }), { message })
})
