import { attempt } from '../core/errors.js'
import type { LoggedEvent } from './log.js'
import type { Facts } from './matching.js'

/** An entry of a log that several processes share. */
export interface StoredEntry {
  readonly id: string
  /** The id of the entry before it, by which each process sees that it has missed none. */
  readonly previous: string
  /**
   * Whether events are missing: a process has ended without a goodbye or has given up events that
   * waited, or the entry is of another version of the program, which can't be read.
   */
  readonly isLoss: boolean
  readonly event: LoggedEvent | undefined
}

/**
 * Encodes an event as JSON, which all versions of Node read, in ASCII, which databases of all
 * encodings take.
 */
export function encodeEvent({ facts, ...event }: LoggedEvent): string {
  const list = Object.entries(facts).map(([name, value]) => [name, encodeFact(value)])
  return JSON.stringify({ ...event, facts: list }).replace(/[^\0-\x7f]/g, toEscape)
}

const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

type Fact = Facts[string]

/** JSON has no dates, no numbers of any length, and no `NaN`. */
function encodeFact(fact: Fact): unknown {
  if (fact instanceof Date) return { date: fact.getTime() }
  if (typeof fact === 'bigint') return { integer: String(fact) }
  if (typeof fact === 'number' && !Number.isFinite(fact)) return { number: String(fact) }
  return fact
}

function decodeFact(fact: unknown): Fact {
  const { date, integer, number } = Object(fact) as Record<string, unknown>
  if (date !== undefined) return new Date(Number(date))
  if (integer !== undefined) return BigInt(String(integer))
  if (number !== undefined) return Number(number)
  return fact as Fact
}

function decodeEvent(json: string): LoggedEvent {
  const { service, event, id, facts: list, touched, route, callers, call } = JSON.parse(json)
  const facts: Record<string, Fact> = Object.create(null)
  for (const [name, fact] of list) facts[name] = decodeFact(fact)
  return { service, event, id, facts, touched, route, callers, call }
}

/** What a server has of an entry. */
export interface StoredFields {
  readonly id: string
  readonly previous: string
  readonly isLoss: boolean
  readonly json: string | undefined
}

/** Reads an entry. */
export function toEntry({ id, previous, isLoss, json }: StoredFields): StoredEntry {
  const event = json === undefined ? undefined : attempt(() => decodeEvent(json))
  return { id, previous, isLoss: isLoss || (json !== undefined && event === undefined), event }
}
