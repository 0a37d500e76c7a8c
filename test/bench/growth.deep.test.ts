import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { root } from '../package/sources.js'

t.test('what grows is measured, and printed', async (t) => {
  const few = ['--rounds', '1', '--requests', '100', '--most', '100']
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench/growth/main.js'), ...few])
  const lines = stdout.trim().split('\n')
  t.equal(lines.length, 7)
  for (const line of lines) t.match(line, /^.+: (\d[\d,]*: -?\d+\.\d\d µs(, |$))+$/)
})
