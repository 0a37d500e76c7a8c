import t, { type Test } from 'tap'
import { RedisServer, skipRedis } from '../support/redis.js'
import { addressOf } from './atlas-commands.js'
import { Atlas, onServer, openServer, skip } from './atlas-support.js'
import { Way } from './atlas-way.js'

const ada = { email: 'ada@example.com', name: 'Ada', password: 'correct horse' }

/** Two processes on one database, at two ports. */
async function startTwo(t: Test, url: string | undefined, env: Record<string, string> = {}) {
  const atlases = [new Atlas(t, { url }, env), new Atlas(t, { url }, env)] as const
  const [first, other] = await Promise.all(atlases.map(async (atlas) => callsAt(addressOf(await atlas.commands()))))
  const end = async () => {
    for (const atlas of atlases) t.match(await atlas.end('SIGTERM'), { code: 0, err: '' })
  }
  return { first: first as Calls, other: other as Calls, end }
}

type Calls = ReturnType<typeof callsAt>

function callsAt(address: string) {
  const send = async (method: string, path: string, { data, token }: { data?: object; token?: string } = {}) => {
    const headers = {
      ...(data && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` })
    }
    const response = await fetch(address + path, { method, headers, ...(data && { body: JSON.stringify(data) }) })
    // biome-ignore lint/suspicious/noExplicitAny: the tests say what it is
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }
  const logIn = (password = ada.password) =>
    send('POST', '/authentication', { data: { strategy: 'local', email: ada.email, password } })
  return { send, logIn }
}

/** What is done at one process holds at the other. */
async function tellStory(t: Test, first: Calls, other: Calls): Promise<string> {
  t.match(await first.send('POST', '/users', { data: ada }), { status: 201 }, 'signs up at one')
  t.match(await other.send('POST', '/users', { data: ada }), { status: 409 }, 'the address is taken at the other')
  const { status, body } = await other.logIn()
  t.equal(status, 201, 'logs in at the other')
  const token: string = body.accessToken
  const notes = '/countries/AUT/notes'
  const { body: note } = await first.send('POST', notes, { data: { text: 'Alps' }, token })
  t.match(await other.send('PATCH', `${notes}/${note.id}`, { data: { pinned: true }, token }), { status: 200 })
  t.match(await first.send('GET', notes), { body: { data: [{ text: 'Alps', pinned: true }] } })
  t.match(await first.send('DELETE', '/authentication', { token }), { status: 200 }, 'logs out at one')
  t.match(await other.send('GET', '/users', { token }), { status: 401, body: { message: /revoked/ } })
  t.match(await other.send('DELETE', '/authentication', { token }), { status: 401 })
  return (await first.logIn()).body.accessToken
}

onServer('two processes share users, notes, tokens and log-outs by the database alone', async (t, { url }) => {
  const way = await Way.to(t, url)
  const { first, other, end } = await startTwo(t, way.url, { DATABASE_TIMEOUT: '2000', RATE_LIMIT: '0' })
  const token = await tellStory(t, first, other)

  t.comment('the database is gone, and comes back')
  await way.cut()
  for (const calls of [first, other])
    for (const path of ['/countries', '/users', '/health']) {
      const { status, headers, body } = await calls.send('GET', path, { token })
      t.match([status, headers.get('retry-after'), body], [503, '5', { name: 'Unavailable', code: 503 }], path)
    }
  await way.open()
  for (const calls of [first, other]) {
    // A connection that was idle may not have been told yet.
    while ((await calls.send('GET', '/countries')).status === 503);
    t.match(await calls.send('GET', '/countries'), { status: 200, body: { total: 250 } })
    t.match(await calls.send('GET', '/users', { token }), { status: 200, body: { data: [{ email: ada.email }] } })
  }
  await end()
})

onServer('without Redis each process counts log-ins for itself', async (t, { url }) => {
  const { first, other, end } = await startTwo(t, url, { RATE_LIMIT: '1' })
  const statuses = [await first.logIn(''), await other.logIn(''), await first.logIn(''), await other.logIn('')]
  t.strictSame(
    statuses.map(({ status }) => status),
    [401, 401, 429, 429]
  )
  await end()
})

t.test('two processes share log-outs and limits by Redis', { skip: skip || skipRedis }, async (t) => {
  const redis = await RedisServer.start(t)
  const { url } = await openServer(t)
  const { first, other, end } = await startTwo(t, url, { REDIS_URL: redis.url, RATE_LIMIT: '4' })
  const token = await tellStory(t, first, other)
  for (const calls of [first, other]) t.match(await calls.logIn(''), { status: 401 })
  const refused = await first.logIn()
  t.match(refused, { status: 429, body: { name: 'TooManyRequests' } }, 'log-ins at both are counted together')
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  for (const calls of [first, other]) await calls.send('POST', '/users', { data: { ...ada, name: 'Again' } })
  t.match(await other.send('POST', '/users', { data: ada }), { status: 429 }, 'and so are sign-ups')

  await redis.kill()
  for (const calls of [first, other]) {
    t.match(await calls.send('GET', '/users', { token }), { status: 503, body: { name: 'Unavailable' } })
    t.match(await calls.send('GET', '/countries'), { status: 200 })
    t.match(await calls.send('GET', '/health'), { status: 503, body: { name: 'Unavailable' } })
  }
  await redis.start()
  for (const calls of [first, other]) {
    while ((await calls.send('GET', '/users', { token })).status === 503);
    t.match(await calls.send('GET', '/users', { token }), { status: 200 })
    t.match(await calls.send('GET', '/health'), { status: 200, body: { status: 'ok' } })
  }
  t.match(await other.logIn(), { status: 429 }, 'it has kept the counts')
  await end()
})
