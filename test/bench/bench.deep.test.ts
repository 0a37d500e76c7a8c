import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bench, checkRows, rowsOf } from '../support/bench.js'

for (const [only, ids] of Object.entries({
  hooks: ['hooks-around', 'hooks-before', 'hooks-after'],
  jwt: ['jwt'],
  stream: ['stream']
}))
  t.test(`the benchmark measures rows alone: ${only}`, (t) => checkRows(t, only, ids))

t.test('it counts instructions where `perf` does, and writes the page', async (t) => {
  const folder = t.testdir()
  const perf = join(folder, 'perf')
  // Answers as `perf stat` does, and has always counted a million.
  writeFileSync(
    perf,
    `#!${process.execPath}
const fs = process.getBuiltinModule('node:fs')
const end = () => { console.error('Events disabled\\n1000000,,instructions:u,5000,100.00,,'); process.exit() }
if (process.argv.at(-1) === 'true') end()
process.on('SIGINT', end)
new (process.getBuiltinModule('node:net').Socket)({ fd: 3 }).on('data', () => fs.writeSync(4, 'ack\\n\\0'))`
  )
  chmodSync(perf, 0o755)
  const out = join(folder, 'page.md')
  const { stdout } = await bench(['--only', 'get', '--out', out], { PATH: `${folder}:${process.env.PATH}` })
  t.match(rowsOf(stdout).get('get')?.at(-1), '1.00 ✓')
  t.match(stdout, '| get | 50 | 50 |', 'thousand instructions per request')
  t.match(stdout, 'by `perf stat -e instructions:u`')
  t.ok(stdout.startsWith(readFileSync(out, 'utf8')), 'the page has no aims')
  t.notMatch(readFileSync(out, 'utf8'), 'wanted')
})

t.test('what it can not do is an error', async (t) => {
  const said = async (...args: string[]) => t.rejects(bench(args), { code: 1 }, args.join(' '))
  await said('--only', 'nothing')
  await said('--starts', 'many')
  await said('--count', 'abacus')
  await said('--unknown', '1')
})
