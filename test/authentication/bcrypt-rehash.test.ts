import { memory } from '@feathersjs/memory'
import type { HookContext } from 'fastify-services'
import t, { type Test } from 'tap'
import { bcryptHash, createUsers, hashes, isHashOf, toHash, type User } from '../support/auth-passwords.js'

const email = 'ada@example.com'
const current = /^\$scrypt\$ln=14,r=8,p=5\$/
const authentication = { strategies: { jwt: true, local: { bcrypt: true, rehash: true } } }

/** Users whose service counts its patches, and what is logged. */
async function createRehashing(t: Test, password: string, patch: (context: HookContext) => unknown = () => {}) {
  const lines: string[] = []
  const patches: { data: unknown; params: object; id: unknown }[] = []
  const seen = (context: HookContext) => {
    const { id, data, params } = context
    patches.push({ id, data, params })
    return patch(context)
  }
  const { users, login } = await createUsers(t, {
    object: memory({ startId: 1, multi: true }),
    options: { hooks: { before: { ...hashes, create: [], patch: [...hashes.patch, seen] } } },
    authentication,
    server: { logger: { level: 'error', stream: { write: (line: string) => lines.push(line) } } }
  })
  await users.create({ email, name: 'Ada', password })
  const stored = async () => ((await users.get(1)) as User).password as string
  return { users, login, patches, lines, stored }
}

t.test('`rehash: true` replaces a hash of bcrypt by one of scrypt, by patch, and does not hash twice', async (t) => {
  const { users, login, patches, stored, lines } = await createRehashing(t, bcryptHash)
  t.equal((await login(email, 'wrong horse')).status, 401)
  t.equal(patches.length, 0, 'not on a wrong password')
  t.equal((await login(email, 'correct horse')).status, 201)
  t.match(await stored(), current)
  t.ok(isHashOf(await stored(), 'correct horse'), 'of the password, not of its hash')
  t.strictSame(await users.get(1), { email, name: 'Ada', password: await stored(), id: 1 }, 'nothing else has changed')
  t.match(patches, { length: 1, 0: { id: 1, data: { password: current }, params: { provider: undefined } } })
  t.strictSame(Object.keys(patches[0]?.data as object), ['password'])

  t.equal((await login(email, 'correct horse')).status, 201, 'a login by the new hash')
  t.equal(patches.length, 1, 'which stays')
  t.strictSame(lines, [])
})

t.test('`rehash: true` replaces a hash of scrypt with other parameters', async (t) => {
  const { login, stored } = await createRehashing(t, toHash('correct horse'))
  t.equal((await login(email, 'correct horse')).status, 201)
  t.match(await stored(), current)
  t.ok(isHashOf(await stored(), 'correct horse'))
})

t.test('`rehash: true`: a patch that fails is logged, and the login succeeds', async (t) => {
  const { login, stored, lines } = await createRehashing(t, bcryptHash, () => {
    throw new Error('The disk is full')
  })
  const { status, body } = await login(email, 'correct horse')
  t.strictSame([status, body.user], [201, { email, name: 'Ada', id: 1 }])
  t.equal(await stored(), bcryptHash)
  t.equal(lines.length, 1)
  t.match(JSON.parse(String(lines[0])), {
    msg: 'The hash of a password could not be replaced',
    err: { message: 'The disk is full' }
  })
  t.notMatch(lines[0], /\$2b\$|\$scrypt\$|correct horse/, 'no hash in the log')
})

t.test('`rehash: true`: users without patch are logged in all the same', async (t) => {
  const object = { find: async () => [{ id: 1, email, password: bcryptHash }], get: async () => ({ id: 1, email }) }
  const { login } = await createUsers(t, { object, options: {}, authentication })
  t.equal((await login(email, 'correct horse')).status, 201)
})

t.test('without `rehash` a hash stays what it is', async (t) => {
  const { users, login } = await createUsers(t, {
    options: {},
    authentication: { strategies: { jwt: true, local: { bcrypt: true } } }
  })
  await users.create({ email, password: bcryptHash })
  t.equal((await login(email, 'correct horse')).status, 201)
  t.equal(((await users.get(1)) as User).password, bcryptHash)
})
