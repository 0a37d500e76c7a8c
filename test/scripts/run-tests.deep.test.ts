import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { root } from '../package/sources.js'

const begin = "import t from 'tap'\nt.test('a', async (t) => t.ok(true))\n"
// The files of a folder share a process.
const folders: Record<string, [texts: Record<string, string>, outcome: 'passed' | 'FAILED']> = {
  passes: [{ 'a.test.js': begin, 'b.test.js': begin }, 'passed'],
  'ends-with-a-code': [{ 'a.test.js': `${begin}process.on('exit', () => { process.exitCode = 3 })\n` }, 'FAILED'],
  'ends-midway': [{ 'a.test.js': `${begin}t.test('b', async () => process.exit(0))\n` }, 'FAILED'],
  'ends-before-the-next': [
    { 'a.test.js': `${begin}await t.test('b')\nprocess.exit(0)\n`, 'b.test.js': begin },
    'FAILED'
  ],
  'is-killed': [{ 'a.test.js': `${begin}t.test('b', async () => process.kill(process.pid, 'SIGKILL'))\n` }, 'FAILED'],
  'lacks-a-module': [{ 'a.test.js': `import './missing.js'\n${begin}`, 'b.test.js': begin }, 'FAILED']
}

/** Runs the test files of a project that has nothing but them. */
async function runTests(t: Test, test: Record<string, Record<string, string>>, args: readonly string[]) {
  const folder = t.testdir({ scripts: {}, dist: { test }, 'package.json': '{"type":"module"}' })
  for (const name of readdirSync(join(root, 'scripts')).filter((name) => name.endsWith('.js')))
    copyFileSync(join(root, 'scripts', name), join(folder, 'scripts', name))
  copyFileSync(join(root, '.taprc'), join(folder, '.taprc'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(process.execPath, ['scripts/run-tests.js', ...args], { cwd: folder, env })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { output, code }
}

t.test('files fail whose process ends badly, whatever they have reported', async (t) => {
  const test = Object.fromEntries(Object.entries(folders).map(([name, [texts]]) => [name, texts]))
  const names = Object.entries(test).flatMap(([name, texts]) =>
    Object.keys(texts).map((file) => `dist/test/${name}/${file}`)
  )
  const { output, code } = await runTests(t, test, names)
  t.equal(code, 1)
  for (const [name, [, outcome]] of Object.entries(folders))
    t.match(output, `# ${outcome} dist/test/${name}/a.test.js `, name)
  for (const end of [
    'ends-with-a-code/a.test.js ended with 3',
    'is-killed/a.test.js ended with SIGKILL',
    'ended with 0, before dist/test/ends-before-the-next/a.test.js did'
  ])
    t.match(output, end, 'the report tells how')
  t.match(output, "dist/test/lacks-a-module/a.test.js can't be loaded")
  t.match(output, '# ended: dist/test/lacks-a-module/b.test.js', 'the others are run')
})

t.test('coverage is measured, and has to be whole, only where it is asked for', async (t) => {
  const test = { passes: { 'a.test.js': begin } }
  t.match(await runTests(t, test, []), { code: 0, output: '# passed dist/test/passes/a.test.js' })
  t.match(await runTests(t, test, ['--coverage']), { code: 1, output: '# passed dist/test/passes/a.test.js' })
})

t.test('the name of a file tells its tier', async (t) => {
  const test = { tiers: { 'a.test.js': begin, 'b.deep.test.js': begin, 'c.world.test.js': begin } }
  for (const [args, expected] of [
    [[], ['a']],
    [['deep'], ['b.deep']],
    [
      ['unit', 'world'],
      ['a', 'c.world']
    ]
  ] as const) {
    const { output, code } = await runTests(t, test, args)
    t.equal(code, 0)
    const passed = [...output.matchAll(/^# passed dist\/test\/tiers\/([\w.]+)\.test\.js /gm)].map(([, name]) => name)
    t.same(passed.sort(), expected)
  }
})
