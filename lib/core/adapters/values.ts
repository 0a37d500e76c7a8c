import { BadRequest } from '../errors.js'
import type { Row } from './table.js'

const integer = /^-?\d+$/
const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/**
 * Convert a value for a column of a type, since a query over HTTP has texts, and JSON has no dates.
 * `undefined` if the column can't have the value.
 */
export const toColumnValue = {
  date(value: unknown): Date | undefined {
    const date = value instanceof Date ? value : new Date(value as string)
    return Number.isNaN(date.getTime()) ? undefined : date
  },
  number(value: unknown): number | undefined {
    const isText = typeof value === 'string' && decimal.test(value)
    const number = isText || typeof value === 'bigint' ? Number(value) : value
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined
  },
  bigint(value: unknown): bigint | undefined {
    const isInteger = typeof value === 'bigint' || integer.test(String(value))
    return isInteger ? BigInt(value as string) : undefined
  },
  boolean(value: unknown): boolean | undefined {
    if (typeof value === 'boolean' || value === 'true' || value === 'false') return String(value) === 'true'
    return value === 1 || value === 0 ? value === 1 : undefined
  }
}

/** Converts integers of some columns for JSON, in place: to text, if no number can hold them. */
export function convertBigInts(rows: Row[], columns: readonly string[]): Row[] {
  for (const column of columns)
    for (const row of rows) {
      const { [column]: value } = row
      if (typeof value === 'bigint') row[column] = Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    }
  return rows
}

/** Creates the error for a value that a column can't have. */
export const typeMismatch = (column: string, value: unknown) =>
  new BadRequest(`'${column}' has the wrong type`, {
    errors: [
      {
        instancePath: `/${column}`,
        message: `can't be ${typeof value === 'object' ? 'an object' : `a ${typeof value}`}`
      }
    ]
  })
