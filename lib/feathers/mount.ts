import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import type { Interceptor } from '../core/compose.js'
import { NotFound } from '../core/error-classes.js'
import { toServiceError } from '../core/errors.js'
import type { ToApplication } from '../core/host.js'
import { callerIn } from '../core/http-call.js'
import { factsOf } from '../core/object-facts.js'
import { createCall, interceptMethods, type Notify } from './call.js'
import { type Fallback, frameworkOf } from './fallback.js'
import type { Ignored, IgnoredMiddleware } from './ignored.js'
import { Lifecycle, registerSockets } from './lifecycle.js'
import { separateLogins } from './logins.js'
import { checkMiddleware } from './middleware.js'
import { type FeathersService, isOAuth, type Mounted, optionsOf, type ServiceOptions } from './mounted.js'
import { type AuthenticationSettings, type credentialsReader, removeLogin } from './parse-authentication.js'

/** Options of a mounted application. */
export interface MountOptions {
  /**
   * What `rest({ authentication })` of the application takes. Default: the settings of its
   * authentication service.
   */
  authentication?: AuthenticationSettings
  /**
   * Koa or Express middleware that is no concern, since it does not run here: `true` for all, or a
   * list of names, as the start tells them, and of functions. Default: the server does not start
   * with some; with `fallback`, its framework answers the services behind it.
   */
  ignoreMiddleware?: IgnoredMiddleware
  /**
   * Whether its own framework, Koa or Express, answers what Fastify does not: requests that no
   * route takes, and those for services that have middleware. Default: `false`.
   */
  fallback?: boolean
}

/**
 * Registers the services of a Feathers application, and those that it gets until the server is
 * ready.
 * @param toApplication makes what hooks around its services get as `context.app`
 * @param fallback says what its framework answers
 */
export function mount(
  fastify: FastifyInstance,
  application: Mounted,
  toApplication: ToApplication,
  { readCredentials, check, isThere }: ReturnType<typeof credentialsReader>,
  ignored: Ignored,
  fallback: Fallback | undefined
): void {
  const oauth: string[] = []
  let hasServices = false
  const lifecycle = new Lifecycle(application, async () => {
    if (oauth.length > 0)
      fastify.log.warn(`OAuth of the Feathers application needs the option \`fallback\`: ${oauth.join(', ')}`)
    if (fallback !== undefined) await fallback.check()
    else await checkMiddleware(application, ignored, fastify)
  })
  const isOverRest = frameworkOf(application) !== undefined
  const textType = frameworkOf(application) === 'Koa' ? koaTextType : undefined

  function add(service: FeathersService, path: string, { methods, routeParams }: ServiceOptions): void {
    separateLogins(service, application, isThere)
    if (methods.length === 0) return
    if (fallback?.takesAlone(service, path)) return
    const handover = fallback?.handoverOf(service, path)
    if (isOAuth(service) && handover === undefined) return void oauth.push(path)
    // The set-up comes with the first of them, and the tear-down in the reverse order.
    const isFirst = !hasServices
    const object = Object.create(service, {
      setup: { value: (_app: unknown, _path: string, server: unknown) => lifecycle.setup(server) },
      teardown: { value: isFirst ? () => lifecycle.teardown() : undefined }
    })
    const callService = createCall(service)
    async function call(context: HookContext, notify: Notify) {
      if (application.services[path] !== service)
        throw new NotFound(`The service '${path}' is not in the Feathers application any more`)
      removeLogin(context, application)
      if (routeParams) context.params.route = { ...routeParams, ...context.params.route }
      await callService(context, notify)
      // Koa and Express take a result that is not there for a URL that nobody answers.
      const { result, dispatch = result, params } = context
      if (dispatch === undefined && isOverRest)
        throw new NotFound(`Path ${requestedPath(callerIn(params)?.request as FastifyRequest)} not found`)
    }
    try {
      if (/[*(]|[^/]:/.test(path))
        throw new Error("'*', '(' and a ':' within a segment mean something else in routes of Fastify")
      const intercept = (interceptor: Interceptor) => interceptMethods(service, interceptor)
      const foreign = { service, origin: 'the Feathers application', call, application: toApplication, intercept }
      factsOf(object).foreign = { ...foreign, ...(handover && { handover }), ...(textType && { textType }) }
      fastify.service(path, object, { methods, ...(!handover && { before: readCredentials }) })
      hasServices = true
    } catch (cause) {
      fallback?.refuse(service, path)
      const { message } = toServiceError(cause)
      throw new Error(
        `The service '${path}' of the Feathers application can't be mounted: ${message}${lifecycle.isRunning ? duringSetup : ''}`,
        { cause }
      )
    }
  }

  for (const [path, service] of Object.entries(application.services)) add(service, path, optionsOf(service))
  application.mixins.push(add)
  fallback?.register()
  registerSockets(fastify, application, lifecycle)
  // Services are set up in the order of registration, by whichever server was named. This is for an
  // application that has none.
  fastify.addHook('onReady', async () => {
    await lifecycle.setup(fastify.server)
    check()
  })
  fastify.addHook('onClose', async () => {
    application.mixins.splice(application.mixins.indexOf(add), 1)
    if (!hasServices) await lifecycle.teardown()
  })
}

const requestedPath = ({ url }: FastifyRequest) => url.split('?', 1)[0]

/** The content type that Koa gives to a text. */
const koaTextType = (text: string) => `text/${/^\s*</.test(text) ? 'html' : 'plain'}; charset=utf-8`

const duringSetup =
  ': the set-up of the Feathers application adds it. Run await theirs.setup() before you mount the application'
