import type { MethodRoutes } from '../../types/call.js'
import type { HookContext, HookOptions, RegisteredService } from '../../types/hooks.js'
import { type CallObserver, compose, type Run } from './compose.js'
import { contextOf } from './context.js'
import { createEmitter, emitResult, eventMethods, isEmitter, type OnListenerError } from './events.js'
import { type AnyMethod, forward, type Members } from './facade.js'
import { HookStore } from './hooks.js'
import {
  checkArguments,
  definitionOf,
  isCustom,
  type MethodDefinition,
  methods,
  nameError,
  reservedReason
} from './methods.js'

export interface RegisterOptions {
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
  readonly onListenerError: OnListenerError
  readonly observer?: CallObserver
  /** Adds a method to the object. With this option, any name may be that of a custom method. */
  readonly provide?: ((object: object, name: string, definition: MethodDefinition) => unknown) | undefined
}

/** A method of a registered service. */
export interface ServiceMethod {
  readonly name: string
  readonly definition: MethodDefinition
  /** @throws {BadRequest} when the arguments are not what the method takes */
  context(args: unknown[]): HookContext
  run: Run
}

/** What the framework knows of a registered service. */
export interface ServiceEntry {
  readonly app: unknown
  readonly path: string
  /** The user's object, as it was handed in. */
  readonly object: object
  /** What `app.service(path)` returns. */
  readonly service: RegisteredService
  readonly methods: ReadonlyMap<string, ServiceMethod>
  /** The hooks of this service, without those of all services. */
  readonly hooks: HookStore
  /** Composes the hooks of the methods again, after hooks were added for all services. Default: `service.hooks({})` does that. */
  compose?(): void
}

/**
 * Wraps a user's object into a service with hooks and events. Its methods are called on the object itself, which is not
 * changed, so that private fields work.
 */
export function createService(object: object, options: RegisterOptions): ServiceEntry {
  const { app, path, common, observer, provide } = options
  const source = object as Record<string, unknown>
  const events = options.events ?? (Array.isArray(source.events) ? source.events : [])
  const emitter = isEmitter(object) ? object : createEmitter()
  const service = (provide ? new Proxy({}, { get }) : {}) as RegisteredService & Members
  const eventful = eventMethods(emitter, service, options.onListenerError)
  const serviceHooks = new HookStore()

  Object.assign(service, eventful, { hooks: addHooks })

  const entries = new Map<string, ServiceMethod>()
  function add(name: string) {
    const reason = name in service ? 'every service has it already' : reservedReason(name)
    if (reason !== undefined) throw nameError(name, path, reason)
    const definition = definitionOf(name, options.routes?.[name])
    provide?.(object, name, definition)
    // Read late: a plugin may set the object that hooks get as `context.app` after services were registered.
    const shared = {
      service,
      path,
      method: name,
      get app() {
        return observer?.app(app) ?? app
      }
    }
    const create = contextOf(shared, definition.arguments, definition.event, observer?.lend)
    const context = (args: unknown[]) => {
      checkArguments(name, definition.arguments, args)
      return create(args)
    }
    const method = { name, definition, context } as ServiceMethod
    entries.set(name, method)
    service[name] = async (...args: unknown[]) => {
      const context = method.context(args)
      let hasFailed = true
      try {
        await method.run(context)
        hasFailed = false
      } finally {
        observer?.end(context, hasFailed)
      }
      return context.result
    }
    return method
  }
  for (const name of new Set([...existingMethods(source), ...(options.methods ?? [])])) add(name)
  forward(source, service)

  // Runs at registration and when hooks are added, so that nothing is left to compose for a call.
  function composeMethod(method: ServiceMethod) {
    const collected = [common, serviceHooks].flatMap((store) => store.collect(method.name, observer))
    const hooks = observer?.arrange(collected) ?? collected
    const isAlone = hooks.length === 0
    const call: Run = async (context) => {
      if (context.result === undefined) {
        observer?.begin(context)
        context.result = await (source[method.name] as AnyMethod).apply(object, context.arguments)
      }
      observer?.see(context)
      if (isAlone) emitResult(context, events, eventful.emit)
    }
    const chain = compose(hooks, call, observer)
    const withEvent: Run = async (context) => {
      await chain(context)
      emitResult(context, events, eventful.emit)
    }
    const run = isAlone ? call : withEvent
    method.run = observer?.trace(run) ?? run
  }
  // A custom method that no option names is added at its first call, not when its property is read: looking at a service changes nothing.
  function get(members: Members, name: string | symbol) {
    if (name in members || !isCustom.test(String(name)) || reservedReason(name as string))
      return members[name as string]
    return (...args: unknown[]) => {
      if (!(name in members)) composeMethod(add(name as string))
      return (members[name as string] as AnyMethod)(...args)
    }
  }
  function addHooks(hooks: HookOptions) {
    serviceHooks.add(hooks, (name) => Boolean(provide) || methods.has(name) || entries.has(name), `Service '${path}'`)
    entries.forEach(composeMethod)
    return service
  }
  addHooks(options.hooks ?? {})

  return { app, path, object, service, methods: entries, hooks: serviceHooks }
}

/** The names of the standard methods that an object has. */
export const existingMethods = (object: Record<string, unknown>) =>
  [...methods.keys()].filter((name) => typeof object[name] === 'function')
