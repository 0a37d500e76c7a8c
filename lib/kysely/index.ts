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
import type { Expressions } from '../core/adapters/conditions.js'
import { SqlTable } from '../core/adapters/sql-table.js'
import {
  type Dialect,
  type JsonData,
  type JsonRecord,
  type Row,
  type RowSelection,
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
 * Stores the records of a service in a table, by Kysely. Extend it to add custom methods.
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
class KyselyTable extends SqlTable<AnyKysely, Expression<SqlBool>> {
  constructor(db: AnyKysely, name: string, id: string, columns: Readonly<Record<string, ColumnKind>>) {
    const dialect = dialectOf(db)
    const values = new Converter(columns, dialect)
    super({ db, name, id, dialect, expressions: kyselyExpressions(dialect, id, values), values })
  }

  async select({ where, order, columns, limit, offset }: RowSelection, params: Params): Promise<Row[]> {
    const table = this.dbOf(params).selectFrom(this.options.name).where(this.conditionOf(where))
    let query = columns === undefined ? table.selectAll() : table.select([...columns])
    for (const [column, direction] of order) query = query.orderBy(column, direction)
    // SQLite and MySQL have no offset without a limit.
    if (limit !== undefined || offset > 0) query = query.limit(limit ?? Number.MAX_SAFE_INTEGER).offset(offset)
    return this.fromRows(await query.execute())
  }

  async count(where: Query, params: Params): Promise<number> {
    const query = this.dbOf(params).selectFrom(this.options.name).where(this.conditionOf(where))
    const { total } = await query.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow()
    return Number(total)
  }

  /** One statement would give a column that some rows lack another value than its default. */
  protected isOneInsert(rows: readonly Row[]): boolean {
    const [columns, ...others] = rows.map((row) => Object.keys(row).sort().join())
    const isUniform = columns !== '' && others.every((other) => other === columns)
    return rows.length === 1 || (isUniform && this.returnsRows)
  }

  protected async insertRows(db: AnyKysely, rows: readonly Row[]): Promise<Row[]> {
    const { name, id } = this.options
    const isEmpty = Object.keys(rows[0] ?? {}).length === 0
    const table = db.insertInto(name)
    if (this.returnsRows) return (isEmpty ? table.defaultValues() : table.values(rows)).returningAll().execute()
    const insert = table.values(isEmpty ? { [id]: sql`default` } : rows)
    return [{ [id]: (await insert.executeTakeFirstOrThrow()).insertId }]
  }

  protected updateRows(db: AnyKysely, values: Row, condition: Expression<SqlBool>): Promise<Row[]> {
    const update = db.updateTable(this.options.name).set(values).where(condition)
    return this.returnsRows ? update.returningAll().execute() : update.execute().then(() => [])
  }

  protected deleteRows(db: AnyKysely, condition: Expression<SqlBool>): Promise<Row[]> {
    const remove = db.deleteFrom(this.options.name).where(condition)
    return this.returnsRows ? remove.returningAll().execute() : remove.execute().then(() => [])
  }

  protected lockRows(trx: AnyKysely, condition: Expression<SqlBool>): Promise<Row[]> {
    return trx.selectFrom(this.options.name).selectAll().where(condition).forUpdate().execute()
  }

  protected begin<T>(db: AnyKysely, work: (trx: AnyKysely) => Promise<T>): Promise<T> {
    return db.transaction().execute(work)
  }
}

/** Creates the expressions of Kysely for the conditions of a query. */
function kyselyExpressions(dialect: Dialect, id: string, converter: Converter): Expressions<Expression<SqlBool>> {
  const eb = expressionBuilder<Tables, string>()
  const toList = (column: string, values: readonly unknown[]) => values.map((value) => converter.toValue(column, value))
  const isIn = (column: string, values: readonly unknown[]): Expression<SqlBool> => {
    const operands = toList(column, values)
    const expression = eb(column, 'in', operands)
    // MySQL takes '7 or more' for 7, and 'A' for 'a'.
    if (dialect !== 'mysql' || column !== id || !operands.some((operand) => typeof operand === 'string'))
      return expression
    const exact = sql.join(operands.map((operand) => sql`cast(${operand} as binary)`))
    return eb.and([expression, sql<SqlBool>`cast(${eb.ref(column)} as char) in (${exact})`])
  }
  return {
    and: (expressions) => eb.and(expressions),
    or: (expressions) => eb.or(expressions),
    compare(column, comparison, value) {
      const operand = converter.toValue(column, value)
      if (comparison === 'like' || comparison === 'ilike') {
        if (dialect === 'sqlite') return sql<SqlBool>`${eb.ref(column)} like ${operand} escape '\\'`
        return eb(column, dialect === 'postgres' ? comparison : 'like', operand)
      }
      return column === id && comparison === '=' ? isIn(column, [value]) : eb(column, comparison, operand)
    },
    isIn,
    isNotIn: (column, values) => eb(column, 'not in', toList(column, values)),
    isNull: (column) => eb(column, 'is', null),
    isNotNull: (column) => eb(column, 'is not', null)
  }
}
