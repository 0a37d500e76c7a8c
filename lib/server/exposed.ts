import { methods } from '../core/methods.js'
import { existing, type ServiceEntry } from '../core/service.js'

/** A service, with the methods that may be called from outside. */
export interface ExposedService extends ServiceEntry {
  readonly exposed: readonly string[]
  /** Asks the hooks whether they can work where they stand. @throws what to do when one can't */
  start(): void
}

// What can't be a custom method: it would stand over a member that every object or every service has.
const reserved = new Set<string>([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...['on', 'once', 'off', 'addListener', 'removeListener', 'removeAllListeners', 'listeners', 'listenerCount', 'emit'],
  ...['hooks', 'setup', 'teardown', 'publish', 'all', 'around', 'before', 'after', 'error', 'then']
])

/**
 * The methods of a service that may be called from outside: those that are named, or else those of the six that exist.
 *
 * @throws when the object has none of the methods, or one that is named is not there or can't be a method
 */
export function exposedMethods(service: object, path: string, named: readonly string[] | undefined): readonly string[] {
  const object = service as Record<string, unknown>
  const found = existing(object)
  const exposed = named ?? found
  for (const name of exposed) {
    if (reserved.has(name)) throw new Error(`'${name}' can't be a method of the service '${path}': choose another name`)
    if (typeof object?.[name] !== 'function')
      throw new Error(`The service '${path}' has no method '${name}', which its option \`methods\` names`)
  }
  if (exposed.length > 0 || found.length > 0) return exposed
  throw new Error(
    `The service '${path}' has none of the methods ${[...methods.keys()].join(', ')}: give it one, or name its own in the option \`methods\``
  )
}
