import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import type { Interceptor } from '../core/compose.js'
import { NotFound } from '../core/error-classes.js'
import { toServiceError } from '../core/errors.js'
import { callerIn } from '../core/http-call.js'
import type { ToApplication } from '../core/plugin-state.js'
import { type MountedService, metaOf } from '../core/service-meta.js'
import {
  type AuthenticationSettings,
  type FeathersCredentials,
  removeOtherLogins,
  separateLogins
} from './authentication.js'
import { createCall, interceptMethods, type Notify } from './call.js'
import { type Fallback, frameworkOf } from './fallback.js'
import type { IgnoredMiddleware, IgnoreList } from './ignore-middleware.js'
import { createLifecycle, registerSockets } from './lifecycle.js'
import { checkMiddleware } from './middleware.js'
import {
  type FeathersService,
  isOAuth,
  type MountedApplication,
  type ServiceOptions,
  serviceOptions
} from './mounted.js'

/** Options of a mounted application. */
export interface MountOptions {
  /**
   * The option of `rest({ authentication })` of the application. Default: the settings of its
   * authentication service.
   */
  authentication?: AuthenticationSettings
  /**
   * Koa or Express middleware that may be ignored, since it does not run here: `true` for all, or a
   * list of functions and of names from the error at the start. Default: the server does not start
   * if there is some. With `fallback`, its framework answers the services behind it.
   */
  ignoreMiddleware?: IgnoredMiddleware
  /**
   * Whether its own framework, Koa or Express, answers what Fastify does not: requests that no
   * route takes, and those for services that have middleware. Default: `false`.
   */
  fallback?: boolean
}

interface MountParts {
  /** Returns the `context.app` of hooks around the services. */
  readonly toApplication: ToApplication
  readonly credentials: FeathersCredentials
  readonly ignoreList: IgnoreList
  readonly fallback: Fallback | undefined
}

/**
 * Registers the services of a Feathers application at an instance of Fastify, and later those that
 * are added until the server is ready.
 */
export function mountApplication(
  fastify: FastifyInstance,
  application: MountedApplication,
  { toApplication, credentials, ignoreList, fallback }: MountParts
): void {
  const framework = frameworkOf(application)
  // The paths of services of OAuth, which Fastify can't answer.
  const oauthPaths: string[] = []
  let hasServices = false
  const lifecycle = createLifecycle(application, async () => {
    if (oauthPaths.length > 0)
      fastify.log.warn(`OAuth of the Feathers application needs the option \`fallback\`: ${oauthPaths.join(', ')}`)
    if (fallback !== undefined) await fallback.check()
    else await checkMiddleware(application, ignoreList, fastify)
  })

  function add(service: FeathersService, path: string, { methods, routeParams }: ServiceOptions): void {
    separateLogins(service, application, credentials.isThere)
    if (methods.length === 0 || fallback?.needsNoRoute(service, path)) return
    const forwarder = fallback?.forwarderFor(service, path)
    if (isOAuth(service) && forwarder === undefined) return void oauthPaths.push(path)
    try {
      if (/[*(]|[^/]:/.test(path))
        throw new Error("'*', '(' and a ':' within a segment mean something else in routes of Fastify")
      const object = withLifecycle(service)
      metaOf(object).mounted = {
        service,
        origin: 'the Feathers application',
        call: callOf(service, path, routeParams),
        application: toApplication,
        intercept: (interceptor: Interceptor) => interceptMethods(service, interceptor),
        ...(forwarder && { forwarder }),
        ...(framework === 'Koa' && { textType: koaTextType })
      }
      fastify.service(path, object, { methods, ...(!forwarder && { before: credentials.readCredentials }) })
      hasServices = true
    } catch (cause) {
      fallback?.refuse(service, path)
      const advice = lifecycle.isSettingUp ? duringSetup : ''
      throw new Error(
        `The service '${path}' of the Feathers application can't be mounted: ${toServiceError(cause).message}${advice}`,
        { cause }
      )
    }
  }

  /**
   * Creates an object that inherits from a service. The first one sets the application up, and
   * tears it down, since teardown runs in reverse order.
   */
  const withLifecycle = (service: FeathersService): object =>
    Object.create(service, {
      setup: { value: (_app: unknown, _path: string, server: unknown) => lifecycle.setup(server) },
      teardown: { value: hasServices ? undefined : () => lifecycle.teardown() }
    })

  function callOf(
    service: FeathersService,
    path: string,
    routeParams: ServiceOptions['routeParams']
  ): MountedService['call'] {
    const callService = createCall(service)
    return async (context: HookContext, notify: Notify) => {
      if (application.services[path] !== service)
        throw new NotFound(`The service '${path}' is not in the Feathers application any more`)
      removeOtherLogins(context, application)
      if (routeParams) context.params.route = { ...routeParams, ...context.params.route }
      await callService(context, notify)
      // Koa and Express answer 404 if there is no result.
      const { result, dispatch = result, params } = context
      if (dispatch === undefined && framework !== undefined)
        throw new NotFound(`Path ${requestedPath(callerIn(params)?.request as FastifyRequest)} not found`)
    }
  }

  const { services, mixins } = application
  for (const [path, service] of Object.entries(services)) add(service, path, serviceOptions(service))
  mixins.push(add)
  fallback?.register()
  registerSockets(fastify, application, lifecycle)
  // The services run the setup, with the server that was passed to `setup()`. This one is for an
  // application without services.
  fastify.addHook('onReady', async () => {
    await lifecycle.setup(fastify.server)
    credentials.check()
  })
  fastify.addHook('onClose', async () => {
    mixins.splice(mixins.indexOf(add), 1)
    if (!hasServices) await lifecycle.teardown()
  })
}

const requestedPath = ({ url }: FastifyRequest) => url.split('?', 1)[0]

const koaTextType = (text: string) => `text/${/^\s*</.test(text) ? 'html' : 'plain'}; charset=utf-8`

const duringSetup =
  ': the set-up of the Feathers application adds it. Run await theirs.setup() before you mount the application'
