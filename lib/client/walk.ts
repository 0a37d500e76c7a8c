import type { ClientParams, IterateArguments, IteratedRecord, IterateOptions } from '../../types/client.js'
import type { Query } from '../../types/service.js'
import { readProperty } from '../core/errors.js'
import { isPlain } from '../core/objects.js'

/**
 * The result of `find`. Where there is no total, or one of -1, only the end of the records says
 * that there are no more.
 */
interface Batch {
  readonly data: readonly unknown[]
  readonly total?: number
}

type Ask = (query: Query) => Promise<Batch>

/** A walk whose order ends with the id. */
interface Walk {
  readonly ask: Ask
  /** The query of the first page, with its order. */
  readonly query: Query
  readonly id: string
  /** The position of the first record. */
  readonly start: number
}

/**
 * Yields all records that a query selects, and fetches page after page while you loop
 * (docs/client.md#all-records-of-a-query). Each record comes once, whatever is created, changed or
 * removed meanwhile, unless its place in the order changes.
 *
 * @param service a service of the client, or of the server itself
 * @param params the params of each `find`. `$limit` in the query is the length of a page
 * @param options `id`: the field that identifies records. Default: `'id'` or `'_id'`
 * @throws the errors of `find`
 * @example
 * const unread = iterate(app.service('messages'), { query: { read: false } })
 * for await (const { text } of unread) console.log(text)
 */
export async function* iterate<S extends { find: (...args: never[]) => unknown }>(
  service: S,
  ...args: IterateArguments<S>
): AsyncGenerator<IteratedRecord<S>, void, void> {
  const [params, { id } = {}] = args as [params?: ClientParams, options?: IterateOptions]
  const finder = service as unknown as { find(params: object): Promise<unknown> }
  const ask = async (query: Query) => toBatch(await finder.find({ ...params, query }))
  yield* records(ask, params?.query ?? {}, id === undefined ? ['id', '_id'] : [id]) as AsyncGenerator<IteratedRecord<S>>
}

async function* records(ask: Ask, query: Query, ids: readonly string[]) {
  const start = Number(query.$skip ?? 0)
  let sorted = query
  let first: Batch | undefined
  for (const id of ids) {
    if (first && !hasField(first, id)) continue
    const byId = sortedBy(id, query)
    const page = byId && (await ask(byId).catch(unlessRefused))
    if (!page) continue
    if (isLast(page, start)) return yield* page.data
    if (hasField(page, id)) return yield* walk({ ask, query: byId, id, start }, page)
    sorted = byId
    first = page
  }
  yield* skipThrough(ask, sorted, start, first)
}

const hasField = ({ data }: Batch, name: string) => name in Object(data[0])

const toBatch = (result: unknown): Batch => {
  if (Array.isArray(result)) return { data: result, total: 0 }
  const { data = [], total = -1 } = Object(result) as Partial<Batch>
  return { data, total }
}

const isLast = ({ data, total = -1 }: Batch, skip: number) =>
  data.length === 0 || (total >= 0 && skip + data.length >= total)

/**
 * Makes the order of a query end with the id, in the direction of the field before it. `undefined`
 * where the order is no object.
 */
function sortedBy(id: string, query: Query): Query | undefined {
  const { $sort = {}, $select } = query
  if (!isPlain($sort)) return undefined
  const order = { ...$sort, [id]: $sort[id] ?? Object.values($sort).at(-1) ?? 1 }
  const selected = Array.isArray($select) && { $select: [...new Set([...$select, ...Object.keys(order)])] }
  return { ...query, $sort: order, ...selected }
}

// The error of a service that does not know a field, or does not sort by it.
function unlessRefused(error: unknown): undefined {
  if (![400, 422, 500].includes(readProperty(error, 'code') as number)) throw error
}

/** Walks by position, if nothing identifies the records. */
async function* skipThrough(ask: Ask, query: Query, start: number, first?: Batch) {
  let skip = start
  let page = first ?? (await ask(query))
  yield* page.data
  while (!isLast(page, skip)) {
    skip += page.data.length
    page = await ask({ ...query, $skip: skip })
    yield* page.data
  }
}

