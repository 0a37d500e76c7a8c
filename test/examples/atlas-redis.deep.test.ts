import t, { type Test } from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { connectRedis } from '../../examples/atlas/redis.js'
import { RedisServer, skipRedis as skip } from '../support/redis.js'
import { callsOf } from './atlas-calls.js'
import { openFolder } from './atlas-support.js'
import { Way } from './atlas-way.js'

t.test('a database that Redis does not have stops the start, and one that it has is used', { skip }, async (t) => {
  const server = await RedisServer.start(t)
  await t.rejects(connectRedis(`${server.url}/99`), {
    name: 'Error',
    message: /^Can't use the server of REDIS_URL: .*DB index/
  })
  const redis = await connectRedis(`${server.url}/3`)
  t.teardown(() => redis.disconnect())
  await redis.set('x', 1)
  t.match(await redis.info('keyspace'), /db3:keys=1/)
})

t.test('a Redis that takes no writes is not well, and why Redis is away is logged once', { skip }, async (t) => {
  const server = await RedisServer.start(t)
  const redis = await connectRedis(server.url)
  const log: string[] = []
  const stream = { write: (line: string) => void log.push(line) }
  const app = await createApp(await openDatabase(await openFolder(t)), { redis, logger: { level: 'warn', stream } })
  t.teardown(() => app.close())
  t.equal((await app.inject('/health')).statusCode, 200)
  await redis.config('SET', 'maxmemory', '1')
  t.equal((await app.inject('/health')).statusCode, 503)
  await redis.config('SET', 'maxmemory', '0')
  t.equal((await app.inject('/health')).statusCode, 200)
  const losses = () => log.filter((line) => line.includes('Redis is away: '))
  for (const times of [1, 2]) {
    await server.kill()
    while (losses().length < times) await new Promise((resolve) => setTimeout(resolve, 20))
    await new Promise((resolve) => redis.once('reconnecting', resolve))
    await server.start()
    while ((await app.inject('/health')).statusCode === 503) await new Promise((resolve) => setTimeout(resolve, 20))
    t.match([losses().length, losses().at(-1)], [times, /ECONNREFUSED/])
  }
})

t.test('one client leaves few keys in Redis, however many addresses it tries', { skip }, async (t) => {
  const server = await RedisServer.start(t)
  const redis = await connectRedis(server.url)
  const app = await createApp(await openDatabase(await openFolder(t)), { rateLimit: 1, redis })
  t.teardown(() => app.close())
  const { logIn } = callsOf(app)
  const statuses = []
  for (let i = 0; i < 20; i++) statuses.push((await logIn(`${'x'.repeat(300)}${i}@example.com`, '')).status)
  t.strictSame(statuses, [...Array(10).fill(401), ...Array(10).fill(429)])
  const keys = await redis.keys('atlas:limit:*')
  t.equal(keys.length, 11, 'ten users, and all together')
  for (const key of keys) t.match(key, /^atlas:limit:\S{0,30}[\w-]{43}$/)
})

t.test(
  'a Redis that is away lets nobody in who can not be checked, and is well again when it is back',
  { skip },
  async (t) => {
    const server = await RedisServer.start(t)
    const database = await openDatabase(await openFolder(t))
    const way = await Way.to(t as Test, server.url)
    const redis = await connectRedis(way.url, 1000)
    const app = await createApp(database, { rateLimit: 1000, redis })
    t.teardown(() => app.close())
    const { call, logIn, signUp } = callsOf(app)
    const { id, token } = await signUp('ada')
    const { accessToken: over } = (await logIn('ada@example.com')).body
    t.match(await call('DELETE', '/authentication', undefined, over), { status: 200 })

    const needing: Record<string, () => ReturnType<typeof call>> = {
      'a token': () => call('GET', `/users/${id}`, undefined, token),
      'a token that was logged out': () => call('GET', `/users/${id}`, undefined, over),
      'write a note': () => call('POST', '/countries/CHE/notes', { text: 'x' }, token),
      'sign up': () => call('POST', '/users', { email: 'bob@example.com', name: 'Bob', password: 'correct horse' }),
      'log in': () => logIn('ada@example.com'),
      'log out': () => call('DELETE', '/authentication', undefined, token)
    }
    const expected = { name: 'Unavailable', code: 503, className: 'unavailable', data: { retryAfter: 5 } }
    // Said of the limits, and of the store of tokens: neither names what is behind it.
    const messages = ['Log-ins can not be checked at the moment', 'The store is not available']
    const away = async () => {
      for (const [title, send] of Object.entries(needing)) {
        const { status, body } = await send()
        const { message, ...error } = body as { message: string }
        t.strictSame([status, error], [503, expected], title)
        t.ok(messages.includes(message), message)
      }
      t.match(await call('GET', '/countries'), { status: 200 }, 'who only reads notices nothing')
    }
    const back = async () => {
      while ((await needing['a token']?.())?.status === 503) await new Promise((resolve) => setTimeout(resolve, 20))
      t.match(await needing['a token']?.(), { status: 200, body: { id } })
      t.match(await needing['a token that was logged out']?.(), { status: 401 }, 'and it has kept who was logged out')
      t.match(await logIn('ada@example.com'), { status: 201 })
    }

    t.comment('it is gone')
    await server.kill()
    await way.cut()
    await away()
    await server.start()
    await way.open()
    await back()

    t.comment('it does not answer')
    way.freeze()
    await away()
    way.thaw()
    await back()

    t.match(await call('DELETE', '/authentication', undefined, token), { status: 200 })
    t.match(await needing['a token']?.(), { status: 401 })
  }
)
