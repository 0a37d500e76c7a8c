import type { Id, NullableId, Paginated, Params, Query } from '../../../types/service.js'
import { BadRequest, MethodNotAllowed, NotFound } from '../errors.js'
import { isObject, isPlain, pick } from '../objects.js'
import { checkOptions, inspect, kinds, type OptionTable } from '../options.js'
import { metaOf } from '../service-meta.js'
import { checkColumnName } from './conditions.js'
import type { NullOrder } from './null-order.js'

/** A row of a table. `undefined` in values to write means that the column has none. */
export type Row = Record<string, unknown>

/** The dialects of SQL that adapters know. MariaDB is `mysql`, too. */
export type Dialect = 'postgres' | 'sqlite' | 'mysql'

/** A record as JSON has it: dates are text, and so are integers that no number can hold. */
export type JsonRecord<T> = { [K in keyof T]: JsonValue<T[K]> }
type JsonValue<T> = T extends Date ? string : T extends bigint ? number | string : T

/**
 * The data of a record, as clients send it or as the database has it. Hooks add the columns that
 * clients don't send. With `object`, data may have other fields only, which a hook replaces.
 */
export type JsonData<T> = object & { [K in keyof T]?: T[K] | JsonValue<T[K]> | undefined }

/** Which rows to read, and which of their columns. */
export interface RowSelection {
  /** The conditions, for `buildConditions`. */
  readonly where: Query
  /** The columns to sort by, with the id at the end. */
  readonly order: readonly (readonly [column: string, direction: 'asc' | 'desc'])[]
  /** Default: all columns. */
  readonly columns?: readonly string[] | undefined
  /** Default: all rows. */
  readonly limit?: number | undefined
  readonly offset: number
}

/**
 * Runs the statements of a `TableService` on one table. Each applies its conditions in the
 * statement itself, so that no other write comes between. `params.transaction.trx` is the
 * transaction of the call, if it has one.
 */
export interface Table {
  select(selection: RowSelection, params: Params): Promise<Row[]>
  count(where: Query, params: Params): Promise<number>
  /** @returns the rows as they are stored, in the order of `rows` */
  insert(rows: readonly Row[], params: Params): Promise<Row[]>
  /** @returns the changed rows */
  update(values: Row, where: Query, params: Params): Promise<Row[]>
  /** @returns the removed rows, as they were */
  delete(where: Query, params: Params): Promise<Row[]>
  /** How it sorts `null`. Without it, cursors do not work. */
  readonly nullOrder?: NullOrder | undefined
  /** The columns that `update` sets. Without them, the row is read first. */
  readonly columns?: readonly string[] | undefined
}

/** A method that may change many records in one call. */
export type MultiMethod = 'create' | 'patch' | 'remove'

/** The number of records of a page, and the most that a client may ask for. */
export interface PageOptions {
  default?: number
  max?: number
}

/** Options of a service that stores its records in a table. */
export interface TableOptions {
  /** The column that holds the id. Default `'id'`. */
  id?: string
  /**
   * Pages for `find`. Default: no pages, `find` returns a list of all records.
   */
  paginate?: false | PageOptions
  /**
   * The methods that may change many records: `create` takes a list, and `patch` and `remove` take
   * `null` instead of an id. Default `false`.
   */
  multi?: boolean | readonly MultiMethod[]
}

/** The outcome of the statement of a write with a condition. */
export type WriteOutcome = 'has not run' | 'has changed nothing' | 'has changed the record'

/** A condition that a hook adds to the statement of a write, in `params.adapter.condition`. */
export interface TableCondition {
  readonly where: Query
  outcome: WriteOutcome
}

/** Instructions of hooks, in `params.adapter`. */
interface AdapterParams {
  readonly condition?: TableCondition
  /** Whether `update` leaves the value of a column that the data lacks. */
  readonly keeps?: (column: string) => boolean
}

export const tableOptions: OptionTable<TableOptions> = {
  id: kinds.filled,
  paginate: ['{ default, max } or false', (value) => value === false || isPlain(value)],
  multi: ['true, false or a list of create, patch and remove', isMultiOption]
}

function isMultiOption(value: unknown): boolean {
  const isMethod = (name: unknown) => ['create', 'patch', 'remove'].includes(String(name))
  return typeof value === 'boolean' || (Array.isArray(value) && value.every(isMethod))
}

/**
 * A service that stores its records in a table. `memory()`, `kysely()` and `drizzle()` create one.
 * Extend it with custom methods, or wrap it. The conditions of `params.query` apply to all methods
 * with an id, too: a record that does not meet them is not found.
 */
export class TableService<
  Result extends object = Row,
  Data = Partial<Result>,
  Patch = Partial<Data>,
  FindParams extends Params = Params
