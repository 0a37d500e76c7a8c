import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { root } from '../package/sources.js'

t.test('the frameworks side by side answer the same bytes, and the table has them all', async (t) => {
  const out = t.testdir()
  const [major = ''] = process.versions.node.split('.')
  const few = ['--node', major, '--rounds', '2', '--requests', '40', '--warmup', '20', '--out', out]
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench/peers/main.js'), ...few])
  const rows = [...stdout.matchAll(/^\| \**([A-Z][\w ]+|fastify-services|oRPC|tRPC)\** \| (.+) \|$/gim)]
  t.equal(rows.length, 10)
  for (const [, name, cells = ''] of rows) t.match(cells, /^(\d+(\.\d+)? \| )*\d+\.?\d*$/, `${name}`)
  const picture = readFileSync(join(out, 'benchmarks.svg'), 'utf8')
  t.equal(picture.match(/<rect /g)?.length, 30, 'a bar for each of three works')
})
