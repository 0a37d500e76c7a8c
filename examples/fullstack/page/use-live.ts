import type { LiveList } from 'fastify-services-client/events'
import { useMemo, useSyncExternalStore } from 'react'

interface LiveService<P, Result> {
  live(params: P): LiveList<Result>
}

/** A list that stays true while the component is shown: `{ state, data, error }`. Other params are another list. */
export function useLive<P, Result>(service: LiveService<P, Result>, params: P) {
  // Params are another object at each render.
  const text = JSON.stringify(params)
  const list = useMemo(() => service.live(JSON.parse(text)), [service, text])
  const getSnapshot = () => list.current
  return useSyncExternalStore(list.subscribe, getSnapshot, getSnapshot)
}
