import type { Describable } from '../../core/description.js'
import { type Endpoint, methods } from '../../core/methods.js'
import { isObject, isPromise } from '../../core/objects.js'
import { inspect } from '../../core/options.js'
import { existingMethods, type ServiceMethod } from '../../core/service.js'
import { serverEndpoints } from '../request/query-body.js'

/** A service, with the methods that may be called from outside. */
export interface ExposedService extends Describable {
  /** Asks the hooks whether they can work where they stand. @throws what to do when one can't */
  start(): void
}

/** Where the methods of a service are called over HTTP. */
export const placesOf = (entry: ExposedService): (Endpoint & { readonly name: string })[] =>
  entry.exposed.flatMap((name) => {
    const { definition } = entry.methods.get(name) as ServiceMethod
    return serverEndpoints(definition, entry).map((endpoint) => ({ name, ...endpoint }))
  })

/**
 * The methods of a service that may be called from outside: those that are named, or else those of
 * the six that exist, and those that a resource declares.
 *
 * @throws when the object has none of the methods, or one that is named or declared is not there
 */
export function exposedMethods(
  service: object,
  path: string,
  named: readonly string[] | undefined,
  declared: readonly string[] = []
): readonly string[] {
  const object = service as Record<string, unknown>
  // A list is not a service, although it has a method `find`.
  const existing = isObject(object) ? existingMethods(object) : []
  const exposed = named ?? [...existing, ...declared]
  for (const name of exposed) {
    if (typeof object?.[name] !== 'function')
      throw (
        notObject(service, path) ??
        new Error(
          `The service '${path}' has no method '${name}', which its ${named ? 'option `methods` names' : 'resource declares'}`
        )
      )
  }
  if (exposed.length > 0 || existing.length > 0) return exposed
  throw (
    notObject(service, path) ??
    new Error(
      `The service '${path}' has none of the methods ${[...methods.keys()].join(', ')}: give it one, or name its own in the option \`methods\``
    )
  )
}

/** The error for what is no object at all, or a promise of one. */
export const notObject = (service: unknown, path: string): Error | undefined =>
  typeof service === 'object' && service !== null && !isPromise(service)
    ? undefined
    : new Error(`The service '${path}' must be an object with methods, got ${inspect(service)}`)
