import Fastify from 'fastify'
import services from 'fastify-services'
import { hashPassword } from 'fastify-services/authentication'
import t from 'tap'
import { createUsers, hashes, isHashOf, type User } from '../support/auth-passwords.js'

const message = "'password' is a string of 1 to 1024 characters"
const refused = { name: 'BadRequest', message, code: 400, className: 'bad-request', errors: { password: message } }
const values: Record<string, unknown> = {
  null: null,
  'a number': 12345678,
  'a boolean': true,
  'an object': { $gt: '' },
  'an array': ['correct horse'],
  empty: '',
  '1025 characters': 'x'.repeat(1025),
  'with a NUL': 'correct\0horse'
}

for (const [name, password] of Object.entries(values))
  t.test(`hashPassword(field): a password that is ${name} is a BadRequest, and nothing is written`, async (t) => {
    const { users, send } = await createUsers(t)
    await users.create({ email: 'ada@example.com' })
    const data = { email: 'bob@example.com', password }
    t.match(await send('POST', '/users', data), { status: 400, body: refused }, 'create')
    t.match(await send('POST', '/users', [{ email: 'eve@example.com' }, data]), { status: 400, body: refused }, 'batch')
    t.match(await send('PUT', '/users/1', data), { status: 400, body: refused }, 'update')
    t.match(await send('PATCH', '/users/1', data), { status: 400, body: refused }, 'patch')
    await t.rejects(users.create(data), refused, 'in the server')
    t.strictSame(await users.find(), [{ email: 'ada@example.com', id: 1 }])
  })

t.test('hashPassword(field): 1024 characters are a password', async (t) => {
  const { users, send } = await createUsers(t)
  const password = 'x'.repeat(1024)
  t.equal((await send('POST', '/users', { password })).status, 201)
  t.ok(isHashOf(((await users.get(1)) as User).password, password))
})

t.test(
  'hashPassword(field): items of a batch that are no objects are refused before, an empty one is not',
  async (t) => {
    const object = { find: async () => [], get: async () => null, create: async (data: unknown) => ({ data }) }
    const { send } = await createUsers(t, { object, options: { hooks: { before: { create: hashes.create } } } })
    for (const data of [[null], [1], ['password'], [[]]])
      t.match(await send('POST', '/users', data), { status: 400 }, JSON.stringify(data))
    t.match(await send('POST', '/users', []), { status: 201, body: { data: [] } })
  }
)

t.test('hashPassword(field): a list over HTTP has at most 50 records', async (t) => {
  const { users, send } = await createUsers(t)
  const list = (length: number) => Array.from({ length }, () => ({ email: 'ada@example.com' }))
  t.match(await send('POST', '/users', list(51)), { status: 400, body: { name: 'BadRequest', message: /at most 50/ } })
  t.strictSame(await users.find(), [])
  t.equal((await send('POST', '/users', list(50))).status, 201)
  t.match(await users.create(list(51)), { length: 51 }, 'the server itself may')
})

t.test('hashPassword(field): a method without data is left alone', async (t) => {
  const { users } = await createUsers(t, { options: { hooks: { before: { all: [hashPassword('password')] } } } })
  await t.resolves(users.find())
  await users.create({ password: 'correct horse' })
  t.match(await users.remove(1), { id: 1 })
})

t.test('hashPassword without a field says what to do', async (t) => {
  const expected = { message: "hashPassword needs the name of a field: hashPassword('password')" }
  for (const field of [undefined, '', null, 1, ['password']])
    t.throws(() => hashPassword(field as string), expected, JSON.stringify(field))
})

for (const type of ['after', 'error'])
  t.test(`hashPassword as ${type} hook: the server does not start, and says why`, async (t) => {
    const { app } = await createUsers(t, { options: { hooks: { [type]: { create: hashes.create } } } })
    await t.rejects(async () => void (await app.ready()), {
      message: `hashPassword at 'users' is a hook for 'before' or 'around', not for '${type}'`
    })
  })

t.test('hashPassword where no authentication is registered: an error that says what to do', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const calls: unknown[] = []
  const object = { create: async (data: object) => void calls.push(data) }
  app.service('users', object, { hooks: { before: { create: [hashPassword('password')] } } })
  const expected = { message: 'There is no authentication here: register the plugin fastify-services/authentication' }
  await t.rejects(app.service('users').create({ password: 'x' }), expected)
  t.strictSame(calls, [], 'nothing was stored')
  await t.rejects(async () => void (await app.ready()), expected, 'the server does not start')
})
