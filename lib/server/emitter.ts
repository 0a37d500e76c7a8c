import { type Emitter, isEmitter } from '../core/events.js'
import { methods } from '../core/methods.js'

const standard = [...methods.values()].flatMap(({ event }) => event ?? [])
const registered = new WeakSet<object>()

/** Notes what `app.service(path)` returns. */
export const noteService = (service: object): unknown => registered.add(service)

/**
 * The events that an object emits itself: the standard ones too where it is a service already, of another application or of one of Feathers.
 */
export function eventsOf(object: object, given: readonly string[] | undefined): readonly string[] | undefined {
  if (!registered.has(object) && !(Symbol.for('@feathersjs/service') in object)) return given
  const own: unknown = given ?? (object as { events?: unknown }).events
  return Array.isArray(own) ? [...standard, ...own] : standard
}

/**
 * The emitter of a service if its object is one of eventemitter3, which can't list its listeners as functions to call one by one. Called
 * by its own `emit`, a listener that rejects would end the process.
 */
export function emitterOf(object: object): Emitter | undefined {
  if (!isEmitter(object) || object.rawListeners !== undefined) return undefined
  const emitter: OnceEmitter = object
  if (!canRemoveOnce(emitter)) return undefined
  return {
    on: emitter.on.bind(emitter),
    off: emitter.off.bind(emitter),
    emit: emitter.emit.bind(emitter),
    listeners: emitter.listeners.bind(emitter),
    rawListeners(event) {
      const listeners = emitter.listeners(event)
      for (const listener of listeners) emitter.off(event, listener as () => void, undefined, true)
      return listeners
    },
    removeAllListeners: emitter.removeAllListeners.bind(emitter),
    listenerCount: emitter.listenerCount.bind(emitter)
  }
}

interface OnceEmitter extends Emitter {
  /** @param once of eventemitter3: removes only listeners that were added by `once` */
  off(event: string, listener: () => void, context?: unknown, once?: boolean): unknown
}

// Another emitter would remove any listener here, and emits by itself.
function canRemoveOnce(emitter: OnceEmitter): boolean {
  const event = 'fastify-services'
  const listener = Boolean
  emitter.on(event, listener)
  emitter.off(event, listener, undefined, true)
  const isThere = emitter.listenerCount(event) > 0
  if (isThere) emitter.off(event, listener)
  return isThere
}
