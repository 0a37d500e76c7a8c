import type { MethodRoutes } from '../../types/call.js'
import type { HookContext, HookOptions, RegisteredService } from '../../types/hooks.js'
import { type CallObserver, compose, type Run } from './compose.js'
import { contextOf } from './context.js'
import { createEmitter, emitResult, eventMethods, isEmitter, type OnListenerError } from './events.js'
import { forward } from './facade.js'
import { HookStore } from './hooks.js'
import {
  checkArguments,
  definitionOf,
  isCustom,
  type MethodDefinition,
  methods,
  nameError,
  reasonAgainst
} from './methods.js'

export interface RegisterOptions {
  readonly app: unknown
  readonly path: string
  /** Its custom methods, besides those of the six that the object has. */
  readonly methods?: readonly string[] | undefined
  /** The routes of custom methods, as `'POST /:id/publish'`. */
  readonly routes?: MethodRoutes | undefined
  /** The events that the service emits itself. */
  readonly events?: readonly string[] | undefined
  readonly hooks?: HookOptions | undefined
  /** Hooks of all services. They run around those of this one. */
  readonly common: HookStore
  readonly onListenerError: OnListenerError
  readonly observer?: CallObserver
  /** Makes the object have a method. Where it is given, any name may be that of a custom method. */
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
  /** Its own hooks, without those of all services. */
  readonly hooks: HookStore
  /** Composes the hooks of its methods anew, after some were added to those of all services. Default: `service.hooks({})` does. */
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
  const own = new HookStore()

  Object.assign(service, eventful, { hooks: addHooks })

  const entries = new Map<string, ServiceMethod>()
  function add(name: string) {
    const reason = name in service ? 'every service has it already' : reasonAgainst(name)
    if (reason !== undefined) throw nameError(name, path, reason)
    const definition = definitionOf(name, options.routes?.[name])
    provide?.(object, name, definition)
    // What stands for an instance may be registered behind its services.
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
  for (const name of new Set([...existing(source), ...(options.methods ?? [])])) add(name)
  forward(source, service)

  // Runs at registration and when hooks are added, so that nothing is left to compose for a call.
  function composeOne(method: ServiceMethod) {
    const collected = [common, own].flatMap((store) => store.collect(method.name, observer))
    const hooks = observer?.arrange(collected) ?? collected
    const isAlone = hooks.length === 0
    const call: Run = async (context) => {
      if (context.result === undefined) {
        observer?.begin(context)
        context.result = await (source[method.name] as Method).apply(object, context.arguments)
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
  // A method that nobody has named is added when it is called: what only looks at a service does not change it.
  function get(members: Members, name: string | symbol) {
    if (name in members || !isCustom.test(String(name)) || reasonAgainst(name as string)) return members[name as string]
    return (...args: unknown[]) => {
      if (!(name in members)) composeOne(add(name as string))
      return (members[name as string] as Method)(...args)
    }
  }
  function addHooks(hooks: HookOptions) {
    own.add(hooks, (name) => Boolean(provide) || methods.has(name) || entries.has(name), `Service '${path}'`)
    entries.forEach(composeOne)
    return service
  }
  addHooks(options.hooks ?? {})

  return { app, path, object, service, methods: entries, hooks: own }
}

type Method = (...args: unknown[]) => unknown
type Members = Record<string, unknown>

/** Those of the six methods that an object has. */
export const existing = (object: Record<string, unknown>) =>
  [...methods.keys()].filter((name) => typeof object[name] === 'function')
