import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { read, root } from '../package/sources.js'

const main = join(root, 'bench/product/main.js')

t.test('the issue tracker does the same on each framework, in as many lines as the page says', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [main])
  const rows = [...stdout.matchAll(/^\| (\S+?),? .*?\| (\d+) \| \d+ \| \d+ \|$/gm)].map(([, name, lines]) => [
    name,
    lines
  ])
  const page = read('docs/comparison.md')
  const [, ours, hono, orpc] = /has (\d+) lines here, (\d+) on Hono and (\d+) on oRPC/.exec(page) ?? []
  t.strictSame(rows, [
    ['fastify-services', ours],
    ['Hono', hono],
    ['oRPC', orpc]
  ])
})

// A server that went on would hold the output open, which `execFile` waits for.
t.test('an answer that is another one ends the comparison, and the server too', async (t) => {
  const away = `import { Server } from 'node:http'
const { emit } = Server.prototype
Server.prototype.emit = function (name, ...args) {
  return name === 'request' ? args[1].writeHead(503).end() : emit.call(this, name, ...args)
}`
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(away)}` }
  const compared = promisify(execFile)(process.execPath, [main, '--prepared'], { env })
  await t.rejects(compared, { code: 1, stderr: /AssertionError.*POST \/sign-ups/ })
})
