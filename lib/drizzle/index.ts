import {
  asc,
  count,
  type DrizzleQueryError,
  Table as DrizzleTable,
  desc,
  getTableColumns,
  getTableName,
  type InferInsertModel,
  type InferSelectModel,
  is,
  type SQL
} from 'drizzle-orm'
import { MySqlTable } from 'drizzle-orm/mysql-core'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Params, Query } from '../../types/service.js'
import { listenForPoolErrors } from '../core/adapters/pg-pool.js'
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
import { checkOptions, inspect } from '../core/options.js'
import { metaOf } from '../core/service-meta.js'
import { Columns } from './columns.js'
import { drizzleExpressions } from './expressions.js'

/** Options of `drizzle()`. */
export interface DrizzleOptions extends TableOptions {}

/** A database of Drizzle, of any driver. */
export interface DrizzleDatabase {
  select(...args: never[]): unknown
  insert(...args: never[]): unknown
  update(...args: never[]): unknown
  delete(...args: never[]): unknown
  /** The connection or the pool of the driver. */
  readonly $client?: unknown
}

/**
 * Stores the records of a service in a table, by Drizzle. Extend it to add custom methods.
 *
 * @example
 * class Issues extends DrizzleService<typeof issues> {
 *   async close(id: Id, _data: unknown, params?: Params) { return this.patch(id, { state: 'closed' }, params) }
 * }
 * app.service('issues', new Issues(db, issues), { schema })
 */
export class DrizzleService<T extends DrizzleTable> extends TableService<
  JsonRecord<InferSelectModel<T>>,
  JsonData<InferInsertModel<T>>,
  JsonData<InferInsertModel<T>>
> {
  /** @throws {Error} if an option is unknown or has the wrong type, or the table has no column for ids */
  constructor(db: DrizzleDatabase, table: T, options: DrizzleOptions = {}) {
    checkOptions('drizzle()', tableOptions, options)
    const { id = 'id' } = options
    if (!is(table, DrizzleTable))
      throw new Error(`drizzle() needs a table, such as pgTable('posts', { … }), not ${inspect(table)} or a view`)
    const columns = getTableColumns(table)
    if (!Object.hasOwn(columns, id))
      throw new Error(
        `drizzle() needs the column of the ids: the table has no '${id}', but ${Object.keys(columns).join(', ')}. Name it: drizzle(db, table, { id: '…' })`
      )
    // A pool of pg ends the process when one of its connections ends, unless somebody listens.
    const { $client } = db
    if (typeof $client === 'object' && $client !== null) listenForPoolErrors($client)
    super(new TableByDrizzle(db as unknown as Database, table, id), options)
    metaOf(this).columns = Object.keys(columns)
  }
}

/**
 * The result of `drizzle()`: a service by its rows as they are stored and as they are inserted.
 *
 * @example
 * const posts: DrizzleRecords<typeof table.$inferSelect, typeof table.$inferInsert> = drizzle(db, table)
 */
export interface DrizzleRecords<Stored, Inserted>
  extends TableService<JsonRecord<Stored>, JsonData<Inserted>, JsonData<Inserted>> {}

/**
 * Creates a service that stores its records in a table, by Drizzle: PostgreSQL, SQLite, MySQL and
 * MariaDB (docs/databases.md). The fields of a record are the keys of the table. A call with
 * `params.transaction`, such as one within `inTransaction(db)`, runs in it.
 *
 * @throws {Error} if an option is unknown or has the wrong type, or the table has no column for ids
 * @example
 * const posts = pgTable('posts', { id: serial().primaryKey(), title: text().notNull() })
 * app.service('posts', drizzle(db, posts, { paginate: { default: 10, max: 100 } }), { schema })
 */
export const drizzle = <T extends DrizzleTable>(
  db: DrizzleDatabase,
  table: T,
  options: DrizzleOptions = {}
): DrizzleRecords<InferSelectModel<T>, InferInsertModel<T>> => new DrizzleService(db, table, options)

