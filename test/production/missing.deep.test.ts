import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const script = fileURLToPath(new URL('missing.js', import.meta.url))

t.test('without a package that it needs, the start fails and says what to install', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  const message =
    'fastify-services/production needs three packages: npm install close-with-grace @fastify/under-pressure @fastify/rate-limit'
  t.strictSame(JSON.parse(stdout), {
    none: 'started',
    pressure: [message, "Cannot find package '@fastify/under-pressure'"],
    limit: [message, "Cannot find package '@fastify/rate-limit'"],
    shutdown: [message, "Cannot find package 'close-with-grace'"]
  })
})
