import type { QueryClient, QueryKey } from '@tanstack/query-core'
import type { LiveList } from 'fastify-services/client/events'

/** Keeps what a query has found as the server has it. @returns a function that ends that */
export function keepLive<Result>(queryClient: QueryClient, queryKey: QueryKey, list: LiveList<Result>): () => void {
  return list.subscribe(({ state, result }) => {
    if (state !== 'live') return
    // An answer of `queryFn` that is still under way is older than the list.
    queryClient.cancelQueries({ queryKey, exact: true })
    queryClient.setQueryData(queryKey, result)
  })
}
