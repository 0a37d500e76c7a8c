import { sql } from 'kysely'
import type { Dialect, Row } from '../core/adapters/table.js'

/** A kind of column whose values drivers do not convert. */
export type ColumnKind = 'boolean' | 'json'

/** Converts values of columns to those that a driver takes, and back. */
export class Converter {
  readonly #kinds: ReadonlyMap<string, ColumnKind>
  readonly #dialect: Dialect

  constructor(columns: Readonly<Record<string, ColumnKind>>, dialect: Dialect) {
    this.#kinds = new Map(Object.entries(columns))
    this.#dialect = dialect
  }

  /** Converts the values of a row to write. `undefined` is the default of the column. */
  toRow(values: Row): Row {
    return Object.fromEntries(Object.entries(values).map(([column, value]) => [column, this.toStored(column, value)]))
  }

  /** Converts a value to write. */
  toStored(column: string, value: unknown): unknown {
    // SQLite can't set a default.
    if (value === undefined && this.#dialect !== 'sqlite') return sql`default`
    if (value === undefined || value === null) return null
    return this.#kinds.get(column) === 'json' ? JSON.stringify(value) : this.toValue(column, value)
  }

  /** Converts a value to compare with. */
  toValue(column: string, value: unknown): unknown {
    if (this.#kinds.get(column) !== 'boolean' || this.#dialect === 'postgres') return value
    if (value === true || value === 'true') return 1
    return value === false || value === 'false' ? 0 : value
  }

  fromRows(rows: Row[]): Row[] {
    if (this.#kinds.size === 0) return rows
    for (const row of rows)
      for (const [column, kind] of this.#kinds) {
        const { [column]: value } = row
        if (kind === 'boolean' && typeof value === 'number') row[column] = value !== 0
        if (kind === 'json' && typeof value === 'string' && this.#dialect !== 'postgres')
          row[column] = JSON.parse(value)
      }
    return rows
  }
}
