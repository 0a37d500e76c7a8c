import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import type { ServiceFunction, ServiceOptions, ServicesOptions } from '../../types/fastify.js'
import { ownPluginState, pluginState, rootOf } from '../core/plugin-state.js'
import { notFound } from './errors/error-handler.js'
import { checkPath, checkPluginOptions } from './plugin-options.js'
import { printServices } from './print-services.js'
import { decorateMessages, takenDecorator } from './request/request.js'
import { notObject } from './routing/exposed.js'
import { answerMethodNotAllowed } from './routing/method-not-allowed.js'
import { acceptExtraSlashes } from './routing/slashes.js'
import { FastifyServiceHost } from './service-host.js'
import { checkCommonHooks, checkTimeouts, startRouteHooks } from './start-hooks.js'
import '../compat/next-tick.js'

async function services(app: FastifyInstance, options: ServicesOptions): Promise<void> {
  checkDecorators(app)
  checkPluginOptions(options, app.log)
  const host = new FastifyServiceHost(app, options)
  const { registry, hooks, settings } = host
  ownPluginState(app).services = host
  decorateMessages(app)
  startRouteHooks(app)
  decorateInstance(app, host)
  app.addHook('onReady', async () => checkTimeouts(app))
  app.addHook('onReady', async () => checkCommonHooks(hooks, registry.entries, app.log))
  app.addHook('onReady', () => registry.setup(app.server))
  app.addHook('onClose', () => registry.teardown())
  answerMethodNotAllowed(rootOf(app), settings.conflicts, settings.onError)
  acceptExtraSlashes(app, settings.conflicts, settings.router)
  if (options.notFound) {
    app.setNotFoundHandler(
      notFound({ ...options.errorHandler, ...(options.notFound === true ? {} : options.notFound) })
    )
  }
}

/** Adds `app.service`, `app.setup` and `app.printServices`. */
function decorateInstance(app: FastifyInstance, host: FastifyServiceHost): void {
  const { registry } = host
  function service(this: FastifyInstance, ...args: [path: string, object?: object, options?: ServiceOptions]) {
    const [path, object, serviceOptions = {}] = args
    try {
      checkPath(path)
      if (object !== undefined) return host.register(this, path, object, serviceOptions, service)
      const entry = registry.find(this.prefix, path)
      if (entry !== undefined) return entry.service
      throw args.length > 1 ? notObject(object, path) : registry.missing(path)
    } catch (error) {
      // Node prints the line that a stack begins with: it shall be one of the application.
      if (error instanceof Error) Error.captureStackTrace(error, service)
      throw error
    }
  }
  app.decorate('service', service as ServiceFunction)
  app.decorate('printServices', () => printServices(registry.entries))
  app.decorate('setup', async (server?: unknown) => {
    registry.useServer(server)
    await rootOf(app).ready()
  })
}

/**
 * @throws if the plugin is registered here already, or if something else has one of its decorators
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
