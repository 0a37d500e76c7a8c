import { setImmediate } from 'node:timers/promises'
import rateLimit from '@fastify/rate-limit'
import { memory } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import type { HookContext } from 'fastify-services'
import {
  type AccountMail,
  type PasswordResetOptions,
  type PasswordResets,
  passwordReset
} from 'fastify-services/accounts'
import authentication, { allow, LocalStrategy, scope } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, createAccounts } from '../support/accounts-app.js'
import { createPairFor } from '../support/auth-fault-tokens.js'
import { bcryptHash, isHashOf, type PasswordApp, type User } from '../support/auth-passwords.js'
import { claims, forge, secret } from '../support/tokens.js'
import { createServicesApp } from '../support/users-app.js'

const invalid = { status: 400, body: { name: 'BadRequest', message: 'This link is not valid any more' } }

const create = (t: Test, options: Partial<PasswordResetOptions> = {}, app: PasswordApp = {}) =>
  createAccounts(t, (app, send) => app.register(passwordReset, { send, rateLimit: false, ...options }), app)

async function withAda(t: Test, options: Partial<PasswordResetOptions> = {}, app: PasswordApp = {}) {
  const created = await create(t, options, app)
  const { id } = (await created.users.create({ ...ada })) as { id: number }
  const stored = async () => ((await created.users.get(id)) as User).password
  const confirm = (token: unknown, password: unknown = 'battery staple') =>
    created.post('/password-resets/confirm', { token, password })
  const ask = async () => {
    await created.post('/password-resets', { email: ada.email })
    return (await created.nextMail()).token
  }
  return { ...created, id, stored, confirm, ask }
}

t.test('the link in the mail sets a new password, once', async (t) => {
  const { post, nextMail, confirm, login } = await withAda(t)
  t.match(await post('/password-resets', { email: ada.email }), { status: 201, body: { sent: true } })
  const { user, token } = await nextMail()
  t.strictSame(user, { id: 1, email: ada.email }, 'the mail is told the user, without the password')
  t.match(await confirm(token), { status: 200, body: { changed: true } })
  t.equal((await login(ada.email, 'battery staple')).status, 201)
  t.equal((await login(ada.email, ada.password)).status, 401)
  t.match(await confirm(token, 'another one'), invalid)
})

t.test('an unknown name gets the same answer, and no mail', async (t) => {
  const { app, post, mails } = await withAda(t)
  const known = await post('/password-resets', { email: ada.email })
  for (const email of ['bob@example.com', 'ada\0@example.com', 'x'.repeat(1024), '__proto__']) {
    const { status, body } = await post('/password-resets', { email })
    t.strictSame([status, body], [known.status, known.body], JSON.stringify(email).slice(0, 40))
  }
  await app.close()
  t.equal(mails.length, 1)
})

t.test('what is no name of a user is refused before anybody looks for it', async (t) => {
  const { app, post, mails } = await withAda(t)
  const names: unknown[] = [[ada.email], { $gt: '' }, { toString: 1 }, 5, null, true, '', 'x'.repeat(1025)]
  const bodies = [...names.map((email) => ({ email })), {}, [], [{ email: ada.email }], { email: ada.email, more: 1 }]
  for (const body of bodies) t.equal((await post('/password-resets', body)).status, 400, JSON.stringify(body))
  await app.close()
  t.strictSame(mails, [])
})

t.test('two links are good until one of them is used', async (t) => {
  const { ask, confirm } = await withAda(t)
  const [first, second] = [await ask(), await ask()]
  t.equal((await confirm(first)).status, 200)
  t.match(await confirm(second), invalid)
})

t.test('a link that is used ten times at once changes the password once', async (t) => {
  const { ask, confirm, stored, users } = await withAda(t)
  let changes = 0
  users.on('patched', () => {
    changes += 1
  })
  const token = await ask()
  const passwords = Array.from({ length: 10 }, (_, index) => `a new password ${index}`)
  const answers = await Promise.all(passwords.map((password) => confirm(token, password)))
  const accepted = passwords.filter((_, index) => answers[index]?.status === 200)
  t.equal(accepted.length, 1)
  t.equal(answers.filter(({ status }) => status === 400).length, 9)
  t.equal(changes, 1)
  t.ok(isHashOf(await stored(), String(accepted[0])))
})

