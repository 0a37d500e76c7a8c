import type { ClientParams } from '../../types/client.js'

interface Finder {
  find(params: ClientParams): Promise<unknown>
}

/** Walks the records of a `find`, page by page. A plain list is one page; an empty page is the last. */
export async function* iterate(service: Finder, params: ClientParams = {}): AsyncGenerator<unknown, void, void> {
  const { query } = params
  let skip = Number(query?.$skip ?? 0)
  while (true) {
    const found = await service.find(skip === 0 ? params : { ...params, query: { ...query, $skip: skip } })
    if (Array.isArray(found)) return yield* found
    const { data = [], total = -1 } = (found ?? {}) as { data?: unknown[]; total?: number }
    yield* data
    skip += data.length
    if (data.length === 0 || (total >= 0 && skip >= total)) return
  }
}
