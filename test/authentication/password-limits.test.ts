import { setImmediate } from 'node:timers/promises'
import rateLimit from '@fastify/rate-limit'
import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyRequest, type InjectOptions } from 'fastify'
import services from 'fastify-services'
import authentication from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createUsers } from '../support/auth-passwords.js'
import { holdScrypt, scryptCalls } from '../support/auth-scrypt.js'
import { toHash } from '../support/stored-password.js'
import { secret } from '../support/tokens.js'

const unavailable = { name: 'Unavailable', code: 503, className: 'unavailable' }
const data = { email: 'ada@example.com', password: toHash('correct horse', { ln: 14, r: 8, p: 5 }) }
const refusal = { status: 503, body: unavailable, headers: { 'retry-after': /^[1-9]\d*$/ } }
const places = (concurrent: number, waiting: number) => ({ authentication: { passwords: { concurrent, waiting } } })

/** The statuses of calls that come while no hash ends; it goes on when so many of them are refused. */
async function crowd(calls: (() => Promise<{ status: number }>)[], refused: number) {
  const { release } = holdScrypt()
  let settled = 0
  const answers = calls.map(async (call) => {
    const { status } = await call()
    settled++
    return status
  })
  while (settled < refused) await setImmediate()
  release()
  return (await Promise.all(answers)).sort()
}

t.test('a bound on concurrent hashes: beyond it Unavailable with Retry-After, and logins work again', async (t) => {
  const { users, login } = await createUsers(t, { options: {}, ...places(1, 0) })
  await users.create(data)
  const { started, release } = holdScrypt()
  const unknown = login('bob@example.com', 'wrong horse')
  await started()
  const refused = await login('ada@example.com', 'correct horse')
  release()
  t.match(refused, refusal)
  t.match(refused.body.message, /try again/)
  t.equal((await unknown).status, 401)
  t.equal((await login('ada@example.com', 'correct horse')).status, 201, 'works again')
})

t.test('a bound on concurrent hashes: some wait, the others are not kept; by default three at once', async (t) => {
  for (const [concurrent, waiting] of [
    [1, 2],
    [2, 1],
    [undefined, 0]
  ] as const) {
    const passwords = { ...(concurrent && { concurrent }), waiting }
    const { users, login } = await createUsers(t, { options: {}, authentication: { passwords } })
    await users.create(data)
    scryptCalls()
    const calls = Array(5).fill(() => login('ada@example.com', 'correct horse'))
    t.strictSame(await crowd(calls, 2), [201, 201, 201, 503, 503])
    t.match(scryptCalls(), { calls: { length: 3 }, most: concurrent ?? 3 }, 'nothing is computed for those beyond it')
  }
})

t.test('those that wait have their turn in the order in which they came', async (t) => {
  const { users, login } = await createUsers(t, { options: {}, ...places(1, 3) })
  await users.create(data)
  scryptCalls()
  const { release } = holdScrypt()
  const answers = [1, 2, 3, 4].map((length) => login('ada@example.com', 'x'.repeat(length)))
  // Nothing tells when a login waits for its turn: the others would then come later, in their order too.
  for (let turn = 0; turn < 50; turn++) await setImmediate()
  release()
  await Promise.all(answers)
  t.strictSame(
    scryptCalls().calls.map(({ characters }) => characters),
    [1, 2, 3, 4]
  )
})

t.test('a bound on concurrent hashes: 50 wait by default', async (t) => {
  const { login } = await createUsers(t)
  const statuses = await crowd(
    Array(55).fill(() => login('nobody@example.com', 'x')),
    2
  )
  t.strictSame(statuses, [...Array(53).fill(401), 503, 503])
})

t.test('a bound on concurrent hashes: hashPassword has the same one', async (t) => {
  const { users, send, login } = await createUsers(t, places(1, 0))
  const { started, release } = holdScrypt()
  const first = send('POST', '/users', { email: 'ada@example.com', password: 'correct horse' })
  await started()
  t.match(await send('POST', '/users', { email: 'bob@example.com', password: 'battery staple' }), refusal)
  t.equal((await login('ada@example.com', 'correct horse')).status, 503, 'of both together')
  release()
  t.equal((await first).status, 201)
  t.match(await users.find(), { length: 1 }, 'nothing was stored')
  const list = [1, 2, 3].map((id) => ({ email: `${id}@example.com`, password: 'x' }))
  scryptCalls()
  t.equal((await send('POST', '/users', list)).status, 201, 'a batch takes one place')
  t.match(scryptCalls(), { calls: { length: 3 }, most: 1 })
})

t.test('two authentication services: the bound of one is not that of the other', async (t) => {
  const second = { secret: 'x'.repeat(32), path: 'second', passwords: { concurrent: 1, waiting: 0 } }
  const { app, send } = await createUsers(t)
  await app.register(authentication, second)
  const login = (path: string) => () => send('POST', path, { strategy: 'local', email: 'x', password: 'x' })
  t.strictSame(await crowd([login('/second'), login('/second'), login('/authentication')], 1), [401, 401, 503])
})

