import type { HookContext, Listener } from '../../types/hooks.js'

/** The part of an event emitter that a service needs; node's own and eventemitter3 have it. */
export interface Emitter {
  on(event: string, listener: Listener): unknown
  once(event: string, listener: Listener): unknown
  off(event: string, listener: Listener, context?: unknown, once?: boolean): unknown
  emit(event: string, ...args: unknown[]): unknown
  listeners(event: string): unknown[]
  /** Node's emitters have it: the listeners, those that were added by `once` wrapped so that a call takes them off. */
  rawListeners?(event: string): unknown[]
  removeAllListeners(event?: string): unknown
  listenerCount(event: string): number
}

export const emitterMethods = [
  'on',
  'once',
  'off',
  'addListener',
  'removeListener',
  'removeAllListeners',
  'emit',
  'listeners',
  'listenerCount'
] as const

export function isEmitter(object: object): object is Emitter {
  return ['on', 'once', 'off', 'emit', 'listeners', 'listenerCount', 'removeAllListeners'].every(
    (name) => typeof (object as Record<string, unknown>)[name] === 'function'
  )
}

/** Told of each listener that threw or rejected. */
export type OnListenerError = (error: unknown, event: string) => void

/**
 * Calls the listeners of an event one by one, so that one that throws or rejects changes nothing for the others and for the
 * caller (wire contract: "Events").
 */
export function emit(emitter: Emitter, event: string, args: readonly unknown[], onError: OnListenerError): boolean {
  const { rawListeners } = emitter
  if (emitter.listenerCount(event) === 0) return false
  const listeners = (rawListeners ? rawListeners.call(emitter, event) : emitter.listeners(event)) as Listener[]
  for (const listener of listeners) {
    // Where `once` does not wrap its listeners, only those that it added are taken off by this.
    if (rawListeners === undefined) emitter.off(event, listener, undefined, true)
    call(emitter, listener, args, (error) => onError(error, event))
  }
  return true
}

async function call(emitter: Emitter, listener: Listener, args: readonly unknown[], onError: (error: unknown) => void) {
  try {
    await listener.apply(emitter, args as unknown[])
  } catch (error) {
    onError(error)
  }
}

const aliases: Record<string, string> = { addListener: 'on', removeListener: 'off' }

/** A method of the emitter for a service that stands before it: it chains on the service. */
export function emitterMethod(emitter: Emitter, name: string, service: unknown): (...args: unknown[]) => unknown {
  const method = (emitter as unknown as Record<string, (...args: unknown[]) => unknown>)[aliases[name] ?? name]
  return (...args) => {
    const value = method?.apply(emitter, args)
    return value === emitter ? service : value
  }
}

/** Emits the event of a call, once for each record of its result, unless it is one of those that the service emits itself. */
export function emitResult(
  context: HookContext,
  own: readonly string[],
  notify: (event: string, ...args: unknown[]) => void
): void {
  const { event, result } = context
  if (typeof event !== 'string' || own.includes(event)) return
  for (const record of Array.isArray(result) ? result : [result]) notify(event, record, context)
}
