type ErrorListener = (error: unknown) => void

interface HeardPool {
  on?(event: 'error', listener: ErrorListener): unknown
  on?(
    event: 'connect',
    listener: (connection?: { on?(event: 'error', listener: ErrorListener): unknown }) => void
  ): unknown
}

const listenersByPool = new WeakMap<object, ErrorListener[]>()

/**
 * Listens to the errors of a pool of `pg` and its connections, once for each pool, whoever asks:
 * the end of an idle connection is such an error, and without a listener it is the end of the
 * process. Listeners of the user hear the same errors.
 */
export function hearPoolErrors(pool: object, listener?: ErrorListener): void {
  const listeners = listenersByPool.get(pool) ?? []
  if (listener !== undefined) listeners.push(listener)
  if (listenersByPool.has(pool)) return
  listenersByPool.set(pool, listeners)
  const heard = pool as HeardPool
  heard.on?.('error', (error) => {
    for (const hear of listeners) hear(error)
  })
  // A connection that ends as soon as it is there does so before its promise tells anybody of it.
  // What is no pool tells of none.
  heard.on?.('connect', (connection) => void connection?.on?.('error', () => {}))
}
