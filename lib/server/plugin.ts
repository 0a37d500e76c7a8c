import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import type { ServiceFunction, ServiceOptions, ServicesOptions } from '../../types/fastify.js'
import type { HookOptions } from '../../types/hooks.js'
import { ownPluginState, pluginState, rootOf, type ServiceHost } from '../core/host.js'
import { joinPath } from '../core/path.js'
import { declaredIn, routesOf } from '../core/resource/method-rules.js'
import { createMountedService, createService } from '../core/service.js'
import { metaOf } from '../core/service-meta.js'
import { logError } from './answer/log.js'
import { endWithConnection } from './answer/pipelining.js'
import { eventsOf } from './emitted-events.js'
import { serverEnvironment as environment } from './environment.js'
import { errorHandler, notFound } from './errors/error-handler.js'
import { checkNewPath, checkPath, checkPluginOptions, checkSchemas, checkServiceOptions } from './plugin-options.js'
import { printServices } from './print-services.js'
import { Registry } from './registry.js'
import { createParser } from './request/query.js'
import { queryBounds } from './request/query-body.js'
import { decorateMessages, takenDecorator } from './request/request.js'
import { routerOf } from './request/router.js'
import { checkRoutes } from './routing/custom-methods.js'
import { exposedMethods, notObject } from './routing/exposed.js'
import { registerForwarding } from './routing/forward.js'
import { answerMethodNotAllowed, createMethodNotAllowedHook } from './routing/method-not-allowed.js'
import { Precedence, registerBeforeCatchAll } from './routing/precedence.js'
import type { Settings } from './routing/route.js'
import { RouteConflicts } from './routing/route-conflicts.js'
import { registerRoutes } from './routing/routes.js'
import { acceptExtraSlashes } from './routing/slashes.js'
import { CheckedHooks, ServiceHooks } from './service-hooks.js'
import { checkCommonHooks, checkTimeouts, startHooks, startRouteHooks } from './start-hooks.js'
import '../compat/next-tick.js'

