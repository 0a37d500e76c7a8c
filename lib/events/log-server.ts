import { attempt } from '../core/errors.js'
import { isPlain } from '../core/objects.js'
import type { LoggedEvent } from './log.js'

/** How many entries are read at a time. */
export const pageSize = 100

/** Events that are appended together. */
export interface EventBatch {
  /** Counts the batches of a process, so that the server recognizes one that is sent again. */
  readonly number: number
  /** As JSON. */
  readonly events: readonly string[]
  /** Whether events before it were dropped. */
  readonly isLoss: boolean
}

/** The server lacks tables or functions that the event log needs, so retries don't help. */
export class UnpreparedServer extends Error {}

/**
 * A server with an event log that several processes share, such as Redis. Each operation is atomic,
 * and all processes see the same order.
 */
export interface LogServer {
  readonly name: string
  /**
   * Appends the events of committed transactions, then a batch. A batch with a known number is
   * ignored. If the other processes have given this one up, a loss is appended, too.
   */
  append(process: string, batch: EventBatch): Promise<unknown>
  /** Whether an error of `append` means that the server will never accept the batch. */
  isRefusal?(error: unknown): boolean
  /**
   * Writes events in a transaction. After the commit, the next batch or heartbeat of any process
   * appends them. Returns `undefined` if the server can't do that.
   */
  appendWithin?(transaction: object, events: readonly string[]): PromiseLike<unknown> | undefined
  /**
   * Registers a process, or sends its heartbeat.
   *
   * @param batches the number of its last batch in the log; -1 if one more may be there
   * @param hasJoined whether the process was registered before
   * @returns the newest position
   */
  beat(process: string, batches: number, hasJoined: boolean): Promise<string>
  /**
   * Unregisters a process. It takes effect after everything that the process has sent before, even
   * if that has timed out.
   */
  leave(process: string): Promise<unknown>
  isPosition(text: string): boolean
  isOlder(position: string, other: string): boolean
  range(after: string): Promise<readonly StoredEntry[]>
  /**
   * Waits at most a second for entries after a position, over a separate connection.
   *
   * @throws if the connection does not answer in time; the next call uses a new one
   */
  next(after: string): Promise<readonly StoredEntry[]>
  /** Is called when that connection ends. The log sets it. */
  onAway: (error: unknown) => void
  /** Closes that connection. */
  disconnect(): void
}

/** An entry of a shared event log. */
export interface StoredEntry {
  readonly id: string
  /** The id of the entry before, so that each process notices missing entries. */
  readonly previous: string
  /**
   * Whether events are missing: a process has crashed or has dropped events, or the entry can't be
   * read, since another version of the program has written it.
   */
  readonly isLoss: boolean
  readonly event: LoggedEvent | undefined
}

/** @param json the event as JSON; `null` or `undefined` for an entry without one */
export function toEntry(id: unknown, previous: unknown, isLoss: boolean, json: unknown): StoredEntry {
  const event = attempt(() => JSON.parse(String(json)) as LoggedEvent | null) ?? undefined
  const isUnreadable = json != null && !isPlain(event?.facts)
  return {
    id: String(id),
    previous: String(previous),
    isLoss: isLoss || isUnreadable,
    event: isUnreadable ? undefined : event
  }
}

/** Encodes an event as JSON in ASCII, which databases with any encoding can store. */
export const encodeEvent = (event: LoggedEvent): string => JSON.stringify(event).replace(/[^\0-\x7f]/g, toEscape)

const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
