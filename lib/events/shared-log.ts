import { pauseAfter, withTimeout } from '../core/async.js'
import { kinds, type OptionTable } from '../core/options.js'
import { type EventLog, type LogEntry, type LoggedEvent, type LogListener, sizeOf } from './log.js'
import { encodeEvent, type LogServer, type StoredEntry, UnpreparedServer } from './log-server.js'
import { LogWriter } from './log-writer.js'
import { time } from './options.js'

export interface SharedLogOptions {
  /** How many events are kept for clients that come back. Default 10,000. */
  events?: number
  /** How long they are kept, in ms. Default 3,600,000: an hour. */
  age?: number
  /**
   * How often a process sends a heartbeat, in ms. If it sends none for three times as long, it
   * counts as crashed, and all subscribers refetch. Default 5,000.
   */
  beat?: number
  /**
   * How many bytes of events wait while the server can't be reached. Further events are dropped,
   * and all subscribers refetch. Default 16 MiB.
   */
  waiting?: number
}

export const sharedLogOptions: OptionTable<SharedLogOptions> = {
  events: kinds.whole,
  age: time,
  beat: time,
  waiting: kinds.whole
}

export const sharedLogDefaults: Required<SharedLogOptions> = {
  events: 10_000,
  age: 3_600_000,
  beat: 5000,
  waiting: 16 * 1024 * 1024
}

/** How many missed events are read for one client. If there are more, it refetches. */
const maxMissed = 2000
const maxMissedBytes = 8 * 1024 * 1024
/** The timeout for a page of missed events, in ms. */
const readTimeout = 5000
/** In ms: how long the first connection may take before the log counts as away. */
const startTime = 2000
/** The position of a process that has not reached the server yet. No entry has it. */
const notJoined = 'none'

/**
 * An event log on a server that several processes share (docs/scaling.md). Each entry names the one
 * before it, so that each process notices what it has missed.
 */
export class SharedLog implements EventLog {
  readonly isShared = true
  readonly #server: LogServer
  readonly #writer: LogWriter
  readonly #listeners = new Set<LogListener>()
  readonly #beatTimer: NodeJS.Timeout
  readonly #started = Date.now()
  #onJoined: (() => void) | undefined
  /** The error that no retry can fix. */
  #unprepared: UnpreparedServer | undefined
  #newest = notJoined
  #isAway = false
  #isClosed = false

  constructor(server: LogServer, { beat, waiting }: Required<SharedLogOptions>) {
    this.#server = server
    const [onAnswer, onFailure] = [() => this.#reportBack(), (error: unknown) => this.#reportAway(error)]
    this.#writer = new LogWriter({ server, beat, waiting, onAnswer, onFailure })
    server.onAway = onFailure
    this.#beatTimer = setInterval(() => void this.#beat(), beat)
    this.#beatTimer.unref()
    void this.#follow()
  }

  async open(): Promise<void> {
    const joined = new Promise<void>((resolve) => {
      this.#onJoined = resolve
    })
    if (this.#newest === notJoined && this.#unprepared === undefined)
      await withTimeout(startTime, joined).catch(() => {})
    if (this.#unprepared !== undefined) throw this.#unprepared
  }

  append(event: LoggedEvent): Promise<void> {
    return this.#writer.append(event)
  }

  appendWithin(transaction: object, events: readonly LoggedEvent[]): PromiseLike<unknown> | undefined {
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
    if (!this.#server.isPosition(after) || end === notJoined) return undefined
    if (after === end) return []
    const entries: LogEntry[] = []
    let [last, size] = [after, 0]
    for (;;) {
      const page = await withTimeout(readTimeout, this.#server.range(last))
      if (page.length === 0) return undefined
      for (const { id, previous, event } of page) {
        if (previous !== last || event === undefined) return undefined
        entries.push({ id, event })
        last = id
        size += sizeOf(event)
        if (entries.length > maxMissed || size > maxMissedBytes) return undefined
        if (id === end) return entries
      }
    }
  }

  listen(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#beatTimer)
    this.#server.disconnect()
    await this.#writer.close()
  }

  /** Reads new entries until the log is closed. */
  async #follow(): Promise<void> {
    let failures = 0
    while (!this.#isClosed) {
      try {
        if (this.#newest === notJoined) await this.#join()
        for (const entry of await this.#server.next(this.#newest)) this.#receive(entry)
        failures = 0
      } catch (error) {
        if (this.#isClosed) return
        this.#reportAway(error)
        if (error instanceof UnpreparedServer) {
          this.#unprepared = error
          this.#onJoined?.()
        }
        await pauseAfter(failures++)
      }
    }
  }

  #receive({ id, previous, isLoss, event }: StoredEntry): void {
    // A gap: the log was emptied, or has dropped entries that this process has not read.
    const isGap = previous !== this.#newest
    this.#newest = id
    if (isGap || isLoss) this.#reportLoss()
    if (event !== undefined) for (const listener of this.#listeners) listener.onEvent({ id, event })
  }

  async #join(): Promise<void> {
    this.#newest = await this.#writer.beat()
    this.#unprepared = undefined
    this.#onJoined?.()
    this.#reportLoss()
  }

  async #beat(): Promise<void> {
    // `#newest` may overtake the answer, so compare with its value from before.
    const before = this.#newest
    try {
      const newest = await this.#writer.beat()
      // An emptied log starts again with older positions. Join again, or new entries are never
      // read.
      if (before !== notJoined && this.#server.isOlder(newest, before)) this.#newest = notJoined
    } catch (error) {
      this.#reportAway(error)
    }
  }

  #reportLoss(): void {
    for (const listener of this.#listeners) listener.onLoss()
  }

  #reportAway(error: unknown): void {
    const isStarting = this.#newest === notJoined && Date.now() - this.#started < startTime
    if (this.#isAway || this.#isClosed || isStarting) return
    this.#isAway = true
    for (const listener of this.#listeners) listener.onAway?.(error)
  }

  #reportBack(): void {
    if (!this.#isAway) return
    this.#isAway = false
    for (const listener of this.#listeners) listener.onBack?.()
  }
}
