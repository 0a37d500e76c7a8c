import { type Json, propertyOf } from './json.js'

/**
 * A value in a cell of CSV. A text that a spreadsheet would take for a formula begins with an
 * apostrophe.
 */
function toCSVCell(value: unknown): string {
  const isText = typeof value === 'string'
  const text = value === undefined || value === null ? '' : isText ? value : JSON.stringify(value)
  const safe = isText && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Records as CSV (RFC 4180), with the columns of a table. */
export const toCSV = (columns: readonly string[], records: readonly Json[]): string =>
  [columns.map(toCSVCell), ...records.map((record) => columns.map((name) => toCSVCell(propertyOf(record, name))))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('')

/** Records as JSON, with the columns of a table. */
export const toJSONText = (columns: readonly string[], records: readonly Json[]): string => {
  const chosen = records.map((record) =>
    Object.fromEntries(columns.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]]))
  )
  return `${JSON.stringify(chosen, null, 2)}\n`
}
