import type { HookOptions } from '../../types/hooks.js'
import type { Describable } from './description.js'
import type { Handover } from './object-facts.js'

/** The name in the `config` of a route that says: it takes what no other route does. */
export const fallbackMark: unique symbol = Symbol('fallback')

/** What a server tells the other doors of its services. */
export interface ServiceHost {
  /** The services, in the order of registration. */
  readonly entries: readonly Describable[]
  /** Whether the server is ready: no service can be registered any more. */
  readonly isReady: boolean
  /** Adds hooks for all services, at any time. @throws when a hook type is not known */
  addHooks(options: HookOptions): void
  /** Whether there are hooks for all services. */
  readonly hasHooks: boolean
  /** Whether a service answers at a URL. */
  isAt(url: string): boolean
  /** Notes that another framework answers for a service which is not registered here: hooks for all services would not run for it. */
  noteHanded(path: string): void
  /** Hands requests without a route, below the prefix of an instance, to another framework. */
  addFallback(instance: never, handover: Handover): void
  /** Are called with each service that is registered from now on. */
  readonly onService: ((entry: Describable) => void)[]
}

/** Under this name, all instances of an application share what its server tells. */
export const serviceHost: unique symbol = Symbol('serviceHost')

/** An instance of the application, as far as its services go. */
export interface WithServiceHost {
  [serviceHost]?: ServiceHost
}

/** The outermost instance of an application. A request that finds no route runs its hooks, wherever a plugin was registered. */
export function rootOf<T extends object>(app: T): T {
  let root = app
  while (!Object.hasOwn(root, 'routing')) root = Object.getPrototypeOf(root)
  return root
}
