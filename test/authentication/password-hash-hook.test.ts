import { hashPassword } from 'fastify-services/authentication'
import t from 'tap'
import { createUsers, hashes, isHashOf, type User } from '../support/auth-passwords.js'

const phc = /^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/
const ada = { email: 'ada@example.com', password: 'correct horse' }
const passwordOf = (user: unknown) => (user as User).password as string

for (const type of ['before', 'around'])
  t.test(`hashPassword(field) as ${type} hook: scrypt in PHC form, with a salt of its own`, async (t) => {
    const { users } = await createUsers(t, { options: { hooks: { [type]: hashes } } })

    const created = await users.create({ ...ada })
    t.match(passwordOf(created), phc, 'create')
    t.ok(isHashOf(passwordOf(created), 'correct horse'))
    t.match(created, { id: 1, email: 'ada@example.com' }, 'other fields stay')

    const updated = await users.update(1, { ...ada })
    t.match(passwordOf(updated), phc, 'update')
    t.not(passwordOf(updated), passwordOf(created), 'another salt')

    const patched = await users.patch(1, { password: 'battery staple' })
    t.match(passwordOf(patched), phc, 'patch')
    t.ok(isHashOf(passwordOf(patched), 'battery staple'))
  })

t.test('hashPassword(field): each record of a batch, and of a patch of many', async (t) => {
  const { users } = await createUsers(t)
  const batch = (await users.create([{ ...ada }, { email: 'bob@example.com' }, { ...ada, password: 'x' }])) as User[]
  t.equal(batch.length, 3)
  t.ok(isHashOf(passwordOf(batch[0]), 'correct horse'))
  t.notOk('password' in (batch[1] as User), 'one without the field stays so')
  t.ok(isHashOf(passwordOf(batch[2]), 'x'))

  const all = (await users.patch(null, { password: 'same' })) as User[]
  t.strictSame(
    all.map((user) => phc.test(passwordOf(user))),
    [true, true, true]
  )
})

t.test('hashPassword(field): data without the field stays as it is', async (t) => {
  const { users, send } = await createUsers(t)
  t.strictSame(await users.create({ email: 'bob@example.com' }), { email: 'bob@example.com', id: 1 })
  t.notOk('password' in (await users.create({ email: 'eve@example.com', password: undefined })))
  await users.create({ ...ada })
  const { password } = (await users.get(3)) as User
  t.equal((await send('PATCH', '/users/3', { email: 'lovelace@example.com' })).status, 200)
  t.strictSame(await users.get(3), { id: 3, email: 'lovelace@example.com', password }, 'the password stays')
})

t.test('hashPassword(field): what the caller handed in is not changed', async (t) => {
  const { users } = await createUsers(t)
  const data = { ...ada }
  const batch = [{ ...ada }]
  await users.create(data)
  await users.create(batch)
  t.strictSame(data, ada)
  t.strictSame(batch, [ada])
})

t.test('hashPassword(field): any name, and several fields', async (t) => {
  const { users } = await createUsers(t, {
    options: { hooks: { before: { create: [hashPassword('pin'), hashPassword('parole')] } } }
  })
  const user = (await users.create({ pin: '1234', parole: 'word', password: 'stays' })) as User
  t.match(user, { pin: phc, parole: phc, password: 'stays' })
})
