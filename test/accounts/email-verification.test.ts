import { setImmediate } from 'node:timers/promises'
import rateLimit from '@fastify/rate-limit'
import { memory } from '@feathersjs/memory'
import type { HookContext, NextFunction } from 'fastify-services'
import { type EmailVerificationOptions, emailVerification, passwordReset } from 'fastify-services/accounts'
import { LocalStrategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, createAccounts } from '../support/accounts-app.js'
import type { PasswordApp, User } from '../support/auth-passwords.js'
import { claims, forge } from '../support/tokens.js'

const invalid = { status: 400, body: { name: 'BadRequest', message: 'This link is not valid any more' } }
const bob = 'bob@example.com'

async function create(t: Test, options: Partial<EmailVerificationOptions> = {}, app: PasswordApp = {}) {
  const created = await createAccounts(
    t,
    (app, send) => app.register(emailVerification, { send, rateLimit: false, ...options }),
    app
  )
  const { users, post, login, mails, app: server } = created
  const confirm = (token: unknown) => post('/email-verifications/confirm', { token })
  const stored = async (id: number) => (await users.get(id)) as User
  const logIn = async (email = ada.email, password = ada.password) => (await login(email, password)).status
  /** The mails of an application that has ended. */
  const allMails = async () => {
    await server.close()
    return mails.map(({ user }) => (user as User).email)
  }
  return { ...created, confirm, stored, logIn, allMails }
}

t.test('a new user can log in when the link in the mail was opened', async (t) => {
  const { post, nextMail, confirm, logIn, login } = await create(t)
  t.match(await post('/users', ada), { status: 201, body: { id: 1, isVerified: false } })
  t.match(await login(ada.email, ada.password), { status: 403, body: { message: 'Verify your e-mail address first' } })
  t.match(await login(ada.email, 'guessed'), { status: 401, body: { message: 'Invalid login' } })
  const { user, token } = await nextMail()
  t.strictSame(user, { id: 1, email: ada.email, isVerified: false })
  t.match(await confirm(token), { status: 200, body: { verified: true } })
  t.equal(await logIn(), 201)
  t.match(await confirm(token), invalid, 'once')
})

t.test('the server creates users, too: one, a list, and those that are verified', async (t) => {
  const { users, stored, allMails } = await create(t)
  await users.create({ ...ada })
  await users.create([{ email: bob }, { email: 'cy@example.com', isVerified: true }, { name: 'without an address' }])
  t.strictSame(
    [await stored(1), await stored(2), await stored(3)].map(({ isVerified }) => isVerified),
    [false, false, true]
  )
  t.strictSame(await allMails(), [ada.email, bob])
})

t.test('a new address has to be verified, and links to the old one end', async (t) => {
  const { users, post, send, nextMail, confirm, stored, logIn, allMails } = await create(t)
  await post('/users', ada)
  const { token: old } = await nextMail()
  await send('PATCH', '/users/1', { email: bob })
  t.match(await confirm(old), invalid)
  const { user, token } = await nextMail()
  t.equal(user.email, bob)
  t.equal((await confirm(token)).status, 200)
  await send('PUT', '/users/1', { ...ada, email: bob, name: 'the same address' })
  t.match(await stored(1), { isVerified: true, name: 'the same address' })
  await send('PATCH', '/users/1', { email: bob })
  await send('PATCH', '/users/1', { name: 'Bob' })
  await users.patch(1, { name: 'Bob' })
  t.equal((await stored(1)).isVerified, true)
  t.equal(await logIn(bob), 201)
  await send('PUT', '/users/1', ada)
  t.equal((await stored(1)).isVerified, false)
  t.equal((await nextMail()).user.email, ada.email)
  t.equal(await logIn(), 403)
  await users.patch(1, { email: 'cy@example.com' })
  t.equal((await nextMail()).user.email, 'cy@example.com', 'by the server')
  await users.patch(1, { email: 'dan@example.com', isVerified: true })
  t.equal((await stored(1)).isVerified, true, 'the server may know that it is verified')
  await users.update(1, { name: 'without an address' })
  t.equal((await stored(1)).isVerified, false)
  t.strictSame(await allMails(), [])
})

