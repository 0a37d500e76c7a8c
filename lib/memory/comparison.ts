import type { Comparison, Expressions } from '../core/adapters/conditions.js'
import type { Row } from '../core/adapters/table.js'

/** Whether a record meets a condition. */
type Matches = (record: Row) => boolean

/**
 * Compares values of records as a database does: texts of numbers and dates equal them, since a
 * query over HTTP has texts. A list meets a condition if one of its items does.
 */
export const recordExpressions: Expressions<Matches> = {
  and: (expressions) => (record) => expressions.every((matches) => matches(record)),
  or: (expressions) => (record) => expressions.some((matches) => matches(record)),
  compare: (column, comparison, operand) =>
    comparison === '!='
      ? recordExpressions.isNotIn(column, [operand])
      : (record) => itemsOf(record, column).some((item) => isNoNull(item) && meets(item, comparison, operand)),
  isIn: (column, values) => (record) =>
    itemsOf(record, column).some((item) => isNoNull(item) && values.some((value) => meets(item, '=', value))),
  isNotIn: (column, values) => (record) =>
    itemsOf(record, column).every((item) => isNoNull(item) && values.every((value) => !meets(item, '=', value))),
  isNull: (column) => (record) => itemsOf(record, column).some((item) => !isNoNull(item)),
  isNotNull: (column) => (record) => itemsOf(record, column).every(isNoNull)
}

function itemsOf(record: Row, column: string): readonly unknown[] {
  const value = Object.hasOwn(record, column) ? record[column] : undefined
  return Array.isArray(value) ? value : [value]
}

const isNoNull = (value: unknown) => value !== undefined && value !== null

function meets(value: unknown, comparison: Comparison, operand: unknown): boolean {
  if (comparison === 'like') return isLike(String(value), String(operand))
  if (comparison === 'ilike') return isLike(String(value).toLowerCase(), String(operand).toLowerCase())
  const difference = compareValues(value, operand)
  if (comparison === '=') return difference === 0
  if (comparison === '<') return difference < 0
  if (comparison === '<=') return difference <= 0
  return comparison === '>' ? difference > 0 : difference >= 0
}

/**
 * Compares two values, for `sort` and for conditions. `NaN` if they have no order. No value comes
 * before all values.
 */
export function compareValues(value: unknown, other: unknown): number {
  const [a, b] = [toSortValue(value), toSortValue(other)]
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN
  // One of them is a text.
  const [first, second] = [toComparedNumber(a, other), toComparedNumber(b, value)]
  return first < second ? -1 : first > second ? 1 : first === second ? 0 : Number.NaN
}

type SortValue = string | number | bigint

function toSortValue(value: unknown): SortValue | undefined {
  if (value === undefined || value === null) return undefined
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'number' || typeof value === 'bigint' ? value : String(value)
}

/** Reads a text as the kind of value that it is compared with. */
function toComparedNumber(value: SortValue, other: unknown): number {
  if (typeof value !== 'string') return Number(value)
  if (other instanceof Date) return Date.parse(value)
  if (typeof other === 'boolean') return value === 'true' ? 1 : value === 'false' ? 0 : Number.NaN
  return value.trim() === '' ? Number.NaN : Number(value)
}

/** Whether a text matches a pattern of SQL: `%` is any text, `_` any character, `\` escapes them. */
function isLike(text: string, pattern: string): boolean {
  const tokens = [...pattern.matchAll(/\\(?<escaped>.)|(?<token>.)/gsu)].map(({ groups }) => ({
    character: groups?.escaped ?? groups?.token,
    isWildcard: groups?.escaped === undefined && (groups?.token === '%' || groups?.token === '_')
  }))
  const characters = [...text]
  let [position, index, retryToken, retryPosition] = [0, 0, -1, 0]
  while (position < characters.length) {
    const token = tokens[index]
    const isAny = token?.isWildcard === true && token.character === '%'
    if (isAny) {
      // `%` takes nothing at first, and one more character each time that the rest doesn't match.
      ;[retryToken, retryPosition] = [index, position]
      index += 1
    } else if (token !== undefined && (token.isWildcard || token.character === characters[position])) {
      position += 1
      index += 1
    } else if (retryToken >= 0) {
      retryPosition += 1
      ;[position, index] = [retryPosition, retryToken + 1]
    } else return false
  }
  return tokens.slice(index).every(({ character, isWildcard }) => isWildcard && character === '%')
}
