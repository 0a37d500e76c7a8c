// npm run drill: processes of one application on Redis, then on PostgreSQL, then with events written in the transactions of their changes, while they, the server and the ways to it fail. Each acknowledged change is told to each subscriber once, or a reset is behind it.
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'pg'
import type { Test } from 'tap'
import { postgresTables } from '../../lib/events/postgres/index.js'
import { PostgresWay, skipPostgres } from '../../test/support/postgres.js'
import { RedisServer, skipRedis } from '../../test/support/redis.js'
import { Cluster } from './cluster.js'
import { type Notice, Subscriber } from './subscriber.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    subscribers: { type: 'string', default: '40' },
    processes: { type: 'string', default: '4' },
    writes: { type: 'string', default: '100' }
  }
})
const [seconds, subscriberCount, processCount, writesPerSecond] = [
  values.seconds,
  values.subscribers,
  values.processes,
  values.writes
].map(Number) as [number, number, number, number]

/** What can fail beside the processes. */
interface Faults {
  readonly name: string
  readonly env: Record<string, string>
  /** Does something while the server can't be reached. */
  away(run: () => Promise<unknown>): Promise<void>
  readonly kinds: readonly (readonly [name: string, run: () => Promise<void>])[]
  /** What is wrong in the end, beside what subscribers were told. */
  check(): Promise<string[]>
}

const ends: (() => unknown)[] = []
const t = { teardown: (end: () => unknown) => void ends.push(end) } as unknown as Pick<Test, 'teardown'>

async function ofRedis(): Promise<Faults> {
  const server = await RedisServer.start(t)
  const env = { REDIS_URL: server.url }
  const away = async (run: () => Promise<unknown>) => {
    await server.kill()
    await run()
    await server.start()
  }
  const hold = async () => {
    server.signal('SIGSTOP')
    await wait(2500)
    server.signal('SIGCONT')
  }
  return { name: 'Redis', env, away, kinds: [['Redis is paused for 2.5 s', hold]], check: async () => [] }
}

/** Makes a pool of the drill itself. The faults end its connections, too. */
function openPool(): Pool {
  const pool = new Pool({ connectionString: String(process.env.TEST_DATABASE_URL) })
  pool.on('error', () => {})
  ends.push(() => pool.end())
  return pool
}

async function ofPostgres(): Promise<Faults> {
  const way = await PostgresWay.open(t)
  const pool = openPool()
  await pool.query(postgresTables({ table: 'drill' }))
  await pool.query('truncate drill_log, drill_processes')
  const away = async (run: () => Promise<unknown>) => {
    await way.cut()
    await run()
    await way.restore()
  }
  const hold = async () => {
    way.hold()
    await wait(2500)
    way.goOn()
  }
  const terminate = async () => {
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like '%drill%' and pid <> pg_backend_pid()"
    )
  }
  const kinds = [
    ['the way to PostgreSQL is held up for 2.5 s', hold],
    ['all connections are ended', terminate]
  ] as const
  return { name: 'PostgreSQL', env: { DATABASE_URL: way.url }, away, kinds, check: async () => [] }
}

/** Notes are in the database, too: the log has each of them once, and no other. */
async function ofOutbox(): Promise<Faults> {
  const postgres = await ofPostgres()
  const pool = openPool()
  await pool.query(
    'truncate drill_outbox; drop table if exists drill_notes; create table drill_notes (id integer primary key, text text)'
  )
  ends.push(() => pool.query('drop table drill_notes'))
  const check = async () => {
    const { rows } = await pool.query(`
      select coalesce(notes.id, told.id) as id, count(notes.id)::integer as notes, count(told.id)::integer as events
      from drill_notes as notes
      full join (select (event::json ->> 'id')::integer as id from drill_log where event is not null) as told using (id)
      group by 1 having count(notes.id) <> 1 or count(told.id) <> 1`)
    return rows.map(({ id, notes, events }) => `note ${id}: ${notes} in the table, ${events} in the log`)
  }
  return {
    ...postgres,
    name: 'PostgreSQL, in transactions',
    env: { ...postgres.env, NOTES_TABLE: 'drill_notes' },
    check
  }
}

const agent = new Agent({ keepAlive: false })

/** Makes a note. @returns whether it was acknowledged */
function write(port: number, id: number): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' }
    const call = request({ host: '127.0.0.1', port, path: '/notes', method: 'POST', headers, agent }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode === 201))
    })
    call.on('error', () => resolve(false))
    call.end(JSON.stringify({ id, text: `Note ${id}` }))
  })
}

/**
 * The notes that a subscriber lacks, and those that it got twice since its last reset. It may get one again behind a reset: a process that has read less of the
 * log than the one before takes its position back, and says so.
 */
