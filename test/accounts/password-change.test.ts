import rateLimit from '@fastify/rate-limit'
import { type PasswordChangeOptions, type PasswordChanges, passwordChange } from 'fastify-services/accounts'
import { allow, hashPassword, scope } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, createAccounts } from '../support/accounts-app.js'
import { isHashOf, type PasswordApp, type User } from '../support/auth-passwords.js'

const bob = { email: 'bob@example.com', password: 'open sesame' }
const wrong = { status: 400, body: { errors: { currentPassword: "'currentPassword' is wrong" } } }

/** An application with two users, of whom the first one is logged in. */
async function create(t: Test, options: Partial<PasswordChangeOptions> = {}, app: PasswordApp = {}) {
  const created = await createAccounts(t, (app) => app.register(passwordChange, { rateLimit: false, ...options }), app)
  const { users, send, login, post } = created
  await users.create([{ ...ada }, { ...bob }])
  const { body } = await login(ada.email, ada.password)
  const headers = { authorization: `Bearer ${body.accessToken}` }
  const change = (currentPassword: unknown, password: unknown = 'battery staple') =>
    post('/password-changes', { currentPassword, password }, headers)
  const stored = async (id: number) => ((await users.get(id)) as User).password
  return { ...created, headers, change, stored, send }
}

t.test('a user changes the password by the current one', async (t) => {
  const { change, login, stored } = await create(t)
  const other = await stored(2)
  t.match(await change(ada.password), { status: 201, body: { changed: true } })
  t.equal((await login(ada.email, 'battery staple')).status, 201)
  t.equal((await login(ada.email, ada.password)).status, 401)
  t.match(await change(ada.password), wrong)
  t.equal(await stored(2), other, 'nobody else has another password')
})

t.test('a wrong current password is refused, and the field is named', async (t) => {
  const { change, stored } = await create(t)
  const before = await stored(1)
  for (const password of ['guessed', bob.password, '', 'with a \0 in it', String(before)])
    t.match(await change(password), wrong, JSON.stringify(password))
  for (const password of [[ada.password], { $ne: '' }, 5, null, undefined, 'x'.repeat(1025)])
    t.equal((await change(password)).status, 400, JSON.stringify(password))
  for (const password of ['short', 'with a \0 in it', ['battery staple'], null])
    t.equal((await change(ada.password, password)).status, 400, JSON.stringify(password))
  t.equal(await stored(1), before)
})

t.test('a login is needed, with and without a guard for all services', async (t) => {
  for (const guard of [undefined, 'jwt']) {
    const { post, change, app } = await create(t, {}, { authentication: guard === undefined ? {} : { guard } })
    const data = { currentPassword: ada.password, password: 'battery staple' }
    t.equal((await post('/password-changes', data)).status, 401)
    t.equal((await post('/password-changes', data, { authorization: 'Bearer guessed' })).status, 401)
    await t.rejects(app.service<PasswordChanges>('password-changes').create(data), { code: 401 })
    t.equal((await change(ada.password)).status, 201)
  }
})

t.test('permissions and scopes of all services leave it alone', async (t) => {
  const except = ['users']
  const limits = [allow({ admin: { find: true } }, { except }), scope(() => ({ organisationId: 1 }), { except })]
  const hooks = { around: { all: limits } }
  const { change } = await create(t, {}, { plugin: { hooks } })
  t.equal((await change(ada.password)).status, 201)
})

t.test('ten changes at once: one has the current password', async (t) => {
  const { change, stored } = await create(t)
  const passwords = Array.from({ length: 10 }, (_, index) => `a new password ${index}`)
  const answers = await Promise.all(passwords.map((password) => change(ada.password, password)))
  const accepted = passwords.filter((_, index) => answers[index]?.status === 201)
  t.equal(accepted.length, 1)
  for (const answer of answers.filter(({ status }) => status !== 201)) t.match(answer, wrong)
  t.ok(isHashOf(await stored(1), String(accepted[0])))
})

