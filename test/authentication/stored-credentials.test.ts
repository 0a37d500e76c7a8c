import '../support/auth-scrypt.js'
import { inspect } from 'node:util'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import authentication, { hashPassword } from 'fastify-services/authentication'
import t from 'tap'
import { bcryptHash, createUsers, isHashOf, type User } from '../support/auth-passwords.js'
import { toHash } from '../support/stored-password.js'

const email = 'ada@example.com'
const horse = 'correct horse'
// No hook of the application hashes.
const bare = { options: {} }

t.test('passwords are hashed before they are stored, by each method and from each side', async (t) => {
  const { users, send, login } = await createUsers(t, bare)
  const stored = async (id: number) => ((await users.get(id)) as User).password
  t.equal((await send('POST', '/users', { email, password: horse })).status, 201)
  t.ok(isHashOf(await stored(1), horse), 'create over HTTP')
  t.equal((await login(email, horse)).status, 201)
  await users.create([{ email: 'bob' }, { email: 'cy', password: 'battery' }])
  t.equal(await stored(2), undefined, 'a user without a password')
  t.ok(isHashOf(await stored(3), 'battery'), 'a list, by the server')
  await send('PATCH', '/users/3', { password: 'staple' })
  t.ok(isHashOf(await stored(3), 'staple'), 'patch')
  await send('PUT', '/users/3', { email: 'cy', password: 'another' })
  t.ok(isHashOf(await stored(3), 'another'), 'update')
})

t.test('whoever prints the context of a call that has stored a password does not print it', async (t) => {
  const printed: string[] = []
  const print = (context: HookContext) => void printed.push(inspect(context))
  const { send } = await createUsers(t, { options: { hooks: { after: { create: [print] } } } })
  t.equal((await send('POST', '/users', { email, password: horse })).status, 201)
  t.match(printed, [email])
  t.notMatch(printed.join(), horse)
})

t.test('users that are there before the server is ready count too', async (t) => {
  const { users } = await createUsers(t, bare)
  const { password } = (await users.create({ email, password: horse })) as User
  t.ok(isHashOf(password, horse))
})

t.test('nothing is hashed twice', async (t) => {
  const password = toHash(horse)
  for (const [name, hook] of Object.entries({
    'our hook': hashPassword('password'),
    'a hook that makes another kind': (context: HookContext) => {
      context.data = { ...(context.data as User), password: bcryptHash }
    }
  })) {
    const { users, send } = await createUsers(t, { options: { hooks: { before: { create: [hook] } } } })
    await send('POST', '/users', { email, password: horse })
    const stored = ((await users.get(1)) as User).password
    t.ok(isHashOf(stored, horse) || stored === bcryptHash, name)
  }
  const { users } = await createUsers(t, bare)
  t.match(await users.create({ email, password }), { password }, 'the server may store a hash that it has')
  t.match(await users.create({ email, password: bcryptHash }), { password: bcryptHash })
})

t.test('a client can not send a hash: it is a password like any other', async (t) => {
  const { users, send, login } = await createUsers(t, bare)
  for (const sent of [toHash('guessed'), bcryptHash, ` ${bcryptHash}`]) {
    const { body } = await send('POST', '/users', { email: sent, password: sent })
    const { password } = (await users.get(body.id)) as User
    t.ok(isHashOf(password, sent), sent)
    t.equal((await login(sent, 'guessed')).status, 401)
  }
})

t.test('what is no password is 400, whatever it is', async (t) => {
  const { send } = await createUsers(t, bare)
  for (const password of [5, [], {}, { toString: 1 }, [{ toString: 1 }], '', 'x'.repeat(1025), false])
    t.equal((await send('POST', '/users', { email, password })).status, 400, JSON.stringify(password))
})

t.test('a client can not name the field in another way', async (t) => {
  const { users, send } = await createUsers(t, bare)
  await users.create({ email, password: horse })
  const before = await users.get(1)
  const bodies = [
    { PASSWORD: 'x' },
    { '"password"': 'x' },
    { 'password.0': 'x' },
    { 'users.password': 'x' },
    { $set: { password: 'x' } },
    { $set: { Password: 'x' } },
    { pass_word: 'x' },
    { ｐassword: 'x' },
    { $rename: { email: 'password', text: { toString: 1 } } },
    Array.from({ length: 4000 }).reduce<object>(($set) => ({ $set }), { password: 'x' })
  ]
  for (const body of bodies)
    t.equal((await send('PATCH', '/users/1', body)).status, 400, JSON.stringify(body).slice(0, 100))
  t.strictSame(await users.get(1), before)
  const others = { 'contact-email': 'x', password_hint: 'y', 'email address': 'z' }
  t.match(await users.patch(1, others), others, 'fields that only sound alike')
  for (const long of [`x${' '.repeat(900_000)}x`, `x${'\u0301\u0316'.repeat(200_000)}`])
    t.equal((await send('PATCH', '/users/1', { [long]: 'x' })).status, 200, 'a long name takes no minutes')
})

t.test('`hash: false` leaves it to the application', async (t) => {
  const { users } = await createUsers(t, { ...bare, authentication: { strategies: { local: { hash: false } } } })
  t.match(await users.create({ email, password: horse }), { password: horse })
})

