import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { root } from '../package/sources.js'

// The start of 3,000 services takes half a minute on some machines.
t.setTimeout(300_000)

t.test('what grows is measured, and drawn', async (t) => {
  const out = t.testdir()
  const few = ['--rounds', '1', '--requests', '100', '--out', out]
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench/growth/main.js'), ...few])
  const lines = stdout.trim().split('\n')
  t.equal(lines.length, 7)
  for (const line of lines) t.match(line, /^.+: (\d[\d,]*: -?\d+\.\d\d µs(, |$)){3,}/)
  const picture = readFileSync(join(out, 'growth.svg'), 'utf8')
  t.equal(picture.match(/<rect /g)?.length, stdout.match(/µs/g)?.length, 'a bar for each size')
})
