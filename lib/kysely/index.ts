import {
  type Expression,
  expressionBuilder,
  type Insertable,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
  type Updateable
} from 'kysely'
import type { Params, Query } from '../../types/service.js'
import { buildConditions, type Comparison, type Expressions } from '../core/adapters/conditions.js'
import {
  type JsonData,
  type JsonRecord,
  missingId,
  type Row,
  type RowSelection,
  type Table,
  type TableOptions,
  TableService,
  tableOptions
} from '../core/adapters/table.js'
import { isPlain } from '../core/objects.js'
import { checkOptions, type OptionTable } from '../core/options.js'
import { dialectOf } from './dialect.js'
import { type ColumnKind, Converter } from './values.js'

/** Options of `kysely()`. */
export interface KyselyOptions extends TableOptions {
  /**
   * Columns whose values the driver does not convert. SQLite and MySQL have numbers for booleans.
   * SQLite has text for JSON and dates, and MySQL does not read dates of JSON, such as
   * `2030-01-31T12:00:00Z`. Lists in columns of JSON need it on PostgreSQL, too. Default: none.
   */
  columns?: Readonly<Record<string, ColumnKind>>
}

const isKind = (kind: unknown) => kind === 'boolean' || kind === 'json' || kind === 'date'
const kyselyOptions: OptionTable<KyselyOptions> = {
  ...tableOptions,
  columns: [
    "an object, as in { done: 'boolean', tags: 'json' }",
    (value) => isPlain(value) && Object.values(value).every(isKind)
  ]
}

/**
 * A service that stores its records in a table, by Kysely. Extend it to add custom methods.
 *
 * @example
 * class Issues extends KyselyService<Database, 'issues'> {
 *   async close(id: Id, _data: unknown, params?: Params) { return this.patch(id, { state: 'closed' }, params) }
 * }
 * app.service('issues', new Issues(db, 'issues'), { schema })
 */
export class KyselyService<Database, Name extends keyof Database & string> extends TableService<
  JsonRecord<Selectable<Database[Name]>>,
  JsonData<Insertable<Database[Name]>>,
  JsonData<Updateable<Database[Name]>>
> {
  /** @throws {Error} if an option is unknown or has the wrong type, or the database is another one */
  constructor(db: Kysely<Database>, table: Name, options: KyselyOptions = {}) {
    checkOptions('kysely()', kyselyOptions, options)
    const { columns = {}, ...rest } = options
    super(new KyselyTable(db as unknown as AnyKysely, table, rest.id ?? 'id', columns), rest)
  }
}

/**
 * Creates a service that stores its records in a table, by Kysely: PostgreSQL, SQLite, MySQL and
 * MariaDB (docs/databases.md). Register it with a schema, since only that knows the columns. A call
 * with `params.transaction`, such as one within `inTransaction(db)`, runs in it.
 *
 * @throws {Error} if an option is unknown or has the wrong type, or the database is another one
 * @example
 * app.service('posts', kysely(db, 'posts', { paginate: { default: 10, max: 100 } }), { schema })
 */
export const kysely = <Database, Name extends keyof Database & string>(
  db: Kysely<Database>,
  table: Name,
  options: KyselyOptions = {}
) => new KyselyService<Database, Name>(db, table, options)

type Tables = Record<string, Row>
type AnyKysely = Kysely<Tables>

/** The statements of a service by Kysely. */
class KyselyTable implements Table {
  readonly #db: AnyKysely
  readonly #name: string
  readonly #id: string
  readonly #converter: Converter
  readonly #expressions: Expressions<Expression<SqlBool>>
  /** Whether `insert`, `update` and `delete` return rows. MySQL can't. */
  readonly #returns: boolean

  constructor(db: AnyKysely, name: string, id: string, columns: Readonly<Record<string, ColumnKind>>) {
    const dialect = dialectOf(db)
    this.#db = db
    this.#name = name
    this.#id = id
    this.#converter = new Converter(columns, dialect)
    this.#expressions = kyselyExpressions(dialect, id, this.#converter)
    this.#returns = dialect !== 'mysql'
  }

  async select({ where, order, columns, limit, offset }: RowSelection, params: Params): Promise<Row[]> {
    const table = this.#dbOf(params).selectFrom(this.#name).where(this.#condition(where))
    let query = columns === undefined ? table.selectAll() : table.select([...columns])
    for (const [column, direction] of order) query = query.orderBy(column, direction)
    // SQLite and MySQL have no offset without a limit.
    if (limit !== undefined || offset > 0) query = query.limit(limit ?? Number.MAX_SAFE_INTEGER).offset(offset)
    return this.#converter.fromRows(await query.execute())
  }

  async count(where: Query, params: Params): Promise<number> {
    const query = this.#dbOf(params).selectFrom(this.#name).where(this.#condition(where))
    const { total } = await query.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow()
    return Number(total)
  }