/** The members that are used of a statement of all dialects. */
interface Statement extends PromiseLike<Row[]> {
  from(table: DrizzleTable): Statement
  where(condition: SQL | undefined): Statement
  orderBy(...order: SQL[]): Statement
  limit(limit: number): Statement
  offset(offset: number): Statement
  for(lock: 'update'): Statement
  values(rows: Row[]): Statement
  set(values: Row): Statement
  returning(): Statement
  $returningId(): Statement
}

/** The members that are used of a database of all dialects. */
interface Database {
  select(fields?: object): Statement
  insert(table: DrizzleTable): Statement
  update(table: DrizzleTable): Statement
  delete(table: DrizzleTable): Statement
  transaction<T>(work: (trx: Database) => Promise<T>): Promise<T>
}

/** The statements of a service by Drizzle. */
class TableByDrizzle extends SqlTable<Database, SQL> {
  readonly columns: readonly string[]
  readonly #table: DrizzleTable
  readonly #columns: Columns

  constructor(db: Database, table: DrizzleTable, id: string) {
    const dialect: Dialect = is(table, MySqlTable) ? 'mysql' : is(table, SQLiteTable) ? 'sqlite' : 'postgres'
    const columns = new Columns(getTableColumns(table), id, dialect)
    const expressions = drizzleExpressions(columns, dialect)
    super({ db, name: getTableName(table), id, dialect, expressions, values: columns })
    this.#table = table
    this.#columns = columns
    this.columns = columns.replaced
  }

  async select({ where, order, columns, limit, offset }: RowSelection, params: Params): Promise<Row[]> {
    const fields = columns && Object.fromEntries(columns.map((name) => [name, this.#columns.get(name)]))
    const directions = order.map(([name, direction]) => (direction === 'desc' ? desc : asc)(this.#columns.get(name)))
    let statement = this.dbOf(params).select(fields).from(this.#table).where(this.conditionOf(where))
    if (directions.length > 0) statement = statement.orderBy(...directions)
    // SQLite and MySQL have no offset without a limit.
    if (limit !== undefined || offset > 0) statement = statement.limit(limit ?? Number.MAX_SAFE_INTEGER).offset(offset)
    return this.fromRows(await withDriverError(statement))
  }

  async count(where: Query, params: Params): Promise<number> {
    const statement = this.dbOf(params).select({ total: count() }).from(this.#table).where(this.conditionOf(where))
    const [row] = await withDriverError(statement)
    return Number(row?.total)
  }

  protected isOneInsert(): boolean {
    return this.returnsRows
  }

  protected insertRows(db: Database, rows: readonly Row[]): Promise<Row[]> {
    const statement = db.insert(this.#table).values([...rows])
    return withDriverError(this.returnsRows ? statement.returning() : statement.$returningId())
  }

  protected updateRows(db: Database, values: Row, condition: SQL): Promise<Row[]> {
    return this.#write(db.update(this.#table).set(values).where(condition))
  }

  protected deleteRows(db: Database, condition: SQL): Promise<Row[]> {
    return this.#write(db.delete(this.#table).where(condition))
  }

  protected lockRows(trx: Database, condition: SQL): Promise<Row[]> {
    return withDriverError(trx.select().from(this.#table).where(condition).for('update'))
  }

  protected begin<T>(db: Database, work: (trx: Database) => Promise<T>): Promise<T> {
    return db.transaction(work)
  }

  #write(statement: Statement): Promise<Row[]> {
    return withDriverError(this.returnsRows ? statement.returning() : statement)
  }
}

/**
 * Runs a statement.
 *
 * @throws the error of the driver: Drizzle's own error has the statement with all of its values
 */
async function withDriverError(statement: Statement): Promise<Row[]> {
  try {
    return await statement
  } catch (error) {
    // Its class may be of another copy of the library.
    const { query, cause } = Object(error) as Partial<DrizzleQueryError>
    throw typeof query === 'string' && cause instanceof Error ? cause : error
  }
}