> {
  /** Exists only in types. */
  declare readonly '~record': Result
  readonly options: Required<TableOptions>
  readonly #table: Table

  /** @throws {Error} if an option is unknown or has the wrong type */
  constructor(table: Table, options: TableOptions = {}) {
    checkOptions('A table', tableOptions, options)
    this.#table = table
    this.options = { id: 'id', paginate: false, multi: false, ...options }
    metaOf(this).nullOrder = table.nullOrder
  }

  /** The column that holds the id. */
  get id(): string {
    return this.options.id
  }

  /**
   * Returns a page, or a list without the option `paginate` or with `params.paginate: false`. The
   * order always ends with the id.
   *
   * @throws {BadRequest} if the query has an unknown operator or field
   */
  async find(params: FindParams & { paginate: false }): Promise<Result[]>
  async find(params?: FindParams): Promise<Paginated<Result>>
  async find(params?: FindParams): Promise<Paginated<Result> | Result[]>
  async find(params: Params = {}): Promise<Paginated<Result> | Result[]> {
    const { $limit, $skip, $sort, $select, ...where } = this.sanitizeQuery(params)
    const { paginate = this.options.paginate } = params as { paginate?: TableOptions['paginate'] }
    const isPage = paginate !== false && (paginate.default !== undefined || paginate.max !== undefined)
    const limit = isPage ? Math.min($limit ?? paginate.default ?? Infinity, paginate.max ?? Infinity) : $limit
    const selection: RowSelection = {
      where,
      order: toOrder($sort, this.id),
      columns: toColumns($select, this.id),
      limit,
      offset: $skip
    }
    const data = (limit === 0 ? [] : await this.#table.select(selection, params)) as Result[]
    if (!isPage) return data
    // A page that is not full is the last one: the total is known.
    const isLast = limit !== 0 && data.length < (limit ?? 0) && (data.length > 0 || $skip === 0)
    const total = isLast ? $skip + data.length : await this.#table.count(where, params)
    return { total, limit: limit ?? total, skip: $skip, data }
  }

  /** @throws {NotFound} if no record has the id and meets the query */
  async get(id: Id, params: Params = {}): Promise<Result> {
    const { $select, where } = this.#conditionsOf(id, params)
    const selection = { where, order: [], columns: toColumns($select, this.id), limit: 1, offset: 0 }
    return this.#only(id, await this.#table.select(selection, params))
  }

  /** @throws {MethodNotAllowed} for a list, without the option `multi` */
  async create(data: Data, params?: Params): Promise<Result>
  async create(data: Data[], params?: Params): Promise<Result[]>
  async create(data: Data | Data[], params?: Params): Promise<Result | Result[]>
  async create(data: Data | Data[], params: Params = {}): Promise<Result | Result[]> {
    const isList = Array.isArray(data)
    if (isList) this.#requireMulti('create')
    const { $select } = this.sanitizeQuery(params)
    const rows = (isList ? data : [data]).map((record) => toValues(record))
    const created = rows.length === 0 ? [] : await this.#table.insert(rows, params)
    const results = this.#select(created, $select)
    return isList ? results : (results[0] as Result)
  }

  /**
   * Replaces a record: a column that the data lacks loses its value.
   *
   * @throws {NotFound} if no record has the id and meets the query
   */
  async update(id: Id, data: Data, params: Params = {}): Promise<Result> {
    if (id === null || Array.isArray(data))
      throw new BadRequest("You can not replace multiple instances. Did you mean 'patch'?")
    const { $select, where } = this.#conditionsOf(id, params, true)
    const values = toValues(data, this.id)
    const { columns = await this.#columnsOf(id, where, params) } = this.#table
    const { keeps = () => false }: AdapterParams = Object(params.adapter)
    for (const column of columns)
      if (!Object.hasOwn(values, column) && column !== this.id && !keeps(column)) values[column] = undefined
    return this.#only(id, await this.#write(values, where, $select, params))
  }

  /**
   * @param id `null` for all records that the query selects
   * @throws {NotFound} if no record has the id and meets the query
   * @throws {MethodNotAllowed} for `null`, without the option `multi`
   */
  async patch(id: Id, data: Patch, params?: Params): Promise<Result>
  async patch(id: null, data: Patch, params?: Params): Promise<Result[]>
  async patch(id: NullableId, data: Patch, params?: Params): Promise<Result | Result[]>
  async patch(id: NullableId, data: Patch, params: Params = {}): Promise<Result | Result[]> {
    if (id === null) this.#requireMulti('patch')
    const { $select, where } = this.#conditionsOf(id, params, true)
    const patched = await this.#write(toValues(data, this.id), where, $select, params)
    return id === null ? patched : this.#only(id, patched)
  }

  /**
   * @param id `null` for all records that the query selects
   * @throws {NotFound} if no record has the id and meets the query
   * @throws {MethodNotAllowed} for `null`, without the option `multi`
   */
  async remove(id: Id, params?: Params): Promise<Result>
  async remove(id: null, params?: Params): Promise<Result[]>
  async remove(id: NullableId, params?: Params): Promise<Result | Result[]>
  async remove(id: NullableId, params: Params = {}): Promise<Result | Result[]> {
    if (id === null) this.#requireMulti('remove')
    const { $select, where } = this.#conditionsOf(id, params, true)
    const removed = this.#select(noteOutcome(params, await this.#table.delete(where, params)), $select)
    return id === null ? removed : this.#only(id, removed)
  }

  /**
   * Returns the query of a call with numbers for `$limit`, `$skip` and the directions of `$sort`.
   * Values that are no numbers are left out.
   *
   * @throws {BadRequest} if `$sort` or `$select` can't be read
   */
  sanitizeQuery({ query = {} }: Params = {}): TableQuery {
    const { $limit, $skip, $sort, $select, ...where } = query
    return {
      ...where,
      $limit: readCount($limit),
      $skip: readCount($skip) ?? 0,
      $sort: toSort($sort),
      $select: toNames($select)
    }
  }

  /** Returns the columns of a row, of a table that does not know its columns. */
  async #columnsOf(id: Id, where: Query, params: Params): Promise<string[]> {
    const rows = await this.#table.select({ where, order: [], offset: 0 }, params)
    return Object.keys(this.#only(id, noteOutcome(params, rows)))
  }

  async #write(values: Row, where: Query, $select: readonly string[] | undefined, params: Params): Promise<Result[]> {
    // There is no statement that sets no column.
    const rows =
      Object.keys(values).length === 0
        ? await this.#table.select({ where, order: [], offset: 0 }, params)
        : await this.#table.update(values, where, params)
    return this.#select(noteOutcome(params, rows), $select)
  }

  /** Returns the conditions of a call of one record, or of many. */
  #conditionsOf(id: NullableId, params: Params, isWrite = false) {
    // An object would be operators of a query.
    if (!['string', 'number', 'bigint'].includes(typeof id) && !(id === null && isWrite))
      throw new BadRequest(`The id of a record must be a text or a number, got ${inspect(id)}`)
    const { $limit, $skip, $sort, $select, ...conditions } = this.sanitizeQuery(params)
    const { condition }: AdapterParams = isWrite ? Object(params.adapter) : {}
    const parts = [...(id === null ? [] : [{ [this.id]: id }]), conditions, condition?.where ?? {}]
    const [first = {}, ...rest] = parts.filter((part) => Object.keys(part).length > 0)
    return { $select, where: rest.length === 0 ? first : { $and: [first, ...rest] } }
  }

  #select(rows: readonly Row[], $select: readonly string[] | undefined): Result[] {
    const columns = toColumns($select, this.id)
    return (columns === undefined ? rows : rows.map((row) => pick(columns, (column) => row[column]))) as Result[]
  }

  #only(id: Id, [record]: readonly object[]): Result {
    if (record === undefined) throw new NotFound(`No record found for id '${id}'`)
    return record as Result
  }

  #requireMulti(method: MultiMethod): void {
    const { multi } = this.options
    if (multi !== true && !(Array.isArray(multi) && multi.includes(method)))
      throw new MethodNotAllowed(`Can not ${method} multiple entries`)
  }
}

