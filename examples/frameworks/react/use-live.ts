import type { LiveList } from 'fastify-services/client/events'
import { useMemo, useSyncExternalStore } from 'react'

interface LiveService<Arguments extends unknown[], Result> {
  live(...args: Arguments): LiveList<Result>
}

/** Subscribes to a live list while the component is mounted. */
export function useLive<Arguments extends unknown[], Result>(
  service: LiveService<Arguments, Result>,
  ...params: Arguments
) {
  // Params are other objects at each render.
  const text = JSON.stringify(params)
  const list = useMemo(() => service.live(...(JSON.parse(text) as Arguments)), [service, text])
  const getSnapshot = () => list.current
  return useSyncExternalStore(list.subscribe, getSnapshot, getSnapshot)
}
