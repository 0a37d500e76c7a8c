import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { hashPassword } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { bcryptHash, createUsers, isHashOf, type User } from '../support/auth-passwords.js'
import { toHash } from '../support/stored-password.js'
import { secret } from '../support/tokens.js'
import { addUsers, createServicesApp, hashes } from '../support/users-app.js'

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
  const user = (await users.create({ pin: '1234', parole: 'word', note: 'stays' })) as User
  t.match(user, { pin: phc, parole: phc, note: 'stays' })
})

const values: Record<string, unknown> = {
  ...{ null: null, 'a number': 12345678, 'a boolean': true, 'an object': { $gt: '' }, 'an array': ['correct horse'] },
  ...{ empty: '', '1025 characters': 'x'.repeat(1025), 'with a NUL': 'correct\0horse' }
}

for (const [name, password] of Object.entries(values))
  t.test(`hashPassword(field): a password that is ${name} is a BadRequest, and nothing is written`, async (t) => {
    const fault = String(password).includes('\0')
      ? 'can not have the character NUL'
      : 'is a string of 1 to 1024 characters'
    const message = `'password' ${fault}`
    const refused = { name: 'BadRequest', message, code: 400, className: 'bad-request', errors: { password: message } }
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

t.test('hashPassword(field): a list over HTTP has at most 50 passwords', async (t) => {
  const { users, send } = await createUsers(t)
  const list = (length: number) =>
    Array.from({ length }, () => ({ email: 'ada@example.com', password: 'correct horse' }))
  t.match(await send('POST', '/users', list(51)), { status: 400, body: { name: 'BadRequest', message: /at most 50/ } })
  t.strictSame(await users.find(), [])
  t.equal((await send('POST', '/users', list(50))).status, 201)
  t.match(await users.create(list(51)), { length: 51 }, 'the server itself may')
})

t.test('hashPassword(field): records without a password do not count', async (t) => {
  const { send } = await createUsers(t)
  const list = Array.from({ length: 60 }, (_, index) => ({
    email: 'ada@example.com',
    ...(index < 50 && { password: 'x' })
  }))
  const { status, body } = await send('POST', '/users', list)
  t.equal(status, 201)
  t.match(body, { length: 60 })
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

async function createTwo(t: Test) {
  const app = await createServicesApp(t)
  addUsers(app)
  app.service('admins', memory({ startId: 1 }) as object, {
    hooks: { before: { create: [hashPassword('pass')] } }
  })
  await app.register(authentication, { secret })
  await app.register(authentication, {
    secret: [...secret].reverse().join(''),
    path: 'admin-authentication',
    service: 'admins',
    entity: 'admin',
    strategies: { jwt: true, local: { usernameField: 'name', passwordField: 'word', entityPasswordField: 'pass' } },
    passwords: { concurrent: 1, waiting: 0 }
  })
  const login = (url: string, payload: object) =>
    app.inject({ method: 'POST', url, payload: { strategy: 'local', ...payload } })
  return { app, login }
}

t.test('two authentication services: each has its own users and password fields', async (t) => {
  const { app, login } = await createTwo(t)
  await app.service('users').create({ email: 'ada', password: 'correct horse' })
  await app.service('admins').create({ name: 'grace', pass: 'battery staple' })
  t.ok(isHashOf(((await app.service('users').get(1)) as User).password, 'correct horse'))
  t.ok(isHashOf(((await app.service('admins').get(1)) as User).pass, 'battery staple'))

  const user = await login('/authentication', { email: 'ada', password: 'correct horse' })
  t.strictSame([user.statusCode, user.json().user], [201, { email: 'ada', id: 1 }])
  const admin = await login('/admin-authentication', { name: 'grace', word: 'battery staple' })
  t.strictSame([admin.statusCode, admin.json().admin], [201, { name: 'grace', id: 1 }])

  t.equal((await login('/authentication', { email: 'grace', password: 'battery staple' })).statusCode, 401)
  t.equal((await login('/admin-authentication', { name: 'ada', word: 'correct horse' })).statusCode, 401)
  t.equal((await login('/admin-authentication', { name: 'grace', pass: 'battery staple' })).statusCode, 401)
})

t.test('two authentication services: each keeps the password fields of its users from leaving', async (t) => {
  const { app } = await createTwo(t)
  await app.service('admins').create({ name: 'grace', pass: 'battery staple', password: 'a hint' })
  t.strictSame((await app.inject('/admins/1')).json(), { name: 'grace', password: 'a hint', id: 1 })
})

t.test('hashPassword for users whom several authentication services of prefixes have in common', async (t) => {
  const app = await createServicesApp(t)
  addUsers(app)
  for (const prefix of ['/v1', '/v2'])
    await app.register((child) => child.register(authentication, { secret }), { prefix })
  await t.resolves(async () => void (await app.ready()))
  await app.service('users').create({ email: 'ada', password: 'correct horse' })
  for (const prefix of ['/v1', '/v2']) {
    const payload = { strategy: 'local', email: 'ada', password: 'correct horse' }
    t.equal((await app.inject({ method: 'POST', url: `${prefix}/authentication`, payload })).statusCode, 201, prefix)
  }
})
