import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceOptions, ServicesOptions } from '../../types/fastify.js'
import type { AroundHook, HookOptions, RegisteredService } from '../../types/hooks.js'
import type { CallEnvironment } from '../core/compose.js'
import { checkDeprecation } from '../core/deprecation.js'
import { standardEvents } from '../core/description.js'
import { joinPath } from '../core/path.js'
import { rootOf, type ServiceHost } from '../core/plugin-state.js'
import { closedIn, declaredIn, routesOf } from '../core/resource/method-rules.js'
import { createMountedService, createService } from '../core/service.js'
import { type Forwarder, metaOf } from '../core/service-meta.js'
import { logError } from './answer/log.js'
import { endWithConnection } from './answer/pipelining.js'
import { checkDeclaredMethods } from './declared-methods.js'
import { serverEnvironment } from './environment.js'
import { errorHandler } from './errors/error-handler.js'
import { checkNewPath, checkResourceParts, checkSchemas, checkServiceOptions } from './plugin-options.js'
import { Registry } from './registry.js'
import { createParser } from './request/query.js'
import { queryBounds } from './request/query-body.js'
import { routerOf } from './request/router.js'
import { checkRoutes } from './routing/custom-methods.js'
import { type ExposedService, exposedMethods } from './routing/exposed.js'
import { registerForwarding } from './routing/forward.js'
import { createMethodNotAllowedHook } from './routing/method-not-allowed.js'
import { Precedence, registerBeforeCatchAll } from './routing/precedence.js'
import type { Settings } from './routing/route.js'
import { RouteConflicts } from './routing/route-conflicts.js'
import { registerRoutes } from './routing/routes.js'
import { CheckedHooks, ServiceHooks } from './service-hooks.js'
import { startHooks } from './start-hooks.js'

/** The services of one registration of the plugin, with the hooks of all of them. */
export class FastifyServiceHost implements ServiceHost {
  readonly registry = new Registry()
  /** Hooks of all services. */
  readonly hooks = new CheckedHooks({ who: 'App' })
  /** Shared by the routes of all services. */
  readonly settings: Settings
  readonly onService: ServiceHost['onService'] = []
  readonly endWithConnection = endWithConnection
  readonly #hasProblems: boolean
  readonly #log: FastifyInstance['log']
  /** The prefixes whose requests without a route go to another framework. */
  readonly #fallbackPrefixes = new Set<string>()

  constructor(app: FastifyInstance, { query, formatter, errorHandler: options, hooks = {} }: ServicesOptions) {
    this.#log = app.log
    this.#hasProblems = options?.problem === true
    this.hooks.add(hooks as HookOptions)
    const router = routerOf(rootOf(app))
    this.settings = {
      parse: createParser(query),
      parseStrictly: createParser(query, true),
      queryBounds: queryBounds(query),
      formatter,
      onError: errorHandler(options),
      router,
      conflicts: new RouteConflicts(router),
      precedence: new Precedence()
    }
  }

  // Fields, since they are passed on as functions.
  readonly serviceAt: ServiceHost['serviceAt'] = (url) => this.settings.conflicts.serviceAt(url)
  readonly answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    this.settings.onError(error, request, reply)

  get entries(): readonly ExposedService[] {
    return this.registry.entries
  }

  get isReady(): boolean {
    return this.registry.ready
  }

  get hasHooks(): boolean {
    return this.hooks.added.length > 0
  }

  entryAt(path: string): ExposedService | undefined {
    return this.registry.at(path)
  }

  find(prefix: string, path: string): ExposedService | undefined {
    return this.registry.find(prefix, path)
  }

  errorHooks(method: string): AroundHook {
    return this.hooks.errorHooks(method)
  }

