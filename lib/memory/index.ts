import type { Untyped } from '../../types/method.js'
import type { Id, Query } from '../../types/service.js'
import { buildConditions } from '../core/adapters/conditions.js'
import {
  type Row,
  type RowSelection,
  type Table,
  type TableOptions,
  TableService,
  tableOptions
} from '../core/adapters/table.js'
import { Conflict } from '../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'
import { metaOf } from '../core/service-meta.js'
import { compareValues, recordExpressions } from './comparison.js'

/** Options of `memory()`. */
export interface MemoryOptions extends TableOptions {
  /** The records at the start. Those without an id get one. Default: none. */
  records?: readonly object[]
  /** Returns the id of a new record that has none. Default: the next number, from 1 on. */
  createId?: () => Id
}

const memoryOptions: OptionTable<MemoryOptions> = {
  ...tableOptions,
  records: ['a list of objects', Array.isArray],
  createId: kinds.function
}

/**
 * Keeps the records of a service in memory. Extend it to add custom methods.
 *
 * @example
 * class Issues extends MemoryService<Issue> {
 *   async close(id: Id, _data: unknown, params?: Params) { return this.patch(id, { state: 'closed' }, params) }
 * }
 */
export class MemoryService<
  Result extends object = Untyped,
  Data = Partial<Result>,
  Patch = Partial<Data>
> extends TableService<Result, Data, Patch> {
  /** @throws {Error} if an option is unknown or has the wrong type */
  constructor(options: MemoryOptions = {}) {
    checkOptions('memory()', memoryOptions, options)
    const { records = [], createId, ...rest } = options
    super(new MemoryTable(rest.id ?? 'id', records, createId), rest)
    metaOf(this).isInMemory = true
  }
}

/**
 * Creates a service that keeps its records in memory, for tests, examples and first programs. They
 * are gone when the process ends.
 *
 * @throws {Error} if an option is unknown or has the wrong type
 * @example
 * app.service('messages', memory<Message>({ paginate: { default: 10, max: 100 } }))
 */
export const memory = <Result extends object = Untyped, Data = Partial<Result>, Patch = Partial<Data>>(
  options: MemoryOptions = {}
) => new MemoryService<Result, Data, Patch>(options)

/** The rows of a memory service. Callers get copies. */
class MemoryTable implements Table {
  readonly nullOrder = 'smallest'
  readonly #rows = new Map<string, Row>()
  readonly #id: string
  readonly #createId: () => Id
  #lastId = 0

  constructor(id: string, records: readonly object[], createId: (() => Id) | undefined) {
    this.#id = id
    this.#createId = createId ?? (() => this.#nextNumber())
    this.#insert(records as readonly Row[])
  }

  async select({ where, order, columns, limit = Infinity, offset }: RowSelection): Promise<Row[]> {
    const rows = this.#find(where).sort((a, b) => {
      for (const [column, direction] of order) {
        const difference = compareValues(columnOf(a, column), columnOf(b, column))
        if (difference !== 0) return direction === 'asc' ? difference : -difference
      }
      return 0
    })
    const found = rows.slice(offset, offset + limit)
    return found.map((row) => structuredClone(columns === undefined ? row : pickColumns(row, columns)))
  }

  async count(where: Query): Promise<number> {
    return this.#find(where).length
  }

  async insert(rows: readonly Row[]): Promise<Row[]> {
    return structuredClone(this.#insert(rows))
  }

  async update(values: Row, where: Query): Promise<Row[]> {
    const isSet = ([, value]: [string, unknown]) => value !== undefined
    return this.#find(where).map((row) => {
      const changed = Object.fromEntries(Object.entries({ ...row, ...structuredClone(values) }).filter(isSet))
      this.#rows.set(String(row[this.#id]), changed)
      return structuredClone(changed)
    })
  }

  async delete(where: Query): Promise<Row[]> {
    const rows = this.#find(where)
    for (const row of rows) this.#rows.delete(String(row[this.#id]))
    return rows
  }

  #find(where: Query): Row[] {
    const matches = buildConditions(where, recordExpressions)
    return [...this.#rows.values()].filter(matches)
  }

  /** @throws {Conflict} if there is a record with one of the ids: then it stores none */
  #insert(rows: readonly Row[]): Row[] {
    const stored = new Map<string, Row>()
    for (const row of rows) {
      const { [this.#id]: id = this.#createId() } = row
      const key = String(id)
      if (this.#rows.has(key) || stored.has(key)) throw new Conflict(`There is a record with the id '${key}' already`)
      if (isCounted(id)) this.#lastId = Math.max(this.#lastId, id)
      stored.set(key, structuredClone({ ...row, [this.#id]: id }))
    }
    for (const [key, row] of stored) this.#rows.set(key, row)
    return [...stored.values()]
  }

  #nextNumber(): number {
    do this.#lastId += 1
    while (this.#rows.has(String(this.#lastId)))
    return this.#lastId
  }
}

/** Whether the ids after it can be counted: there are no integers between `2 ** 53` and the next number. */
const isCounted = (id: unknown): id is number => Number.isInteger(id) && (id as number) < 2 ** 52

const columnOf = (row: Row, column: string) => (Object.hasOwn(row, column) ? row[column] : undefined)

const pickColumns = (row: Row, columns: readonly string[]) =>
  Object.fromEntries(columns.filter((column) => Object.hasOwn(row, column)).map((column) => [column, row[column]]))
