import type { HookContext, RegisteredService } from '../../types/hooks.js'
import type { CallObserver } from './compose.js'
import type { Handover } from './host.js'
import { definitionOf } from './methods.js'
import { createEntry, type RegisterOptions, type ServiceEntry, type ServiceMethod } from './service.js'

/** A service that another framework has made: its methods have hooks of its own, and it emits its own events. */
export interface Foreign {
  /** What `app.service(path)` returns: calls of the server go to it as they are. */
  readonly service: object
  /** Who has made it: `'the Feathers application'`. */
  readonly origin: string
  /** What hooks get as `context.app` for an instance. */
  application(instance: object): unknown
  /**
   * Calls the method of a context for a client, and puts what came of it into the context, also if it fails. It notifies for each result or
   * `dispatch` that is set on the way there, by whatever hook of its own.
   */
  call(context: HookContext, notify: (context: HookContext) => void): Promise<void>
  /** Answers all requests for the service, in place of `call`, without the hooks of all services. */
  readonly handover?: Handover
  /** The content type of a result that is a text. Default: it is JSON. */
  readonly textType?: (text: string) => string
}

// In a map, not on the objects: members of an object show on its service.
const foreigners = new WeakMap<object, Foreign>()

/** Says that an object stands for a service of another framework, wherever it is registered. */
export function standFor<T extends object>(object: T, foreign: Foreign): T {
  foreigners.set(object, foreign)
  return object
}

export const foreignOf = (object: object): Foreign | undefined => foreigners.get(object)

interface ForeignOptions extends Pick<RegisterOptions, 'app' | 'path' | 'common'> {
  readonly methods: readonly string[]
  readonly observer: CallObserver
}

/** Makes the entry of a service of another framework: its methods as clients call them, within the hooks of all services. */
export function createForeign(object: object, foreign: Foreign, options: ForeignOptions): ServiceEntry {
  const observer = { ...options.observer, app: foreign.application as CallObserver['app'] }
  async function invoke(context: HookContext) {
    try {
      await foreign.call(context, observer.see)
    } catch (error) {
      // Hooks of the framework may fail after a result was set: a stream in it must be closed.
      observer.fail(context, error)
      throw error
    }
    return context.result
  }
  const service = foreign.service as RegisteredService
  // Events come from the application that has made it.
  const entry = createEntry(object, service, { ...options, observer }, invoke)
  for (const name of options.methods) entry.methods.set(name, { name, definition: definitionOf(name) } as ServiceMethod)
  entry.compose()
  return entry
}