t.test('names that log-ins find equal are one address', async (t) => {
  const local = { usernameField: { name: 'email', normalize: 'lowercase' } } as const
  const { send, post, nextMail, confirm, stored, allMails } = await create(
    t,
    {},
    { authentication: { strategies: { jwt: true, local } } }
  )
  await post('/users', { ...ada, email: ' Ada@Example.com' })
  const { user, token } = await nextMail()
  t.equal(user.email, ada.email)
  t.equal((await confirm(token)).status, 200)
  await send('PATCH', '/users/1', { email: 'ADA@example.com ' })
  t.match(await stored(1), { email: ada.email, isVerified: true })
  await post('/email-verifications', { email: 'ADA@example.com' })
  t.strictSame(await allMails(), [])
})

t.test('clients can not set the field, under any name', async (t) => {
  const { users, send, post, stored, allMails } = await create(t)
  await users.create({ ...ada })
  const values = [true, false, null, 1, 'true', {}]
  const records = [
    ...values.map((isVerified) => ({ isVerified })),
    { isverified: true },
    { is_verified: true },
    { '"isVerified"': true },
    { 'users.isVerified': true },
    { $set: { isVerified: true } },
    { $rename: { name: 'isVerified' } }
  ]
  for (const record of records) {
    const text = JSON.stringify(record)
    const message = /^'isVerified' can't be sent/
    t.match(
      await post('/users', { email: bob, password: 'a long secret', ...record }),
      { status: 400, body: { message } },
      text
    )
    t.match(await send('PATCH', '/users/1', record), { status: 400, body: { message } }, text)
    t.match(await send('PUT', '/users/1', { ...ada, ...record }), { status: 400, body: { message } }, text)
  }
  t.equal((await stored(1)).isVerified, false)
  t.strictSame(await allMails(), [ada.email])
})

t.test('a request sends one mail: lists are refused', async (t) => {
  const { send, post, users, allMails } = await create(t)
  await users.create([
    { ...ada, isVerified: true },
    { email: bob, isVerified: true }
  ])
  t.match(await post('/users', [{ email: 'cy' }, { email: 'dan' }]), {
    status: 400,
    body: { message: 'Send one user' }
  })
  t.match(await send('PATCH', '/users', { email: 'cy' }), { status: 400, body: { message: 'Send one user' } })
  t.equal((await send('PATCH', '/users', { name: 'x' })).status, 200)
  t.strictSame(await allMails(), [])
})

t.test('what hooks of the application set is stored, and an address from them counts', async (t) => {
  const set = async (context: HookContext, next: NextFunction) => {
    context.data = { ...context.data, isVerified: context.data.email.endsWith('@our.example') }
    await next()
  }
  const move = (context: HookContext) => {
    const { contact, ...data } = context.data
    context.data = { ...data, email: contact }
  }
  const hooks = { around: { create: [set] }, before: { patch: [move] } }
  const { post, send, stored, allMails } = await create(t, {}, { options: { hooks } })
  await post('/users', { ...ada, email: 'eve@our.example' })
  t.equal((await stored(1)).isVerified, true)
  await send('PATCH', '/users/1', { contact: bob })
  t.match(await stored(1), { email: bob, isVerified: false })
  t.strictSame(await allMails(), [bob])
})

t.test('a mail is sent again on request, with the same answer for all names', async (t) => {
  const { post, users, nextMail, confirm, allMails } = await create(t)
  await post('/users', ada)
  await users.create({ email: bob, isVerified: true })
  const { token: first } = await nextMail()
  const answers = [ada.email, bob, 'eve@example.com', 'ada\0@example.com'].map((email) =>
    post('/email-verifications', { email })
  )
  for (const answer of await Promise.all(answers)) t.match(answer, { status: 201, body: { sent: true } })
  const { user, token } = await nextMail()
  t.equal(user.email, ada.email)
  for (const email of [[ada.email], { $gt: '' }, null, 5, ''])
    t.equal((await post('/email-verifications', { email })).status, 400)
  t.equal((await confirm(first)).status, 200, 'the first link is good, too')
  t.match(await confirm(token), invalid)
  t.strictSame(await allMails(), [])
})

