import { type Column, sql } from 'drizzle-orm'
import { unknownColumn } from '../core/adapters/conditions.js'
import type { Dialect, Row } from '../core/adapters/table.js'
import { convertBigInts, toColumnValue, typeMismatch } from '../core/adapters/values.js'

/** The columns of a table by the names of its fields, and how their values are stored. */
export class Columns {
  /** The columns that `update` sets, whether they are sent or not. */
  readonly replaced: readonly string[]
  readonly #columns: Readonly<Record<string, Column>>
  readonly #id: string
  readonly #dialect: Dialect
  /** The columns whose values are a `bigint`, which JSON does not have. */
  readonly #bigInts: readonly string[]

  constructor(columns: Readonly<Record<string, Column>>, id: string, dialect: Dialect) {
    this.#columns = columns
    this.#id = id
    this.#dialect = dialect
    this.#bigInts = Object.keys(columns).filter((name) => columns[name]?.dataType === 'bigint')
    const isGenerated = ({ generated, generatedIdentity }: Column) =>
      generated !== undefined || generatedIdentity?.type === 'always'
    this.replaced = Object.keys(columns).filter((name) => {
      const column = this.get(name)
      return name !== id && !isGenerated(column) && column.onUpdateFn === undefined
    })
  }

  /** @throws {BadRequest} if there is no such column */
  get(name: string): Column {
    const column = Object.hasOwn(this.#columns, name) ? this.#columns[name] : undefined
    if (column === undefined) throw unknownColumn(name)
    return column
  }

  /** Converts the values of a row to write. `undefined` is the default of the column. */
  toStored(values: Row): Row {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const column = this.get(name)
        if (value === undefined) return [name, this.#defaultOf(column)]
        const stored = value === null ? null : this.#convert(column, value)
        if (stored === undefined) throw typeMismatch(name, value)
        return [name, stored]
      })
    )
  }

  /**
   * Converts a value to compare with. `undefined` if no id is equal to it.
   *
   * @throws {BadRequest} if no other column can have the value
   */
  toOperand(name: string, value: unknown): unknown {
    const operand = this.#convert(this.get(name), value)
    if (operand === undefined && name !== this.#id) throw typeMismatch(name, value)
    return operand
  }

  /** Converts the values of rows to values of JSON. */
  fromRows(rows: Row[]): Row[] {
    return convertBigInts(rows, this.#bigInts)
  }

  /** Converts a value, since a query over HTTP has text, and JSON has no dates. */
  #convert({ dataType }: Column, value: unknown): unknown {
    // Drivers of SQLite take no dates.
    if (dataType === 'string' && value instanceof Date && this.#dialect === 'sqlite') return value.toISOString()
    const { [dataType]: convert } = converters
    return convert === undefined ? value : convert(value)
  }

  #defaultOf(column: Column): unknown {
    if (column.defaultFn !== undefined) return column.defaultFn()
    // SQLite can't set a default.
    return this.#dialect === 'sqlite' ? (column.default ?? null) : sql`default`
  }
}

/** Converts a value for a column. `undefined` if the column can't have it. */
type ConvertValue = (value: unknown) => unknown

/** By the types of data that Drizzle has. Values of other types stay as they are. */
const converters: Readonly<Record<string, ConvertValue | undefined>> = {
  ...toColumnValue,
  string: (value) => (typeof value === 'object' && !(value instanceof Date) ? undefined : value),
  array: (value) => (Array.isArray(value) ? value : undefined)
}
