import { randomUUID } from 'node:crypto'
import type { Facts } from '../core/matching.js'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'

/** An event as a log stores it: plain data, for `structuredClone` and `v8.serialize`. */
export interface LoggedEvent {
  /** The path of the service, as it was registered. */
  readonly service: string
  readonly event: string
  /** The id of the record, if the event has one. */
  readonly id: string | number | undefined
  /** The comparable fields of the record, as the method has returned it. */
  readonly facts: Facts
  /** The fields that may have had other values before; `true` for any. */
  readonly touched: readonly string[] | true
  /** The values of the placeholders of the path. */
  readonly route: Readonly<Record<string, string>>
  /** The keys by which the author of the call is recognized. */
  readonly callers: readonly string[]
  /** The hash of the id that the client has given to the call. */
  readonly call: string | undefined
}

/** An event with its position in the log. */
export interface LogEntry {
  /** 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly id: string
  readonly event: LoggedEvent
}

/** A listener of an event log. */
export interface LogListener {
  /** Gets the events of all processes, in the order of the log. */
  onEvent(entry: LogEntry): void
  /** Events may be missing: a process has crashed, or the log could not be reached. */
  onLoss(): void
  /** The log can't be reached. Events wait, and come late. */
  onAway?(error: unknown): void
  /** The log can be reached again. */
  onBack?(): void
}

/**
 * Keeps events for clients that come back: `memoryLog` for one process. A log that several
 * processes share has the same order for all of them.
 */
export interface EventLog {
  /** Whether several processes share it. */
  readonly isShared?: boolean
  /**
   * Appends an event. The listeners get it from the log, at once or later. It must not throw. The
   * promise resolves when the event is in the log, and rejects if it will never be.
   */
  append(event: LoggedEvent): void | Promise<void>
  /**
   * Writes events in the transaction of a call, which is its `params.transaction`. They are in the
   * log after the commit, and never without it.
   *
   * @returns a promise that resolves when they are written; `undefined` if the log can't do that
   */
  appendWithin?(transaction: object, events: readonly LoggedEvent[]): PromiseLike<unknown> | undefined
  /**
   * Appends the events of committed transactions now. The log also does that by itself, but later.
   */
  collect?(): void
  /**
   * Tells the listeners of all processes that events may be missing. `read` returns `undefined` for
   * older positions from then on.
   */
  lose?(): void
  /** Returns the position after all events that the listeners of this process have got. */
  newest(): string
  /**
   * Returns the events after a position, up to `newest()`; `undefined` if some may be missing. The
   * position may be any text.
   */
  read(after: string): readonly LogEntry[] | undefined | Promise<readonly LogEntry[] | undefined>
  /** Adds a listener. @returns a function that removes it */
  listen(listener: LogListener): () => void
  /**
   * Awaited before the server starts. It should not wait long for a log that can't be reached.
   *
   * @throws if the log will never be there
   */
  open?(): void | Promise<void>
  /** Called when the server closes. */
  close?(): void | Promise<void>
}

/** Options of `memoryLog()`. */
export interface MemoryLogOptions {
  /** Default 1000. */
  events?: number
  /** The approximate memory for the fields of records. Default 8 MiB. */
  bytes?: number
}

const memoryLogOptions: OptionTable<MemoryLogOptions> = { events: kinds.fromZero, bytes: kinds.fromZero }

/**
 * Creates a log in the memory of this process, the default. After a restart its positions are
 * unknown, and subscribers refetch.
 *
 * @param options how much it keeps; older events are forgotten
 * @throws {Error} if an option is unknown or invalid
 * @example
 * await app.register(events, { services: { notes: true }, log: memoryLog({ events: 10_000 }) })
 */
export function memoryLog(options: MemoryLogOptions = {}): EventLog {
  checkOptions('memoryLog()', memoryLogOptions, options)
  const { events: maxEvents = 1000, bytes: maxBytes = 8 * 1024 * 1024 } = options
  const listeners = new Set<LogListener>()
  const epoch = randomUUID().replaceAll('-', '').slice(0, 16)
  // A map keeps the order of the entries, and removes the first one at once.
  const entries = new Map<number, LogEntry>()
  let newest = 0
  let newestForgotten = 0
  let size = 0
  const toId = (number: number) => `${epoch}-${number.toString(36)}`

  function trim(): void {
    for (const [number, { event }] of entries) {
      if (entries.size <= maxEvents && size <= maxBytes) return
      entries.delete(number)
      size -= sizeOf(event)
      newestForgotten = number
    }
  }

  return {
    append(event) {
      newest += 1
      const entry = { id: toId(newest), event }
      entries.set(newest, entry)
      size += sizeOf(event)
      trim()
      for (const listener of listeners) listener.onEvent(entry)
    },
    newest: () => toId(newest),
    read(after) {
      const [, number = ''] = after.length <= 64 && after.startsWith(`${epoch}-`) ? after.split('-') : []
      const position = Number.parseInt(number, 36)
      const isKept = position >= newestForgotten && position <= newest
      if (!isKept || toId(position) !== after) return undefined
      const length = newest - position
      return Array.from({ length }, (_, index) => entries.get(position + index + 1) as LogEntry)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    lose() {
      entries.clear()
      size = 0
      newest += 1
      newestForgotten = newest
      for (const listener of listeners) listener.onLoss()
    }
  }
}

/** Returns the approximate size of an event in memory, in bytes. */
export function sizeOf({ facts }: LoggedEvent): number {
  let size = 200
  for (const name in facts) size += 16 + name.length + (typeof facts[name] === 'string' ? facts[name].length : 8)
  return size
}
