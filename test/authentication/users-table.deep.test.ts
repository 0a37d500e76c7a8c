import { memory } from '@feathersjs/memory'
import bcryptjs from 'bcryptjs'
import { Conflict, NotAuthenticated, type Params } from 'fastify-services'
import { type Authenticator, authenticate, protect, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { bcryptHash, createUsers, isHashOf, type User } from '../support/auth-passwords.js'
import { createProtected } from '../support/auth-passwords-protect.js'
import { toHash } from '../support/stored-password.js'
import { secret } from '../support/tokens.js'
import { hashes } from '../support/users-app.js'
import { createUsersTable } from '../support/users-table.js'

// A database takes a while to start: there is one for all of these.
const { knex, object } = await createUsersTable(t, { filters: { $any: true }, multi: true })
const email = 'ada@example.com'
const password = toHash('correct horse')

async function createTable(t: Test) {
  await knex('users').truncate()
  await knex('users').insert({ email, password })
  return createUsers(t, { object, options: {} })
}

t.test('keys of users with numeric ids: an id may be a number or a text, and nothing else', async (t) => {
  await knex('users').truncate()
  await knex('users').insert([
    { email, password },
    { email: 'bob@example.com', password }
  ])
  await knex.schema.createTable('keys', (table) => {
    table.text('key')
    table.integer('userId')
  })
  const rows = { ada: 1, bob: 2, nobody: 7, none: null }
  await knex('keys').insert(Object.entries(rows).map(([key, userId]) => ({ key, userId })))
  const ids: unknown[] = [1, '1', 2, '02', 1.5, Number.NaN, ['1'], { $gt: 0 }, {}, null, undefined, '', true]
  const foundIds: unknown[] = []
  let authenticator: Authenticator | undefined
  const key: Strategy = {
    setup: (authentication) => {
      authenticator = authentication
    },
    parse: ({ headers }) => (headers['x-key'] ? { key: headers['x-key'] } : null),
    async authenticate({ key }, params) {
      const { userId }: { userId: number } = await knex('keys').where({ key }).first()
      const user = await authenticator?.entities.get(userId, params)
      if (user === undefined) throw new NotAuthenticated('Invalid key')
      return { user }
    }
  }
  const { app, send } = await createUsers(t, { object, authentication: { strategies: { jwt: true, key } } })
  app.service('me', { find: async ({ user }) => user }, { hooks: { around: { all: [authenticate('key')] } } })
  const me = async (key: string) =>
    (await send('GET', '/me', undefined, { 'x-key': key, accept: 'application/json' })).body
  t.strictSame(await me('ada'), { id: 1, email })
  t.match(await me('bob'), { id: 2 })
  for (const name of ['nobody', 'none']) t.match(await me(name), { code: 401, message: 'Invalid key' })
  for (const id of ids) foundIds.push((await authenticator?.entities.get(id as number, {}))?.id)
  t.strictSame(foundIds, [1, 1, 2, ...ids.slice(3).map(() => undefined)])
  await knex('users').truncate()
})

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

t.test('`rehash: true`: a password changed meanwhile is not overwritten (@feathersjs/knex)', (t) =>
  changeMeanwhile(t, object)
)

t.test('`rehash: true` with @feathersjs/knex: the hash is replaced', async (t) => {
  await knex('users').truncate()
  await knex('users').insert({ email, password: bcryptHash })
  const { users, login } = await createUsers(t, {
    object,
    authentication: { strategies: { jwt: true, local: { bcrypt: true, rehash: true } } }
  })
  t.equal((await login(email, 'correct horse')).status, 201)
  t.ok(isHashOf(((await users.get(1)) as User).password, 'correct horse'))
  t.equal((await login(email, 'correct horse')).status, 201)
})

t.test('what a query over HTTP asks about a protected field is refused', async (t) => {
  const { users, send } = await createTable(t)
  const queries = [
    'password=x',
    'password[$gt]=$',
    'password[$in][]=x',
    '$sort[password]=1',
    '$or[0][password][$gt]=$',
    '$or[0][$and][0][password][$gt]=$',
    'users.password[$gt]=$',
    '$sort[users.password]=1',
    '$or[0][users.password][$gt]=$',
    '$select[]=password as hash',
    '$select[]=users.password as hash',
    '$select[]=PASSWORD as hash',
    '$select=password as hash',
    '$select[0][hash]=password',
    '$sort=password',
    '$sort[]=password',
    '$sort=-password',
    '$sort=%2Bpassword',
    '$sort=email,-PASSWORD',
    '$sort[0][]=password',
    '$sort[0][by]=password',
    '$sort={"password":1}',
    '$group[]=users.password',
    '$or[0][$ref]=password',
    'email[$col]=password',
    '$expr[$gt][]=$password'
  ]
  for (const query of queries) {
    const encoded = query.replaceAll(' ', '%20')
    for (const [verb, url] of [
      ['GET', `/users?${encoded}`],
      ['GET', `/users/1?${encoded}`],
      ['PATCH', `/users?${encoded}`],
      ['DELETE', `/users?${encoded}`]
    ] as const) {
      const { status, body } = await send(verb, url, verb === 'PATCH' ? {} : undefined)
      t.match([status, body], [400, { name: 'BadRequest', message: /password/ }], `${verb} ${url}`)
      t.notMatch(JSON.stringify(body), password.slice(-20))
    }
  }
  t.match(await users.find({ query: { password } }), { length: 1, 0: { password } }, 'the server itself may ask')
  t.match(await users.find({ query: { $select: ['password'] } }), [{ password }])
})

t.test('a query that only selects a protected field, or has a similar one, is answered without it', async (t) => {
  const { send } = await createTable(t)
  t.strictSame((await send('GET', '/users?$select[]=password&$select[]=email')).body, [{ id: 1, email }])
  t.strictSame((await send('GET', '/users/1?$select[]=password')).body, { id: 1 })
  t.strictSame((await send('GET', '/users?email=password')).body, [])
  t.strictSame((await send('GET', `/users?email=${email}&$sort[email]=1`)).body, [{ id: 1, email }])
})

t.test('the name of a protected field is a value like any other where values are compared', async (t) => {
  const find = async ({ query }: Params) => ({ query })
  const { app } = await createProtected(t, {})
  app.service('echo', { find }, { hooks: { around: { all: [protect('password')] } } })
  for (const query of [
    'email=password',
    'email[]=password',
    'email[$ne]=password',
    'email[$in][]=password',
    'email[$iLike]=password',
    '$or[0][email]=password',
    '$and[0][email][$nin][]=password',
    '$search=password',
    '$sort=email',
    '$sort[]=-email',
    '$sort=password2',
    '$select[]=password',
    '$limit=1'
  ])
    t.equal((await app.inject(`/echo?${query}`)).statusCode, 200, query)
})

const plain = ['correct-horse-1', 'wrong-horse-2', 'battery-staple-3', 'other-horse-4']
const [right, wrong, changed, other] = plain as [string, string, string, string]

t.test('the password is in no reply, no `params.user`, no `request.user`, no log', async (t) => {
  await knex('users').truncate()
  await knex('users').insert({ email: 'old@example.com', password: bcryptHash })
  const written: string[] = []
  const { app, send, login } = await createUsers(t, {
    object,
    options: {
      hooks: { before: hashes },
      schema: { create: { body: { type: 'object', properties: { password: { type: 'string', minLength: 8 } } } } }
    },
    authentication: {
      refresh: true,
      revocation: true,
      strategies: { jwt: true, local: { bcrypt: true, rehash: true } }
    },
    plugin: { errorHandler: { expose: true } },
    server: { logger: { level: 'trace', stream: { write: (line: string) => written.push(line) } } }
  })
  const guarded = { hooks: { around: { all: [authenticate('jwt')] } } }
  app.service('whoami', { find: async ({ user, authentication }: Params) => ({ user, authentication }) }, guarded)
  app.service('failing', { find: async ({ user }: Params) => Promise.reject(new Conflict('no', { user })) }, guarded)
  app.get('/me', { preHandler: authenticate('jwt') }, async ({ user, feathers, log }) => {
    log.info({ user, feathers }, 'a log of the application')
    return { user, feathers }
  })
  const replies: string[] = []
  const scan = async (...args: Parameters<typeof send>) => {
    const { status, headers, body } = await send(...args)
    replies.push(JSON.stringify([status, headers, body]))
    return { status, body }
  }
  const html = async (url: string) => replies.push((await app.inject({ url, headers: { accept: 'text/html' } })).body)
  const raw = async (url: string, payload: string) => {
    const headers = { 'content-type': 'application/json' }
    replies.push((await app.inject({ method: 'POST', url, headers, payload })).body)
  }

  t.equal((await scan('POST', '/users', { email, password: right })).status, 201)
  t.equal((await scan('POST', '/users', { email, password: other })).status, 400, 'the address is taken')
  await scan('POST', '/users', [{ email: 'a@example.com', password: right }, { password: other }])
  for (const password of ['short', [right], { $gt: right }, right.repeat(100), `${right}\0`])
    await scan('POST', '/users', { email: 'b@example.com', password })
  for (const broken of [`{"password":${right}}`, `{"password":"${right}"`, `"${right}`, `{"password":"${right}",}`])
    for (const url of ['/users', '/authentication']) await raw(url, broken)
  const tokens = []
  for (const [name, password] of [
    [email, right],
    [email, wrong],
    ['nobody@example.com', wrong],
    ['old@example.com', 'correct horse']
  ] as const) {
    const { status, body } = await login(name, password)
    replies.push(JSON.stringify(body))
    if (status === 201) tokens.push(body)
  }
  t.equal(tokens.length, 2)
  await scan('POST', '/authentication', { strategy: right, email, password: right })
  await scan('POST', '/authentication', { strategy: 'local', email: right, password: wrong })
  const [{ accessToken, refreshToken }] = tokens
  const bearer = { authorization: `Bearer ${accessToken}` }
  for (const url of ['/users', '/users/1', '/users/9', '/users/x', '/users?colour=red', '/whoami', '/failing', '/me'])
    t.notSame(await scan('GET', url, undefined, bearer), undefined, url)
  await scan('PATCH', '/users/1', { password: changed }, bearer)
  await scan('PATCH', '/users/1', { password: other, email: 'old@example.com' }, bearer)
  await scan('PUT', '/users/1', { email, password: changed }, bearer)
  for (const url of ['/users', '/users/1', '/users/9', '/users?password[$gt]=$', '/failing']) await html(url)
  await scan('POST', '/authentication', { strategy: 'refresh', refreshToken })
  await scan('DELETE', '/authentication', undefined, bearer)
  const stored = (await knex('users').select('password')).map(({ password }) => String(password))
  await knex.schema.dropTable('users')
  for (const url of ['/users', '/users/1', '/whoami']) await scan('GET', url, undefined, bearer)
  await scan('POST', '/users', { email, password: right })
  await login(email, right)

  t.ok(replies.length > 40 && written.length > 80, `${replies.length} replies, ${written.length} lines of log`)
  const kinds = [/\$scrypt\$/, /\$2[aby]\$\d\d\$/, secret, ...plain, ...stored, bcryptHash]
  for (const kind of kinds) {
    const finds = (text: string) => (typeof kind === 'string' ? text.includes(kind) : kind.test(text))
    t.strictSame(replies.filter(finds), [], `no reply has ${kind}`)
    t.strictSame(written.filter(finds), [], `no line of the log has ${kind}`)
  }
})
