import { TimeoutError, withTimeout } from '../../core/async.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { EventLog } from '../log.js'
import { type EventBatch, type LogServer, pageSize, type StoredEntry, toEntry } from '../log-server.js'
import { SharedLog, type SharedLogOptions, sharedLogDefaults, sharedLogOptions } from '../shared-log.js'
import { checkRedis, type RedisClient } from './client.js'
import { appendScript, beatScript } from './scripts.js'

/** Options of `redisLog()`. */
export interface RedisLogOptions extends SharedLogOptions {
  /**
   * The prefix of its keys. Applications that share a Redis need different ones. Default
   * `'fastify-services:events'`.
   */
  key?: string
}

const redisLogOptions: OptionTable<RedisLogOptions> = { ...sharedLogOptions, key: kinds.filled }

/** An event log in Redis: a stream, and a hash of the processes that are alive. */
class RedisServer implements LogServer {
  readonly name = 'Redis'
  onAway: LogServer['onAway'] = () => {}
  readonly #client: RedisClient
  // A connection with a blocking command can't do anything else.
  #reader: RedisClient
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

  beat(process: string, batches: number, hasJoined: boolean): Promise<string> {
    const { beat, age } = this.#options
    return this.#evaluate(beatScript, [process, batches, Number(hasJoined), beat * 3, age])
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

  async range(after: string): Promise<readonly StoredEntry[]> {
    return toEntries(await this.#client.callBuffer('XRANGE', this.#keys[0], `(${after}`, '+', 'COUNT', pageSize))
  }

  async next(after: string): Promise<readonly StoredEntry[]> {
    // Shorter than the usual `commandTimeout` of clients.
    const block = Math.min(this.#options.beat, 1000)
    const position = ['STREAMS', this.#keys[0], after] as const
    const answer = this.#reader.callBuffer('XREAD', 'COUNT', pageSize, 'BLOCK', block, ...position)
    try {
      return entriesOfStream(await withTimeout(this.#options.beat * 3, answer))
    } catch (error) {
      if (error instanceof TimeoutError && !this.#isDisconnected) this.#reconnect()
      throw error
    }
  }

  disconnect(): void {
    this.#isDisconnected = true
    this.#reader.disconnect()
  }

  #connect(): RedisClient {
    const reader = this.#client.duplicate()
    const reportAway = (error: unknown) => {
      if (this.#reader === reader) this.onAway(error)
    }
    reader.on('error', reportAway)
    reader.on('close', () => reportAway(new Error('The connection to Redis has ended')))
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
 * Returns the entries of the answer to `XREAD` for one stream. It is a list of streams, or in RESP3
 * a flat list of names and entries.
 */
function entriesOfStream(answer: unknown): StoredEntry[] {
  const [stream, entries = stream?.[1]] = (answer ?? []) as [[unknown, unknown]?, unknown?]
  return toEntries(entries ?? [])
}

/** Converts entries of Redis: each is an id and a flat list of names and values. */
function toEntries(answer: unknown): StoredEntry[] {
  return (answer as [Buffer, Buffer[]][]).map(([id, members]) => {
    const fields = new Map<string, Buffer>()
    for (let i = 0; i < members.length; i += 2) fields.set(String(members[i]), members[i + 1] as Buffer)
    return toEntry(id, fields.get('previous'), fields.has('loss'), fields.get('event'))
  })
}

/**
 * Creates an event log in Redis (6.2 or later) for several processes (docs/scaling.md). Subscribers
 * get each event once, whichever process they are connected to, or `reset` if events may be
 * missing. While Redis can't be reached, events wait.
 *
 * @param client a client of `ioredis`. A second connection is opened by its `duplicate()`
 * @throws {TypeError} if it is no such client
 * @example
 * const log = redisLog(new Redis(process.env.REDIS_URL))
 * await app.register(events, { services: { notes: true }, log })
 */
export function redisLog(client: RedisClient, options: RedisLogOptions = {}): EventLog {
  checkOptions('redisLog', redisLogOptions, { ...options })
  checkRedis('redisLog', client, ['duplicate', 'callBuffer'])
  const settings = { ...sharedLogDefaults, key: 'fastify-services:events', ...options }
  return new SharedLog(new RedisServer(client, settings), settings)
}
