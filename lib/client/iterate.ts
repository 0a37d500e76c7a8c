import type { ClientParams } from '../../types/client.js'

/** A service with pages. */
export interface Finder {
  find(params: ClientParams): Promise<unknown>
}

/** Gives the records of a `find` one by one, and asks for the next page when it is needed. It ends with a plain list or an empty page. */
export async function* iterate(service: Finder, params: ClientParams = {}): AsyncGenerator<unknown, void, void> {
  const { query } = params
  let skip = Number(query?.$skip ?? 0)
  while (true) {
    const found = await service.find(skip ? { ...params, query: { ...query, $skip: skip } } : params)
    if (Array.isArray(found)) return yield* found
    const { data = [], total } = (found ?? {}) as { data?: unknown[]; total: number }
    yield* data
    skip += data.length
    if (data.length === 0 || (total >= 0 && skip >= total)) return
  }
}
