import { randomUUID } from 'node:crypto'
import { pauseAfter, withTimeout } from '../core/async.js'
import { Unavailable } from '../core/errors.js'
import { type LoggedEvent, sizeOf } from './log.js'
import { encodeEvent, type LogServer } from './log-server.js'

interface WaitingBatch {
  readonly number: number
  readonly items: readonly WaitingEvent[]
  readonly isLoss: boolean
}

interface WaitingEvent {
  readonly json: string
  readonly size: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface LogWriterSettings {
  readonly server: LogServer
  /** In ms. */
  readonly beat: number
  /** How many bytes of events may wait. */
  readonly waiting: number
  /** Called when the server has answered. */
  onAnswer(): void
  onFailure(error: unknown): void
}

const batchSize = 200
/** How long a process that closes waits until it has left, in ms. */
const leaveTime = 2000

/**
 * One process as the log server knows it: appends its events in order and exactly once, and sends
 * its heartbeats.
 */
export class LogWriter {
  readonly #settings: LogWriterSettings
  #process = randomUUID()
  #hasLeft = false
  #hasJoined = false
  #waiting: WaitingEvent[] = []
  #waitingBytes = 0
  #batch: WaitingBatch | undefined
  /** The number of the last batch that the server has accepted. */
  #batches = 0
  #hasLoss = false
  #mustCollect = false
  #flushing: Promise<void> | undefined
  /** The heartbeats that are on their way. */
  readonly #beats = new Set<Promise<string>>()
  #isClosed = false

  constructor(settings: LogWriterSettings) {
    this.#settings = settings
  }

  /**
   * Resolves when the event is in the log.
   *
   * @throws {Unavailable} if too many events wait
   * @throws the error of the server if it refuses the event
   */
  async append(event: LoggedEvent): Promise<void> {
    const size = sizeOf(event)
    if (this.#waitingBytes + size > this.#settings.waiting) {
      this.#hasLoss = true
      this.#flushing ??= this.#flush()
      throw new Unavailable(`${this.#settings.server.name} can not be reached, and too many events wait for it`)
    }
    this.#waitingBytes += size
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ json: encodeEvent(event), size, resolve, reject })
      this.#flushing ??= this.#flush()
    })
  }

  /** Sends a batch, even if it is empty: with it, the server appends the events of transactions. */
  collect(): void {
    this.#mustCollect = true
    this.#flushing ??= this.#flush()
  }

  /** Tells all processes that events may be missing. */
  lose(): void {
    this.#hasLoss = true
    this.collect()
  }

  /** Sends a heartbeat. @returns the newest position */
  async beat(): Promise<string> {
    const { server, beat, onAnswer } = this.#settings
    // If the server has given the process up, it can't tell whether it has the current batch.
    const batches = this.#hasJoined && this.#batch !== undefined ? -1 : this.#batches
    const beating = withTimeout(beat * 3, server.beat(this.#process, batches, this.#hasJoined))
    this.#beats.add(beating)
    try {
      const newest = await beating
      this.#hasJoined = true
      onAnswer()
      return newest
    } finally {
      this.#beats.delete(beating)
    }
  }

  /**
   * Leaves the server once all events are in the log. If that takes too long it goes on in the
   * background, and if it fails, the others notice the missing heartbeats and refetch.
   */
  async close(): Promise<void> {
    const leaveWhenDone = async () => {
      // A heartbeat after `leave` would register the process again, and it would seem to crash.
      while (this.#flushing !== undefined || this.#beats.size > 0)
        await Promise.allSettled([this.#flushing, ...this.#beats])
      if (this.#isDone) await this.#leave()
    }
    // The timeout does not keep the process alive; this interval does.
    const keepAlive = setInterval(() => {}, leaveTime)
    await withTimeout(leaveTime, leaveWhenDone()).catch(() => {})
    clearInterval(keepAlive)
    this.#isClosed = true
  }

  /** Whether there is nothing to send to the server. */
  get #isDone(): boolean {
    return this.#waiting.length === 0 && this.#batch === undefined && !this.#hasLoss && !this.#mustCollect
  }

  /** Sends batches in order until nothing waits. */
  async #flush(): Promise<void> {
    let failures = 0
    // Events of the same tick go into one batch.
    await undefined
    while (!this.#isDone) {
      this.#batch ??= this.#nextBatch()
      const { number, items, isLoss } = this.#batch
      try {
        if (!this.#hasJoined) await this.beat()
        const events = items.map(({ json }) => json)
        await this.#settings.server.append(this.#process, { number, events, isLoss })
      } catch (error) {
        if (items.length > 0 && this.#settings.server.isRefusal?.(error)) {
          for (const { reject } of items) reject(error)
          this.#removeWaiting(items.length)
          this.#batch = { number, items: [], isLoss: true }
          continue
        }
        this.#settings.onFailure(error)
        if (this.#isClosed) break
        await pauseAfter(failures++)
        continue
      }
      failures = 0
      this.#batches = number
      this.#batch = undefined
      this.#settings.onAnswer()
      this.#removeWaiting(items.length)
      for (const { resolve } of items) resolve()
    }
    this.#flushing = undefined
    if (this.#hasLeft && this.#isDone) await Promise.allSettled([this.#leave()])
  }

  #removeWaiting(count: number): void {
    for (const { size } of this.#waiting.splice(0, count)) this.#waitingBytes -= size
  }

  /** Leaves the server. Later events belong to a new process, which leaves after them. */
  async #leave(): Promise<void> {
    const process = this.#process
    this.#hasLeft = true
    this.#process = randomUUID()
    this.#batches = 0
    this.#hasJoined = false
    await this.#settings.server.leave(process)
  }

  #nextBatch(): WaitingBatch {
    const batch = { number: this.#batches + 1, items: this.#waiting.slice(0, batchSize), isLoss: this.#hasLoss }
    this.#hasLoss = false
    this.#mustCollect = false
    return batch
  }
}
