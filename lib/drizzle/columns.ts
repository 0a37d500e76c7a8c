import { type Column, sql } from 'drizzle-orm'
import { unknownColumn } from '../core/adapters/conditions.js'
import type { Dialect, Row } from '../core/adapters/table.js'
import { BadRequest } from '../core/errors.js'

/** The columns of a table by the names of its fields, and how their values are stored. */
export class Columns {
  /** The columns that `update` sets, whether they are sent or not. */
  readonly replaced: readonly string[]
  readonly #columns: Readonly<Record<string, Column>>
  readonly #id: string
  readonly #dialect: Dialect

  constructor(columns: Readonly<Record<string, Column>>, id: string, dialect: Dialect) {
    this.#columns = columns
    this.#id = id
    this.#dialect = dialect
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
        const stored = value === null ? null : toColumnValue(column, value)
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
    const operand = toColumnValue(this.get(name), value)
    if (operand === undefined && name !== this.#id) throw typeMismatch(name, value)
    return operand
  }

  #defaultOf(column: Column): unknown {
    if (column.defaultFn !== undefined) return column.defaultFn()
    // SQLite can't set a default.
    return this.#dialect === 'sqlite' ? (column.default ?? null) : sql`default`
  }
}

const typeMismatch = (name: string, value: unknown) =>
  new BadRequest(`'${name}' has the wrong type`, {
    errors: [
      { instancePath: `/${name}`, message: `can't be ${typeof value === 'object' ? 'an object' : `a ${typeof value}`}` }
    ]
  })

const integer = /^-?\d+$/

/**
 * Converts a value to that of a column: a query over HTTP has text, and JSON has no dates.
 * `undefined` if the column can't have the value.
 */
function toColumnValue({ dataType }: Column, value: unknown): unknown {
  if (dataType === 'date') {
    const date = value instanceof Date ? value : new Date(value as string)
    return Number.isNaN(date.getTime()) ? undefined : date
  }
  if (dataType === 'number') {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined
  }
  if (dataType === 'bigint') {
    const isInteger = typeof value === 'bigint' || integer.test(String(value))
    return isInteger ? BigInt(value as string) : undefined
  }
  if (dataType === 'boolean') {
    const isBit = value === 1 || value === 0
    if (typeof value === 'boolean' || value === 'true' || value === 'false') return String(value) === 'true'
    return isBit ? value === 1 : undefined
  }
  return value
}
