type ErrorListener = (error: unknown) => void

interface PoolConnection {
  on?(event: 'error', listener: ErrorListener): unknown
  listeners?(event: 'error'): unknown[]
}

interface EventfulPool {
  on?(event: 'error', listener: ErrorListener): unknown
  on?(event: 'acquire', listener: (connection?: PoolConnection) => void): unknown
}

const ignoreError = () => {}

const listenersByPool = new WeakMap<object, ErrorListener[]>()

/**
 * Listens for errors of a pool of `pg` and its connections, once per pool. The end of an idle
 * connection is such an error, and without a listener it ends the process.
 */
export function listenForPoolErrors(pool: object, listener?: ErrorListener): void {
  const listeners = listenersByPool.get(pool) ?? []
  if (listener !== undefined) listeners.push(listener)
  if (listenersByPool.has(pool)) return
  listenersByPool.set(pool, listeners)
  const eventful = pool as EventfulPool
  eventful.on?.('error', (error) => {
    for (const notify of listeners) notify(error)
  })
  // A connection may fail before `connect()` resolves, and may be older than this listener. Other
  // objects than pools emit no such event.
  eventful.on?.('acquire', (connection) => {
    if (!connection?.listeners?.('error').includes(ignoreError)) connection?.on?.('error', ignoreError)
  })
}