t.test('a link ends when its user changes', async (t) => {
  const changes: Record<string, (app: Awaited<ReturnType<typeof withAda>>) => Promise<unknown>> = {
    'the password': ({ users, id }) => users.patch(id, { password: 'another secret' }),
    'the same password again': ({ users, id }) => users.patch(id, { password: ada.password }),
    'the address': ({ users, id }) => users.patch(id, { email: 'ada@example.org' }),
    'the user is removed': ({ users, id }) => users.remove(id)
  }
  for (const [name, change] of Object.entries(changes)) {
    const app = await withAda(t)
    const token = await app.ask()
    await change(app)
    t.match(await app.confirm(token), invalid, name)
  }
  const { ask, users, id, confirm } = await withAda(t)
  const token = await ask()
  await users.patch(id, { name: 'Ada' })
  t.equal((await confirm(token)).status, 200, 'other fields do not matter')
})

t.test('a token that is not of a mail is not accepted', async (t) => {
  const app = await withAda(t)
  const { ask, confirm, login, stored } = app
  const token = await ask()
  const [head, body, signature = ''] = token.split('.')
  const payload = JSON.parse(Buffer.from(String(body), 'base64url').toString())
  const { body: session } = await login(ada.email, ada.password)
  const tokens: Record<string, unknown> = {
    'an access token': session.accessToken,
    'an access token with the claims of a link': forge(claims({ user: '1', state: payload.state })),
    'another signature': `${head}.${body}.${signature.slice(0, -4)}AAAA`,
    'no signature': `${head}.${body}.`,
    'another user': forge({ ...payload, user: '2' }),
    'a subject, as access tokens have': forge({ ...payload, sub: '1' }),
    'no user': forge({ ...payload, user: undefined }),
    'a user that is an operator': forge({ ...payload, user: { $gt: '' } }),
    'another state': forge({ ...payload, state: null }),
    'no state': forge({ ...payload, state: undefined }),
    'another purpose': forge({ ...payload, aud: 'authentication#email-verifications' }),
    'another secret': forge(payload, {}, 'another secret of more than 32 bytes'),
    'no end': forge({ ...payload, exp: undefined }),
    'the past': forge({ ...payload, exp: payload.iat - 1 }),
    'no text': [token],
    'an empty text': '',
    'a NUL': `${token}\0`,
    'a long text': 'x'.repeat(8192)
  }
  const before = await stored()
  for (const [name, value] of Object.entries(tokens)) t.equal((await confirm(value)).status, 400, name)
  t.equal(await stored(), before)
  t.equal((await confirm(forge(payload))).status, 200, 'only these differences matter')
})

t.test('a link is no access token', async (t) => {
  const { ask, send } = await withAda(t, {}, { authentication: { guard: 'jwt' } })
  const headers = { authorization: `Bearer ${await ask()}` }
  t.equal((await send('GET', '/users/1', undefined, headers)).status, 401)
})

t.test('the link of one service is not good for another one, nor that of another server', async (t) => {
  const { post, nextMail } = await createAccounts(t, async (app, send) => {
    await app.register(passwordReset, { send, rateLimit: false })
    await app.register(passwordReset, { send, rateLimit: false, path: 'invitations' })
    await app.register(passwordReset, { send, rateLimit: false, prefix: '/v1' })
    app.addHook('onReady', async () => void (await app.service('users').create({ ...ada })))
  })
  await post('/password-resets', { email: ada.email })
  const { token } = await nextMail()
  const data = { token, password: 'battery staple' }
  for (const path of ['/invitations', '/v1/password-resets'])
    t.match(await post(`${path}/confirm`, data), invalid, path)
  const elsewhere = await withAda(t, {}, { authentication: { secret: 'another secret of more than 32 bytes' } })
  t.match(await elsewhere.confirm(token), invalid)
  t.equal((await post('/password-resets/confirm', data)).status, 200)
})

t.test('each authentication resets the passwords of its own users', async (t) => {
  const app = await createServicesApp(t)
  const tokens: string[] = []
  const send = ({ token }: AccountMail) => tokens.push(token)
  for (const prefix of ['/one', '/other'])
    await app.register(
      async (child) => {
        child.service('users', memory({ startId: 1 }))
        await child.register(authentication, { secret })
        await child.register(passwordReset, { send, rateLimit: false })
        child.addHook('onReady', async () => void (await child.service('users').create({ ...ada })))
      },
      { prefix }
    )
  const post = async (url: string, payload: object) => (await app.inject({ method: 'POST', url, payload })).statusCode
  t.equal(await post('/one/password-resets', { email: ada.email }), 201)
  while (tokens.length === 0) await setImmediate()
  const data = { token: tokens[0], password: 'battery staple' }
  t.equal(await post('/other/password-resets/confirm', data), 400)
  t.equal(await post('/one/password-resets/confirm', data), 200)
  const login = { strategy: 'local', email: ada.email, password: 'battery staple' }
  t.strictSame([await post('/one/authentication', login), await post('/other/authentication', login)], [201, 401])
})

