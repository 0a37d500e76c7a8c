// npm run bench:peers: the same small API on each framework, side by side. All processes run at once, and idle but for the one that is asked.
import assert from 'node:assert/strict'
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findNodes } from '../../dist/bench/nodes.js'
import { open, quantile, send, shuffle } from '../sockets.js'
import { chart, setup, tableOf } from './report.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const { values } = parseArgs({
  options: {
    node: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '25' },
    requests: { type: 'string', default: '400' },
    warmup: { type: 'string', default: '4000' },
    connections: { type: 'string', default: '16' },
    out: { type: 'string', default: `${root}docs/images` }
  }
})
const [rounds, requests, warmup, connections] = ['rounds', 'requests', 'warmup', 'connections'].map((name) => {
  const number = Number(values[name])
  assert(Number.isInteger(number) && number > 0, `--${name} is a whole number above 0`)
  return number
})

if (!existsSync(`${here}node_modules`))
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: here, stdio: ['ignore', 2, 2] })
const { names, requestOf, textOf, works } = await import('./sides.js')

/** Starts a side in a process of its own. */
async function start(name, execPath) {
  const env = { ...process.env, NODE_ENV: 'production' }
  const child = fork(`${here}sides.js`, [name], { execPath, env })
  const [port] = await once(child, 'message')
  const cpuTime = async () => {
    child.send('cpu')
    return (await once(child, 'message'))[0]
  }
  // A connection that waits is closed by some servers after five seconds. So each side gets new ones for its turn, which are used once before it counts.
  async function inTurn(work, task) {
    const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
    const ask = (count) => send(sockets, requestOf(name, work), count)
    await ask(connections)
    try {
      return await task(ask)
    } finally {
      for (const socket of sockets) socket.removeAllListeners().destroy()
    }
  }
  return { name, cpuTime, inTurn, stop: () => child.disconnect() }
}

/** Nobody wins by answering less: the bodies are the same bytes, but for the envelope of an RPC. */
async function verify(sides) {
  for (const work of works) {
    const [first] = sides
    const bodyOf = (side) => side.inTurn(work, async (ask) => (await ask(1)).text)
    const value = JSON.parse(await bodyOf(first))
    for (const side of sides.slice(1))
      assert.equal(await bodyOf(side), textOf(side.name, value), `${side.name} answers '${work}' in another way`)
  }
}

async function measure({ program, version }) {
  const sides = []
  for (const name of names) sides.push(await start(name, program))
  await verify(sides)
  for (const work of works) for (const side of sides) await side.inTurn(work, (ask) => ask(warmup))
  const samples = new Map(
    works.flatMap((work) => names.map((name) => [`${work} ${name}`, { cpu: [], p50: [], p99: [] }]))
  )
  for (let round = 0; round < rounds; round++) {
    console.error(`Node ${version}: round ${round + 1} of ${rounds}`)
    for (const work of shuffle([...works]))
      for (const side of shuffle([...sides])) {
        const sample = samples.get(`${work} ${side.name}`)
        const times = await side.inTurn(work, async (ask) => {
          const before = await side.cpuTime()
          const answers = await ask(requests)
          sample.cpu.push(((await side.cpuTime()) - before) / requests)
          return answers.times
        })
        sample.p50.push(quantile(times, 0.5))
        sample.p99.push(quantile(times, 0.99))
      }
  }
  for (const side of sides) side.stop()
  const figures = ({ cpu, p50, p99 }) => ({ cpu: quantile(cpu, 0.2), p50: quantile(p50, 0.5), p99: quantile(p99, 0.5) })
  return { version, figures: new Map([...samples].map(([key, sample]) => [key, figures(sample)])) }
}

// A machine with more to do than this tells nothing of latencies.
const isBusy = loadavg()[0] > availableParallelism()
const results = []
for (const node of await findNodes(values.node.split(','))) results.push(await measure(node))
const setting = { names, works, rounds, requests, connections, isBusy }
mkdirSync(values.out, { recursive: true })
writeFileSync(`${values.out}/benchmarks.svg`, chart(results.at(-1), setting))
for (const result of results) console.log(`Node ${result.version}\n\n${tableOf(result, setting)}\n`)
console.log(setup())
