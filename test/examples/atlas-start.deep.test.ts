import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readSettings } from '../../examples/atlas/settings.js'
import { Atlas, onServer, openFolder } from './atlas-support.js'

// Eight starts of the process.
t.setTimeout(900_000)

async function takePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

t.test('what is in the way of the start gets one line', async (t) => {
  const { folder = '' } = await openFolder(t as Test)
  const data = { ATLAS_DATA: folder }
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const { server, port } = await takePort()
  t.teardown(() => server.close())
  const closed = await takePort()
  await new Promise((resolve) => closed.server.close(resolve))

  const line = async (title: string, env: Record<string, string>, expected: string) => {
    const { code, out, err } = await new Atlas(t, { folder: join(file, 'none') }, env).end()
    t.equal(code, 1, title)
    t.equal(out, '', title)
    t.match(err, /^The atlas can't start: [^\n]+\n$/, title)
    t.match(err, expected, title)
    t.notMatch(err, /hunter2/, title)
  }
  await line('taken port', { ...data, PORT: String(port) }, `address already in use 127.0.0.1:${port}`)
  await line('no address of a proxy', { ...data, TRUST_PROXY: 'somewhere' }, 'invalid IP address: somewhere')
  await line('short secret', { ...data, AUTH_SECRET: 'hunter2' }, 'secret')
  t.notOk(existsSync(join(folder, 'pid')), 'the database is closed, and its folder free')
  await line('a setting', { PORT: 'http' }, "PORT must be a number from 0 to 65535, not 'http'")
  await line('file in place of the data folder', { ATLAS_DATA: file }, `EEXIST: file already exists, mkdir '${file}'`)
  const at = (rest: string) => ({ DATABASE_URL: `postgres://atlas:hunter2@${rest}` })
  await line('refused', at(`127.0.0.1:${closed.port}/x`), `connect ECONNREFUSED 127.0.0.1:${closed.port}`)
  await line('malformed', at('[nowhere/x'), 'Invalid URL')
  const redis = { REDIS_URL: `redis://:hunter2@127.0.0.1:${closed.port}` }
  await line('no Redis', redis, 'connect ECONNREFUSED 127.0.0.1')
})

t.test('what no setting can be is refused, without passwords', async (t) => {
  const rows: [name: string, values: string[], expected: string][] = [
    ['DATABASE_URL', ['hunter2', 'mysql://atlas:hunter2@127.0.0.1/x'], 'must be an address such as postgres://'],
    ['REDIS_URL', ['hunter2:6379', 'redis://:hunter2@h/abc', 'redis://h/0/1', 'redis://h?db=9'], 'such as redis://'],
    ['LOG_LEVEL', ['verbose'], 'must be one of trace, debug, info, warn'],
    [
      'CORS_ORIGIN',
      ['*', 'app.example.com', 'https://app.example.com/', 'https://a.example.com,null'],
      'must list origins such as https://app.example.com'
    ]
  ]
  for (const [name, values, expected] of rows)
    for (const value of values) {
      const read = () => readSettings({ [name]: value })
      t.throws(read, { message: new RegExp(`^${name} (?!.*hunter2).*${expected}`) }, value)
    }
})

onServer('a database that does not exist gets one line', async (t, { url }) => {
  const { code, err } = await new Atlas(t, { url: `${url}_not` }).end()
  t.equal(code, 1)
  t.match(err, /^The atlas can't start: database ".+" does not exist\n$/)
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
        { message: `${name} must be a number from ${min} to ${max}, not '${value}'` },
        value
      )
  }
})