function noteOutcome(params: Params, rows: Row[]): Row[] {
  const { condition }: AdapterParams = Object(params.adapter)
  if (condition !== undefined) condition.outcome = rows.length > 0 ? 'has changed the record' : 'has changed nothing'
  return rows
}

/** A query with its own parameters read. The other fields are conditions. */
export interface TableQuery extends Query {
  $limit: number | undefined
  $skip: number
  $sort: Readonly<Record<string, 1 | -1>> | undefined
  $select: readonly string[] | undefined
}

function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined
}

function toSort($sort: unknown): TableQuery['$sort'] {
  if ($sort === undefined) return undefined
  if (!isPlain($sort)) throw new BadRequest('$sort must be an object, as in $sort[name]=1')
  return Object.fromEntries(
    Object.entries($sort).map(([column, direction]) => {
      checkColumnName(column)
      return [column, Number(direction) < 0 ? -1 : 1] as const
    })
  )
}

function toNames($select: unknown): readonly string[] | undefined {
  if ($select === undefined) return undefined
  const names = [$select].flat()
  for (const name of names) checkColumnName(name)
  return names as string[]
}

/** Ends the order with the id, in the direction of the column before it. */
function toOrder($sort: TableQuery['$sort'] = {}, id: string): RowSelection['order'] {
  const last = $sort[id] ?? Object.values($sort).at(-1) ?? 1
  return Object.entries({ ...$sort, [id]: last }).map(([column, direction]) => [column, direction < 0 ? 'desc' : 'asc'])
}

const toColumns = ($select: readonly string[] | undefined, id: string) => $select && [...new Set([...$select, id])]

/** Copies the data of a call, without one field and without fields that have no value. */
function toValues(data: unknown, except?: string): Row {
  if (!isObject(data)) throw new BadRequest('The data of a record must be an object')
  return Object.fromEntries(Object.entries(data).filter(([column, value]) => column !== except && value !== undefined))
}
