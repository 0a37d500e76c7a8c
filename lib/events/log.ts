import { randomUUID } from 'node:crypto'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'
import type { Facts } from './matching.js'

/**
 * An event of a service as a log keeps it: plain data, which `structuredClone` and `v8.serialize`
 * can copy.
 */
export interface LoggedEvent {
  /** The path of the service, as it was registered. */
  readonly service: string
  readonly event: string
  /** The id of the record; `undefined` where the event has none. */
  readonly id: string | number | undefined
  /** The fields of the record that can be compared, as the method has given them. */
  readonly facts: Facts
  /** The fields that may have had other values before. `true`: any of them. */
  readonly touched: readonly string[] | true
  /** The placeholders of the path of the service. */
  readonly route: Readonly<Record<string, string>>
  /** By whom: texts by which a caller is known again. */
  readonly callers: readonly string[]
  /** The hash of the id that the caller has given to the call. */
  readonly call: string | undefined
}

/** An event with its position in the log. */
export interface LogEntry {
  /** 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly id: string
  readonly event: LoggedEvent
}

/** Gets what comes into a log. */
export interface LogListener {
  /** An event has come, of this process or of another one, in the order of the log. */
  onEvent(entry: LogEntry): void
  /** Events may have been lost: a process has ended without a goodbye, or the log was away. */
  onLoss(): void
  /** The log can't be reached. What it is given waits, and comes late. */
  onAway?(error: unknown): void
  /** The log can be reached again. */
  onBack?(): void
}

/**
 * Where events are kept for those who come back. `memoryLog` is that of one process. A log of
 * several processes has the same order for all of them, and answers `undefined` for a position
 * behind which something may be missing.
 */
export interface EventLog {
  /**
   * Takes an event. The listeners get it from the log, at once or later. It must not throw. A
   * promise ends when the event is in the log; one that rejects says that it never will be.
   */
  append(event: LoggedEvent): void | Promise<void>
  /**
   * Writes events in the transaction of a call, as its `params.transaction` has it. They come into
   * the log after its commit, and never without it.
   * @returns a promise that ends when they are written; `undefined` where the log can't do that
   */
  appendWithin?(transaction: object, events: readonly LoggedEvent[]): Promise<unknown> | undefined
  /**
   * Takes what transactions that are committed have written into the log. It does so by itself,
   * too, but later.
   */
  collect?(): void
  /**
   * Tells the listeners of all processes that events may be missing, and whoever comes back behind
   * an older position, too.
   */
  lose?(): void
  /** The position behind all events that the listeners of this process have got. */
  newest(): string
  /**
   * The events behind a position, up to `newest()`; `undefined` where the log does not have all of
   * them. The position may be any text.
   */
  read(after: string): readonly LogEntry[] | undefined | Promise<readonly LogEntry[] | undefined>
  /** Adds a listener. @returns a function that removes it */
  listen(listener: LogListener): () => void
  /**
   * Forgets all events, so that nobody can go on behind an older position. A log that has it is not
   * given events while nobody listens.
   */
  forget?(): void
  /**
   * Is awaited before the server starts. A log that can't be reached must not keep it from that for
   * long.
   * @throws where the log will never be there
   */
  open?(): void | Promise<void>
  /** Ends what the log does, when the server closes. */
  close?(): void | Promise<void>
}

/** How much a log in memory keeps. */
export interface MemoryLogOptions {
  /** Default 1000. */
  events?: number
  /** About how much memory the fields of the records may take. Default 8 MiB. */
  bytes?: number
}

const ofMemoryLog: OptionTable<MemoryLogOptions> = { events: kinds.fromZero, bytes: kinds.fromZero }

/**
 * A log in the memory of this process, the default: after a restart its positions are unknown, and
 * subscribers read anew.
 *
 * @param options how much it keeps: of more, the oldest are forgotten
 * @throws when an option is not known, or of another type
 * @example
 * await app.register(events, { services: { notes: true }, log: memoryLog({ events: 10_000 }) })
 */
export function memoryLog(options: MemoryLogOptions = {}): EventLog {
  checkOptions('memoryLog()', ofMemoryLog, options)
  const { events = 1000, bytes = 8 * 1024 * 1024 } = options
  const listeners = new Set<LogListener>()
  const epoch = randomUUID().replaceAll('-', '').slice(0, 16)
  // The entries by number: a map keeps their order, and its first is removed at once.
  const entries = new Map<number, LogEntry>()
  let last = 0
  let size = 0
  let oldest = 0
  const toId = (number: number) => `${epoch}-${number.toString(36)}`

  function trim(): void {
    for (const [number, { event }] of entries) {
      if (entries.size <= events && size <= bytes) return
      entries.delete(number)
      size -= sizeOf(event)
      oldest = number
    }
  }

  function forget(): void {
    entries.clear()
    size = 0
    last += 1
    oldest = last
  }

  return {
    append(event) {
      last += 1
      const entry = { id: toId(last), event }
      entries.set(last, entry)
      size += sizeOf(event)
      trim()
      for (const listener of listeners) listener.onEvent(entry)
    },
    newest: () => toId(last),
    read(after) {
      const [, number = ''] = after.length <= 64 && after.startsWith(`${epoch}-`) ? after.split('-') : []
      const position = Number.parseInt(number, 36)
      if (!(position >= oldest && position <= last) || toId(position) !== after) return undefined
      return Array.from({ length: last - position }, (_, index) => entries.get(position + index + 1) as LogEntry)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    lose() {
      forget()
      for (const listener of listeners) listener.onLoss()
    },
    forget
  }
}

/** About how many bytes an event takes. */
export function sizeOf({ facts }: LoggedEvent): number {
  let size = 200
  for (const name in facts) size += 16 + name.length + (typeof facts[name] === 'string' ? facts[name].length : 8)
  return size
}
