// npm run bench:import: CPU of the import of Fastify, and of that of the package on top of it, compiled and as it is published.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { findNodes } from '../dist/bench/nodes.js'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '21' }, node: { type: 'string', default: '20,24' } }
})
const rounds = Number(values.rounds)
assert(Number.isInteger(rounds) && rounds > 0, '--rounds is a whole number above 0')

const root = fileURLToPath(new URL('..', import.meta.url))
// Below `node_modules`, so that it finds Fastify.
const published = `${root}node_modules/.cache/published`
execFileSync(process.execPath, [`${root}scripts/build-package.js`, published], { stdio: 'inherit' })
const sides = { compiled: `${root}dist/index.js`, published: `${published}/dist/index.js` }

const program = (door) => `const cpu = () => Object.values(process.cpuUsage()).reduce((sum, time) => sum + time)
const before = cpu()
await import('fastify')
const between = cpu()
await import('${pathToFileURL(door)}')
console.log(JSON.stringify([between - before, cpu() - between]))`
const measure = (node, door) =>
  JSON.parse(execFileSync(node, ['--input-type=module', '-e', program(door)], { cwd: root, encoding: 'utf8' }))

const jobs = (await findNodes(values.node.split(','))).flatMap(({ program, version }) =>
  Object.entries(sides).map(([side, door]) => ({ program, version, side, door, results: [] }))
)
for (let round = 0; round < rounds; round++)
  // The order is another one in each round: what else the machine does hits no side alone.
  for (const { program, door, results } of jobs.toSorted(() => Math.random() - 0.5))
    results.push(measure(program, door))

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
console.log(`CPU of an import in a new process, ms, the median of ${rounds} rounds\n`)
console.log('| Node | fastify-services | Fastify | and the package, over it |\n| --- | --- | --- | --- |')
for (const { version, side, results } of jobs) {
  const [fastify, ours] = [0, 1].map((index) => (median(results.map((result) => result[index])) / 1000).toFixed(0))
  console.log(`| ${version} | ${side} | ${fastify} | ${ours} |`)
}
const pack = ['pack', '--dry-run', '--ignore-scripts', '--json']
const [{ size, entryCount }] = JSON.parse(execFileSync('npm', pack, { cwd: published, encoding: 'utf8' }))
console.log(`\nThe tarball: ${(size / 1000).toFixed(0)} kB, ${entryCount} files`)