async function services(app: FastifyInstance, options: ServicesOptions): Promise<void> {
  checkDecorators(app)
  checkPluginOptions(options, app.log)
  const registry = new Registry()
  const common = new CheckedHooks({ who: 'App' })
  common.add((options.hooks ?? {}) as HookOptions)
  const onError = errorHandler(options.errorHandler)
  const root = rootOf(app)
  const router = routerOf(root)
  const conflicts = new RouteConflicts(router)
  const precedence = new Precedence()
  const parse = createParser(options.query)
  const bounds = queryBounds(options.query)
  const { formatter } = options
  const settings: Settings = {
    parse,
    parseStrictly: createParser(options.query, true),
    queryBounds: bounds,
    formatter,
    onError,
    router,
    conflicts,
    precedence
  }

  /** Paths of services that another framework answers, and that are not registered here. */
  const forwardedPaths = new Set<string>()
  const addHooks = (hooks: HookOptions) => {
    const registered = registry.entries
      .filter(({ object }) => metaOf(object).mounted?.forwarder)
      .map(({ path }) => path)
    const forwarded = [...registered, ...forwardedPaths]
    // Before that, the mounted application checks it at the start.
    if (registry.ready && forwarded.length > 0)
      throw new Error(
        `Hooks of all services would not run for those that another framework answers: '${forwarded.join("', '")}'. Add them there`
      )
    common.add(hooks)
    for (const { compose } of registry.entries) compose()
  }
  const fallbacks = new Set<string>()
  const onService: ServiceHost['onService'] = []
  ownPluginState(app).services = {
    addHooks,
    onService,
    answerError: onError,
    endWithConnection,
    get entries() {
      return registry.entries
    },
    entryAt: (path) => registry.at(path),
    get isReady() {
      return registry.ready
    },
    errorHooks: (method) => common.errorHooks(method),
    get hasHooks() {
      return common.added.length > 0
    },
    markForwarded: (path) => void forwardedPaths.add(path),
    isAt: (url) => conflicts.serviceAt(url) !== undefined,
    addFallback(instance: FastifyInstance, forwarder) {
      if (fallbacks.has(instance.prefix))
        throw new Error(
          `Another application answers already what no route takes under '${instance.prefix || '/'}': set the option \`fallback\` for one of them, or give them prefixes`
        )
      fallbacks.add(instance.prefix)
      const urls = instance.prefix === '' ? ['*'] : ['', '/*']
      registerBeforeCatchAll(instance, urls)
      instance.register(async (child) =>
        registerForwarding(child, urls, forwarder, precedence, createMethodNotAllowedHook(conflicts, onError))
      )
    }
  }
  decorateMessages(app)
  startRouteHooks(app)
  function serviceOf(this: FastifyInstance, ...args: [path: string, object?: object, options?: ServiceOptions]) {
    const [path, object, serviceOptions = {}] = args
    checkPath(path)
    if (object !== undefined) return register(this, path, object, serviceOptions)
    const entry = registry.find(this.prefix, path)
    if (entry !== undefined) return entry.service
    throw args.length > 1 ? notObject(object, path) : registry.missing(path)
  }
  app.decorate('service', serviceOf as ServiceFunction)
  app.decorate('printServices', () => printServices(registry.entries))
  app.decorate('setup', async (server?: unknown) => {
    registry.useServer(server)
    await root.ready()
  })
  app.addHook('onReady', async () => checkTimeouts(app.server, app.log))
  app.addHook('onReady', async () => checkCommonHooks(common, registry.entries, app.log))
  app.addHook('onReady', () => registry.setup(app.server))
  app.addHook('onClose', () => registry.teardown())
  answerMethodNotAllowed(root, conflicts, onError)
  acceptExtraSlashes(app, conflicts, router)
  if (options.notFound) {
    app.setNotFoundHandler(
      notFound({ ...options.errorHandler, ...(options.notFound === true ? {} : options.notFound) })
    )
  }

  function register(instance: FastifyInstance, path: string, object: object, serviceOptions: ServiceOptions) {
    checkNewPath(path)
    const name = joinPath(instance.prefix, path)
    const onListenerError = (err: unknown, event: string) =>
      logError(app.log, 'error', err, 'A listener of a service failed', { path: name, event })
    const create = () => {
      checkServiceOptions(serviceOptions, name)
      const { methods, schema, events, hooks } = serviceOptions
      const exposed = exposedMethods(object, name, methods, [...declaredIn(schema).keys()])
      const routes = routesOf(schema, serviceOptions.routes, exposed)
      checkRoutes(routes, name, exposed, router)
      checkSchemas(schema, name, exposed)
      const store = new ServiceHooks({ who: `Service '${name}'`, object, exposed })
      const shared = { app: instance, path: name, common, store, onListenerError, environment }
      const registration = {
        ...shared,
        methods: exposed,
        routes,
        events: eventsOf(object, events),
        hooks: hooks as HookOptions
      }
      const { mounted } = metaOf(object)
      const entry = mounted ? createMountedService(object, mounted, registration) : createService(object, registration)
      const start = () => startHooks(entry, common, serviceOptions)
      const exposedService = { ...entry, exposed, common, options: serviceOptions, start }
      conflicts.add(exposedService)
      Object.assign(metaOf(entry.service), { isRegistered: true, object })
      return exposedService
    }
    const entry = registry.add(name, create, serviceOf)
    const prefix = joinPath(path)
    const child = async (child: FastifyInstance) => {
      if (joinPath(child.prefix) !== name) throw new Error(misplaced(name, child.prefix))
      registerRoutes(child, entry, serviceOptions, settings)
    }
    // Whoever traces an application tells the services apart by it.
    Object.assign(child, { [Symbol.for('fastify.display-name')]: name || '/' })
    instance.register(child, prefix === '' ? {} : { prefix: `/${prefix}` })
    for (const listen of onService) listen(entry)
    return entry.service
  }
}

/**
 * @throws when the plugin is registered here, or something else has taken a name that it decorates
 * the instance with
 */
function checkDecorators(app: FastifyInstance): void {
  if (pluginState(app).services !== undefined)
    throw new Error('fastify-services is registered here already: use app.service() of that registration')
  const foreign = ['service', 'printServices', 'setup'].find((name) => app.hasDecorator(name)) ?? takenDecorator(app)
  if (foreign !== undefined)
    throw new Error(
      `fastify-services needs the decorator \`${foreign}\`, which something else has taken here: your application, another plugin, or another copy of this package. Name that one differently, or register the two in plugins of their own`
    )
}

// Fastify puts what is registered into the plugin that is loading, whatever instance it is
// registered on.
const misplaced = (name: string, url: string) =>
  `The service '${name}' would be at ${url}: it was registered on another instance while a plugin with a prefix was loading. Use the instance that this plugin gets, or register the service before`

/**
 * The plugin: services over HTTP (docs/http.md). It decorates the instance with `service` and
 * `setup`, requests with `feathers`, replies with `data`, `hook` and `format`; the rest of the
 * application stays as it is.
 *
 * @example
 * await app.register(services)
 * app.service('messages', new MessageService())
 */
export default plugin(services, { fastify: '5.x', name: 'fastify-services' })
