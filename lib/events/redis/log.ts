import { TimeoutError, withTimeout } from '../../core/async.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { StoredEntry } from '../entries.js'
import type { EventLog } from '../log.js'
import { type EventBatch, type LogServer, pageSize } from '../log-server.js'
import { time, wholeNumber } from '../options.js'
import { SharedLog } from '../shared-log.js'
import { checkRedis, type RedisClient } from './client.js'
import { entriesRead, readEntries } from './entries.js'
import { appendScript, beatScript } from './scripts.js'

export interface RedisLogOptions {
  /**
   * What the names of its keys begin with. Applications that share a Redis need names of their own.
   * Default `'fastify-services:events'`.
   */
  key?: string
  /** How many events are kept for those who come back. Default 10,000. */
  events?: number
  /** How long they are kept, in ms. Default 3,600,000: an hour. */
  age?: number
  /**
   * How often a process gives a sign of life, in ms. One that has given none for three times as
   * long is given up: all subscribers read anew. Default 5,000.
   */
  beat?: number
  /**
   * How many bytes of events wait while Redis can't be reached. More are given up: then all
   * subscribers read anew. Default 16 MiB.
   */
  waiting?: number
}

const ofRedisLog: OptionTable<RedisLogOptions> = {
  key: kinds.filled,
  events: wholeNumber,
  age: time,
  beat: time,
  waiting: wholeNumber
}

/** Redis as the place of a log: a stream, and a hash of the processes that are alive. */
class RedisServer implements LogServer {
  readonly name = 'Redis'
  readonly #client: RedisClient
  // A connection that waits for entries can be asked for nothing else.
  #reader: RedisClient
  readonly #listeners: ((error: unknown) => void)[] = []
  #isDisconnected = false
  readonly #keys: readonly [log: string, processes: string]
  readonly #options: Required<RedisLogOptions>

  constructor(client: RedisClient, options: Required<RedisLogOptions>) {
    this.#client = client
    this.#options = options
    this.#keys = [`{${options.key}}:log`, `{${options.key}}:processes`]
    this.#reader = this.#connect()
  }

  append(process: string, { number, events, isLoss }: EventBatch): Promise<unknown> {
    const numbers = [number, this.#options.events, Number(isLoss)]
    return this.#evaluate(appendScript, [process, ...numbers, ...events])
  }

  sign(process: string, batches: number, hasSigned: boolean): Promise<string> {
    const { beat, age } = this.#options
    return this.#evaluate(beatScript, [process, batches, Number(hasSigned), beat * 3, age])
  }

  leave(process: string): Promise<unknown> {
    return this.#client.callBuffer('HDEL', this.#keys[1], process)
  }

  isPosition(text: string): boolean {
    return /^\d{1,15}-\d{1,15}$/.test(text)
  }

  isOlder(position: string, other: string): boolean {
    const [[time = 0, turn = 0] = [], [otherTime = 0, otherTurn = 0] = []] = [position, other].map((id) =>
      id.split('-').map(Number)
    )
    return time < otherTime || (time === otherTime && turn < otherTurn)
  }

  async range(after: string, end: string): Promise<readonly StoredEntry[]> {
    return readEntries(await this.#client.callBuffer('XRANGE', this.#keys[0], `(${after}`, end, 'COUNT', pageSize))
  }

  /** Waits for less time than clients give to a command. */
  async next(after: string): Promise<readonly StoredEntry[]> {
    const block = Math.min(this.#options.beat, 1000)
    const place = ['STREAMS', this.#keys[0], after] as const
    const answer = this.#reader.callBuffer('XREAD', 'COUNT', pageSize, 'BLOCK', block, ...place)
    try {
      return entriesRead(await withTimeout(this.#options.beat * 3, answer))
    } catch (error) {
      if (error instanceof TimeoutError && !this.#isDisconnected) this.#reconnect()
      throw error
    }
  }

  onAway(listener: (error: unknown) => void): void {
    this.#listeners.push(listener)
  }

  disconnect(): void {
    this.#isDisconnected = true
    this.#reader.disconnect()
  }

  #connect(): RedisClient {
    const reader = this.#client.duplicate()
    const tellAway = (error: unknown) => {
      if (this.#reader !== reader) return
      for (const listener of this.#listeners) listener(error)
    }
    reader.on('error', tellAway)
    reader.on('close', () => tellAway(new Error('The connection to Redis has ended')))
    return reader
  }

  #reconnect(): void {
    const late = this.#reader
    this.#reader = this.#connect()
    late.disconnect()
  }

  #evaluate(script: string, values: readonly (string | number)[]): Promise<string> {
    return this.#client.callBuffer('EVAL', script, 2, ...this.#keys, ...values).then(String)
  }
}

/**
 * A log in Redis (6.2 or later), for several processes: a stream of Redis, which all of them read
 * (docs/scaling.md). Subscribers get each event once, by whichever process they are connected to,
 * or `reset` where some may have been lost: they read anew then. While Redis is away, requests go
 * on and events wait.
 *
 * @param client a client of `ioredis`. One more connection is opened, by its `duplicate()`
 * @throws {TypeError} where it is none
 * @example
 * await app.register(events, { services: { notes: true }, log: redisLog(new Redis(process.env.REDIS_URL)) })
 */
export function redisLog(client: RedisClient, options: RedisLogOptions = {}): EventLog {
  checkOptions('redisLog', ofRedisLog, { ...options })
  checkRedis('redisLog', client, ['duplicate', 'callBuffer'])
  const defaults = {
    key: 'fastify-services:events',
    events: 10_000,
    age: 3_600_000,
    beat: 5000,
    waiting: 16 * 1024 * 1024
  }
  const settings = { ...defaults, ...options }
  return new SharedLog(new RedisServer(client, settings), settings)
}
