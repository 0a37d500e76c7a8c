import type { HookContext, RegisteredService } from '../../types/hooks.js'
import { type CallObserver, compose, type Run } from './compose.js'
import { contextOf } from './context.js'
import { HookStore } from './hooks.js'
import type { Handover } from './host.js'
import { checkArguments, definitionOf } from './methods.js'
import type { RegisterOptions, ServiceEntry, ServiceMethod } from './service.js'

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
  const { app, path, common, observer } = options
  const service = foreign.service as RegisteredService
  const call: Run = async (context) => {
    if (context.result === undefined) {
      observer.begin(context)
      // Hooks of the framework may fail after a result was set: a stream in it must be closed.
      await foreign.call(context, observer.see).catch((error) => {
        observer.fail(context, error)
        throw error
      })
    }
    observer.see(context)
  }
  function composeMethod(method: ServiceMethod) {
    const hooks = common.collect(method.name, observer)
    method.run = observer.trace(compose(observer.arrange(hooks), call, observer))
  }
  const toMethod = (name: string) => {
    const definition = definitionOf(name)
    const shared = {
      get app() {
        return foreign.application(app as object)
      },
      service,
      path,
      method: name
    }
    const create = contextOf(shared, definition.arguments, null, observer.lend)
    const context = (args: unknown[]) => {
      checkArguments(name, definition.arguments, args)
      return create(args)
    }
    return { name, definition, context } as ServiceMethod
  }
  const methods = new Map(options.methods.map((name) => [name, toMethod(name)]))
  const composeAll = () => methods.forEach(composeMethod)
  composeAll()
  return { app, path, object, service, methods, hooks: new HookStore(), compose: composeAll }
}