t.test('a token that is not of a mail is not accepted', async (t) => {
  const { app, users, post, nextMail, confirm, stored } = await createBoth(t)
  await users.create({ ...ada })
  const { token } = await nextMail()
  await post('/password-resets', { email: ada.email })
  const { token: reset } = await nextMail()
  const payload = JSON.parse(Buffer.from(String(token.split('.')[1]), 'base64url').toString())
  const tokens = [
    reset,
    forge(claims()),
    forge({ ...payload, user: '2' }),
    forge({ ...payload, aud: 'authentication' })
  ]
  for (const value of [...tokens, `${token}x`, '', [token], null, 'x'.repeat(8192)])
    t.equal((await confirm(value)).status, 400)
  t.equal((await post('/password-resets/confirm', { token, password: 'battery staple' })).status, 400)
  t.equal((await stored()).isVerified, false)
  t.equal((await confirm(token)).status, 200)
  t.ok(app)
})

async function createBoth(t: Test) {
  const created = await createAccounts(t, async (app, send) => {
    await app.register(emailVerification, { send, rateLimit: false })
    await app.register(passwordReset, { send, rateLimit: false })
  })
  const confirm = (token: unknown) => created.post('/email-verifications/confirm', { token })
  return { ...created, confirm, stored: async () => (await created.users.get(1)) as User }
}

t.test('a link ends with its user', async (t) => {
  const { post, users, nextMail, confirm } = await create(t)
  await post('/users', ada)
  const { token } = await nextMail()
  await users.remove(1)
  t.match(await confirm(token), invalid)
})

t.test('with `required: false`, users may log in before', async (t) => {
  const { post, logIn, nextMail, confirm, stored } = await create(t, { required: false, field: 'confirmed' })
  await post('/users', ada)
  t.equal(await logIn(), 201)
  t.equal((await stored(1)).confirmed, false)
  t.equal((await confirm((await nextMail()).token)).status, 200)
  t.equal((await stored(1)).confirmed, true)
})

t.test('every log-in by password needs the address, and no other one', async (t) => {
  const byName = new LocalStrategy({ usernameField: 'name' })
  const { post, nextMail, confirm } = await create(
    t,
    {},
    { authentication: { strategies: { jwt: true, local: true, byName } } }
  )
  await post('/users', { ...ada, name: 'Ada' })
  const logIn = async () =>
    (await post('/authentication', { strategy: 'byName', name: 'Ada', password: ada.password })).status
  t.equal(await logIn(), 403)
  await confirm((await nextMail()).token)
  t.equal(await logIn(), 201)
})

t.test('users from before are not verified, and get a link on request', async (t) => {
  const object = memory({ startId: 1, multi: true })
  const { users, post, nextMail, confirm, logIn } = await create(t, {}, { object })
  await users.create({ ...ada, isVerified: true })
  await object._patch(1, { isVerified: null } as never)
  t.equal(await logIn(), 403)
  await post('/email-verifications', { email: ada.email })
  t.equal((await confirm((await nextMail()).token)).status, 200)
  t.equal(await logIn(), 201)
})

t.test('a sign-up does not fail with its mail', async (t) => {
  let calls = 0
  const send = () => {
    calls += 1
    throw new Error('no mail server')
  }
  const { post } = await create(t, { send })
  t.equal((await post('/users', ada)).status, 201)
  while (calls === 0) await setImmediate()
})

t.test('requests for mails are limited', async (t) => {
  const { post } = await createAccounts(t, async (app, send) => {
    await app.register(rateLimit, { global: false })
    await app.register(emailVerification, { send, rateLimit: { user: 1 } })
  })
  t.equal((await post('/email-verifications', { email: ada.email })).status, 201)
  t.equal((await post('/email-verifications', { email: ada.email })).status, 429)
  t.equal((await post('/email-verifications', { email: bob })).status, 201)
  t.equal((await post('/email-verifications', { email: 'no name \0' })).status, 201)
})
