// npm run bench:start: CPU and memory of the start of many services, with and without resource(), beside routes by hand.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { sides } from './side.js'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, services: { type: 'string', default: '1000,3000' } }
})
const rounds = Number(values.rounds)
const counts = values.services.split(',').map(Number)
assert(Number.isInteger(rounds) && rounds > 0, '--rounds is a whole number above 0')
assert(
  counts.every((count) => Number.isInteger(count) && count > 0),
  '--services are whole numbers above 0'
)

const program = fileURLToPath(new URL('side.js', import.meta.url))

async function measure(...args) {
  const child = fork(program, args.map(String), { execArgv: ['--expose-gc'] })
  const [result] = await once(child, 'message')
  await once(child, 'exit')
  return result
}

const jobs = Object.keys(sides).flatMap((name) => counts.map((count) => [name, count]))
const lowest = new Map()
for (let round = 0; round < rounds; round++)
  // The order is another one in each round: what else the machine does hits no side alone.
  for (const job of jobs.toSorted(() => Math.random() - 0.5)) {
    const result = await measure(...job)
    const key = job.join()
    lowest.set(key, { ...result, cpu: Math.min(result.cpu, lowest.get(key)?.cpu ?? Infinity) })
  }

console.log(`Node ${process.versions.node}, the lowest of ${rounds} rounds\n`)
console.log(`| start | ${counts.map((count) => `${count} services: CPU, s | KiB each`).join(' | ')} |`)
console.log(`| --- |${' --- | --- |'.repeat(counts.length)}`)
for (const name of Object.keys(sides)) {
  const cells = counts.flatMap((count) => {
    const { cpu, heap } = lowest.get([name, count].join())
    return [(cpu / 1e6).toFixed(2), (heap / 1024 / count).toFixed(0)]
  })
  console.log(`| ${name} | ${cells.join(' | ')} |`)
}