t.test('links hold when the secret is replaced, and with a key pair', async (t) => {
  const people = memory({ startId: 1, multi: true })
  const old = await withAda(t, {}, { object: people })
  const token = await old.ask()
  const next = await create(
    t,
    {},
    { object: people, authentication: { secret: ['a new secret of more than 32 bytes', secret] } }
  )
  t.match(await next.post('/password-resets/confirm', { token, password: 'battery staple' }), { status: 200 })
  const pair = await withAda(t, {}, { authentication: { secret: createPairFor('ES256'), jwt: { algorithm: 'ES256' } } })
  t.equal((await pair.confirm(await pair.ask())).status, 200)
})

t.test('a password that a client sends is hashed, also if it looks like a hash', async (t) => {
  const { ask, confirm, stored } = await withAda(t)
  t.equal((await confirm(await ask(), bcryptHash)).status, 200)
  t.ok(isHashOf(await stored(), bcryptHash))
})

t.test('what is no password is refused, and the link stays good', async (t) => {
  const { ask, confirm } = await withAda(t)
  const token = await ask()
  for (const password of ['', 'short', 'x'.repeat(1025), 'with a \0 in it', 5, null, ['a long password'], {}])
    t.equal((await confirm(token, password)).status, 400, JSON.stringify(password).slice(0, 40))
  t.equal((await confirm(token)).status, 200)
})

t.test('the option `password` is the schema of new passwords', async (t) => {
  const { ask, confirm } = await withAda(t, { password: { type: 'string', minLength: 12 } })
  const token = await ask()
  t.match(await confirm(token, 'short'), { status: 400, body: { errors: [{ instancePath: '/password' }] } })
  t.equal((await confirm(token, 'twelve letters')).status, 200)
})

t.test('a user without a password gets the first one by a link', async (t) => {
  const { users, post, nextMail, login } = await create(t)
  await users.create({ email: 'bob@example.com', password: null })
  await users.create({ email: 'cy@example.com' })
  for (const email of ['bob@example.com', 'cy@example.com']) {
    await post('/password-resets', { email })
    const data = { token: (await nextMail()).token, password: 'battery staple' }
    t.equal((await post('/password-resets/confirm', data)).status, 200, email)
    t.match(await post('/password-resets/confirm', data), invalid)
    t.equal((await login(email, 'battery staple')).status, 201)
  }
})

t.test('names are spelled, and users found, as log-ins do it', async (t) => {
  class ActiveOnly extends LocalStrategy {
    override getEntityQuery(query: object) {
      return { ...query, isActive: true, $limit: 1 }
    }
  }
  const local = new ActiveOnly({ usernameField: { name: 'login', normalize: 'lowercase' }, passwordField: 'secret' })
  const { app, users, post, nextMail, mails } = await create(
    t,
    {},
    { authentication: { strategies: { jwt: true, local } } }
  )
  await users.create([
    { login: 'Ada', secret: 'correct horse', isActive: true },
    { login: 'bob', secret: 'correct horse', isActive: false }
  ])
  await post('/password-resets', { login: ' ADA ' })
  const { user, token } = await nextMail()
  t.strictSame(user, { id: 1, login: 'ada', isActive: true })
  await post('/password-resets', { login: 'bob' })
  t.equal((await post('/password-resets/confirm', { token, password: 'battery staple' })).status, 200)
  const login = await post('/authentication', { strategy: 'local', login: 'ada', secret: 'battery staple' })
  t.equal(login.status, 201)
  await app.close()
  t.strictSame(mails, [])
})

t.test('the service is open behind a guard and the permissions of all services', async (t) => {
  const hooks = { around: { all: [allow({ admin: true }), scope(() => ({ organisationId: 1 }))] } }
  const { ask, confirm, send } = await withAda(t, {}, { authentication: { guard: 'jwt' }, plugin: { hooks } })
  t.equal((await send('GET', '/users/1')).status, 401)
  t.equal((await confirm(await ask())).status, 200)
})

t.test('hooks of the application run when the password changes, and may refuse it', async (t) => {
  const seen: unknown[] = []
  const check = (context: HookContext) => {
    seen.push([context.id, context.params.provider])
    if (seen.length > 1) throw new Error('Not now')
  }
  const { ask, confirm, stored } = await withAda(t, {}, { options: { hooks: { before: { patch: [check] } } } })
  t.equal((await confirm(await ask())).status, 200)
  t.strictSame(seen, [[1, undefined]], 'as a call of the server')
  const before = await stored()
  t.equal((await confirm(await ask())).status, 500)
  t.equal(await stored(), before)
})