  async insert(rows: readonly Row[], params: Params): Promise<Row[]> {
    // One statement would give a column that some rows lack another value than its default.
    const columnsOf = (row: Row | undefined) =>
      Object.keys(row ?? {})
        .sort()
        .join()
    const isUniform = columnsOf(rows[0]) !== '' && rows.every((row) => columnsOf(row) === columnsOf(rows[0]))
    if (rows.length === 1 || (isUniform && this.#returns)) return this.#insertAll(rows, this.#dbOf(params))
    return this.#transact(params, async (trx) => {
      const inserted: Row[] = []
      for (const row of rows) inserted.push(...(await this.#insertAll([row], trx)))
      return inserted
    })
  }

  async update(values: Row, where: Query, params: Params): Promise<Row[]> {
    const set = this.#converter.toRow(values)
    const update = (db: AnyKysely) => db.updateTable(this.#name).set(set)
    if (this.#returns)
      return this.#converter.fromRows(
        await update(this.#dbOf(params)).where(this.#condition(where)).returningAll().execute()
      )
    return this.#transact(params, async (trx) => {
      const ids = (await this.#lock(where, trx)).map((row) => row[this.#id])
      if (ids.length === 0) return []
      await update(trx).where(this.#id, 'in', ids).execute()
      return this.#lock({ [this.#id]: { $in: ids } }, trx)
    })
  }

  async delete(where: Query, params: Params): Promise<Row[]> {
    const remove = (db: AnyKysely) => db.deleteFrom(this.#name)
    if (this.#returns)
      return this.#converter.fromRows(
        await remove(this.#dbOf(params)).where(this.#condition(where)).returningAll().execute()
      )
    return this.#transact(params, async (trx) => {
      const rows = await this.#lock(where, trx)
      const ids = rows.map((row) => row[this.#id])
      if (ids.length > 0) await remove(trx).where(this.#id, 'in', ids).execute()
      return rows
    })
  }

  async #insertAll(rows: readonly Row[], db: AnyKysely): Promise<Row[]> {
    const values = rows.map((row) => this.#converter.toRow(row))
    const [first = {}] = values
    const isEmpty = Object.keys(first).length === 0
    const table = db.insertInto(this.#name)
    if (this.#returns) {
      const insert = isEmpty ? table.defaultValues() : table.values(values)
      return this.#converter.fromRows(await insert.returningAll().execute())
    }
    const insert = table.values(isEmpty ? { [this.#id]: sql`default` } : values)
    const { insertId } = await insert.executeTakeFirstOrThrow()
    const id = first[this.#id] ?? insertId
    if (!id) throw missingId(this.#name, this.#id)
    return this.#lock({ [this.#id]: id }, db)
  }

  /**
   * Returns the rows that meet conditions, which no other transaction can change then. They are
   * those of now, even if the transaction has read older ones.
   */
  async #lock(where: Query, trx: AnyKysely): Promise<Row[]> {
    const rows = trx.selectFrom(this.#name).selectAll().where(this.#condition(where)).forUpdate()
    return this.#converter.fromRows(await rows.execute())
  }

  #condition(where: Query): Expression<SqlBool> {
    return buildConditions(where, this.#expressions)
  }

  #dbOf(params: Params): AnyKysely {
    return (params.transaction as { trx: AnyKysely } | undefined)?.trx ?? this.#db
  }

  #transact<T>(params: Params, work: (trx: AnyKysely) => Promise<T>): Promise<T> {
    return params.transaction === undefined ? this.#db.transaction().execute(work) : work(this.#dbOf(params))
  }
}

/** Creates the expressions of Kysely for the conditions of a query. */
function kyselyExpressions(
  dialect: ReturnType<typeof dialectOf>,
  id: string,
  converter: Converter
): Expressions<Expression<SqlBool>> {
  const eb = expressionBuilder<Tables, string>()
  const compare = (column: string, comparison: Comparison, value: unknown): Expression<SqlBool> => {
    const operand = converter.toValue(column, value)
    if (comparison === 'like' || comparison === 'ilike') {
      if (dialect === 'sqlite') return sql<SqlBool>`${eb.ref(column)} like ${operand} escape '\\'`
      return eb(column, dialect === 'postgres' ? comparison : 'like', operand)
    }
    const expression = eb(column, comparison, operand)
    // MySQL takes '7 or more' for 7, and 'A' for 'a'.
    if (dialect !== 'mysql' || column !== id || comparison !== '=' || typeof operand !== 'string') return expression
    return eb.and([expression, sql<SqlBool>`cast(${eb.ref(column)} as char) = cast(${operand} as binary)`])
  }
  return {
    and: (expressions) => eb.and(expressions),
    or: (expressions) => eb.or(expressions),
    compare,
    isIn: (column, values) =>
      dialect === 'mysql' && column === id
        ? eb.or(values.map((value) => compare(column, '=', value)))
        : eb(
            column,
            'in',
            values.map((value) => converter.toValue(column, value))
          ),
    isNotIn: (column, values) =>
      eb(
        column,
        'not in',
        values.map((value) => converter.toValue(column, value))
      ),
    isNull: (column) => eb(column, 'is', null),
    isNotNull: (column) => eb(column, 'is not', null)
  }
}