t.test('a stored text that is no hash lets nobody in, and is logged once', async (t) => {
  const logged: string[] = []
  const stream = { write: (line: string) => void logged.push(JSON.parse(line).msg) }
  const { users, login } = await createUsers(t, {
    ...bare,
    server: { logger: { level: 'error', stream } },
    authentication: { strategies: { local: { hash: false } } }
  })
  await users.create({ email, password: horse })
  for (const _ of [1, 2]) t.equal((await login(email, horse)).status, 401)
  t.equal(logged.length, 1)
  t.match(logged[0], /'password' of the service 'users' that is no hash/)
  t.notMatch(logged.join(), horse)
})

t.test('`normalize` stores and compares names in one spelling', async (t) => {
  const local = { usernameField: { name: 'email', normalize: 'lowercase' as const } }
  const { users, send, login } = await createUsers(t, { ...bare, authentication: { strategies: { local } } })
  const { body } = await send('POST', '/users', { email: ' Ada@Example.COM ', password: horse })
  t.equal(body.email, email)
  for (const name of [email, 'ADA@example.com', ' ada@example.com'])
    t.equal((await login(name, horse)).status, 201, name)
  await users.create([{ email: 'BOB@example.com' }])
  t.match((await send('GET', '/users')).body, [{}, { email: 'bob@example.com' }], 'each of a list')
  await users.patch(1, { email: 'Ame\u0301lie@Example.com' })
  t.equal(((await users.get(1)) as User).email, 'amélie@example.com')
  t.equal((await login('AMÉLIE@example.com', horse)).status, 201)
  t.match((await send('GET', '/users?email=AMÉLIE@example.com')).body, [{ id: 1 }], 'queries too')
  for (const name of ['', '  ', 'x'.repeat(1025)])
    t.equal((await send('POST', '/users', { email: name, password: horse })).status, 400, `${name.length} characters`)
})

t.test('a name or a password with a NUL is told so', async (t) => {
  const local = { usernameField: { name: 'email', normalize: 'lowercase' as const } }
  const { send } = await createUsers(t, { ...bare, authentication: { strategies: { local } } })
  for (const [field, body] of [
    ['email', { email: 'b\0', password: horse }],
    ['password', { email: 'b', password: 'correct\0horse' }]
  ] as const)
    t.match(await send('POST', '/users', body), {
      status: 400,
      body: { message: `'${field}' can not have the character NUL` }
    })
})

t.test('`normalize` may be a function', async (t) => {
  const usernameField = { name: 'email', normalize: (name: string) => name.replaceAll(' ', '') }
  const { send } = await createUsers(t, { ...bare, authentication: { strategies: { local: { usernameField } } } })
  t.equal((await send('POST', '/users', { email: 'a d a', password: horse })).body.email, 'ada')
})

t.test('a `usernameField` that can not be stops the start', async (t) => {
  const refused = [{}, { name: '' }, { name: 'email', normalize: 'upper' }, { normalize: 'lowercase' }, 5]
  for (const usernameField of refused)
    await t.rejects(
      createUsers(t, { ...bare, authentication: { strategies: { local: { usernameField } as never } } }),
      /`strategies.local.usernameField` of authentication must be a non-empty string, or \{ name, normalize \}/
    )
})

t.test('a client can not send a hash by way of a hook that puts it elsewhere', async (t) => {
  const move = (context: HookContext) => {
    context.data = Object(context.data).data
  }
  const { users, send } = await createUsers(t, { options: { hooks: { before: { create: [move] } } } })
  await send('POST', '/users', { data: { email, password: bcryptHash } })
  t.ok(isHashOf(((await users.get(1)) as User).password, bcryptHash))
})

t.test('a name is one text: lists of names, other spellings and other values are refused', async (t) => {
  const { users, send } = await createUsers(t, bare)
  await users.create({ email, password: horse })
  const names: object[] = [
    { email: [email, 'bob'] },
    { email: { $ne: '' } },
    { email: { toString: 5 } },
    { email: 5 },
    { Email: email },
    { $set: [{ email }] }
  ]
  for (const body of names) {
    t.equal((await send('POST', '/users', { password: horse, ...body })).status, 400, JSON.stringify(body))
    t.equal((await send('PATCH', '/users/1', body)).status, 400, JSON.stringify(body))
  }
  t.equal((await send('POST', '/users', { email: null })).status, 201, 'a user without a name')
})

t.test('what the server itself passes on is checked too', async (t) => {
  const { users } = await createUsers(t, bare)
  for (const password of [12_345, ['plain'], { plain: 1 }])
    await t.rejects(users.create({ email, password }), { code: 400 }, JSON.stringify(password))
  await t.rejects(users.create({ email, Password: 'plain' }), { code: 400 })
})

t.test('users at the root of a login under a prefix are prepared before they are stored', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('users', memory({ startId: 1 }) as object)
  await app.register(async (child) => child.register(authentication, { secret: 'x'.repeat(40) }), { prefix: '/v1' })
  const users = app.service<{ create(data: object): Promise<User> }>('users')
  const { password } = await users.create({ email, password: horse })
  t.ok(isHashOf(password, horse))
})

t.test('hashes that take very long are no hashes', async (t) => {
  const { users, login } = await createUsers(t, {
    ...bare,
    authentication: { strategies: { local: { bcrypt: true } } }
  })
  await users.create({ email, password: bcryptHash.replace('$04$', '$31$') })
  await users.create({ email: 'bob', password: toHash(horse).replace(/ln=\d+,r=8,p=\d+/, 'ln=15,r=8,p=60') })
  for (const name of [email, 'bob']) t.equal((await login(name, horse)).status, 401)
})
