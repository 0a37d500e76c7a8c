import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Unavailable } from '../../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { EventLog, LogEntry, LoggedEvent, LogListener } from '../log.js'
import { sizeOf } from '../log.js'
import { time, wholeNumber } from '../options.js'
import { withinTime } from '../patience.js'
import type { RedisClient } from './client.js'
import { type EncodedEvent, encodeEvent, entriesRead, readEntries, type StreamEntry } from './entries.js'
import { appendScript, beatScript } from './scripts.js'

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
const batchSize = 200
/** How long a client may take for its first connection before that is told, in ms. */
const startTime = 2000
/** The position of a process that has not reached Redis yet. No entry has it. */
const unjoined = 'none'

/** Events that are given to the log in one step. Its number tells it apart when it is sent again. */
interface EventBatch {
  readonly number: number
  readonly items: readonly WaitingEvent[]
}

interface WaitingEvent {
  readonly encoded: EncodedEvent
  readonly size: number
  readonly settle: () => void
}

class RedisLog implements EventLog {
  readonly #client: RedisClient
  // A connection that waits for entries can be asked for nothing else.
  readonly #reader: RedisClient
  readonly #options: Required<RedisLogOptions>
  readonly #keys: readonly [log: string, processes: string]
  readonly #process = randomUUID()
  readonly #listeners = new Set<LogListener>()
  readonly #timer: NodeJS.Timeout
  #onJoin: (() => void) | undefined
  #newest = unjoined
  #hasJoined = false
  readonly #begin = Date.now()
  #waiting: WaitingEvent[] = []
  #waitingBytes = 0
  #batch: EventBatch | undefined
  #batches = 0
  #hasGivenUp = false
  #flushing: Promise<void> | undefined
  #isAway = false
  #isClosed = false

  constructor(client: RedisClient, options: Required<RedisLogOptions>) {
    this.#client = client
    this.#options = options
    this.#keys = [`{${options.key}}:log`, `{${options.key}}:processes`]
    this.#reader = client.duplicate()
    this.#reader.on('error', (error: unknown) => this.#setAway(error))
    this.#reader.on('close', () => this.#setAway(new Error('The connection to Redis has ended')))
    this.#timer = setInterval(() => void this.#beat(), options.beat)
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
    const size = sizeOf(event)
    if (this.#waitingBytes + size > this.#options.waiting) {
      this.#hasGivenUp = true
      return Promise.reject(new Unavailable('Redis can not be reached, and too many events wait for it'))
    }
    this.#waitingBytes += size
    return new Promise((settle) => {
      this.#waiting.push({ encoded: encodeEvent(event), size, settle })
      this.#flushing ??= this.#flush()
    })
  }

  newest(): string {
    return this.#newest
  }

  async read(after: string): Promise<readonly LogEntry[] | undefined> {
    const end = this.#newest
    if (!/^\d{1,15}-\d{1,15}$/.test(after) || end === unjoined) return undefined
    if (after === end) return []
    const range = ['XRANGE', this.#keys[0], `(${after}`, end, 'COUNT', mostMissed + 1] as const
    const entries = readEntries(await withinTime(this.#options.beat, this.#client.callBuffer(...range)))
    const isWhole = ({ previous, event }: StreamEntry, index: number) =>
      previous === (entries[index - 1]?.id ?? after) && event !== undefined
    if (entries.length === 0 || entries.length > mostMissed || !entries.every(isWhole)) return undefined
    return entries.map(({ id, event }) => ({ id, event: event as LoggedEvent }))
  }

  listen(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    // A process that could not give all its events to Redis does not say goodbye: the others find out, and read anew.
    const leave = async () => {
      await this.#flushing
      await this.#client.callBuffer('HDEL', this.#keys[1], this.#process)
    }
    await withinTime(2000, leave()).catch(() => {})
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
        // Clients have timeouts for commands, which are for others than this one.
        const read = [
          'XREAD',
          'COUNT',
          500,
          'BLOCK',
          Math.min(beat, 1000),
          'STREAMS',
          this.#keys[0],
          this.#newest
        ] as const
        const answer = await withinTime(beat * 3, this.#reader.callBuffer(...read))
        for (const entry of entriesRead(answer)) this.#take(entry)
        failures = 0
      } catch (error) {
        if (this.#isClosed) return
        this.#setAway(error)
        await pauseAfter(failures++)
      }
    }
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
    this.#newest = await this.#sign()
    this.#onJoin?.()
    this.#tellLoss()
  }

  /** Gives a sign of life. @returns the newest position */
  async #sign(): Promise<string> {
    const { beat, age } = this.#options
    const numbers = [this.#batches, Number(this.#hasJoined), beat * 3, age]
    const newest = await withinTime(beat * 3, this.#evaluate(beatScript, this.#process, ...numbers))
    this.#hasJoined = true
    this.#setBack()
    return newest
  }

  async #beat(): Promise<void> {
    try {
      const newest = await this.#sign()
      // The log was emptied, and the clock of Redis is behind: what comes has older ids, and would never be read.
      if (this.#newest !== unjoined && isOlder(newest, this.#newest)) this.#newest = unjoined
    } catch (error) {
      this.#setAway(error)
    }
  }

  /** Gives what waits to Redis, in order, until nothing is left. */
  async #flush(): Promise<void> {
    let failures = 0
    // Events of one turn go together.
    await undefined
    while (this.#waiting.length > 0 && !this.#isClosed) {
      this.#batch ??= { number: this.#batches + 1, items: this.#waiting.slice(0, batchSize) }
      const { number, items } = this.#batch
      const hasGivenUp = this.#hasGivenUp
      try {
        if (!this.#hasJoined) await this.#sign()
        const settings = [this.#process, number, this.#options.events, Number(hasGivenUp)]
        await this.#evaluate(appendScript, ...settings, ...items.flatMap(({ encoded }) => encoded))
      } catch (error) {
        this.#setAway(error)
        await pauseAfter(failures++)
        continue
      }
      failures = 0
      this.#setBack()
      this.#batches = number
      this.#batch = undefined
      if (hasGivenUp) this.#hasGivenUp = false
      this.#waiting.splice(0, items.length)
      for (const { size, settle } of items) {
        this.#waitingBytes -= size
        settle()
      }
    }
    this.#flushing = undefined
  }

  #evaluate(script: string, ...values: readonly (string | number | Uint8Array)[]): Promise<string> {
    return this.#client.callBuffer('EVAL', script, 2, ...this.#keys, ...(values as Buffer[])).then(String)
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

const pauseAfter = (failures: number) => pause(Math.min(50 * 2 ** failures, 1000), undefined, { ref: false })

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
