import { type Case, cases, verify } from './cases.js'
import { type Child, startServer } from './child.js'
import { drive } from './load.js'
import { readOptions } from './options.js'
import { profile } from './profile.js'
import { environment, type Sample, table } from './report.js'

const names = ['by-hand', 'plugin', 'koa', 'express']
const options = readOptions(
  process.argv.slice(2),
  cases.map(({ name }) => name),
  names
)
const { starts, rounds, requests, warmup } = options
const chosen = cases.filter(({ name }) => options.only === undefined || name === options.only)

if (options.profile === undefined) await measure()
else for (const work of chosen) await profile(options.profile, work, warmup, starts * rounds * requests)

async function measure(): Promise<void> {
  const results = new Map(chosen.map((work) => [work, new Map(names.map((name) => [name, [] as Sample[]]))]))
  for (let start = 0; start < starts; start++) {
    const servers = await Promise.all(names.map(startServer))
    for (const work of chosen) await verify(work, servers)
    for (const { port } of servers) for (const work of chosen) await drive(port, work, warmup)
    for (let round = 0; round < rounds; round++) {
      // Nobody is always the first one.
      const order = [...servers.slice(round % names.length), ...servers.slice(0, round % names.length)]
      for (const [work, samples] of results) {
        for (const server of order) samples.get(server.name)?.push(await sample(server, work))
      }
    }
    for (const { stop } of servers) stop()
  }

  console.log(environment())
  console.log(
    `Medians of ${starts} starts × ${rounds} rounds × ${requests} requests. Ratios: above 1 is better than the one named.`
  )
  for (const [work, samples] of results) {
    console.log(`\n${work.name}: ${work.method} ${work.url}`)
    console.table(table(samples, ['by-hand', 'koa']))
  }
}

async function sample({ port, cpuTime }: Child, work: Case): Promise<Sample> {
  const before = await cpuTime()
  const seconds = await drive(port, work, requests)
  return { rate: requests / seconds, cpu: ((await cpuTime()) - before) / requests }
}
