import type { HookOptions } from '../../types/hooks.js'
import type { Describable } from './description.js'

/** What a server tells the other doors of its services. */
export interface ServiceHost {
  /** The services, in the order of registration. */
  readonly entries: readonly Describable[]
  /** Whether the server is ready: no service can be registered any more. */
  readonly isReady: boolean
  /** Adds hooks for all services, at any time. @throws when a hook type is not known */
  addHooks(options: HookOptions): void
  /** Are called with each service that is registered from now on. */
  readonly onService: ((entry: Describable) => void)[]
}

/** Under this name, all instances of an application share what its server tells. */
export const serviceHost: unique symbol = Symbol('serviceHost')

/** An instance of the application, as far as its services go. */
export interface WithServiceHost {
  [serviceHost]?: ServiceHost
}
