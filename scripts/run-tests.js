// Runs the test files of a tier (`unit`, `deep` or `world`: test/README.md), of several, or those that are named, and shows their
// reports with `tap replay`. `--coverage` measures what they call of the library, and fails if that is not everything.
// `tap run` would do the same, but it loads each module of a test in a second thread, which doubles the time of most files, and it starts a process
// for each file, which is a third of the time of a run: here up to ten files of a folder share one (scripts/test-group.js).
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { filesIn } from './files.js'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)
const settings = readFileSync('.taprc', 'utf8')
const setting = (name) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(settings)[1])

const { values, positionals } = parseArgs({
  options: { coverage: { type: 'boolean', default: false } },
  allowPositionals: true
})
const hasCoverage = values.coverage
const tiers = ['unit', 'deep', 'world']
const tierOf = (name) => /\.(deep|world)\.test\.js$/.exec(name)?.[1] ?? 'unit'
const asked = positionals.length > 0 ? positionals : ['unit']
// A file may be named by its source: test/core/events.test.ts.
const named = asked
  .filter((name) => !tiers.includes(name))
  .map((name) => name.replace(/^test\/(.+)\.ts$/, 'dist/test/$1.js'))
const ofTiers = filesIn('dist/test')
  .filter((name) => name.endsWith('.test.js') && asked.includes(tierOf(name)))
  .sort()
// Source maps cost a tenth of the time. `npm run test:file` shows a failure with them.
const hasSourceMaps = hasCoverage || ofTiers.length === 0

// How many files share a process. Tests of the world wait for programs of their own, so each has one.
const sizes = { unit: 10, deep: 4, world: 1 }

/** @returns the files of each group by the first of them, by which `tap replay` knows it */
function toGroups(files) {
  const groups = new Map()
  const kindOf = (file) => `${tierOf(file)} ${dirname(file)}`
  for (const kind of new Set(files.map(kindOf))) {
    const alike = files.filter((file) => kindOf(file) === kind)
    const size = sizes[tierOf(alike[0])]
    for (let start = 0; start < alike.length; start += size) groups.set(alike[start], alike.slice(start, start + size))
  }
  return groups
}

// Seconds for one file. Others than unit tests may take some minutes even where nothing else runs.
const limitOf = (name) => setting('timeout') * (tierOf(name) === 'unit' ? 1 : 3)

const reportOf = (name) => `.tap/test-results/${name}.tap`

// The longest first, so that the last ones end together: by the times of the last run, or else by how their names begin.
const longest = [
  'openapi/kinds',
  'package/create',
  'server/resource/kinds',
  'docs',
  'examples/atlas-visit',
  'types',
  'mount',
  'bench/lines',
  'package',
  'client',
  'events',
  'explorer',
  'faults',
  'examples',
  'authentication',
  'server/resource'
]
function lengthOf(name) {
  const report = reportOf(name)
  const time = existsSync(report) && /^# time=([\d.]+)ms$/m.exec(readFileSync(report, 'utf8'))
  if (time) return Number(time[1])
  const place = longest.findIndex((beginning) => name.startsWith(`dist/test/${beginning}`))
  return place === -1 ? 0 : Number.MAX_SAFE_INTEGER - place
}
const groups = toGroups([...new Set([...named, ...ofTiers])])
const lengths = new Map([...groups.keys()].map((name) => [name, lengthOf(name)]))
const names = [...groups.keys()].sort((a, b) => lengths.get(b) - lengths.get(a))

for (const name of names) rmSync(reportOf(name), { force: true })
rmSync('.tap/coverage', { recursive: true, force: true })
mkdirSync('.tap/coverage', { recursive: true })

const preload = `--import=${new URL('coverage.js', import.meta.url)}`
const environment = {
  ...process.env,
  TAP: '1',
  ...(hasCoverage && { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${preload}`.trim() })
}

/** Runs one group. @returns whether it passed */
async function run(name) {
  const files = groups.get(name)
  const limit = limitOf(name)
  const report = reportOf(name)
  mkdirSync(dirname(report), { recursive: true })
  const output = openSync(report, 'w')
  // The name is an argument because tap names the folders of fixtures by them.
  const child = spawn(
    process.execPath,
    [...(hasSourceMaps ? ['--enable-source-maps'] : []), 'scripts/test-group.js', name],
    {
      env: { ...environment, TAP_TIMEOUT: String(limit), TEST_FILES: files.join(' ') },
      stdio: ['ignore', output, 'inherit']
    }
  )
  // tap ends a file in time; this is for one that does not let it.
  const timer = setTimeout(() => child.kill('SIGKILL'), (limit * files.length + 10) * 1000)
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  closeSync(output)
  const text = readFileSync(report, 'utf8')
  const missing = files.filter((file) => !text.includes(`# ended: ${file}\n`))
  if (code === 0 && missing.length === 0) return true
  addFailure(report, `${name} ended with ${signal ?? code}${missing.length > 0 ? `, before ${missing[0]} did` : ''}`)
  return false
}

/** Adds a failure to the report of a group that ended badly and does not say so. */
function addFailure(report, title) {
  const text = readFileSync(report, 'utf8')
  if (/^(not ok|Bail out)/m.test(text)) return
  writeFileSync(report, `TAP version 14\n${text.replace(/^/gm, '# ')}\nnot ok 1 - ${title}\n1..1\n`)
}

// Many tests wait for something else than the processor. PostgreSQL has connections for some of them at a time.
const jobs = Math.min(6, Math.max(setting('jobs'), availableParallelism() + 1))

const waiting = [...names]
async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const start = performance.now()
    const isGood = await run(name)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    const more = groups.get(name).length - 1
    console.log(`# ${isGood ? 'passed' : 'FAILED'} ${name}${more > 0 ? ` and ${more} more` : ''} ${seconds} s`)
  }
}
await Promise.all(Array.from({ length: jobs }, work))

const tap = 'node_modules/tap/dist/esm/run.mjs'
const shown = spawnSync(
  process.execPath,
  [tap, 'replay', ...names, ...(hasCoverage ? [] : ['--allow-empty-coverage'])],
  { stdio: 'inherit' }
)
process.exitCode = shown.status ?? 1
if (hasCoverage) {
  if (process.exitCode === 0) await import('./check-calls.js')
  if (process.exitCode !== 0 && !process.env.TEST_DATABASE_URL)
    console.log(
      '# Tests that need a PostgreSQL server were skipped, so their lines count as not covered: set TEST_DATABASE_URL=postgres://…'
    )
}
