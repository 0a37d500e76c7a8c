import type { Describable } from '../../core/description.js'
import { type Endpoint, methods } from '../../core/methods.js'
import { isObject, isPromise } from '../../core/objects.js'
import { inspect } from '../../core/options.js'
import { existingMethods, type ServiceMethod } from '../../core/service.js'
import { serverEndpoints } from '../request/query-body.js'

/** A service with its exposed methods, which clients may call. */
export interface ExposedService extends Describable {
  /** Checks that all hooks can work at their position. @throws what to do if one can't */
  start(): void
}

/** Returns the endpoints of all exposed methods of a service. */
export const endpointsOfService = (entry: ExposedService): (Endpoint & { readonly name: string })[] =>
  entry.exposed.flatMap((name) => {
    const { definition } = entry.methods.get(name) as ServiceMethod
    return serverEndpoints(definition, entry).map((endpoint) => ({ name, ...endpoint }))
  })

/**
 * Returns the methods that clients may call. Without the option `methods`, they are the standard
 * methods of the object that its resource does not close, and the custom methods of the resource.
 *
 * @throws if the object has none of them, or lacks one that is named or declared
 */
export function exposedMethods(
  service: object,
  path: string,
  named: readonly string[] | undefined,
  declared: ReadonlyMap<string, unknown> = new Map(),
  closed: ReadonlySet<string> = new Set()
): readonly string[] {
  const object = service as Record<string, unknown>
  // A list is not a service, although it has a method `find`.
  const existing = isObject(object) ? existingMethods(object) : []
  const exposed = named ?? [...existing.filter((method) => !closed.has(method)), ...declared.keys()]
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

/** Returns the error for a service that is no object, or a promise of one. */
export const notObject = (service: unknown, path: string): Error | undefined =>
  typeof service === 'object' && service !== null && !isPromise(service)
    ? undefined
    : new Error(`The service '${path}' must be an object with methods, got ${inspect(service)}`)
