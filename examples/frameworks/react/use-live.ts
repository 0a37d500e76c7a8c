import type { LiveList } from 'fastify-services/client/events'
import { useMemo, useSyncExternalStore } from 'react'

interface LiveService<Result> {
  live(params: { query: object }): LiveList<Result>
}

/** A list that stays true while the component is shown: `{ state, data, error }`. */
export function useLive<Result>(service: LiveService<Result>, query: object = {}) {
  // A query is another object at each render.
  const text = JSON.stringify(query)
  const list = useMemo(() => service.live({ query: JSON.parse(text) }), [service, text])
  return useSyncExternalStore(list.subscribe, () => list.current)
}
