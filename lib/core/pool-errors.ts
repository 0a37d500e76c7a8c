type ErrorListener = (error: unknown) => void

const listenersByPool = new WeakMap<object, ErrorListener[]>()

/**
 * Listens to the errors of a pool of `pg`, once for each pool, whoever asks: the end of an idle connection is such an error, and without a listener it is the end of the process.
 * Listeners of the user hear the same errors.
 */
export function hearPoolErrors(pool: object, listener?: ErrorListener): void {
  const listeners = listenersByPool.get(pool) ?? []
  if (listener !== undefined) listeners.push(listener)
  if (listenersByPool.has(pool)) return
  listenersByPool.set(pool, listeners)
  const { on } = pool as { on?: (event: 'error', listener: ErrorListener) => unknown }
  on?.call(pool, 'error', (error) => {
    for (const hear of listeners) hear(error)
  })
}
