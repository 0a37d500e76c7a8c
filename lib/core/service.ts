import type { MethodRoutes } from '../../types/call.js'
import type { HookContext, HookOptions, RegisteredService } from '../../types/hooks.js'
import { type CallEnvironment, compose, type Run } from './compose.js'
import { contextOf } from './context.js'
import { createEmitter, emitResult, eventMethods, isEmitter, type OnListenerError } from './events.js'
import { type AnyMethod, forward, type Members } from './facade.js'
import { HookStore } from './hooks.js'
import { definitionOf, isCustom, isReserved, type MethodDefinition, methods, nameError } from './methods.js'
import type { MountedService } from './service-meta.js'

interface RegisterOptions {
  readonly app: unknown
  readonly path: string
  /** The names of custom methods. Those of the six standard methods are found on the object. */
  readonly methods?: readonly string[] | undefined
  /** The routes of custom methods, as `'POST /:id/publish'`. */
  readonly routes?: MethodRoutes | undefined
  /** The events that the service emits itself. */
  readonly events?: readonly string[] | undefined
  readonly hooks?: HookOptions | undefined
  /** Hooks of all services, which run around those of this service. */
  readonly common: HookStore
  /** Takes the hooks of this service. */
  readonly store?: HookStore
  readonly onListenerError: OnListenerError
  readonly environment: CallEnvironment
  /** Adds a method to the object. With this option, a custom method may have any name. */
  readonly provide?: ((object: object, name: string, definition: MethodDefinition) => unknown) | undefined
}

/** A method of a registered service. */
export interface ServiceMethod {
  readonly name: string
  readonly definition: MethodDefinition
  /**
   * Makes the context of a call.
   * @throws {BadRequest} if the arguments do not fit the method
   */
  context: (args: unknown[]) => HookContext
  run: Run
}

/** A registered service. */
export interface ServiceEntry {
  readonly app: unknown
  readonly path: string
  /** The user's object, as it was handed in. */
  readonly object: object
  /** The result of `app.service(path)`. */
  readonly service: RegisteredService
  readonly methods: ReadonlyMap<string, ServiceMethod>
  /** The hooks of this service, without those of all services. */
  readonly hooks: HookStore
  /** Composes the hooks of the methods again, after hooks were added for all services. */
  compose(): void
}

/** An entry that methods are added to. They can be called when it is composed. */
interface OpenEntry extends ServiceEntry {
  readonly methods: Map<string, ServiceMethod>
}

/**
 * Creates the entry of a service, which runs all calls of its methods, over HTTP or by the server,
 * of our services and of other frameworks.
 * @param invoke runs the user's method, and returns the result
 * @param succeed is called after each successful call. Without it, calls have no event
 */
export function createEntry(
  object: object,
  service: RegisteredService,
  {
    app,
    path,
    common,
    environment,
    store: hooks = new HookStore()
  }: Pick<RegisterOptions, 'app' | 'path' | 'common' | 'environment' | 'store'>,
  invoke: (context: HookContext, name: string) => unknown,
  succeed?: (context: HookContext) => void
): OpenEntry {
  const methods = new Map<string, ServiceMethod>()

  function composeMethod(method: ServiceMethod) {
    const { name, definition } = method
    const invokeMethod = environment.wrapMethod((context) => invoke(context, name), service)
    const call: Run = async (context) => {
      if (!('result' in context)) context.result = await invokeMethod(context)
      environment.trackResult(context)
    }
    const chain = compose(
      environment.sortHooks([common, hooks].flatMap((store) => store.collect(name, environment))),
      call,
      environment
    )
    method.context = contextOf(
      { app: environment.toApp(app), service, self: service, path, method: name },
      definition.arguments,
      succeed ? definition.event : null,
      environment
    )
    method.run = environment.wrapRun(async (context) => {
      await chain(context)
      succeed?.(context)
    }, service)
    return method
  }
  // The first call of a method composes it: an application may have thousands, and calls few.
  function composeLater(method: ServiceMethod) {
    method.context = (args) => composeMethod(method).context(args)
    method.run = (context) => composeMethod(method).run(context)
  }
  return { app, path, object, service, methods, hooks, compose: () => methods.forEach(composeLater) }
}

/**
 * Wraps a user's object into a service with hooks and events. Its methods are called on the object
 * itself, which is not changed, so that private fields work.
 */
export function createService(object: object, options: RegisterOptions): ServiceEntry {
  const { provide } = options
  const source = object as Record<string, unknown>
  const events = options.events ?? (Array.isArray(source.events) ? source.events : [])
  const emitter = isEmitter(object) ? object : createEmitter()
  const service = (provide ? new Proxy({}, { get }) : {}) as RegisteredService & Members
  const eventful = eventMethods(emitter, service, options.onListenerError)
  const entry = createEntry(
    object,
    service,
    options,
    (context, name) => (source[name] as AnyMethod).apply(object, context.arguments),
    (context) => emitResult(context, events, eventful.emit)
  )

  Object.assign(service, eventful, { hooks: addHooks })

  function add(name: string) {
    if (name in service || isReserved(name)) throw nameError(name, options.path)
    const definition = definitionOf(name, options.routes?.[name])
    provide?.(object, name, definition)
    const method = { name, definition } as ServiceMethod
    entry.methods.set(name, method)
    service[name] = async (...args: unknown[]) => {
      const context = method.context(args)
      await options.environment.untrack(method.run(context), context)
      return context.result
    }
  }
  new Set([...existingMethods(source), ...(options.methods ?? [])]).forEach(add)
  forward(source, service)

  // A custom method that no option names is added at its first call, not when its property is read:
  // looking at a service changes nothing.
  function get(members: Members, name: string | symbol) {
    if (name in members || !isCustom.test(String(name)) || isReserved(name as string)) return members[name as string]
    return (...args: unknown[]) => {
      if (!(name in members)) {
        add(name as string)
        entry.compose()
      }
      return (members[name as string] as AnyMethod)(...args)
    }
  }
  function addHooks(hooks: HookOptions) {
    entry.hooks.add(hooks, `Service '${options.path}'`)
    entry.compose()
    return service
  }
  addHooks(options.hooks ?? {})

  return entry
}

interface MountedServiceOptions extends Pick<RegisterOptions, 'app' | 'path' | 'common'> {
  readonly methods: readonly string[]
  readonly environment: CallEnvironment
}

/**
 * Makes the entry of a service of another framework: its methods as clients call them, within the
 * hooks of all services.
 */
export function createMountedService(
  object: object,
  mounted: MountedService,
  options: MountedServiceOptions
): ServiceEntry {
  const environment = {
    ...options.environment,
    toApp: mounted.application as CallEnvironment['toApp']
  }
  async function invoke(context: HookContext) {
    try {
      await mounted.call(context, environment.trackResult)
    } catch (error) {
      // Hooks of the framework may fail after a result was set: a stream in it must be closed.
      environment.trackFailure(context, error)
      throw error
    }
    return context.result
  }
  const service = mounted.service as RegisteredService
  // Events come from the application that has made it.
  const entry = createEntry(object, service, { ...options, environment }, invoke)
  for (const name of options.methods) entry.methods.set(name, { name, definition: definitionOf(name) } as ServiceMethod)
  entry.compose()
  return entry
}

/** The names of the standard methods that an object has. */
export const existingMethods = (object: Record<string, unknown>) =>
  [...methods.keys()].filter((name) => typeof object[name] === 'function')
