import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { root } from '../package/sources.js'

const begin = "import t from 'tap'\nt.test('a', async (t) => t.ok(true))\n"
const files: Record<string, [text: string, outcome: 'passed' | 'FAILED']> = {
  'passes.test.js': [begin, 'passed'],
  'ends-with-a-code.test.js': [`${begin}process.on('exit', () => { process.exitCode = 3 })\n`, 'FAILED'],
  'ends-midway.test.js': [`${begin}t.test('b', async () => process.exit(0))\n`, 'FAILED'],
  'is-killed.test.js': [`${begin}t.test('b', async () => process.kill(process.pid, 'SIGKILL'))\n`, 'FAILED'],
  'lacks-a-module.test.js': [`import './missing.js'\n${begin}`, 'FAILED']
}

t.test('a file fails whose process ends badly, whatever it has reported', async (t) => {
  const test = Object.fromEntries(Object.entries(files).map(([name, [text]]) => [name, text]))
  const folder = t.testdir({ scripts: {}, dist: { test }, 'package.json': '{"type":"module"}' })
  for (const name of readdirSync(join(root, 'scripts')).filter((name) => name.endsWith('.js')))
    copyFileSync(join(root, 'scripts', name), join(folder, 'scripts', name))
  copyFileSync(join(root, '.taprc'), join(folder, '.taprc'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))

  const { NODE_OPTIONS: _, ...env } = process.env
  const names = Object.keys(files).map((name) => `dist/test/${name}`)
  const child = spawn(process.execPath, ['scripts/run-tests.js', ...names], { cwd: folder, env })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  t.equal(code, 1)
  for (const [name, [, outcome]] of Object.entries(files)) t.match(output, `# ${outcome} dist/test/${name} `, name)
  for (const end of ['ends-with-a-code.test.js ended with 3', 'is-killed.test.js ended with SIGKILL'])
    t.match(output, end, 'the report tells how')
})
