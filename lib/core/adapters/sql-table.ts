import type { Params, Query } from '../../../types/service.js'
import { GeneralError } from '../errors.js'
import { buildConditions, type Expressions } from './conditions.js'
import type { NullOrder } from './null-order.js'
import type { Dialect, Row, RowSelection, Table } from './table.js'

/** A table of SQL, with the library that runs its statements. */
interface SqlTableOptions<Database, Condition> {
  readonly db: Database
  readonly name: string
  /** The column that holds the id. */
  readonly id: string
  readonly dialect: Dialect
  readonly expressions: Expressions<Condition>
  /** Converts values for the driver, and back. */
  readonly values: { toStored(row: Row): Row; fromRows(rows: Row[]): Row[] }
}

type WriteLocked<Database, Condition> = (trx: Database, rows: Row[], condition: Condition) => Promise<Row[]>

/**
 * The statements of a service on a table of SQL. MySQL returns no rows from a write, so there each
 * write is a transaction that locks the rows and reads them.
 */
export abstract class SqlTable<Database, Condition> implements Table {
  /** Whether `insert`, `update` and `delete` return rows. */
  protected readonly returnsRows: boolean
  readonly nullOrder: NullOrder | undefined
  protected readonly options: SqlTableOptions<Database, Condition>

  constructor(options: SqlTableOptions<Database, Condition>) {
    this.options = options
    this.returnsRows = options.dialect !== 'mysql'
    // MySQL sorts enums by their position, and compares them as texts.
    this.nullOrder = ({ postgres: 'largest', sqlite: 'smallest', mysql: undefined } as const)[options.dialect]
  }

  abstract select(selection: RowSelection, params: Params): Promise<Row[]>
  abstract count(where: Query, params: Params): Promise<number>

  /** Whether one statement inserts all of these rows. Others are inserted one by one. */
  protected abstract isOneInsert(rows: readonly Row[]): boolean
  /** @returns the inserted rows, or only the new id of one row, without `returnsRows` */
  protected abstract insertRows(db: Database, rows: readonly Row[]): Promise<Row[]>
  /** @returns the changed rows, with `returnsRows` */
  protected abstract updateRows(db: Database, values: Row, condition: Condition): Promise<Row[]>
  /** @returns the removed rows, with `returnsRows` */
  protected abstract deleteRows(db: Database, condition: Condition): Promise<Row[]>
  /**
   * Locks rows until the transaction ends.
   *
   * @returns the rows as they are now, even if the transaction has read older ones
   */
  protected abstract lockRows(trx: Database, condition: Condition): Promise<Row[]>
  /** Runs work in a new transaction. */
  protected abstract begin<T>(db: Database, work: (trx: Database) => Promise<T>): Promise<T>

  async insert(rows: readonly Row[], params: Params): Promise<Row[]> {
    const stored = rows.map((row) => this.options.values.toStored(row))
    if (this.isOneInsert(stored)) return this.#insertAll(this.dbOf(params), stored)
    return this.#transact(params, async (trx) => {
      const inserted: Row[] = []
      for (const row of stored) inserted.push(...(await this.#insertAll(trx, [row])))
      return inserted
    })
  }

  async update(values: Row, where: Query, params: Params): Promise<Row[]> {
    const stored = this.options.values.toStored(values)
    if (this.returnsRows)
      return this.fromRows(await this.updateRows(this.dbOf(params), stored, this.conditionOf(where)))
    return this.#writeLocked(where, params, async (trx, _rows, condition) => {
      await this.updateRows(trx, stored, condition)
      return this.fromRows(await this.lockRows(trx, condition))
    })
  }

  async delete(where: Query, params: Params): Promise<Row[]> {
    if (this.returnsRows) return this.fromRows(await this.deleteRows(this.dbOf(params), this.conditionOf(where)))
    return this.#writeLocked(where, params, async (trx, rows, condition) => {
      await this.deleteRows(trx, condition)
      return rows
    })
  }

  /** Returns the transaction of a call, or the database. */
  protected dbOf(params: Params): Database {
    return (params.transaction as { trx: Database } | undefined)?.trx ?? this.options.db
  }

  protected conditionOf(where: Query): Condition {
    return buildConditions(where, this.options.expressions)
  }

  protected fromRows(rows: Row[]): Row[] {
    return this.options.values.fromRows(rows)
  }

  async #insertAll(db: Database, rows: readonly Row[]): Promise<Row[]> {
    const { name, id } = this.options
    const inserted = await this.insertRows(db, rows)
    if (this.returnsRows) return this.fromRows(inserted)
    const newId = rows[0]?.[id] ?? inserted[0]?.[id]
    // Without a counter, such as with a UUID as default, MySQL returns 0.
    if (!newId)
      throw new GeneralError(`The database does not tell the id of a new row of '${name}'. Send '${id}' with the data`)
    return this.fromRows(await this.lockRows(db, this.conditionOf({ [id]: newId })))
  }

  #writeLocked(where: Query, params: Params, write: WriteLocked<Database, Condition>): Promise<Row[]> {
    const { id } = this.options
    return this.#transact(params, async (trx) => {
      const rows = this.fromRows(await this.lockRows(trx, this.conditionOf(where)))
      if (rows.length === 0) return rows
      return write(trx, rows, this.conditionOf({ [id]: { $in: rows.map((row) => row[id]) } }))
    })
  }

  #transact<T>(params: Params, work: (trx: Database) => Promise<T>): Promise<T> {
    const db = this.dbOf(params)
    return params.transaction === undefined ? this.begin(db, work) : work(db)
  }
}
