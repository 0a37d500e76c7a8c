import { once } from 'node:events'
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import type { Database } from '../../examples/atlas/database.js'
import { readSettings } from '../../examples/atlas/settings.js'
import { Atlas, onServer } from './atlas-support.js'

async function takePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

t.test('what is in the way of the start gets one line', async (t) => {
  const folder = t.testdir({ locked: {} })
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const { server, port } = await takePort()
  t.teardown(() => server.close())
  const closed = await takePort()
  await new Promise((resolve) => closed.server.close(resolve))

  const line = async (title: string, env: Record<string, string>, expected: string) => {
    const { code, out, err } = await new Atlas(t, { folder: join(folder, 'none', 'none') }, env).end()
    t.equal(code, 1, title)
    t.equal(out, '', title)
    t.match(err, /^The atlas can't start\. [^\n]+\n$/, title)
    t.match(err, expected, title)
    t.notMatch(err, /hunter2/, title)
  }
  await line(
    'taken port',
    { PORT: String(port) },
    `Port ${port} is taken: choose another one, as in PORT=${port + 1} npm start`
  )
  await line('no port', { PORT: 'http' }, "PORT is a number from 0 to 65535, not 'http'")
  await line('not this host', { HOST: '192.0.2.1' }, "Can't listen on port 0 of 192.0.2.1")
  await line('file in place of the data folder', { ATLAS_DATA: file }, `Can't write to the data folder ${file}`)
  await line('no folder to make it in', {}, `Can't write to the data folder ${join(folder, 'none', 'none')}: ENOENT`)
  const at = (rest: string) => ({ DATABASE_URL: `postgres://atlas:hunter2@${rest}` })
  await line('refused', at(`127.0.0.1:${closed.port}/x`), `connect ECONNREFUSED 127.0.0.1:${closed.port}`)
  await line('unknown host', at('nowhere.invalid/x'), "Can't use the database of DATABASE_URL: getaddrinfo E")
  await line('malformed', at('[nowhere/x'), "Can't use the database of DATABASE_URL: Invalid URL")
  await line('no address', { DATABASE_URL: 'hunter2' }, 'DATABASE_URL is no address of a PostgreSQL database')
  await line('another kind', { DATABASE_URL: 'mysql://atlas:hunter2@127.0.0.1/x' }, 'DATABASE_URL is no address')
  const redis = (url: string) => ({ REDIS_URL: url })
  await line(
    'no Redis',
    redis(`redis://:hunter2@127.0.0.1:${closed.port}`),
    `REDIS_URL: connect ECONNREFUSED 127.0.0.1`
  )
  for (const path of ['/abc', '/-1', '/0/1', '?db=99'])
    await line(
      `no database of a Redis: ${path}`,
      redis(`redis://127.0.0.1:1${path}`),
      'REDIS_URL is no address of a Redis'
    )
  await line('a level of no logger', { LOG_LEVEL: 'verbose' }, 'LOG_LEVEL is one of trace, debug, info, warn')
  for (const origin of ['*', 'app.example.com', 'https://app.example.com/', 'https://a.example.com,null'])
    await line(
      `no origin: ${origin}`,
      { CORS_ORIGIN: origin },
      'CORS_ORIGIN has origins such as https://app.example.com'
    )
  await line('no address of a Redis', redis('hunter2:6379'), 'REDIS_URL is no address of a Redis server')
  const data = join(folder, 'data')
  for (const start of ['first', 'next'])
    await line(
      `short secret, ${start} start`,
      { ATLAS_DATA: data, AUTH_SECRET: 'hunter2' },
      "Can't use AUTH_SECRET: The"
    )
  t.equal(statSync(join(data, 'postgres')).mode & 0o777, 0o700, 'what is in the data folder is for its owner alone')
  t.notOk(existsSync(join(data, 'pid')), 'the database is closed, and its folder free')
  if (process.getuid?.() === 0) return t.comment('root may write into a folder without write permission')
  chmodSync(join(folder, 'locked'), 0o500)
  await line('no write permission', { ATLAS_DATA: join(folder, 'locked') }, 'EACCES: permission denied')
})

onServer('a database that does not exist gets one line', async (t, { url }) => {
  const { code, err } = await new Atlas(t, { url: `${url}_not` }).end()
  t.equal(code, 1)
  t.match(err, /^The atlas can't start\. Can't use the database of DATABASE_URL: database ".+" does not exist\n$/)
})

t.test('the settings have defaults, also where they are empty', async (t) => {
  const defaults = {
    host: '127.0.0.1',
    port: 3030,
    databaseTimeout: 5000,
    shutdownTimeout: 10_000,
    rateLimit: 10,
    logger: { level: 'warn' }
  }
  t.match(readSettings({}), defaults)
  t.match(readSettings({ HOST: '', PORT: '', DATABASE_TIMEOUT: '', SHUTDOWN_TIMEOUT: '', RATE_LIMIT: '' }), defaults)
  const env = { PORT: '0', DATABASE_TIMEOUT: '1', SHUTDOWN_TIMEOUT: '600000', RATE_LIMIT: '0' }
  t.match(readSettings(env), { port: 0, databaseTimeout: 1, shutdownTimeout: 600_000, rateLimit: 0 })
})

t.test('what is no number of its range is refused', async (t) => {
  const ranges = {
    PORT: [0, 65_535],
    DATABASE_TIMEOUT: [1, 600_000],
    SHUTDOWN_TIMEOUT: [1, 600_000],
    RATE_LIMIT: [0, 1_000_000]
  }
  for (const [name, [min = 0, max = 0]] of Object.entries(ranges)) {
    for (const value of [String(min - 1), String(max + 1), 'many', '1.5', '1e3', ' 1', '0x1', '9'.repeat(400)])
      t.throws(
        () => readSettings({ [name]: value }),
        { message: `${name} is a number from ${min} to ${max}, not '${value}'` },
        value
      )
  }
})

t.test('what is no address of a proxy is refused', async (t) => {
  // It is refused before the database is asked.
  const start = (trustProxy: string) => createApp({} as Database, { trustProxy })
  for (const value of ['somewhere', '10.0.0.0/99', 'true'])
    await t.rejects(start(value), { message: /^Can't use TRUST_PROXY: / }, value)
})
