import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { EventLog, LogEntry, LoggedEvent, LogListener } from '../log.js'
import { sizeOf } from '../log.js'
import { time, wholeNumber } from '../options.js'
import { withinTime } from '../patience.js'
import type { RedisClient } from './client.js'
import { entriesRead, readEntries, type StreamEntry } from './entries.js'
import { pauseAfter, Writer } from './writer.js'

export interface RedisLogOptions {
  /** What the names of its keys begin with. Applications that share a Redis need names of their own. Default `'fastify-services:events'`. */
  key?: string
  /** How many events are kept for those who come back. Default 10,000. */
  events?: number
  /** How long they are kept, in ms. Default 3,600,000: an hour. */
  age?: number
  /** How often a process gives a sign of life, in ms. One that has given none for three times as long is given up: all subscribers read anew. Default 5,000. */
  beat?: number
  /** How many bytes of events wait while Redis can't be reached. More are given up: then all subscribers read anew. Default 16 MiB. */
  waiting?: number
}

const ofRedisLog: OptionTable<RedisLogOptions> = {
  key: kinds.filled,
  events: wholeNumber,
  age: time,
  beat: time,
  waiting: wholeNumber
}

/** How many events a subscriber may have missed: of more, it reads anew. */
const mostMissed = 2000
const mostMissedBytes = 8 * 1024 * 1024
/** How many entries are read in one step: each may have a record of any length. */
const pageSize = 100
/** How long Redis may take for missed events, in ms. */
const readTime = 5000
/** How long a client may take for its first connection before that is told, in ms. */
const startTime = 2000
/** The position of a process that has not reached Redis yet. No entry has it. */
const unjoined = 'none'

class RedisLog implements EventLog {
  readonly #client: RedisClient
  // A connection that waits for entries can be asked for nothing else.
  readonly #reader: RedisClient
  readonly #options: Required<RedisLogOptions>
  readonly #keys: readonly [log: string, processes: string]
  readonly #writer: Writer
  readonly #listeners = new Set<LogListener>()
  readonly #timer: NodeJS.Timeout
  #onJoin: (() => void) | undefined
  #newest = unjoined
  readonly #begin = Date.now()
  #reading: Promise<unknown> | undefined
  #isAway = false
  #isClosed = false

