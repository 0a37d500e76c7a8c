import { Conflict, type Params } from 'fastify-services'
import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { bcryptHash, createUsers, hashes, secret } from '../support/auth-passwords.js'
import { createUsersTable } from '../support/users-table.js'

const email = 'ada@example.com'
const plain = ['correct-horse-1', 'wrong-horse-2', 'battery-staple-3', 'other-horse-4']
const [right, wrong, changed, other] = plain as [string, string, string, string]

async function createKnexUsers(t: Test) {
  const { knex, object } = await createUsersTable(t, { multi: true })
  await knex('users').insert({ email: 'old@example.com', password: bcryptHash })
  return { knex, object }
}

t.test('the password is in no reply, no `params.user`, no `request.user`, no log', async (t) => {
  const { knex, object } = await createKnexUsers(t)
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
