import { isObject, type Json, propertyOf } from './json.js'
import { toReadableJSON } from './literal.js'
import type { Selection } from './query.js'
import { toCountText } from './units.js'

/** The records of a response, and their total. */
export interface Rows {
  readonly records: readonly Json[]
  /** How many there are in all, where the answer says so. */
  readonly total: number | undefined
  readonly limit: number | undefined
  readonly skip: number
}

const toNumber = (value: unknown) => (typeof value === 'number' ? value : undefined)

/** The records of an answer: of a list, or of a page. `undefined` for anything else. */
export function toRows(result: unknown): Rows | undefined {
  const data = Array.isArray(result) ? result : propertyOf(result, 'data')
  if (!Array.isArray(data)) return undefined
  return {
    records: data.map((record) => (isObject(record) ? record : { value: record })),
    total: toNumber(propertyOf(result, 'total')),
    limit: toNumber(propertyOf(result, 'limit')),
    skip: toNumber(propertyOf(result, 'skip')) ?? 0
  }
}

/** The columns of a table: those that the document names, then what the records have besides. */
export function columnsOf(
  records: readonly Json[],
  schemaNames: readonly string[],
  chosen: readonly string[]
): string[] {
  if (chosen.length > 0) return [...chosen]
  return [...new Set([...schemaNames, ...records.flatMap((record) => Object.keys(record))])]
}

const longest = 120

/** A value as a cell shows it: one line. */
export function toCell(value: unknown): string {
  if (value === undefined) return ''
  // Sums of fractions end in digits that nobody has entered.
  if (typeof value === 'number' && Number.isFinite(value) && !Number.isInteger(value))
    return String(Number(value.toPrecision(12)))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const line = text.slice(0, longest + 1).replace(/\s+/g, ' ')
  return text.length > longest ? `${line.slice(0, longest)}…` : line
}

/** An answer as a text to read. */
export const toReadableText = (result: unknown): string =>
  typeof result === 'string' ? result : toReadableJSON(result)

/** A body as it came, as a text to read. */
export function toReadableBody(text: string): { readonly text: string; readonly isJSON: boolean } {
  try {
    return { text: toReadableJSON(JSON.parse(text)), isJSON: true }
  } catch {
    return { text, isJSON: false }
  }
}

/** Whether a field of an answer holds a token, which is not for the eyes of others. */
export const isTokenName = (name: string): boolean => /^(access|refresh|id)_?token$/i.test(name)

/**
 * The id of a record in a URL, where it has one. A number with more digits than a number holds is
 * that of another record.
 */
export function idOfRecord(record: Json, field: string): string | undefined {
  const id = propertyOf(record, field)
  const isExact = typeof id === 'number' && (!Number.isInteger(id) || Number.isSafeInteger(id))
  return typeof id === 'string' || isExact ? String(id) : undefined
}

// More rows at once make a browser slow.
const mostRows = 100

/** A page of rows to draw. */
export interface RowPage extends Rows {
  /** Whether the browser has all records. */
  readonly isInBrowser: boolean
}

/** The page of an answer: a server that has no pages gives all records at once. */
export function pageOf(rows: Rows, { limit, skip }: Selection, from: number): RowPage {
  const isWhole = rows.limit === undefined && rows.total === undefined && limit === undefined && skip === 0
  const { records } = rows
  if (!isWhole || records.length <= mostRows)
    return { ...rows, skip: rows.limit === undefined ? skip : rows.skip, isInBrowser: isWhole }
  return {
    records: records.slice(from, from + mostRows),
    total: records.length,
    limit: mostRows,
    skip: from,
    isInBrowser: true
  }
}

/** Where a page stands among all records: `11–20 of 250`. */
export function toRange({ records, total, skip }: Rows): string {
  const count = total ?? (skip === 0 ? records.length : undefined)
  const all = count === undefined ? '' : ` of ${toCountText(count)}`
  if (records.length === 0) return count === 0 ? 'No records' : `Past the last${all || ' record'}`
  return `${toCountText(skip + 1)}–${toCountText(skip + records.length)}${all}`
}
