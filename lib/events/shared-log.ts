import { pauseAfter, withTimeout } from '../core/async.js'
import { encodeEvent, type StoredEntry } from './entries.js'
import { type EventLog, type LogEntry, type LoggedEvent, type LogListener, sizeOf } from './log.js'
import { type LogServer, UnpreparedServer } from './log-server.js'
import { Writer } from './writer.js'

/** What a process says of its part in a log. */
export interface SharedLogOptions {
  /** How often it gives a sign of life, in ms. */
  readonly beat: number
  /** How many bytes of events may wait. */
  readonly waiting: number
}

/** How many events a subscriber may have missed: of more, it reads anew. */
const mostMissed = 2000
const mostMissedBytes = 8 * 1024 * 1024
/** How long the server may take for missed events, in ms. */
const readTime = 5000
/** How long a client may take for its first connection before that is told, in ms. */
const startTime = 2000
/** The position of a process that has not reached the server yet. No entry has it. */
const unjoined = 'none'

/**
 * A log at a server that several processes share (docs/scaling.md): each entry names the one before
 * it, so that each process sees what it has missed.
 */
export class SharedLog implements EventLog {
  readonly #server: LogServer
  readonly #writer: Writer
  readonly #listeners = new Set<LogListener>()
  readonly #timer: NodeJS.Timeout
  #onBegin: (() => void) | undefined
  /** Why it can't begin, whenever it tries. */
  #fault: UnpreparedServer | undefined
  #newest = unjoined
  readonly #begin = Date.now()
  #isAway = false
  #isClosed = false

  constructor(server: LogServer, { beat, waiting }: SharedLogOptions) {
    this.#server = server
    const [onAnswer, onFailure] = [() => this.#setBack(), (error: unknown) => this.#setAway(error)]
    this.#writer = new Writer({ server, beat, waiting, onAnswer, onFailure })
    server.onAway((error) => this.#setAway(error))
    this.#timer = setInterval(() => void this.#beat(), beat)
    this.#timer.unref()
    void this.#follow()
  }

  async open(): Promise<void> {
    const begun = new Promise<void>((resolve) => {
      this.#onBegin = resolve
    })
    if (this.#newest === unjoined && this.#fault === undefined) await withTimeout(startTime, begun).catch(() => {})
    if (this.#fault !== undefined) throw this.#fault
  }

  append(event: LoggedEvent): Promise<void> {
    return this.#writer.append(event)
  }

  appendWithin(transaction: object, events: readonly LoggedEvent[]): Promise<unknown> | undefined {
    return this.#server.appendWithin?.(transaction, events.map(encodeEvent))
  }

  collect(): void {
    this.#writer.collect()
  }

  lose(): void {
    this.#writer.lose()
  }

  newest(): string {
    return this.#newest
  }

  async read(after: string): Promise<readonly LogEntry[] | undefined> {
    const end = this.#newest
    if (!this.#server.isPosition(after) || end === unjoined) return undefined
    if (after === end) return []
    const entries: LogEntry[] = []
    let [last, size] = [after, 0]
    while (last !== end) {
      const page = await withTimeout(readTime, this.#server.range(last, end))
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
    // Nothing signs any more but what gives the last events.
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#server.disconnect()
    await this.#writer.close()
  }

  /** Reads what comes into the log, until it is closed. */
  async #follow(): Promise<void> {
    let failures = 0
    while (!this.#isClosed) {
      try {
        if (this.#newest === unjoined) await this.#join()
        for (const entry of await this.#server.next(this.#newest)) this.#take(entry)
        failures = 0
      } catch (error) {
        if (this.#isClosed) return
        this.#setAway(error)
        if (error instanceof UnpreparedServer) {
          this.#fault = error
          this.#onBegin?.()
        }
        await pauseAfter(failures++)
      }
    }
  }

  #take({ id, previous, isLoss, event }: StoredEntry): void {
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
    this.#fault = undefined
    this.#onBegin?.()
    this.#tellLoss()
  }

  async #beat(): Promise<void> {
    // What is read while the answer is on its way may be newer than it.
    const before = this.#newest
    try {
      const newest = await this.#writer.sign()
      // The log was emptied, and begins anew with older positions: what comes would never be read.
      if (before !== unjoined && this.#server.isOlder(newest, before)) this.#newest = unjoined
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
