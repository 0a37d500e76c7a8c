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
import { MountLifecycle, registerSockets } from './lifecycle.js'
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

/** Registers the services of a Feathers application at an instance of Fastify. */
export class Mount {
  readonly #fastify: FastifyInstance
  readonly #application: MountedApplication
  readonly #toApplication: ToApplication
  readonly #credentials: FeathersCredentials
  readonly #fallback: Fallback | undefined
  readonly #lifecycle: MountLifecycle
  readonly #framework: ReturnType<typeof frameworkOf>
  /** The paths of services of OAuth, which Fastify can't answer. */
  readonly #oauthPaths: string[] = []
  #hasServices = false

  /** @param toApplication returns the `context.app` of hooks around the services */
  constructor(
    fastify: FastifyInstance,
    application: MountedApplication,
    toApplication: ToApplication,
    credentials: FeathersCredentials,
    ignoreList: IgnoreList,
    fallback: Fallback | undefined
  ) {
    this.#fastify = fastify
    this.#application = application
    this.#toApplication = toApplication
    this.#credentials = credentials
    this.#fallback = fallback
    this.#framework = frameworkOf(application)
    this.#lifecycle = new MountLifecycle(application, async () => {
      if (this.#oauthPaths.length > 0)
        fastify.log.warn(
          `OAuth of the Feathers application needs the option \`fallback\`: ${this.#oauthPaths.join(', ')}`
        )
      if (fallback !== undefined) await fallback.check()
      else await checkMiddleware(application, ignoreList, fastify)
    })
  }

  /** Registers the services, and later those that are added until the server is ready. */
  register(): void {
    const fastify = this.#fastify
    const { services, mixins } = this.#application
    const lifecycle = this.#lifecycle
    const addService = (service: FeathersService, path: string, options: ServiceOptions) =>
      this.#add(service, path, options)
    for (const [path, service] of Object.entries(services)) addService(service, path, serviceOptions(service))
    mixins.push(addService)
    this.#fallback?.register()
    registerSockets(fastify, this.#application, lifecycle)
    // The services run the setup, with the server that was passed to `setup()`. This one is for an
    // application without services.
    fastify.addHook('onReady', async () => {
      await lifecycle.setup(fastify.server)
      this.#credentials.check()
    })
    fastify.addHook('onClose', async () => {
      mixins.splice(mixins.indexOf(addService), 1)
      if (!this.#hasServices) await lifecycle.teardown()
    })
  }

  #add(service: FeathersService, path: string, { methods, routeParams }: ServiceOptions): void {
    separateLogins(service, this.#application, this.#credentials.isThere)
    if (methods.length === 0 || this.#fallback?.needsNoRoute(service, path)) return
    const forwarder = this.#fallback?.forwarderFor(service, path)
    if (isOAuth(service) && forwarder === undefined) return void this.#oauthPaths.push(path)
    try {
      if (/[*(]|[^/]:/.test(path))
        throw new Error("'*', '(' and a ':' within a segment mean something else in routes of Fastify")
      const object = this.#withLifecycle(service)
      metaOf(object).mounted = {
        service,
        origin: 'the Feathers application',
        call: this.#callOf(service, path, routeParams),
        application: this.#toApplication,
        intercept: (interceptor: Interceptor) => interceptMethods(service, interceptor),
        ...(forwarder && { forwarder }),
        ...(this.#framework === 'Koa' && { textType: koaTextType })
      }
      const { readCredentials } = this.#credentials
      this.#fastify.service(path, object, { methods, ...(!forwarder && { before: readCredentials }) })
      this.#hasServices = true
    } catch (cause) {
      this.#fallback?.refuse(service, path)
      const { message } = toServiceError(cause)
      const advice = this.#lifecycle.isSettingUp ? duringSetup : ''
      throw new Error(`The service '${path}' of the Feathers application can't be mounted: ${message}${advice}`, {
        cause
      })
    }
  }

  /**
   * Creates an object that inherits from a service. The first one sets the application up, and
   * tears it down, since teardown runs in reverse order.
   */
  #withLifecycle(service: FeathersService): object {
    const lifecycle = this.#lifecycle
    return Object.create(service, {
      setup: { value: (_app: unknown, _path: string, server: unknown) => lifecycle.setup(server) },
      teardown: { value: this.#hasServices ? undefined : () => lifecycle.teardown() }
    })
  }

  /** Creates the function that calls the service for clients. */
  #callOf(service: FeathersService, path: string, routeParams: ServiceOptions['routeParams']): MountedService['call'] {
    const callService = createCall(service)
    return async (context: HookContext, notify: Notify) => {
      if (this.#application.services[path] !== service)
        throw new NotFound(`The service '${path}' is not in the Feathers application any more`)
      removeOtherLogins(context, this.#application)
      if (routeParams) context.params.route = { ...routeParams, ...context.params.route }
      await callService(context, notify)
      // Koa and Express answer 404 if there is no result.
      const { result, dispatch = result, params } = context
      if (dispatch === undefined && this.#framework !== undefined)
        throw new NotFound(`Path ${requestedPath(callerIn(params)?.request as FastifyRequest)} not found`)
    }
  }
}

const requestedPath = ({ url }: FastifyRequest) => url.split('?', 1)[0]

/** Returns the content type that Koa gives to a text. */
const koaTextType = (text: string) => `text/${/^\s*</.test(text) ? 'html' : 'plain'}; charset=utf-8`

const duringSetup =
  ': the set-up of the Feathers application adds it. Run await theirs.setup() before you mount the application'