t.test('a mail that fails is logged, and never answered', async (t) => {
  const lines: string[] = []
  const server = { logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } }
  const failures = [
    () => {
      throw new Error('no mail server')
    },
    () => Promise.reject(new Error('no mail server')),
    () => Promise.reject(undefined)
  ]
  for (const [index, send] of failures.entries()) {
    const { app, post } = await withAda(t, { send }, { server })
    t.match(await post('/password-resets', { email: ada.email }), { status: 201, body: { sent: true } })
    await app.close()
    t.equal(lines.length, index + 1)
    t.match(lines.at(-1), 'A mail to a user could not be sent')
    t.notMatch(lines.at(-1), 'scrypt')
  }
})

t.test('a mail is made after the answer, so that its time does not reveal a user', async (t) => {
  let calls = 0
  const send = () => {
    calls += 1
  }
  const { app } = await withAda(t, { send })
  await app.service<PasswordResets>('password-resets').create({ email: ada.email })
  t.equal(calls, 0)
  await app.close()
  t.equal(calls, 1)

  const seen: number[] = []
  const server = await createAccounts(t, async (app) => {
    await app.register(passwordReset, { send, rateLimit: false })
    // A hook of the application that waits, as those that compress do.
    app.addHook('onSend', async () => {
      await setImmediate()
      await setImmediate()
      seen.push(calls)
    })
  })
  await server.users.create({ ...ada })
  await server.post('/password-resets', { email: ada.email })
  t.strictSame(seen, [1], 'not before the answer')
  while (calls === 1) await setImmediate()
})

t.test('nobody waits for a mail, except for the server when it closes', async (t) => {
  let release: (() => void) | undefined
  let isSent = false
  const send = () =>
    new Promise<void>((resolve) => {
      release = () => {
        isSent = true
        resolve()
      }
    })
  const { app, post } = await withAda(t, { send })
  t.equal((await post('/password-resets', { email: ada.email })).status, 201)
  const closing = app.close()
  while (release === undefined) await setImmediate()
  t.equal(isSent, false)
  release()
  await closing
  t.equal(isSent, true)
})

const mistakes: [name: string, register: (app: FastifyInstance) => unknown, message: RegExp][] = [
  ['no `send`', (app) => app.register(passwordReset, {} as never), /passwordReset needs the option `send`/],
  [
    'a misspelt option',
    (app) => app.register(passwordReset, { send: () => {}, expireIn: 5 } as never),
    /passwordReset has no option 'expireIn'.*Did you mean 'expiresIn'/
  ],
  [
    'no time span',
    (app) => app.register(passwordReset, { send: () => {}, expiresIn: 'soon', rateLimit: false }),
    /The option `expiresIn` of passwordReset must be a number of seconds/
  ],
  [
    'no @fastify/rate-limit',
    (app) => app.register(passwordReset, { send: () => {} }),
    /`rateLimit` of passwordReset needs a plugin: register @fastify\/rate-limit first, or set `rateLimit: false`/
  ]
]

t.test('mistakes stop the start, and say what to do', async (t) => {
  for (const [name, register, message] of mistakes) await t.rejects(createAccounts(t, register), message, name)
  const app = await createServicesApp(t)
  await t.rejects(
    async () => app.register(passwordReset, { send: () => {} }),
    /^passwordReset: There is no authentication here: register the plugin/
  )
  const strategies = { jwt: true, local: false } as const
  await t.rejects(create(t, {}, { authentication: { strategies } }), /passwordReset needs a login by password/)
  const unhashed = { strategies: { jwt: true, local: { hash: false } } } as const
  await t.rejects(create(t, {}, { authentication: unhashed }), /passwordReset needs a service 'users' that hashes/)
})

t.test('mails are limited for each client and name, and each client; log-ins are not affected', async (t) => {
  const { post, login, users } = await createAccounts(t, async (app, send) => {
    await app.register(rateLimit, { global: false })
    await app.register(passwordReset, { send, rateLimit: { user: 2, client: 4 } })
  })
  await users.create({ ...ada })
  const ask = async (email: string) => (await post('/password-resets', { email })).status
  t.strictSame([await ask(ada.email), await ask(ada.email), await ask(ada.email)], [201, 201, 429])
  t.equal(await ask('bob@example.com'), 201)
  t.equal(await ask('cy@example.com'), 201)
  t.equal(await ask('dan\0'), 429, 'no name of a user')
  t.equal((await login(ada.email, ada.password)).status, 201)
})
