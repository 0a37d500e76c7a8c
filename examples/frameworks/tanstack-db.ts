import {
  BTreeIndex,
  type CollectionConfig,
  type LoadSubsetOptions,
  parseOrderByExpression,
  parseWhereExpression,
  type SyncConfig
} from '@tanstack/db'
import type { LiveList } from 'fastify-services/client/events'

type Id = string | number

interface CollectionService<Row> {
  live(params?: object): LiveList<Row[]>
  create(data: Row): Promise<unknown>
  patch(id: Id, data: Partial<Row>): Promise<unknown>
  remove(id: Id): Promise<unknown>
}

const compare =
  (operator: string) =>
  ([name = '']: string[], value: unknown) => ({ [name]: { [operator]: value } })

/** Whether a condition of a field is an object of operators, and no value. */
const isOperators = (condition: unknown): condition is object =>
  typeof condition === 'object' && condition !== null && Object.keys(condition).some((name) => name.startsWith('$'))

/** All conditions as one query. What one object of operators can't say of a field is in `$and`. */
function both(...all: Record<string, unknown>[]): object {
  const query: Record<string, unknown> = {}
  for (const [name, value] of all.flatMap(Object.entries)) {
    const before = query[name]
    const operators = [before, value].flatMap((condition) =>
      isOperators(condition) ? Object.keys(condition) : ['', '']
    )
    if (!(name in query)) query[name] = value
    else if (new Set(operators).size < operators.length) return { $and: all }
    else query[name] = { ...(before as object), ...(value as object) }
  }
  return query
}

/** The query for what a live query of TanStack DB needs. An operator that is not here is an error of that query. */
export function toQuery({ where, orderBy, limit, offset = 0 }: LoadSubsetOptions): object {
  const conditions = parseWhereExpression<object>(where, {
    handlers: {
      eq: ([name = '']: string[], value: unknown) => ({ [name]: value }),
      gt: compare('$gt'),
      gte: compare('$gte'),
      lt: compare('$lt'),
      lte: compare('$lte'),
      in: compare('$in'),
      isNull: ([name = '']: string[]) => ({ [name]: null }),
      and: both,
      or: (...any: object[]) => ({ $or: any })
    }
  })
  const sort = parseOrderByExpression(orderBy).map(({ field: [name], direction }) => [
    name,
    direction === 'asc' ? 1 : -1
  ])
  return {
    ...conditions,
    ...(sort.length > 0 && { $sort: Object.fromEntries(sort) }),
    ...(limit !== undefined && { $limit: limit, $skip: offset })
  }
}

/** The options of a collection whose live queries become live lists of a service. What the server refuses is rolled back. */
export function serviceCollection<Row extends { id: Id }>(service: CollectionService<Row>) {
  let nextChange = () => {}
  /** Waits until lists show what was written; a record that is in none of them is shown for a second. */
  const isShown = () =>
    new Promise<void>((resolve) => {
      nextChange = resolve
      setTimeout(resolve, 1000)
    })

  const sync: SyncConfig<Row, Id>['sync'] = ({ begin, write, commit, markReady }) => {
    const lists = new Map<string, { data: readonly Row[]; uses: number; isLoaded: Promise<void>; stop(): void }>()
    let shown = new Map<Id, Row>()

    async function show(): Promise<void> {
      const rows = new Map([...lists.values()].flatMap(({ data }) => data.map((row) => [row.id, row] as const)))
      begin()
      for (const [id, value] of rows) write({ type: shown.has(id) ? 'update' : 'insert', value })
      for (const [id, value] of shown) if (!rows.has(id)) write({ type: 'delete', value })
      shown = rows
      nextChange()
      await commit()
    }

    function open(text: string) {
      const list = { data: [] as readonly Row[], uses: 0, isLoaded: Promise.resolve(), stop: () => {} }
      lists.set(text, list)
      list.isLoaded = new Promise((resolve, reject) => {
        list.stop = service.live({ query: JSON.parse(text) }).subscribe(({ state, data, error }) => {
          if (state === 'error') reject(error)
          if (state !== 'live') return
          list.data = data
          show().then(resolve, reject)
        })
      })
      return list
    }

    markReady()
    return {
      loadSubset(options) {
        const text = JSON.stringify(toQuery(options))
        const list = lists.get(text) ?? open(text)
        list.uses += 1
        return list.isLoaded
      },
      unloadSubset(options) {
        const text = JSON.stringify(toQuery(options))
        const list = lists.get(text)
        if (!list || --list.uses > 0) return
        list.stop()
        lists.delete(text)
        show()
      },
      cleanup() {
        for (const { stop } of lists.values()) stop()
      }
    }
  }

  const config: CollectionConfig<Row, Id> = {
    getKey: ({ id }) => id,
    syncMode: 'on-demand',
    autoIndex: 'eager',
    defaultIndexType: BTreeIndex,
    sync: { sync },
    async onInsert({ transaction: { mutations } }) {
      for (const { modified } of mutations) await service.create(modified)
      await isShown()
    },
    async onUpdate({ transaction: { mutations } }) {
      for (const { key, changes } of mutations) await service.patch(key, changes)
      await isShown()
    },
    async onDelete({ transaction: { mutations } }) {
      for (const { key } of mutations) await service.remove(key)
      await isShown()
    }
  }
  return config
}
