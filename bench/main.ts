import { cases, verify } from './cases.js'
import { startServer } from './child.js'
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
const { rounds, requests, warmup } = options
const chosen = cases.filter(({ name }) => options.only === undefined || name === options.only)

if (options.profile === undefined) await measure()
else for (const work of chosen) await profile(options.profile, work, warmup, rounds * requests)

async function measure(): Promise<void> {
  const servers = await Promise.all(names.map((name) => startServer(name)))
  for (const work of chosen) await verify(work, servers)
  for (const { port } of servers) for (const work of chosen) await drive(port, work, warmup)

  const results = new Map(chosen.map((work) => [work, new Map(names.map((name) => [name, [] as Sample[]]))]))
  for (let round = 0; round < rounds; round++) {
    // Nobody is always the first one.
    const order = servers.map((_, index) => servers[(index + round) % servers.length] as (typeof servers)[number])
    for (const [work, samples] of results) {
      for (const { name, port, cpuTime } of order) {
        const before = await cpuTime()
        const seconds = await drive(port, work, requests)
        const cpu = ((await cpuTime()) - before) / requests
        samples.get(name)?.push({ rate: requests / seconds, cpu })
      }
    }
  }
  for (const { stop } of servers) stop()

  console.log(environment())
  console.log(`Medians of ${rounds} rounds of ${requests} requests. Ratios: above 1 is better than the one named.`)
  for (const [work, samples] of results) {
    console.log(`\n${work.name}: ${work.method} ${work.url}`)
    console.table(table(samples, ['by-hand', 'koa']))
  }
}
