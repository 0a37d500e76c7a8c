import { memory } from '@feathersjs/memory'
import bcryptjs from 'bcryptjs'
import t, { type Test } from 'tap'
import { bcryptHash, createUsers, isHashOf, type User } from '../support/auth-passwords.js'
import { createUsersTable } from '../support/users-table.js'

const email = 'ada@example.com'

/** Logs in, and changes the password after the old one was verified. */
async function changeMeanwhile(t: Test, object: object) {
  const lines: string[] = []
  const change: (() => Promise<unknown>)[] = []
  const compare = async (password: string, hash: string) => {
    const isEqual = await bcryptjs.compare(password, hash)
    await change.pop()?.()
    return isEqual
  }
  const { users, login } = await createUsers(t, {
    object,
    authentication: { strategies: { jwt: true, local: { bcrypt: { compare }, rehash: true } } },
    server: { logger: { level: 'error', stream: { write: (line: string) => lines.push(line) } } }
  })
  const source = object as { create(data: object): Promise<User> }
  const { id } = (await source.create({ email, password: bcryptHash })) as { id: number }

  change.push(() => users.patch(id, { password: 'battery staple' }))
  t.equal((await login(email, 'correct horse')).status, 201, 'the password was good when the login began')
  const { password } = (await users.get(id)) as User
  t.ok(isHashOf(password, 'battery staple'), 'the new password is not overwritten')
  t.notMatch(lines.join(''), /\$2b\$|\$scrypt\$/, 'no hash in the log')
  t.equal((await login(email, 'correct horse')).status, 401)
  t.equal((await login(email, 'battery staple')).status, 201)
}

t.test('`rehash: true`: a password changed meanwhile is not overwritten (@feathersjs/memory)', (t) =>
  changeMeanwhile(t, memory({ startId: 1 }))
)

t.test('`rehash: true`: a password changed meanwhile is not overwritten (@feathersjs/knex)', async (t) => {
  const { object } = await createUsersTable(t)
  await changeMeanwhile(t, object)
})

t.test('`rehash: true` with @feathersjs/knex: the hash is replaced', async (t) => {
  const { knex, object } = await createUsersTable(t)
  const { users, login } = await createUsers(t, {
    object,
    authentication: { strategies: { jwt: true, local: { bcrypt: true, rehash: true } } }
  })
  await knex('users').insert({ email, password: bcryptHash })
  t.equal((await login(email, 'correct horse')).status, 201)
  t.ok(isHashOf(((await users.get(1)) as User).password, 'correct horse'))
  t.equal((await login(email, 'correct horse')).status, 201)
})
