import rateLimit from '@fastify/rate-limit'
import { memory } from '@feathersjs/memory'
import Fastify, { type FastifyRequest, type InjectOptions } from 'fastify'
import services from 'fastify-services'
import authentication from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { secret, toHash } from '../support/auth-passwords.js'
import { scryptCalls } from '../support/auth-passwords-scrypt.js'

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