function createTrail(fields: readonly string[], id: string) {
  const places = new Map<unknown, string>()
  const keyOf = (record: unknown) => {
    const key: unknown = Object(record)[id]
    return typeof key === 'object' ? JSON.stringify(key) : key
  }
  const placeOf = (record: unknown) =>
    JSON.stringify(
      fields.map((field) => field.split('.').reduce<unknown>((value, name) => readProperty(value, name), record)),
      (_, value) => (typeof value === 'bigint' ? String(value) : value)
    )
  return {
    has: (record: unknown) => places.has(keyOf(record)),
    /** Whether a record was returned, at the same place in the order. */
    hasPassed: (record: unknown) => places.get(keyOf(record)) === placeOf(record),
    add(records: readonly unknown[]): unknown[] {
      const added = records.filter((record) => keyOf(record) === undefined || !places.has(keyOf(record)))
      for (const record of records) places.set(keyOf(record), placeOf(record))
      return added
    },
    clear: () => places.clear()
  }
}

type Trail = ReturnType<typeof createTrail>

/**
 * Walks on from a first page: behind the last id if the order is by the id, otherwise by position.
 */
async function* walk(options: Walk, first: Batch) {
  const { ask, query, id } = options
  const { $skip, ...others } = query
  const fields = Object.keys(query.$sort as object)
  const ofId = query[id] ?? {}
  const trail = createTrail(fields, id)
  // The loop may change the records that it gets.
  const lastOf = ({ data }: Batch): unknown => Object(data.at(-1))[id]
  let last = lastOf(first)
  yield* trail.add(first.data)
  if (fields[0] === id && isPlain(ofId)) {
    const operator = Number((query.$sort as Query)[id]) < 0 ? '$lt' : '$gt'
    for (let isTrusted = false; ; isTrusted = true) {
      // The empty list changes nothing. Since a URL can't say it, the client sends a number as a
      // number where the server takes that.
      const behind = { $nin: [], ...ofId, [operator]: last }
      const page = await ask({ ...others, [id]: behind }).catch(
        isTrusted ? Promise.reject.bind(Promise) : unlessRefused
      )
      const isMoving = page && page.data.length > 0 && !trail.has(page.data[0])
      // A service may read no such condition, or compare a text with a number, which finds nothing.
      if (!isMoving && !isTrusted) break
      if (!isMoving) return
      trail.clear()
      last = lastOf(page)
      yield* trail.add(page.data)
      if (isLast(page, 0)) return
    }
  }
  yield* byPosition(options, trail, first.data.length)
}

/**
 * Walks by position. A page begins with the last record of the one before it, or, where that has
 * gone from there, further in front: at a record that has come already, or at the first of all.
 */
async function* byPosition({ ask, query, start }: Walk, trail: Trail, length: number) {
  // A page of one would have no room for another record.
  const paged = Number(query.$limit) === 1 ? { ...query, $limit: 2 } : query
  let size = length
  let skip = start + length - 1
  let [isOverlapping, back, emptyAt] = [true, 0, -1]
  while (true) {
    const page = await ask({ ...paged, $skip: skip })
    const { data, total = -1 } = page
    const overlap = skip > start && isOverlapping ? 1 : 0
    if (overlap > 0 && !trail.hasPassed(data[0])) {
      // Hooks may take all records of a page away. Then the walk ends here, as it would without a
      // total.
      if (data.length === 0 && skip === emptyAt) return
      if (data.length === 0) emptyAt = skip
      back = back * 2 || size
      skip = Math.max(start, skip - back)
      continue
    }
    const added = trail.add(data)
    yield* added
    if (isLast(page, skip) || (total < 0 && data.length <= overlap)) return
    if (added.length > 0) emptyAt = -1
    back = 0
    size = data.length
    isOverlapping = size > 1
    skip += isOverlapping ? size - 1 : 1
  }
}
