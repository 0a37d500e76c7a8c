import type { HookContext, Listener } from '../../types/hooks.js'

/** The part of an event emitter that a service needs. */
interface Emitter {
  on(event: string, listener: Listener): unknown
  off(event: string, listener: Listener): unknown
  emit(event: string, ...args: unknown[]): unknown
  listeners(event: string): readonly unknown[]
  /**
   * The listeners as functions that can be called one by one: listeners of `once` remove
   * themselves. Node's emitters have it.
   */
  rawListeners?(event: string): readonly unknown[]
  removeAllListeners(event?: string): unknown
  listenerCount(event: string): number
}

/** Creates an emitter for a service whose object is not an emitter itself. */
export function createEmitter(): Emitter {
  const lists = new Map<string, readonly Listener[]>()
  const listeners = (event: string) => lists.get(event) ?? []
  return {
    on: (event, listener) => lists.set(event, [...listeners(event), listener]),
    off: (event, listener) =>
      lists.set(
        event,
        listeners(event).filter((existing) => existing !== listener)
      ),
    emit(event, ...args) {
      for (const listener of listeners(event)) listener(...args)
    },
    listeners,
    removeAllListeners: (event) => (event === undefined ? lists.clear() : lists.delete(event)),
    listenerCount: (event) => listeners(event).length
  }
}

/** Whether an object has the methods of `Emitter`, and `once`. */
export function isEmitter(object: object): object is Emitter {
  return ['once', ...Object.keys(createEmitter())].every(
    (name) => typeof (object as Record<string, unknown>)[name] === 'function'
  )
}

/** Is called for each listener that threw or rejected. */
export type OnListenerError = (error: unknown, event: string) => void

/**
 * Makes the event methods of a service on top of an emitter. Listeners that are added by them never
 * throw, since the emitter may be the user's object, which emits by itself.
 */
export function eventMethods(emitter: Emitter, service: unknown, onError: OnListenerError) {
  const originals = new WeakMap<Listener, Listener>()

  // Not an async function: a promise for each record of a large batch is expensive.
  function invoke(listener: Listener, event: string, args: unknown[]): void {
    const fail = (error: unknown) => onError(error, event)
    try {
      const returned = listener.apply(service, args) as PromiseLike<unknown> | null | undefined
      if (typeof returned?.then === 'function') Promise.resolve(returned).catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  const add = (isOnce: boolean) => (event: string, listener: Listener) => {
    if (typeof listener !== 'function') throw new TypeError(`The listener of '${event}' must be a function`)
    const guard: Listener = (...args) => {
      if (isOnce) emitter.off(event, guard)
      invoke(listener, event, args)
    }
    originals.set(guard, listener)
    emitter.on(event, guard)
    return service
  }
  // Listeners are called one by one, so that one that fails changes nothing for the others and for
  // the caller (docs/hooks.md#events).
  function emit(event: string, ...args: unknown[]): boolean {
    if (!emitter.listenerCount(event)) return false
    const each = emitter.rawListeners?.(event) ?? [() => emitter.emit(event, ...args)]
    for (const listener of each) invoke(listener as Listener, event, args)
    return true
  }

  const listeners = (event: string) => emitter.listeners(event) as Listener[]
  const original = (listener: Listener) => originals.get(listener) ?? listener
  const on = add(false)
  // Removes the listener that was added last, as Node does, also where it was added to the user's
  // object directly.
  const off = (event: string, listener: Listener) => {
    const last = listeners(event).findLast((added) => original(added) === listener)
    if (last !== undefined) emitter.off(event, last)
    return service
  }
  return {
    on,
    addListener: on,
    once: add(true),
    off,
    removeListener: off,
    removeAllListeners(event?: string) {
      emitter.removeAllListeners(...(event === undefined ? [] : [event]))
      return service
    },
    listeners: (event: string) => listeners(event).map(original),
    listenerCount: (event: string) => emitter.listenerCount(event),
    emit
  }
}

/**
 * Emits the event of a call, once for each record of its result, unless the service emits that
 * event itself.
 */
export function emitResult(
  context: HookContext,
  ownEvents: readonly string[],
  notify: (event: string, ...args: unknown[]) => void
): void {
  const { event, result } = context
  if (typeof event !== 'string' || ownEvents.includes(event)) return
  for (const record of Array.isArray(result) ? result : [result]) notify(event, record, context)
}