function violationsOf({ notices, since }: Subscriber, acknowledged: ReadonlyMap<number, number>): string[] {
  const place = notices.findLastIndex((notice) => 'reset' in notice)
  const lastReset = notices[place]?.at ?? 0
  const notesOf = (list: readonly Notice[]) => list.flatMap((notice) => ('note' in notice ? notice.note : []))
  const heard = new Set(notesOf(notices))
  const afterReset = notesOf(notices.slice(place + 1))
  const missing = [...acknowledged].filter(([id, at]) => at > since && at > lastReset && !heard.has(id))
  const doubles = new Set(afterReset.filter((id, index) => afterReset.indexOf(id) < index))
  return [...missing.map(([id]) => `note ${id} is missing`), ...[...doubles].map((id) => `note ${id} came twice`)]
}

async function drill({ name, env, away, kinds, check }: Faults): Promise<number> {
  const cluster = await Cluster.start(processCount, env)
  const { port } = cluster
  const subscribers = Array.from({ length: subscriberCount }, () => new Subscriber(port))
  const slow = new Subscriber(port, 1000)
  await wait(1500)
  const acknowledged = new Map<number, number>()
  const done = new Map<string, number>()
  const end = performance.now() + seconds * 1000
  let last = 0
  let refused = 0

  async function writeOn(): Promise<void> {
    const pending = new Set<Promise<void>>()
    while (performance.now() < end) {
      const id = ++last
      const sent = write(port, id).then((isDone) => {
        if (isDone) acknowledged.set(id, performance.now())
        else refused += 1
        pending.delete(sent)
      })
      pending.add(sent)
      await wait(1000 / writesPerSecond)
    }
    await Promise.all(pending)
  }

  const anyIndex = () => Math.floor(Math.random() * cluster.size)
  const restart = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const index = anyIndex()
    await cluster.endProcess(index, signal)
    await wait(300)
    await cluster.startProcess(index)
  }
  // What it has answered, and not given to the server yet, is lost with it.
  const killWhileAway = async () => {
    const index = anyIndex()
    await away(async () => {
      await wait(400)
      await cluster.endProcess(index, 'SIGKILL')
    })
    await cluster.startProcess(index)
  }
  const all = [
    ...kinds,
    ['a process is killed', () => restart('SIGKILL')],
    ['a process is ended', () => restart('SIGTERM')],
    ['the server is away', () => away(() => wait(500))],
    ['a process is killed while the server is away', killWhileAway]
  ] as const
  async function fail(): Promise<void> {
    const turns: (typeof all)[number][] = []
    while (performance.now() < end - 4000) {
      if (turns.length === 0) turns.push(...all.toSorted(() => Math.random() - 0.5))
      const [kind, run] = turns.pop() as (typeof all)[number]
      done.set(kind, (done.get(kind) ?? 0) + 1)
      await run()
      await wait(500 + Math.random() * 1000)
    }
  }

  await Promise.all([writeOn(), fail()])
  // A dead process is found out after three beats.
  await wait(4000)
  const mark = ++last
  while (!(await write(port, mark))) await wait(100)
  const hasMark = (subscriber: Subscriber) =>
    subscriber.notices.some((notice) => 'note' in notice && notice.note === mark)
  for (let tries = 0; tries < 100 && !subscribers.every(hasMark); tries++) await wait(100)
  const violations = [
    ...subscribers.flatMap((subscriber) => violationsOf(subscriber, acknowledged)),
    ...(await check())
  ]
  const late = subscribers.filter((subscriber) => !hasMark(subscriber)).length
  const heard = subscribers.reduce((sum, { notices }) => sum + notices.filter((notice) => 'note' in notice).length, 0)
  const resets = subscribers.reduce((sum, { notices }) => sum + notices.filter((notice) => 'reset' in notice).length, 0)
  const connections = subscribers.reduce((sum, subscriber) => sum + subscriber.connections, 0)
  for (const subscriber of [...subscribers, slow]) subscriber.close()
  await cluster.close()
  console.log(`${name}: ${acknowledged.size} changes acknowledged, ${refused} not, by ${processCount} processes`)
  console.log(`  faults: ${[...done].map(([kind, count]) => `${kind} (${count})`).join(', ')}`)
  console.log(
    `  ${subscribers.length} subscribers: ${heard} events heard, ${resets} resets, ${connections} connections; a slow one: ${slow.notices.length} messages`
  )
  console.log(
    `  violated: ${violations.length}${late > 0 ? `, and ${late} subscribers that did not hear the last change` : ''}`
  )
  for (const violation of violations.slice(0, 5)) console.log(`    ${violation}`)
  return violations.length + late
}

let violated = 0
for (const [skip, create] of [
  [skipRedis, ofRedis],
  [skipPostgres, ofPostgres],
  [skipPostgres, ofOutbox]
] as const)
  if (skip) console.log(`left out: ${skip}`)
  else violated += await drill(await create())
for (const end of ends.reverse()) await end()
console.log(violated === 0 ? 'Drill: all held' : `Drill: ${violated} violated`)
process.exit(violated === 0 ? 0 : 1)