  constructor(client: RedisClient, options: Required<RedisLogOptions>) {
    this.#client = client
    this.#options = options
    this.#keys = [`{${options.key}}:log`, `{${options.key}}:processes`]
    const { events, age, beat, waiting } = options
    const [onAnswer, onFailure] = [() => this.#setBack(), (error: unknown) => this.#setAway(error)]
    this.#writer = new Writer({ client, keys: this.#keys, events, age, beat, waiting, onAnswer, onFailure })
    this.#reader = client.duplicate()
    this.#reader.on('error', (error: unknown) => this.#setAway(error))
    this.#reader.on('close', () => this.#setAway(new Error('The connection to Redis has ended')))
    this.#timer = setInterval(() => void this.#beat(), beat)
    this.#timer.unref()
    void this.#follow()
  }

  async open(): Promise<void> {
    if (this.#newest !== unjoined) return
    const joined = new Promise<void>((resolve) => {
      this.#onJoin = resolve
    })
    await withinTime(startTime, joined).catch(() => {})
  }

  append(event: LoggedEvent): Promise<void> {
    return this.#writer.append(event)
  }

  newest(): string {
    return this.#newest
  }

  async read(after: string): Promise<readonly LogEntry[] | undefined> {
    const end = this.#newest
    if (!/^\d{1,15}-\d{1,15}$/.test(after) || end === unjoined) return undefined
    if (after === end) return []
    const entries: LogEntry[] = []
    let [last, size] = [after, 0]
    while (last !== end) {
      const range = ['XRANGE', this.#keys[0], `(${last}`, end, 'COUNT', pageSize] as const
      const page = readEntries(await withinTime(readTime, this.#client.callBuffer(...range)))
      if (page.length === 0) return undefined
      for (const { id, previous, event } of page) {
        if (previous !== last || event === undefined) return undefined
        entries.push({ id, event })
        last = id
        size += sizeOf(event)
      }
      if (entries.length > mostMissed || size > mostMissedBytes) return undefined
    }
    return entries
  }

  listen(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writer.close()
    this.#isClosed = true
    this.#reader.disconnect()
  }

  /** Reads what comes into the log, until it is closed. */
  async #follow(): Promise<void> {
    let failures = 0
    while (!this.#isClosed) {
      try {
        if (this.#newest === unjoined) await this.#join()
        const { beat } = this.#options
        // A question that Redis has not answered in time is not asked a second time: its answer may come yet.
        this.#reading ??= this.#read()
        const answer = await withinTime(beat * 3, this.#reading)
        for (const entry of entriesRead(answer)) this.#take(entry)
        failures = 0
      } catch (error) {
        if (this.#isClosed) return
        this.#setAway(error)
        await pauseAfter(failures++)
      }
    }
  }

  /** Waits for entries, for less time than clients give to a command. */
  #read(): Promise<unknown> {
    const place = ['STREAMS', this.#keys[0], this.#newest] as const
    const block = Math.min(this.#options.beat, 1000)
    return this.#reader.callBuffer('XREAD', 'COUNT', pageSize, 'BLOCK', block, ...place).finally(() => {
      this.#reading = undefined
    })
  }

  #take({ id, previous, isLoss, event }: StreamEntry): void {
    // The log was emptied, or cut more than this process had read.
    const isGap = previous !== this.#newest
    this.#newest = id
    if (isGap || isLoss) this.#tellLoss()
    if (event !== undefined) for (const listener of this.#listeners) listener.onEvent({ id, event })
  }

  #tellLoss(): void {
    for (const listener of this.#listeners) listener.onLoss()
  }

  async #join(): Promise<void> {
    this.#newest = await this.#writer.sign()
    this.#onJoin?.()
    this.#tellLoss()
  }

  async #beat(): Promise<void> {
    try {
      const newest = await this.#writer.sign()
      // The log was emptied, and the clock of Redis is behind: what comes has older ids, and would never be read.
      if (this.#newest !== unjoined && isOlder(newest, this.#newest)) this.#newest = unjoined
    } catch (error) {
      this.#setAway(error)
    }
  }

  #setAway(error: unknown): void {
    const isStarting = this.#newest === unjoined && Date.now() - this.#begin < startTime
    if (this.#isAway || this.#isClosed || isStarting) return
    this.#isAway = true
    for (const listener of this.#listeners) listener.onAway?.(error)
  }

  #setBack(): void {
    if (!this.#isAway) return
    this.#isAway = false
    for (const listener of this.#listeners) listener.onBack?.()
  }
}

function isOlder(first: string, second: string): boolean {
  const [[time = 0, turn = 0] = [], [otherTime = 0, otherTurn = 0] = []] = [first, second].map((id) =>
    id.split('-').map(Number)
  )
  return time < otherTime || (time === otherTime && turn < otherTurn)
}

/**
 * A log in Redis (6.2 or later), for several processes: a stream of Redis, which all of them read (docs/scaling.md). Subscribers get each event once, by whichever process
 * they are connected to, or `reset` where some may have been lost: they read anew then. While Redis is away, requests go on and events wait.
 *
 * @param client a client of `ioredis`. One more connection is opened, by its `duplicate()`
 * @example
 * await app.register(events, { services: { notes: true }, log: redisLog(new Redis(process.env.REDIS_URL)) })
 */
export function redisLog(client: RedisClient, options: RedisLogOptions = {}): EventLog {
  checkOptions('redisLog', ofRedisLog, { ...options })
  const defaults = {
    key: 'fastify-services:events',
    events: 10_000,
    age: 3_600_000,
    beat: 5000,
    waiting: 16 * 1024 * 1024
  }
  return new RedisLog(client, { ...defaults, ...options })
}
