import t, { type Test } from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { connectRedis } from '../../examples/atlas/redis.js'
import { RedisServer, skipRedis as skip } from '../support/redis.js'
import { callsOf } from './atlas-calls.js'
import { openFolder } from './atlas-support.js'
import { Way } from './atlas-way.js'

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
    const expected = {
      name: 'Unavailable',
      message: 'Log-ins can not be checked at the moment',
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
