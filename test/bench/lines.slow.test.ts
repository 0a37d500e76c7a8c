import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { read, root } from '../package/sources.js'

t.test('the issue tracker does the same on each framework, in as many lines as the tutorial says', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench/product/main.js')])
  const rows = [...stdout.matchAll(/^\| (\S+?),? .*?\| (\d+) \| \d+ \| \d+ \|$/gm)].map(([, name, lines]) => [
    name,
    lines
  ])
  const page = read('docs/tutorial-part-two.md')
  const [, ours, hono, orpc] = /has (\d+) lines of code. .* has (\d+) on Hono and (\d+) on oRPC/.exec(page) ?? []
  t.strictSame(rows, [
    ['fastify-services', ours],
    ['Hono', hono],
    ['oRPC', orpc]
  ])
})
