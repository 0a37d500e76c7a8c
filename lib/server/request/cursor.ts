import type { HookContext } from '../../../types/hooks.js'
import type { Query } from '../../../types/service.js'
import { idFieldOf } from '../../core/adapters/feathers.js'
import { nullOrderOf } from '../../core/adapters/null-order.js'
import type { ListWalk } from '../../core/call-state.js'
import type { Invoke } from '../../core/compose.js'
import { attempt, BadRequest } from '../../core/errors.js'
import { isPlain } from '../../core/objects.js'
import { recordsOfPage } from '../../core/page.js'
import { rulesOf } from '../../core/resource/method-rules.js'
import { kindBits } from '../../schema/reader.js'
import { parseList } from '../../schema/text.js'
import { checkBounds, queryBounds } from './query-body.js'

/** A list that clients can walk through. */
interface WalkedList {
  readonly path: string
  readonly id: string
  /** Whether `null` comes behind all values in an ascending order. */
  readonly isNullLargest: boolean
  mayBeNull(field: string): boolean
  /** Why an order can't have a field. `undefined`: it can. */
  refusalOf(field: string): string | undefined
}

/** The place behind a record: the condition for the records that follow in an order. */
interface Cursor {
  readonly order: Order
  readonly condition: Query
  /** The texts in the condition that stand for a `Date` of the database. */
  readonly dates: readonly unknown[]
}
type Order = readonly (readonly [field: string, direction: 1 | -1])[]
type KeyValue = string | number | boolean | null

/** Takes `$after` out of a query, and adds the condition of its cursor. */
export type StartWalk = (query: Query) => ListWalk | undefined

/**
 * Creates the reader of `$after` (docs/http.md#pages). A cursor is a condition that the caller could
 * write, too: it becomes a part of the query before the schema and all hooks. `undefined` if the
 * service is no known adapter: it may read other queries.
 *
 * @param schema of `find`
 */
export function createStartWalk(path: string, object: object, schema: object | undefined): StartWalk | undefined {
  const nullOrder = nullOrderOf(object)
  if (nullOrder === undefined) return undefined
  const rules = rulesOf(schema)
  const kindsOf = (field: string) => rules?.query.filters.get(field)?.value.shape.kinds ?? 0
  const mayBeNull = (field: string) => rules === undefined || (kindsOf(field) & kindBits.null) !== 0
  const refusalOf = (field: string) => {
    if (rules?.query.filters.has(field) === false) return 'queries can not filter by it'
    const isThere = mayBeNull(field) || rules?.record.outgoing.written.shapes.root.required.includes(field)
    return isThere ? undefined : 'a record may lack it. Its schema must allow null'
  }
  const list = { path, id: idFieldOf(object), isNullLargest: nullOrder === 'largest', mayBeNull, refusalOf }
  return (query) => {
    const { $after, $and = [] } = query
    if ($after === undefined) return undefined
    delete query.$after
    if (query.$skip !== undefined) throw new BadRequest('$after begins behind a record: leave $skip out')
    if ($after === '') return new CursorWalk(list)
    const cursor = decodeCursor($after, path)
    const conditions = parseList($and)
    if (!Array.isArray(conditions)) throw new BadRequest('$and must be a list of queries')
    query.$and = [...conditions, cursor.condition]
    return new CursorWalk(list, cursor)
  }
}

function decodeCursor(text: unknown, path: string): Cursor {
  const parts: unknown = attempt(() => JSON.parse(Buffer.from(String(text), 'base64url').toString()))
  const [from, order, condition, dates] = Array.isArray(parts) ? parts : []
  if (from !== path || !isPlain(condition) || !Array.isArray(dates) || !dates.every(isDate))
    throw new BadRequest(`$after is no cursor of '${path}': take it from the header Link, or begin with an empty one`)
  checkBounds(condition, queryBounds())
  return { order, condition, dates }
}

/** A `find` that reads one page. */
class CursorWalk implements ListWalk {
  readonly #list: WalkedList
  readonly #cursor: Cursor | undefined
  #order: Order = []
  #hasMore = false
  #hasDates = false
  /** The values of the records in the fields of the order, before any hook changes them. */
  #keys: (KeyValue | undefined)[][] | undefined

  constructor(list: WalkedList, cursor?: Cursor) {
    this.#list = list
    this.#cursor = cursor
  }

  async run(context: HookContext, invoke: Invoke): Promise<unknown> {
    const { params } = context
    const order = this.#readOrder(params.query?.$sort ?? {})
    const query = this.#reviveDates(params.query ?? {}) as Query
    this.#order = order
    context.params = { ...params, query: { ...query, $sort: Object.fromEntries(order) } }
    const page = await invoke(context)
    const { total, limit } = Object(page) as Record<string, unknown>
    const values = recordsOfPage(page)?.map((record) => order.map(([field]) => Object(record)[field] as unknown))
    this.#hasDates = values?.flat().some((value) => value instanceof Date) === true
    this.#keys = values?.map((key) => key.map(toKeyValue))
    const count = this.#keys?.length ?? 0
    // Records may be removed between the read of a page and the count, so a full page has a next.
    this.#hasMore = count > 0 && !(count < Number(limit) && Number(total) <= count)
    return page
  }

  /**
   * Replaces the texts of dates in the condition of the cursor: drivers read a text by another time
   * zone than a `Date`, if a column has none. Conditions of hooks stay as they are.
   */
  #reviveDates(value: unknown, isInCursor = false): unknown {
    const { dates = [], condition } = this.#cursor ?? {}
    if (dates.length === 0) return value
    if (Array.isArray(value)) return value.map((item) => this.#reviveDates(item, isInCursor))
    if (isInCursor && typeof value === 'string' && dates.includes(value)) return new Date(value)
    if (!isPlain(value)) return value
    const isIn = isInCursor || ('$or' in value && JSON.stringify(value) === JSON.stringify(condition))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#reviveDates(inner, isIn)]))
  }

