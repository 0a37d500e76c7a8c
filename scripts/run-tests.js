// Runs all test files with coverage, or those that are named without, and shows their reports with `tap replay`. Those that are slow by nature
// (`test/**/*.slow.test.ts`) are run by `--slow` alone.
// `tap run` would do the same, but it loads each module of a test in a second thread, which doubles the time of most files.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)
const settings = readFileSync('.taprc', 'utf8')
const setting = (name) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(settings)[1])

// A file may be named by its source: test/core/events.test.ts.
const { values, positionals } = parseArgs({
  options: { slow: { type: 'boolean', default: false } },
  allowPositionals: true
})
const named = positionals.map((name) => name.replace(/^test\/(.+)\.ts$/, 'dist/test/$1.js'))
const hasCoverage = named.length === 0 && !values.slow
const all = () =>
  readdirSync('dist/test', { recursive: true })
    .filter((name) => name.endsWith('.test.js') && name.endsWith('.slow.test.js') === values.slow)
    .map((name) => `dist/test/${name.replaceAll('\\', '/')}`)
    .sort()

// The longest first, so that the last ones end together: by the times of the last run, or else by their folders.
const folders = ['examples', 'client', 'docs', 'faults']
function lengthOf(file) {
  const report = `.tap/test-results/${file}.tap`
  const time = existsSync(report) && /^# time=([\d.]+)ms$/m.exec(readFileSync(report, 'utf8'))
  return time ? Number(time[1]) : folders.includes(file.split('/')[2]) ? Number.MAX_VALUE : 0
}
const lengths = new Map((named.length > 0 ? named : all()).map((file) => [file, lengthOf(file)]))
const files = [...lengths.keys()].sort((a, b) => lengths.get(b) - lengths.get(a))

rmSync('.tap/test-results', { recursive: true, force: true })
rmSync('.tap/coverage', { recursive: true, force: true })
mkdirSync('.tap/coverage', { recursive: true })

const preload = `--import=${new URL('coverage.js', import.meta.url)}`
const environment = {
  ...process.env,
  TAP: '1',
  TAP_TIMEOUT: String(setting('timeout')),
  ...(hasCoverage && { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${preload}`.trim() })
}

/** Runs one file. @returns whether it passed */
async function run(file) {
  const report = `.tap/test-results/${file}.tap`
  mkdirSync(dirname(report), { recursive: true })
  const output = openSync(report, 'w')
  const child = spawn(process.execPath, ['--enable-source-maps', file], {
    env: environment,
    stdio: ['ignore', output, 'inherit']
  })
  // tap ends a file in time; this is for one that does not let it.
  const timer = setTimeout(() => child.kill('SIGKILL'), (setting('timeout') + 10) * 1000)
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  closeSync(output)
  if (code !== 0) addFailure(report, `${file} ended with ${signal ?? code}`)
  return code === 0
}

/** Adds a failure to the report of a file that ended badly and does not say so. */
function addFailure(report, title) {
  const text = readFileSync(report, 'utf8')
  if (/^(not ok|Bail out)/m.test(text)) return
  writeFileSync(report, `TAP version 14\n${text.replace(/^/gm, '# ')}\nnot ok 1 - ${title}\n1..1\n`)
}

const waiting = [...files]
async function work() {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const start = performance.now()
    const isGood = await run(file)
    console.log(`# ${isGood ? 'passed' : 'FAILED'} ${file} ${((performance.now() - start) / 1000).toFixed(1)} s`)
  }
}
await Promise.all(Array.from({ length: setting('jobs') }, work))

const tap = 'node_modules/tap/dist/esm/run.mjs'
const shown = spawnSync(
  process.execPath,
  [tap, 'replay', ...files, ...(hasCoverage ? [] : ['--allow-empty-coverage'])],
  { stdio: 'inherit' }
)
process.exitCode = shown.status ?? 1
