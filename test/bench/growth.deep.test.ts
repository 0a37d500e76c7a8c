import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { root } from '../package/sources.js'

t.test('what grows is measured, and drawn', async (t) => {
  const out = t.testdir()
  const few = ['--rounds', '1', '--requests', '100', '--most', '100', '--out', out]
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench/growth/main.js'), ...few])
  const lines = stdout.trim().split('\n')
  t.equal(lines.length, 7)
  for (const line of lines) t.match(line, /^.+: (\d[\d,]*: -?\d+\.\d\d µs(, |$))+$/)
  const picture = readFileSync(join(out, 'growth.svg'), 'utf8')
  t.equal(picture.match(/<rect /g)?.length, stdout.match(/µs/g)?.length, 'a bar for each size')
})