  /** @throws {BadRequest} if it is not the order of the cursor, or can't be walked */
  #readOrder($sort: unknown): Order {
    if (!isPlain($sort)) throw new BadRequest('$sort must be an object, as in $sort[name]=1')
    const { id, refusalOf } = this.#list
    const sort = { ...$sort, [id]: $sort[id] ?? Object.values($sort).at(-1) ?? 1 }
    // Behind the id, nothing is left to sort.
    const fields = Object.keys(sort).slice(0, Object.keys(sort).indexOf(id) + 1)
    const order = fields.map((field) => [field, Number(sort[field]) < 0 ? -1 : 1] as const)
    if (order.length > 20) throw new BadRequest('$after walks by at most 20 fields')
    for (const [field] of order) {
      const refusal = refusalOf(field)
      if (refusal !== undefined) throw new BadRequest(`$after can not walk by '${field}': ${refusal}`)
    }
    if (this.#cursor !== undefined && JSON.stringify(this.#cursor.order) !== JSON.stringify(order))
      throw new BadRequest('$after is the cursor of another $sort: send that one, or begin with an empty $after')
    return order
  }

  nextCursor(records: readonly unknown[] | undefined, toSent: (record: unknown) => unknown): string | undefined {
    const keys = this.#keys
    if (keys === undefined || records?.length !== keys.length)
      throw new BadRequest('$after needs pages, and no hook that changes which records they have')
    const last = keys.at(-1)
    if (last === undefined || !this.#hasMore) return undefined
    const upToDate = last.slice(0, -1).findIndex(isDate) + 1
    const prefixOf = (key: unknown[]) => JSON.stringify(key.slice(0, upToDate))
    const start = upToDate === 0 ? keys.length - 1 : keys.findIndex((key) => prefixOf(key) === prefixOf(last))
    const behind = keys.slice(start).map((key, index) => this.#check(key, Object(toSent(records[start + index]))))
    const date = last[upToDate - 1]
    const dates = this.#hasDates && isDate(date) ? [date, nextMillisecond(date)] : []
    const text = JSON.stringify([this.#list.path, this.#order, this.#conditionBehind(behind), dates])
    // A proxy may refuse longer URLs.
    if (text.length < 3000) return Buffer.from(text).toString('base64url')
    throw new BadRequest(
      '$after can not go on: values of $sort are too long, or too many have one date. Sort otherwise'
    )
  }

  /** @throws {BadRequest} unless the client gets the values of the order: a cursor has them, too */
  #check(key: readonly (KeyValue | undefined)[], sent: Record<string, unknown>): KeyValue[] {
    return key.map((value, index) => {
      const [field = ''] = this.#order[index] ?? []
      if (value !== undefined && JSON.stringify(value) === JSON.stringify(sent[field])) return value
      throw new BadRequest(
        `$after can not walk by '${field}': the answer lacks it, or has another value than the database. Put it into $select, or sort by another field`
      )
    })
  }

  /**
   * Returns a condition such as `{ $or: [{ name: { $gt: 'Ada' } }, { name: 'Ada', id: { $gt: 7 } }] }`.
   *
   * @param keys of the last record and, if the order has a date, of all that share it: PostgreSQL
   * sorts by microseconds, which a `Date` lacks, so the condition excludes their ids
   */
  #conditionBehind(keys: readonly KeyValue[][]): Query {
    const { id, isNullLargest, mayBeNull } = this.#list
    const branches: Query[] = []
    let equal: Query = {}
    for (const [index, [field, direction]] of this.#order.entries()) {
      const value = keys.at(-1)?.[index] ?? null
      const isAscending = direction > 0
      const add = (...parts: unknown[]) => branches.push(...parts.map((part) => ({ ...equal, [field]: part })))
      const isNullLast = isNullLargest === isAscending
      if (value !== null && isNullLast && field !== id && mayBeNull(field)) add(null)
      if (field !== id && isDate(value)) {
        const place = { ...equal, [field]: isAscending ? { $gte: value } : value }
        const $nin = [...this.#passedAt(place), ...keys.map((key) => key.at(-1))]
        if (!isAscending) branches.push({ ...equal, [field]: { $lt: nextMillisecond(value) }, [id]: { $nin } })
        return { $or: [...branches, { ...place, [id]: { $nin } }] }
      }
      if (value === null && !isNullLast) add({ $ne: null })
      if (typeof value === 'boolean' && value !== isAscending) add(!value)
      if (value !== null && typeof value !== 'boolean') add({ [isAscending ? '$gt' : '$lt']: value })
      equal = { ...equal, [field]: value }
    }
    return { $or: branches }
  }

  /** Returns the ids that the cursor excludes, if it is at the same date. */
  #passedAt(place: Query): unknown[] {
    const { $or } = this.#cursor?.condition ?? {}
    const { [this.#list.id]: excluded, ...before } = Object(Array.isArray($or) && $or.at(-1)) as Query
    const { $nin } = Object(excluded) as Query
    return Array.isArray($nin) && JSON.stringify(before) === JSON.stringify(place) ? $nin : []
  }
}

const isDate = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))

const nextMillisecond = (date: string) => new Date(Date.parse(date) + 1).toISOString()

/** Returns a value as JSON has it. `undefined` if it can't be compared. */
function toKeyValue(value: unknown): KeyValue | undefined {
  if (value instanceof Date) return value.toJSON() ?? undefined
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