t.test('a user without a password, or who was removed meanwhile, has none to change', async (t) => {
  const { change, users } = await create(t)
  await users.patch(1, { password: null })
  t.match(await change(ada.password), wrong)
  t.match(await change('null'), wrong)
  await users.remove(1)
  t.equal((await change(ada.password)).status, 401)
})

t.test('clients can not change a password by `update` or `patch` any more', async (t) => {
  const hooks = { before: { patch: [hashPassword('password')], update: [hashPassword('password')] } }
  for (const options of [{}, { hooks }]) {
    const { send, users, stored, headers } = await create(t, {}, { options })
    const before = await stored(1)
    const refused = {
      status: 400,
      body: {
        errors: { password: "'password' can't be changed here: send it to /password-changes, with the current one" }
      }
    }
    for (const password of ['battery staple', null, ''])
      t.match(await send('PATCH', '/users/1', { password }, headers), refused)
    t.match(await send('PUT', '/users/1', { ...ada, name: 'Ada' }, headers), refused)
    t.match(await send('PATCH', '/users', [{ name: 'x' }, { password: 'battery staple' }], headers), { status: 400 })
    t.equal((await send('PATCH', '/users/1', { Password: 'battery staple' }, headers)).status, 400)
    t.equal(await stored(1), before)
    t.equal((await send('PATCH', '/users/1', { name: 'Ada' }, headers)).status, 200)
    t.equal((await send('PUT', '/users/1', { email: ada.email }, headers)).status, 200)
    t.equal(await stored(1), before, 'a PUT without a password keeps it')
    t.equal((await send('POST', '/users', { email: 'cy@example.com', password: 'a long secret' })).status, 201)
    await users.patch(1, { password: 'by the server' })
    t.ok(isHashOf(await stored(1), 'by the server'))
  }
})

t.test('the options: path, prefix, schema and strategies', async (t) => {
  const apiKey = {
    parse: ({ headers }: { headers: Record<string, unknown> }) => (headers['x-key'] ? { key: headers['x-key'] } : null),
    authenticate: async () => ({ user: { id: 2 } })
  }
  const options = { path: 'change', prefix: '/v1', strategies: ['apiKey'], password: { type: 'string', minLength: 12 } }
  const strategies = { jwt: true, local: true, apiKey } as const
  const { post, headers, login, send } = await create(t, options as PasswordChangeOptions, {
    authentication: { strategies }
  })
  const data = { currentPassword: bob.password, password: 'twelve letters' }
  const key = { 'x-key': 'any' }
  t.equal((await post('/v1/change', data, headers)).status, 401, 'another strategy')
  t.match(await post('/v1/change', { ...data, password: 'short' }, key), { status: 400 })
  t.equal((await post('/v1/change', data, key)).status, 201)
  t.equal((await login(bob.email, 'twelve letters')).status, 201)
  t.match(await send('PATCH', '/users/1', { password: 'x' }), { body: { message: /send it to \/v1\/change/ } })
})

t.test('attempts are limited for each client and user', async (t) => {
  const { users, login, post } = await createAccounts(t, async (app) => {
    await app.register(rateLimit, { global: false })
    await app.register(passwordChange, { rateLimit: { user: 2 } })
  })
  await users.create([{ ...ada }, { ...bob }])
  const statusOf = async ({ email, password }: typeof ada, currentPassword: string) => {
    const headers = { authorization: `Bearer ${(await login(email, password)).body.accessToken}` }
    return (await post('/password-changes', { currentPassword, password: 'battery staple' }, headers)).status
  }
  t.strictSame([await statusOf(ada, 'guessed'), await statusOf(ada, 'guessed')], [400, 400])
  t.equal(await statusOf(ada, ada.password), 429)
  t.equal(await statusOf(bob, bob.password), 201)
})

t.test('mistakes stop the start, and say what to do', async (t) => {
  await t.rejects(
    create(t, { rateLimit: true }),
    /`rateLimit` of passwordChange needs a plugin: register @fastify\/rate-limit/
  )
  await t.rejects(create(t, { strategies: ['apiKey'] }), /there is no such strategy/)
  await t.rejects(create(t, { expiresIn: 5 } as never), /passwordChange has no option 'expiresIn'/)
})
