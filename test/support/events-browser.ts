import type { Test } from 'tap'

/**
 * Gives Node what a browser has besides: a document that may be hidden, locks that tabs wait for, and what tells of the network.
 * @param hasStorage whether the page may use locks, as one in a sandbox may not
 */
export function openBrowser(t: Test, hasStorage = true) {
  const listeners = new Map<string, Set<(event: object) => void>>()
  const addEventListener = (type: string, listener: () => void) =>
    void listeners.set(type, (listeners.get(type) ?? new Set()).add(listener))
  const removeEventListener = (type: string, listener: () => void) => void listeners.get(type)?.delete(listener)
  const queues = new Map<string, Promise<unknown>>()
  const request = (name: string, ...args: [...([{ signal: AbortSignal }] | []), () => Promise<void>]) => {
    if (!hasStorage) return Promise.reject(new DOMException('Access to the Locks API is denied', 'SecurityError'))
    const run = args.pop() as () => Promise<void>
    const [options] = args as { signal: AbortSignal }[]
    const turn = (queues.get(name) ?? Promise.resolve()).then(() =>
      options?.signal.aborted ? Promise.reject(options.signal.reason) : run()
    )
    queues.set(
      name,
      turn.catch(() => {})
    )
    return turn
  }
  const document = { hidden: false, addEventListener, removeEventListener }
  const dispatch = (type: string, more: object = {}) => {
    for (const listener of listeners.get(type) ?? []) listener({ type, ...more })
  }
  const globals = { document, addEventListener, removeEventListener, navigator: { locks: { request } } }
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  t.teardown(() => {
    for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name)
  })
  return { document, dispatch, listeners }
}