  addHooks(hooks: HookOptions): void {
    // Before that, the mounted application checks it at the start.
    if (this.isReady && this.#fallbackPrefixes.size > 0)
      throw new Error('Hooks of all services would not run for services that another framework calls: add them there')
    this.hooks.add(hooks)
    for (const { compose } of this.entries) compose()
  }

  addFallback(instance: FastifyInstance, forwarder: Forwarder): void {
    if (this.#fallbackPrefixes.has(instance.prefix))
      throw new Error(
        `Another application answers already what no route takes under '${instance.prefix || '/'}': set the option \`fallback\` for one of them, or give them prefixes`
      )
    this.#fallbackPrefixes.add(instance.prefix)
    const urls = instance.prefix === '' ? ['*'] : ['', '/*']
    const { conflicts, onError, precedence } = this.settings
    registerBeforeCatchAll(instance, urls)
    instance.register(async (child) =>
      registerForwarding(child, urls, forwarder, precedence, createMethodNotAllowedHook(conflicts, onError))
    )
  }

  /**
   * Registers a service, and its routes in an encapsulated child of the instance.
   *
   * @param caller the function that users call: an error names the line that called it
   * @returns what `app.service(path)` returns
   */
  register(
    instance: FastifyInstance,
    path: string,
    object: object,
    options: ServiceOptions,
    caller: Parameters<Registry['add']>[2]
  ): RegisteredService {
    checkNewPath(path)
    const name = joinPath(instance.prefix, path)
    const entry = this.registry.add(name, () => this.#createEntry(instance, name, object, options), caller)
    const child = async (child: FastifyInstance) => {
      if (joinPath(child.prefix) !== name) throw new Error(misplaced(name, child.prefix))
      registerRoutes(child, entry, options, this.settings)
    }
    // Tracing tools tell the services apart by it.
    Object.assign(child, { [Symbol.for('fastify.display-name')]: name || '/' })
    const prefix = joinPath(path)
    instance.register(child, prefix === '' ? {} : { prefix: `/${prefix}` })
    for (const listener of this.onService) listener(entry)
    return entry.service
  }

  #createEntry(app: FastifyInstance, name: string, object: object, options: ServiceOptions): ExposedService {
    checkServiceOptions(options, name)
    const { methods, schema, events, hooks } = options
    const { conflicts, router } = this.settings
    const declared = declaredIn(schema)
    const exposed = exposedMethods(object, name, methods, declared, closedIn(schema))
    const routes = routesOf(schema, options.routes, exposed)
    checkRoutes(routes, name, exposed, router)
    checkSchemas(schema, name, exposed)
    checkResourceParts(schema, name, exposed)
    checkDeprecation(options.deprecated, name, exposed)
    const registration = {
      app,
      path: name,
      common: this.hooks,
      store: new ServiceHooks({ who: `Service '${name}'`, object, exposed }),
      onListenerError: (err: unknown, event: string) =>
        logError(this.#log, 'error', err, 'A listener of a service failed', { path: name, event }),
      environment: [...declared.values()].some(({ event }) => event) ? withEvents(declared) : serverEnvironment,
      methods: exposed,
      routes,
      events: eventsOf(object, events),
      hooks: hooks as HookOptions
    }
    const { mounted } = metaOf(object)
    const entry = mounted ? createMountedService(object, mounted, registration) : createService(object, registration)
    const start = () => {
      startHooks(entry, this.hooks, options)
      checkDeclaredMethods(exposedService)
    }
    const shared = { common: this.hooks, hasProblems: this.#hasProblems }
    const exposedService: ExposedService = { ...entry, ...shared, exposed, options, start }
    conflicts.add(exposedService)
    Object.assign(metaOf(entry.service), { isRegistered: true, object })
    return exposedService
  }
}

/** Gives calls the events that a resource declares for its custom methods. */
const withEvents = (declared: ReturnType<typeof declaredIn>): CallEnvironment => ({
  ...serverEnvironment,
  wrapRun: (run, service) =>
    serverEnvironment.wrapRun((context) => {
      context.event = declared.get(context.method)?.event ?? context.event
      return run(context)
    }, service)
})

// Fastify registers into the plugin that is loading, whatever instance `register` was called on.
const misplaced = (name: string, url: string) =>
  `The service '${name}' would be at ${url}: it was registered on another instance while a plugin with a prefix was loading. Use the instance that this plugin gets, or register the service before`

/**
 * The events that an object emits itself: the standard ones too where it is a service already, of
 * another application or of one of Feathers.
 */
function eventsOf(object: object, eventsOption: readonly string[] | undefined): readonly string[] | undefined {
  if (!metaOf(object).isRegistered && !(Symbol.for('@feathersjs/service') in object)) return eventsOption
  const events: unknown = eventsOption ?? (object as { events?: unknown }).events
  return Array.isArray(events) ? [...standardEvents, ...events] : standardEvents
}
