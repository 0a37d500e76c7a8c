// Runs the packages of others on Feathers and here, and prints what holds where: npm run test:feathers -- [<package> …] [--write]
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const packages = [
  '@feathersjs/adapter-tests',
  '@feathersjs/authentication-local',
  '@feathersjs/configuration',
  '@feathersjs/schema',
  'feathers-batch',
  'feathers-casl',
  'feathers-fletching',
  'feathers-graph-populate',
  'feathers-hooks-common',
  'feathers-objection',
  'feathers-pinia',
  'feathers-sequelize',
  'feathers-trigger',
  'feathers-utils',
  'ra-data-feathers'
]
const { values, positionals } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true })
const chosen = positionals.length > 0 ? positionals : packages
const folder = fileURLToPath(new URL('..', import.meta.url))
const page = new URL('../../../docs/from-feathers.md', import.meta.url)

install()
const { Checks } = await import('./checks.js')
const { sides } = await import('./sides.js')
const { database } = await import('./database.js')

const failures = []
const rows = []
let total = 0
for (const name of chosen) {
  const { run, notes = '' } = await import(`./${name.replace('@feathersjs/', 'feathersjs-')}.js`)
  const [theirs, ours] = [new Checks(sides.feathers), new Checks(sides.services)]
  await run(theirs)
  await run(ours)
  for (const [check, there] of theirs.results) report(name, check, there, ours.results.get(check))
  total += theirs.results.size
  rows.push([name, versionOf(name), `${held(ours)}/${ours.results.size}`, notes])
}
await (await database()).close()

const table = [
  '| package | version | passed | |',
  '|---|---|---|---|',
  ...rows.map(([name, ...cells]) => `| \`${name}\` | ${cells.join(' | ')} |`.replace(/\| {2}\|$/, '| |'))
].join('\n')
console.log(`\n${table}\n`)
if (positionals.length === 0) compare()
console.log(`# { total: ${total}, pass: ${total - failures.length}, fail: ${failures.length} }`)
process.exitCode = failures.length > 0 ? 1 : 0

/** Installs the packages, unless they are there in the versions of their lock file. */
function install() {
  const lock = readFileSync(`${folder}/package-lock.json`, 'utf8')
  const mark = `${folder}/node_modules/.installed`
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit'
  })
  if (status !== 0) throw new Error('npm ci failed in test/feathers')
  writeFileSync(mark, lock)
}

function versionOf(name) {
  return JSON.parse(readFileSync(`${folder}/node_modules/${name}/package.json`, 'utf8')).version
}

function held({ results }) {
  return [...results.values()].filter(({ holds }) => holds).length
}

/** Prints a check that does not hold on both. It fails if it holds on Feathers alone. */
function report(name, check, there, here) {
  if (there.holds && here.holds) return
  const state = there.holds ? 'FAILED here' : here.holds ? 'holds here alone' : 'holds on neither'
  console.log(`# ${state}: ${name}: ${check}`)
  if (!there.holds) return
  failures.push(check)
  console.log(`#   ${JSON.stringify(here.found)}\n${here.message ?? ''}`.trimEnd().replaceAll('\n', '\n#   '))
}

/** The page has this table. */
function compare() {
  const text = readFileSync(page, 'utf8')
  const [found] = /\| package \| version [\s\S]*?\n(?=\n)/.exec(text) ?? ['']
  if (found.trimEnd() === table) return
  if (values.write) {
    writeFileSync(page, text.replace(found, `${table}\n`))
    return
  }
  failures.push('docs')
  console.log('# FAILED: docs/from-feathers.md has another table: npm run test:feathers -- --write')
}
