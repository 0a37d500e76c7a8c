import type { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import type { EventLog } from '../../lib/events/index.js'
import { redisLog } from '../../lib/events/redis/index.js'
import { loggedEvent } from '../support/log-contract.js'
import { createGenerator } from '../support/random.js'
import { RedisServer, skipRedis } from '../support/redis.js'

/*
 * Random faults of a Redis that several processes share, and what their listeners are told: each event once and in the same order, or a loss behind it. SEED and RUNS
 * say which, and how many.
 */
const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 2)

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const until = async (holds: () => unknown) => {
  while (!(await holds())) await sleep(5)
}

/** What a listener was told, in order: ids of events with their positions, or a loss. */
type Item = { readonly event: number; readonly position: string; readonly at: number } | { readonly loss: number }

class Process {
  readonly log: EventLog
  readonly items: Item[] = []
  readonly client: Redis
  /** Since when nothing is missed. */
  since = Number.POSITIVE_INFINITY
  isDead = false

  constructor(client: Redis) {
    this.client = client
    this.log = redisLog(client, { key: 'search', beat: 50, events: 60 })
    this.log.listen({
      onEvent: ({ id, event }) =>
        void this.items.push({ event: Number(event.id), position: id, at: performance.now() }),
      onLoss: () => void this.items.push({ loss: performance.now() })
    })
  }

  async open(): Promise<this> {
    await until(() => this.log.newest() !== 'none')
    this.since = performance.now()
    return this
  }
}

/** When an event was given to a log, and when the log had it. */
interface Given {
  readonly begin: number
  end: number
}

async function search(t: Test, random: () => number): Promise<string[]> {
  const server = await RedisServer.start(t)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const start = () => new Process(server.client(t, { maxRetriesPerRequest: random() < 0.5 ? null : 2 }))
  const processes = await Promise.all([start(), start(), start()].map((process) => process.open()))
  const alive = () => processes.filter(({ isDead }) => !isDead)
  const events = new Map<number, Given>()
  let next = 1

  function append(log = pick(alive()).log): void {
    const event = next++
    const entry: Given = { begin: performance.now(), end: Number.POSITIVE_INFINITY }
    events.set(event, entry)
    const appended = log.append(loggedEvent(event)) as Promise<void>
    appended.then(() => {
      entry.end = performance.now()
    })
  }
  const faults: Record<string, () => Promise<unknown> | undefined> = {
    async kill() {
      await server.kill()
      for (let i = 0; i < 5; i++) append()
      await sleep(random() * 200)
      await server.start()
    },
    async stop() {
      server.signal('SIGSTOP')
      for (let i = 0; i < 5; i++) append()
      await sleep(random() * 300)
      server.signal('SIGCONT')
    },
    /** The connections of one process are cut, and made again. */
    cut: async () => pick(alive()).client.disconnect(true),
    async die() {
      if (alive().length < 3) return
      const process = pick(alive())
      process.isDead = true
      // The loop of a dead process reads no more: its second connection is cut, too.
      process.client.disconnect()
      void process.log.close?.()
    },
    async leave() {
      if (alive().length < 3) return
      const process = pick(alive())
      process.isDead = true
      await process.log.close?.()
      process.client.disconnect()
    },
    join: async () => void processes.push(await start().open()),
    flush: () => pick(alive()).client.flushall(),
    /** More at once than the log keeps. */
    async burst() {
      const { log } = pick(alive())
      for (let i = 0; i < 100; i++) append(log)
    },
    pause: () => sleep(random() * 100)
  }
  for (let step = 0; step < 60; step++) {
    for (let i = Math.floor(random() * 20); i > 0; i--) append()
    if (random() < 0.3) await faults[pick(Object.keys(faults))]?.()
    else await sleep(random() * 10)
  }
  await until(async () => {
    const log = alive()[0]?.log as EventLog
    const event = next++
    events.set(event, { begin: performance.now(), end: Number.POSITIVE_INFINITY })
    await log.append(loggedEvent(event))
    await sleep(300)
    return alive().every(({ items }) => items.some((item) => 'event' in item && item.event === event))
  })
  const problems = [
    ...alive().flatMap((process) => violations(process, events)),
    ...disorder(alive()),
    ...(await misreads(alive()))
  ]
  for (const { log } of alive()) await log.close?.()
  return problems
}

/** Events that a process should have told of, or has told of twice. */
function violations({ items, since }: Process, events: ReadonlyMap<number, Given>): string[] {
  const violated: string[] = []
  for (const [event, { begin, end }] of events) {
    const places = items.flatMap((item, index) => ('event' in item && item.event === event ? [index] : []))
    const hasLossAfter = (time: number) => items.some((item) => 'loss' in item && item.loss > time)
    if (begin < since || end === Number.POSITIVE_INFINITY) continue
    if (places.length === 0 && !hasLossAfter(begin)) violated.push(`${event} never came`)
    const [first = 0, second] = places
    if (second !== undefined && !items.slice(first, second).some((item) => 'loss' in item))
      violated.push(`${event} came twice`)
  }
  return violated
}

/** Positions that two processes have seen in another order. */
function disorder(processes: readonly Process[]): string[] {
  return processes.flatMap(({ items }, index) => {
    const positions = items.flatMap((item) => ('event' in item ? [item.position] : []))
    const others = new Set(processes[0]?.items.flatMap((item) => ('event' in item ? [item.position] : [])))
    const shared = positions.filter((position) => others.has(position))
    const order = [...others].filter((position) => shared.includes(position))
    return shared.join() === order.join() ? [] : [`process ${index} has another order`]
  })
}

/** Positions from which a log reads something else than what was told behind them. */
async function misreads(processes: readonly Process[]): Promise<string[]> {
  const violated: string[] = []
  for (const { items, log } of processes) {
    for (const [index, item] of items.entries()) {
      if (!('event' in item) || index % 7 > 0) continue
      const entries = await log.read(item.position)
      if (entries === undefined) continue
      const behind = items.slice(index + 1)
      const told = behind.flatMap((other) => ('event' in other ? [other.event] : []))
      if (entries.map(({ event }) => event.id).join() !== told.join())
        violated.push(`what is behind ${item.position} differs`)
    }
  }
  return violated
}

t.setTimeout(900_000)

t.test('whatever happens to Redis, each event is told once or a loss is', { skip: skipRedis }, async (t) => {
  for (let run = 0; run < runs; run++)
    t.same(await search(t, createGenerator(seed + run)), [], `SEED=${seed + run} RUNS=1`)
})
