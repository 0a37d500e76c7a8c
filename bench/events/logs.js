// npm run bench:logs: what a log of several processes takes on Redis and on PostgreSQL: how many events a second, and the processor time of the processes for each.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { postgresLog, postgresTables } from '../../dist/lib/events/postgres/index.js'
import { redisLog } from '../../dist/lib/events/redis/index.js'

const { values } = parseArgs({
  options: { events: { type: 'string', default: '20000' }, logs: { type: 'string', default: '4' } }
})
const [events, logs] = [values.events, values.logs].map(Number)

const event = (id) => ({
  service: 'notes',
  event: 'created',
  id,
  facts: { id, text: 'Buy bread', kind: 'todo', done: false, user: 7, at: new Date() },
  touched: [],
  route: {},
  callers: ['7'],
  call: undefined
})

/** Gives events to logs of their own at the same time, so many at once, and waits until each has heard all. */
async function measure(name, open, atOnce) {
  const all = await Promise.all(Array.from({ length: logs }, () => open()))
  const heard = all.map(() => 0)
  for (const [index, log] of all.entries()) log.listen({ onEvent: () => void heard[index]++, onLoss() {} })
  while (all.some((log) => log.newest() === 'none')) await setTimeout(10)
  const [begin, cpu] = [performance.now(), process.cpuUsage()]
  const delays = []
  let next = 0
  async function give(log) {
    while (next < events) {
      const start = performance.now()
      await log.append(event(++next))
      delays.push(performance.now() - start)
    }
  }
  await Promise.all(all.flatMap((log) => Array.from({ length: atOnce }, () => give(log))))
  while (heard.some((count) => count < next)) await setTimeout(1)
  const seconds = (performance.now() - begin) / 1000
  const { user, system } = process.cpuUsage(cpu)
  delays.sort((left, right) => left - right)
  const [p50, p99] = [0.5, 0.99].map((part) => delays[Math.floor(delays.length * part)].toFixed(1))
  const each = ((user + system) / next / (1 + logs)).toFixed(1)
  console.log(`| ${[name, atOnce * logs, Math.round(next / seconds), each, p50, p99].join(' | ')} |`)
  await Promise.all(all.map((log) => log.close()))
}

console.log(
  `| ${logs} processes, ${events} events | at once | events a second | CPU to give it, or to hear it, µs | p50, ms | p99, ms |`
)
console.log('|---|---|---|---|---|---|')

const folder = mkdtempSync(join(tmpdir(), 'redis-'))
const port = 26_399
const server = spawn(
  'redis-server',
  ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--appendonly', 'yes', '--save', ''],
  { stdio: 'ignore' }
)
await setTimeout(500)
const clients = []
const ofRedis = (key) => async () => {
  const client = new Redis({ host: '127.0.0.1', port })
  clients.push(client)
  return redisLog(client, { key, events: 2 * events })
}
for (const atOnce of [1, 50]) await measure('Redis', ofRedis(`bench-${atOnce}`), atOnce)
for (const client of clients) client.disconnect()
server.kill()
rmSync(folder, { recursive: true, force: true })

const { TEST_DATABASE_URL: connectionString } = process.env
if (!connectionString) console.log('PostgreSQL: left out, as TEST_DATABASE_URL names no server')
else {
  const pool = new Pool({ connectionString, max: 3 * logs })
  for (const atOnce of [1, 50]) {
    const table = `bench_events_${atOnce}`
    await pool.query(postgresTables({ table }))
    await pool.query(`truncate ${table}_log, ${table}_processes`)
    await measure('PostgreSQL', async () => postgresLog(pool, { table, events: 2 * events }), atOnce)
  }
  await pool.end()
}
process.exit()
