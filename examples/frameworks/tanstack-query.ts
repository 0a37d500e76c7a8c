import type { QueryClient, QueryKey } from '@tanstack/query-core'
import type { LiveList } from 'fastify-services/client/events'

/** Keeps the result of a query up to date. Returns a function that stops it. */
export function keepLive<Result>(queryClient: QueryClient, queryKey: QueryKey, list: LiveList<Result>): () => void {
  return list.subscribe(({ state, result }) => {
    if (state !== 'live') return
    // A response of `queryFn` that is still on its way is older than the list.
    queryClient.cancelQueries({ queryKey, exact: true })
    queryClient.setQueryData(queryKey, result)
  })
}
