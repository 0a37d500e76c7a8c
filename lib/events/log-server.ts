import { attempt } from '../core/errors.js'
import type { LoggedEvent } from './log.js'
import type { Facts } from './matching.js'

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
  /** Its name in messages. */
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
  appendWithin?(transaction: object, events: readonly string[]): Promise<unknown> | undefined
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
  /** Whether a text may be a position. */
  isPosition(text: string): boolean
  isOlder(position: string, other: string): boolean
  /** Returns a page of the entries after a position, up to and with another one. */
  range(after: string, end: string): Promise<readonly StoredEntry[]>
  /**
   * Waits at most a second for entries after a position, over a separate connection.
   *
   * @throws if the connection does not answer in time; the next call uses a new one
   */
  next(after: string): Promise<readonly StoredEntry[]>
  /** Adds a listener for the end of that connection. */
  onAway(listener: (error: unknown) => void): void
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

/** An entry as the server returns it. */
interface StoredFields {
  readonly id: string
  readonly previous: string
  readonly isLoss: boolean
  readonly json: string | undefined
}

export function toEntry({ id, previous, isLoss, json }: StoredFields): StoredEntry {
  const event = json === undefined ? undefined : attempt(() => decodeEvent(json))
  return { id, previous, isLoss: isLoss || (json !== undefined && event === undefined), event }
}

/** Encodes an event as JSON in ASCII, which databases with any encoding can store. */
export function encodeEvent({ facts, ...event }: LoggedEvent): string {
  const list = Object.entries(facts).map(([name, value]) => [name, encodeFact(value)])
  return JSON.stringify({ ...event, facts: list }).replace(/[^\0-\x7f]/g, toEscape)
}

const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

type Fact = Facts[string]

// JSON has no dates, no bigints, and no `Infinity`.
function encodeFact(fact: Fact): unknown {
  if (fact instanceof Date) return { date: fact.getTime() }
  if (typeof fact === 'bigint') return { integer: String(fact) }
  if (typeof fact === 'number' && !Number.isFinite(fact)) return { number: String(fact) }
  return fact
}

function decodeEvent(json: string): LoggedEvent {
  const { service, event, id, facts: list, touched, route, callers, call } = JSON.parse(json)
  const facts: Record<string, Fact> = Object.create(null)
  for (const [name, fact] of list) facts[name] = decodeFact(fact)
  return { service, event, id, facts, touched, route, callers, call }
}

function decodeFact(fact: unknown): Fact {
  const { date, integer, number } = Object(fact) as Record<string, unknown>
  if (date !== undefined) return new Date(Number(date))
  if (integer !== undefined) return BigInt(String(integer))
  if (number !== undefined) return Number(number)
  return fact as Fact
}
