// npm run bench:database: the same list from PostgreSQL by a service and by hand, over knex, pg and prepared statements; pools of several sizes.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Pool } from 'pg'
import { Answer } from '../../dist/bench/answer.js'
import { kinds } from './server.js'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, requests: { type: 'string', default: '400' } }
})
const [rounds, requests] = ['rounds', 'requests'].map((name) => {
  const number = Number(values[name])
  assert(Number.isInteger(number) && number > 0, `--${name} is a whole number above 0`)
  return number
})
const { TEST_DATABASE_URL } = process.env
assert(TEST_DATABASE_URL, 'npm run bench:database needs a PostgreSQL: TEST_DATABASE_URL=postgres://…')

const table = `bench_notes_${process.pid}`
const database = new Pool({ connectionString: TEST_DATABASE_URL })
await database.query(`create table ${table} (id serial primary key, text text, state text)`)
await database.query(
  `insert into ${table} (text, state) select 'Note ' || i, case when i % 2 = 0 then 'open' else 'closed' end from generate_series(1, 1000) as i`
)
await database.query(`create index on ${table} (state, id)`)

/** Processor time of the connections of a side at the database, in µs; 0 where the database is on another machine. */
async function databaseTime(name) {
  const { rows } = await database.query('select pid from pg_stat_activity where application_name = $1', [name])
  const ticks = rows.map(({ pid }) => {
    try {
      const [, comm, rest = ''] = /\((.*?)\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      const fields = rest.split(' ')
      return comm.startsWith('postgres') ? Number(fields[11]) + Number(fields[12]) : 0
    } catch {
      return 0
    }
  })
  return ticks.reduce((sum, count) => sum + count, 0) * 10_000
}

async function start(kind, env = {}) {
  const environment = {
    NODE_ENV: 'production',
    DATABASE_URL: TEST_DATABASE_URL,
    PGAPPNAME: kind,
    KIND: kind,
    TABLE: table
  }
  const program = fileURLToPath(new URL('server.js', import.meta.url))
  const child = fork(program, [], { env: { ...process.env, ...environment, ...env } })
  const [port] = await once(child, 'message')
  const cpuTime = async () => {
    child.send('cpu')
    return (await once(child, 'message'))[0]
  }
  return { kind, ports: [port], cpuTime, databaseTime: () => databaseTime(kind), stop: () => child.disconnect() }
}

const message =
  'GET /notes?state=open&$limit=10&$sort[id]=1 HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\r\n'

/** Sends so many requests over so many connections, each one after the other. @returns how long each took, in ms, and the last body */
async function send({ ports }, count, connections) {
  const times = []
  let body = ''
  let left = count
  const drive = async (_, index) => {
    const socket = connect({ port: ports[index % ports.length], host: '127.0.0.1', noDelay: true }).setEncoding(
      'latin1'
    )
    await once(socket, 'connect')
    let answer = new Answer()
    let begin
    const next = () => {
      begin = performance.now()
      if (left-- > 0) socket.write(message)
      else socket.destroy()
    }
    socket.on('data', (piece) => {
      if (!answer.add(piece)) return
      times.push(performance.now() - begin)
      assert(answer.text.startsWith('HTTP/1.1 200 '), answer.text)
      body = answer.body
      answer = new Answer()
      next()
    })
    next()
    await once(socket, 'close')
  }
  await Promise.all(Array.from({ length: connections }, drive))
  assert.equal(times.length, count)
  return { times, body }
}

const quantile = (numbers, part) =>
  numbers.toSorted((first, second) => first - second)[Math.floor(numbers.length * part)]
const shuffle = (list) =>
  list
    .map((item) => [Math.random(), item])
    .sort(([first], [second]) => first - second)
    .map(([, item]) => item)

/** CPU of the process for one request: the lowest fifth of shuffled rounds of all ways. */
async function compareWays() {
  const names = Object.keys(kinds).filter((name) => name !== 'slow')
  const sides = await Promise.all(names.map((name) => start(name)))
  let expected
  for (const side of sides) {
    const { body } = await send(side, 3000, 16)
    const parsed = JSON.parse(body)
    expected ??= JSON.stringify(parsed.data)
    assert.equal(JSON.stringify(parsed.data ?? parsed), expected, `${side.kind} answers in another way`)
  }
  const samples = new Map(names.map((name) => [name, []]))
  const begins = new Map()
  for (const side of sides) begins.set(side, await side.databaseTime())
  for (let round = 0; round < rounds; round++)
    for (const side of shuffle(sides)) {
      const before = await side.cpuTime()
      await send(side, requests, 16)
      samples.get(side.kind).push(((await side.cpuTime()) - before) / requests)
    }
  console.log('| a list of ten notes | CPU of the process, µs | of the database, µs |\n|---|---|---|')
  for (const side of sides) {
    const ofDatabase = ((await side.databaseTime()) - begins.get(side)) / (rounds * requests)
    console.log(`| ${side.kind} | ${Math.round(quantile(samples.get(side.kind), 0.2))} | ${Math.round(ofDatabase)} |`)
    side.stop()
  }
}

async function comparePools() {
  console.log('\n| connections of the pool | requests a second | p50, ms | p99, ms |\n|---|---|---|---|')
  for (const size of [2, 5, 10, 20, 40]) {
    const side = await start('slow', { POOL: String(size) })
    await send(side, 500, 64)
    const begin = performance.now()
    const { times } = await send(side, 2000, 64)
    const perSecond = Math.round(2000 / ((performance.now() - begin) / 1000))
    console.log(`| ${size} | ${perSecond} | ${quantile(times, 0.5).toFixed(0)} | ${quantile(times, 0.99).toFixed(0)} |`)
    side.stop()
  }
}

try {
  await compareWays()
  await comparePools()
} finally {
  await database.query(`drop table ${table}`)
  await database.end()
}
