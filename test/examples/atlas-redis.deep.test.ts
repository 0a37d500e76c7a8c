import t, { type Test } from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { connectRedis } from '../../examples/atlas/redis.js'
import { RedisServer, skipRedis as skip } from '../support/redis.js'
import { callsOf } from './atlas-calls.js'
import { openFolder } from './atlas-support.js'
import { Way } from './atlas-way.js'

t.test('a Redis that takes no writes is not well, and why Redis is away is logged', { skip }, async (t) => {
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
  await server.kill()
  while (losses().length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  t.match(losses()[0], /ECONNREFUSED|ECONNRESET/)
  await server.start()
  while ((await app.inject('/health')).statusCode === 503) await new Promise((resolve) => setTimeout(resolve, 20))
})

t.test('while Redis is away no token is taken, and it is well again when it is back', { skip }, async (t) => {
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
    'log out': () => call('DELETE', '/authentication', undefined, token)
  }
  const expected = {
    name: 'Unavailable',
    message: 'The store is not available',
    code: 503,
    className: 'unavailable',
    data: { retryAfter: 5 }
  }
  const away = async () => {
    for (const [title, send] of Object.entries(needing)) {
      const { status, body } = await send()
      t.strictSame([status, body], [503, expected], title)
    }
    t.match(await call('GET', '/countries'), { status: 200 }, 'who only reads notices nothing')
    t.match(await logIn('ada@example.com'), { status: 201 }, 'nor does who logs in')
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
})
