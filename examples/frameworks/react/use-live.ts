import type { LiveList } from 'fastify-services/client/events'
import { useMemo, useSyncExternalStore } from 'react'

interface LiveService<Arguments extends unknown[], Result> {
  live(...args: Arguments): LiveList<Result>
}

/** A list that stays true while the component is shown: `{ state, data, error }`. It takes the params of `live`: `{ query, route }`. */
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
