import { sql } from 'kysely'
import type { Dialect, Row } from '../core/adapters/table.js'
import { isPlain } from '../core/objects.js'

/** A kind of column whose values drivers do not convert. */
export type ColumnKind = 'boolean' | 'json' | 'date'

/** Converts values of columns for the driver, and back. */
export class Converter {
  readonly #kinds: ReadonlyMap<string, ColumnKind>
  readonly #dialect: Dialect

  constructor(columns: Readonly<Record<string, ColumnKind>>, dialect: Dialect) {
    this.#kinds = new Map(Object.entries(columns))
    this.#dialect = dialect
  }

  /** Converts the values of a row to write. `undefined` is the default of the column. */
  toStored(values: Row): Row {
    return Object.fromEntries(Object.entries(values).map(([column, value]) => [column, this.#toStored(column, value)]))
  }

  #toStored(column: string, value: unknown): unknown {
    // SQLite can't set a default.
    if (value === undefined && this.#dialect !== 'sqlite') return sql`default`
    if (value === undefined || value === null) return null
    if (this.#kinds.get(column) === 'json') return JSON.stringify(value)
    // MySQL would read an object as a comparison with another column. PostgreSQL has lists.
    const isText = isPlain(value) || (Array.isArray(value) && this.#dialect !== 'postgres')
    return isText ? JSON.stringify(value) : this.toValue(column, value)
  }

  /** Converts a value to compare with. */
  toValue(column: string, value: unknown): unknown {
    if (this.#dialect === 'postgres') return value
    const kind = this.#kinds.get(column)
    if (kind === 'date' && typeof value === 'string') return this.#toDate(new Date(value)) ?? value
    if (kind === 'boolean' && (value === 'true' || value === 'false')) return Number(value === 'true')
    // Drivers of SQLite take neither booleans nor dates.
    if (typeof value === 'boolean') return Number(value)
    return value instanceof Date ? this.#toDate(value) : value
  }

  /** Converts a date for the driver. `undefined` if it is invalid. */
  #toDate(date: Date): Date | string | undefined {
    if (Number.isNaN(date.getTime())) return undefined
    return this.#dialect === 'sqlite' ? date.toISOString() : date
  }

  fromRows(rows: Row[]): Row[] {
    if (this.#kinds.size === 0) return rows
    for (const row of rows)
      for (const [column, kind] of this.#kinds) {
        const { [column]: value } = row
        if (kind === 'boolean' && typeof value === 'number') row[column] = value !== 0
        // Drivers of the others have read it.
        if (kind === 'json' && typeof value === 'string' && this.#dialect === 'sqlite') row[column] = JSON.parse(value)
      }
    return rows
  }
}
