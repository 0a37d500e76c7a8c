import t from 'tap'
import { createApp } from '../../examples/atlas/app.js'
import type { Database } from '../../examples/atlas/database.js'
import { readSettings } from '../../examples/atlas/settings.js'

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
