import type { CollectionConfig } from '@tanstack/db'
import type { LiveList } from 'fastify-services/client/events'

interface CollectionService<Row> {
  live(params?: object): LiveList<Row[]>
  create(data: Row): Promise<unknown>
  patch(id: string | number, data: Partial<Row>): Promise<unknown>
  remove(id: string | number): Promise<unknown>
}

/** The options of a collection that has the records of a query. What the server refuses is rolled back. */
export function serviceCollection<Row extends { id: string | number }>(service: CollectionService<Row>, query = {}) {
  const list = service.live({ query })
  const next = () =>
    new Promise<void>((resolve) => {
      const before = list.current.data
      const stop = list.subscribe(({ data }) => {
        if (data === before) return
        resolve()
        queueMicrotask(() => stop())
      })
    })
  const config: CollectionConfig<Row, string | number> = {
    getKey: ({ id }) => id,
    sync: {
      sync({ begin, write, commit, markReady }) {
        let rows = new Map<string | number, Row>()
        return list.subscribe(({ state, data }) => {
          if (state !== 'live') return
          const current = new Map(data.map((row) => [row.id, row]))
          begin()
          for (const [id, value] of current) write({ type: rows.has(id) ? 'update' : 'insert', value })
          for (const [id, value] of rows) if (!current.has(id)) write({ type: 'delete', value })
          commit()
          rows = current
          markReady()
        })
      }
    },
    async onInsert({ transaction: { mutations } }) {
      const shown = next()
      for (const { modified } of mutations) await service.create(modified)
      await shown
    },
    async onUpdate({ transaction: { mutations } }) {
      const shown = next()
      for (const { key, changes } of mutations) await service.patch(key, changes)
      await shown
    },
    async onDelete({ transaction: { mutations } }) {
      const shown = next()
      for (const { key } of mutations) await service.remove(key)
      await shown
    }
  }
  return config
}
