import { randomUUID } from 'node:crypto'
import { pauseAfter, withTimeout } from '../core/async.js'
import { Unavailable } from '../core/errors.js'
import { encodeEvent } from './entries.js'
import { type LoggedEvent, sizeOf } from './log.js'
import type { LogServer } from './log-server.js'

interface WaitingBatch {
  readonly number: number
  readonly items: readonly WaitingEvent[]
  readonly isLoss: boolean
}

interface WaitingEvent {
  readonly encoded: string
  readonly size: number
  readonly settle: () => void
  readonly refuse: (error: unknown) => void
}

export interface WriterSettings {
  readonly server: LogServer
  readonly beat: number
  readonly waiting: number
  /** Is called when the server has answered. */
  onAnswer(): void
  onFailure(error: unknown): void
}

const batchSize = 200
/** How long a process that closes waits for its goodbye, in ms. */
const goodbyeTime = 2000

/**
 * A process as the server of a log knows it: gives its events to the log, in order and once, and
 * its signs of life.
 */
export class Writer {
  readonly #settings: WriterSettings
  #process = randomUUID()
  #hasLeft = false
  #hasSigned = false
  #waiting: WaitingEvent[] = []
  #waitingBytes = 0
  #batch: WaitingBatch | undefined
  #batches = 0
  #hasGivenUp = false
  #mustCollect = false
  #flushing: Promise<void> | undefined
  /** The signs of life that have not been answered. */
  readonly #signs = new Set<Promise<string>>()
  #isClosed = false

  constructor(settings: WriterSettings) {
    this.#settings = settings
  }

  /**
   * @returns a promise that ends when the event is in the log.
   * @throws Unavailable when too many wait, or the error with which the server refuses it
   */
  async append(event: LoggedEvent): Promise<void> {
    const size = sizeOf(event)
    if (this.#waitingBytes + size > this.#settings.waiting) {
      this.#hasGivenUp = true
      this.#flushing ??= this.#flush()
      throw new Unavailable(`${this.#settings.server.name} can not be reached, and too many events wait for it`)
    }
    this.#waitingBytes += size
    await new Promise<void>((settle, refuse) => {
      this.#waiting.push({ encoded: encodeEvent(event), size, settle, refuse })
      this.#flushing ??= this.#flush()
    })
  }

  /**
   * Sends the next batch, though it may be empty: the server adds what transactions have written.
   */
  collect(): void {
    this.#mustCollect = true
    this.#flushing ??= this.#flush()
  }

  /** Tells all processes that events may be missing. */
  lose(): void {
    this.#hasGivenUp = true
    this.collect()
  }

  /** Gives a sign of life. @returns the newest position */
  async sign(): Promise<string> {
    const { server, beat, onAnswer } = this.#settings
    // Whether a batch that is on its way is in the log can't be told, once the process was given
    // up.
    const batches = this.#hasSigned && this.#batch !== undefined ? -1 : this.#batches
    const signing = withTimeout(beat * 3, server.sign(this.#process, batches, this.#hasSigned))
    this.#signs.add(signing)
    try {
      const newest = await signing
      this.#hasSigned = true
      onAnswer()
      return newest
    } finally {
      this.#signs.delete(signing)
    }
  }

  /**
   * Says goodbye, when all events are in the log. A process that can't does not: the others find
   * out, and read anew. What takes longer than is waited for goes on, as long as the server takes
   * it.
   */
  async close(): Promise<void> {
    const leave = async () => {
      // A sign that came behind the goodbye would stay, as that of a process that has died. What is
      // given meanwhile comes before it, too.
      while (this.#flushing !== undefined || this.#signs.size > 0)
        await Promise.allSettled([this.#flushing, ...this.#signs])
      if (this.#isDone) await this.#leave()
    }
    // A process without a timer ends here if nothing else runs. An interval outlasts the time
    // limit.
    const timer = setInterval(() => {}, goodbyeTime)
    await withTimeout(goodbyeTime, leave()).catch(() => {})
    clearInterval(timer)
    this.#isClosed = true
  }

  /** Whether there is nothing that the server has to be told. */
  get #isDone(): boolean {
    return this.#waiting.length === 0 && this.#batch === undefined && !this.#hasGivenUp && !this.#mustCollect
  }

  /** Gives what waits to the server, in order, until nothing is left. */
  async #flush(): Promise<void> {
    let failures = 0
    // Events of one turn go together.
    await undefined
    while (!this.#isDone) {
      this.#batch ??= this.#nextBatch()
      const { number, items, isLoss } = this.#batch
      try {
        if (!this.#hasSigned) await this.sign()
        const events = items.map(({ encoded }) => encoded)
        await this.#settings.server.append(this.#process, { number, events, isLoss })
      } catch (error) {
        if (items.length > 0 && this.#settings.server.isRefusal?.(error)) {
          this.#split(this.#batch, error)
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
      this.#take(items.length)
      for (const { settle } of items) settle()
    }
    this.#flushing = undefined
    if (this.#hasLeft && this.#isDone) await Promise.allSettled([this.#leave()])
  }

  #take(count: number): void {
    for (const { size } of this.#waiting.splice(0, count)) this.#waitingBytes -= size
  }

  /** Halves a batch that is refused, so that only the event at fault is lost. */
  #split(batch: WaitingBatch, error: unknown): void {
    const [first, ...others] = batch.items
    if (others.length > 0) {
      this.#batch = { ...batch, items: batch.items.slice(0, Math.ceil(batch.items.length / 2)) }
      return
    }
    this.#batch = { ...batch, items: [], isLoss: true }
    this.#take(1)
    first?.refuse(error)
  }

  /**
   * Says goodbye. What the application gives to the log after that comes from another process,
   * which says goodbye at once.
   */
  async #leave(): Promise<void> {
    const process = this.#process
    this.#hasLeft = true
    this.#process = randomUUID()
    this.#batches = 0
    this.#hasSigned = false
    await this.#settings.server.leave(process)
  }

  #nextBatch(): WaitingBatch {
    const batch = { number: this.#batches + 1, items: this.#waiting.slice(0, batchSize), isLoss: this.#hasGivenUp }
    this.#hasGivenUp = false
    this.#mustCollect = false
    return batch
  }
}
