import type { FastifyInstance } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import { NotFound } from '../core/error-classes.js'
import { toServiceError } from '../core/errors.js'
import { standFor } from '../core/foreign.js'
import type { ToApplication } from '../core/hook-application.js'
import { callService, type Notify } from './call.js'
import { type AuthenticationSettings, type credentialsReader, removeLogin } from './credentials.js'
import { Lifecycle } from './lifecycle.js'
import { separateLogins } from './logins.js'
import { checkMiddleware } from './middleware.js'
import { type FeathersService, isOAuth, type Mounted, optionsOf, type ServiceOptions } from './mounted.js'
import { registerSockets } from './sockets.js'

/** Options of a mounted application. */
export interface MountOptions {
  /** What `rest({ authentication })` of the application takes. Default: the settings of its authentication service. */
  authentication?: AuthenticationSettings
  /** Whether its Koa or Express middleware, which does not run here, is no concern. Default: the server does not start with some. */
  ignoreMiddleware?: boolean
}

/**
 * Registers the services of a Feathers application, and those that it gets until the server is ready.
 * @param toApplication makes what hooks around its services get as `context.app`
 */
export function mount(
  fastify: FastifyInstance,
  application: Mounted,
  toApplication: ToApplication,
  { readCredentials, check, isThere }: ReturnType<typeof credentialsReader>,
  { ignoreMiddleware = false }: MountOptions
): void {
  const oauth: string[] = []
  let hasServices = false
  const lifecycle = new Lifecycle(application, async () => {
    if (oauth.length > 0) fastify.log.warn(`OAuth of the Feathers application does not move: ${oauth.join(', ')}`)
    if (!ignoreMiddleware) await checkMiddleware(application, fastify)
  })

  function add(service: FeathersService, path: string, { methods, routeParams }: ServiceOptions): void {
    separateLogins(service, application, isThere)
    if (methods.length === 0) return
    if (isOAuth(service)) return void oauth.push(path)
    // The set-up comes with the first of them, and the tear-down in the reverse order.
    const isFirst = !hasServices
    const object = Object.create(service, {
      setup: { value: (_app: unknown, _path: string, server: unknown) => lifecycle.setup(server) },
      teardown: { value: isFirst ? () => lifecycle.teardown() : undefined }
    })
    async function call(context: HookContext, notify: Notify) {
      if (application.services[path] !== service)
        throw new NotFound(`The service '${path}' is not in the Feathers application any more`)
      removeLogin(context, application)
      if (routeParams) context.params.route = { ...routeParams, ...context.params.route }
      await callService(service, context, notify)
    }
    try {
      if (/[*(]|[^/]:/.test(path))
        throw new Error("'*', '(' and a ':' within a segment mean something else in routes of Fastify")
      standFor(object, { service, origin: 'the Feathers application', call, application: toApplication })
      fastify.service(path, object, { methods, before: readCredentials })
      hasServices = true
    } catch (cause) {
      const { message } = toServiceError(cause)
      throw new Error(
        `The service '${path}' of the Feathers application can't be mounted: ${message}${lifecycle.isRunning ? duringSetup : ''}`,
        { cause }
      )
    }
  }

  for (const [path, service] of Object.entries(application.services)) add(service, path, optionsOf(service))
  application.mixins.push(add)
  registerSockets(fastify, application, lifecycle)
  // Services are set up in the order of registration, by whichever server was named. This is for an application that has none.
  fastify.addHook('onReady', async () => {
    await lifecycle.setup(fastify.server)
    check()
  })
  fastify.addHook('onClose', async () => {
    application.mixins.splice(application.mixins.indexOf(add), 1)
    if (!hasServices) await lifecycle.teardown()
  })
}

const duringSetup =
  ': the set-up of the Feathers application adds it. Run await theirs.setup() before you mount the application'