t.test('a hash that fails gives its place back', async (t) => {
  const compare = async () => {
    throw new Error('broken')
  }
  const { login } = await createUsers(t, {
    authentication: {
      passwords: { concurrent: 1, waiting: 0 },
      strategies: { local: { bcrypt: { compare } } }
    }
  })
  for (let time = 0; time < 2; time++) t.not((await login('ada@example.com', 'correct horse')).status, 503)
})

const max = 3
const keyGenerator = ({ ip, body }: FastifyRequest) => JSON.stringify([ip, Object(body).email])
const allowList = ({ body }: FastifyRequest) => Object(body).strategy !== 'local'

async function createLimited(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(rateLimit, { global: false })
  app.service('users', memory({ startId: 1 }) as object)
  app.service('admins', memory({ startId: 1 }) as object)
  await app.register(authentication, {
    secret,
    config: { rateLimit: { max, timeWindow: '1 hour', hook: 'preHandler', keyGenerator, allowList } }
  })
  await app.register(authentication, { secret: secret.toUpperCase(), path: 'admin-login', service: 'admins' })
  for (const email of ['ada@example.com', 'bob@example.com'])
    await app.service('users').create({ email, password: toHash('correct horse') })
  const send = (url: string, payload: object, options: InjectOptions = {}) =>
    app.inject({ method: 'POST', url, payload, headers: { accept: 'application/json' }, ...options })
  const login = (email: unknown, password = 'wrong horse', options: InjectOptions = {}) =>
    send('/authentication', { strategy: 'local', email, password }, options)
  return { app, send, login }
}

/** Wrong logins until the limit is reached. */
async function exhaust(t: Test, login: (email: string) => Promise<{ statusCode: number }>) {
  for (let tries = 0; tries < max; tries++) t.equal((await login('ada@example.com')).statusCode, 401)
}

t.test('`@fastify/rate-limit` on the login route: 429 in the error shape with Retry-After', async (t) => {
  const { login } = await createLimited(t)
  await exhaust(t, login)
  scryptCalls()
  for (const password of ['wrong horse', 'correct horse']) {
    const { statusCode, headers, body } = await login('ada@example.com', password)
    t.equal(statusCode, 429)
    t.match(headers['content-type'], /^application\/json/)
    t.match(headers['retry-after'], /^[1-9]\d*$/)
    const { message, ...shape } = JSON.parse(body)
    t.strictSame(shape, { name: 'TooManyRequests', code: 429, className: 'too-many-requests' })
    t.match(message, /retry in/)
  }
  t.strictSame(scryptCalls().calls, [], 'no password was looked at')
})

t.test('`@fastify/rate-limit` keyed by address and user name: others still log in', async (t) => {
  const { login } = await createLimited(t)
  await exhaust(t, login)
  t.equal((await login('ada@example.com', 'correct horse')).statusCode, 429)
  t.equal((await login('bob@example.com', 'correct horse')).statusCode, 201, 'another name')
  const elsewhere = { remoteAddress: '192.0.2.1', headers: { accept: 'application/json' } }
  t.equal((await login('ada@example.com', 'correct horse', elsewhere)).statusCode, 201, 'another address')
  t.equal((await login('nobody@example.com')).statusCode, 401)
  for (const email of [{ $gt: '' }, ['ada@example.com'], null, 1])
    t.equal((await login(email, 'correct horse')).statusCode, 401, 'what is no name is let in by no other spelling')
})

t.test('`@fastify/rate-limit` on the login route: other services, strategies and logging out still work', async (t) => {
  const { app, send, login } = await createLimited(t)
  const { accessToken } = (await login('ada@example.com', 'correct horse')).json()
  for (let tries = 1; tries < max; tries++) await login('ada@example.com')
  t.equal((await login('ada@example.com', 'correct horse')).statusCode, 429)

  t.equal((await app.inject('/users')).statusCode, 200, 'another service')
  const admin = { strategy: 'local', email: 'ada@example.com', password: 'x' }
  t.equal((await send('/admin-login', admin)).statusCode, 401, 'another authentication service')
  t.equal((await send('/authentication', { strategy: 'jwt', accessToken })).statusCode, 201, 'another strategy')
  const headers = { authorization: `Bearer ${accessToken}` }
  t.equal((await app.inject({ method: 'DELETE', url: '/authentication', headers })).statusCode, 200, 'logging out')
  const again = app.service('authentication').create({ ...admin, password: 'correct horse' })
  t.match(await again, { user: { email: 'ada@example.com' } }, 'and the server itself')
})

t.test('`@fastify/rate-limit` counts right and wrong logins that come at once', async (t) => {
  const { login } = await createLimited(t)
  const answers = await Promise.all(Array.from({ length: 6 }, () => login('ada@example.com')))
  t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [401, 401, 401, 429, 429, 429])
})
