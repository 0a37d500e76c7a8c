import { isDeepStrictEqual } from 'node:util'
import { type Annotations, Leaving } from './annotations.js'
import { isObject, placeOf } from './evaluation.js'
import type { Random } from './random-schemas.js'

export interface Answer {
  readonly status: number
  readonly text: string
}

/** What does not hold of an answer. */
export interface Fault {
  /** What is wrong, the same for all faults of a kind. */
  readonly kind: string
  readonly answer: unknown
  readonly expected: unknown
}

/** The texts of a value that are nowhere else. */
const textsIn = (value: unknown): string[] =>
  value instanceof Leaving
    ? textsIn(value.value)
    : typeof value === 'string'
      ? (value.match(/mark-\d+-/g) ?? [])
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(textsIn)
        : []

/** A record with a value in it that JSON has no type for, as drivers and programs have them. */
export function withOdd(record: unknown, random: Random): unknown {
  const copy = structuredClone(record) as Record<string, unknown>
  const odd = random.pick<unknown>([undefined, Number.NaN, new Date(0), new Date(Number.NaN), Buffer.from('bytes')])
  const objects = objectsIn(copy)
  const place = random.pick(objects) as Record<string, unknown>
  // Another tag is another branch, of which other fields leave.
  const keys = Object.keys(place).filter((key) => !/kind|type/.test(key))
  if (keys.length > 0) place[random.pick(keys)] = odd
  return copy
}

const objectsIn = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : []

/** Such a record is answered, and without what was hidden before. */
export function ofOdd(leaving: Annotations, record: unknown, { status, text }: Answer): Fault[] {
  const expected = leaving.leaving(record)
  const told = { answer: `${status} ${text}`, expected }
  if (status >= 300) return [{ kind: `a record with a value that JSON lacks is answered with ${status}`, ...told }]
  const shown = new Set(textsIn(expected))
  const isLeaked = textsIn(record).some((marker) => !shown.has(marker) && text.includes(marker))
  return isLeaked ? [{ kind: 'a field leaves that is hidden or unknown', ...told }] : []
}

/** Compares an answer with what leaves of the record. */
export function ofAnswer(
  leaving: Annotations,
  record: unknown,
  { status, text }: Answer,
  read = (json: never): unknown => json
): Fault[] {
  const expected = leaving.leaving(record)
  const told = { answer: `${status} ${text}`, expected }
  if (status >= 300) return [{ kind: `what is stored is answered with ${status}`, ...told }]
  const shown = new Set(textsIn(expected))
  const leaked = textsIn(record).filter((marker) => !shown.has(marker) && text.includes(marker))
  if (leaked.length > 0) return [{ kind: 'a field leaves that is hidden or unknown', ...told }]
  const place = difference(expected, read(JSON.parse(text) as never))
  return place === undefined ? [] : [{ kind: place.kind, ...told }]
}

/** Where an answer is another one than what leaves of a record. */
function difference(expected: unknown, actual: unknown, place = ''): { kind: string; place: string } | undefined {
  if (expected instanceof Leaving)
    return isFor(expected, actual) ? undefined : { kind: 'a value leaves that does not fit, as another one', place }
  if (Array.isArray(expected) && Array.isArray(actual)) return ofLists(expected, actual, place)
  if (isObject(expected) && isObject(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
    for (const name of names) {
      const at = placeOf(place, name)
      const [is, has] = [Object.hasOwn(actual, name), Object.hasOwn(expected, name)]
      if (is && !has)
        return actual[name] === null ? undefined : { kind: 'a field leaves that is hidden or unknown', place: at }
      const isLeft = !is && expected[name] instanceof Leaving
      if (!is && !isLeft) return { kind: 'a field is lost', place: at }
      const inner = is ? difference(expected[name], actual[name], at) : undefined
      if (inner !== undefined) return inner
    }
    return undefined
  }
  return isDeepStrictEqual(expected, actual) ? undefined : { kind: 'a value is changed', place }
}

// An item that does not leave is left out, or `null` is there where the places of others would move.
function ofLists(
  expected: readonly unknown[],
  actual: readonly unknown[],
  place: string
): { kind: string; place: string } | undefined {
  const isOut = (item: unknown) => item instanceof Leaving && item.kind === 'hidden'
  const left = [expected.map((item) => (isOut(item) ? null : item)), expected.filter((item) => !isOut(item))]
  const match = left.find((list) => list.length === actual.length)
  if (match === undefined) {
    const isLost = left.every((list) => actual.length < list.length)
    return { kind: isLost ? 'an item is lost' : 'an item leaves that is hidden', place }
  }
  for (const [index, item] of actual.entries()) {
    const inner = difference(match[index], item, placeOf(place, index))
    if (inner !== undefined) return inner
  }
  return undefined
}

const isFor = ({ kind, value }: Leaving, actual: unknown): boolean =>
  actual === null ||
  (kind === 'unfit' && (actual === value || String(actual) === String(value) || Number(actual) === Number(value)))
