import type { FastifyInstance } from 'fastify'
import { joinPath } from '../core/path.js'
import { serviceHostOf } from '../core/plugin-state.js'
import type { Forwarder } from '../core/service-meta.js'
import { createForwarder } from './forward.js'
import type { IgnoreList } from './ignore-middleware.js'
import {
  checkIgnoreList,
  noMiddleware,
  reasonsFor,
  type SortedMiddleware,
  sortMiddleware,
  warnOfReplacements
} from './middleware.js'
import { type FeathersService, isOAuth, type MountedApplication } from './mounted.js'

/** Decides which requests the framework of a mounted application answers: the option `fallback`. */
export type Fallback = Awaited<ReturnType<typeof createFallback>>

/**
 * Reads the middleware of an application.
 * @param ignoreList middleware in spite of which Fastify answers services
 * @throws if the framework can't answer requests of this server
 */
export async function createFallback(
  application: MountedApplication,
  fastify: FastifyInstance,
  ignoreList: IgnoreList
) {
  checkFramework(application, fastify)
  const framework = frameworkOf(application)
  const host = serviceHostOf(fastify)
  const readMiddleware = async () => (ignoreList.isAll ? noMiddleware : sortMiddleware(application))
  const middlewareAtMount = await readMiddleware()
  // The services that Fastify answers.
  const served = new Set<FeathersService>()
  // Why the framework answers a service, by its path.
  const reasons = new Map<string, string>()
  const forwarder = createForwarder(application, fastify, served)

  function refuseLateMiddleware({ aroundServices, formatter }: SortedMiddleware): void {
    const layersAtMount = [...middlewareAtMount.aroundServices, ...middlewareAtMount.formatter]
    const handles = new Set(layersAtMount.map(({ handle }) => handle))
    const late = ignoreList.remaining([...aroundServices, ...formatter].filter(({ handle }) => !handles.has(handle)))
    if (late.length > 0)
      throw new Error(
        `The Feathers application has got middleware after it was mounted: ${late.map(({ name }) => name).join(', ')}. Mount it when it has all of its middleware`
      )
  }

  /** Returns each reason with the paths of its services. */
  function describeReasons(): string {
    return [...new Set(reasons.values())]
      .map((reason) => {
        const paths = [...reasons].flatMap(([path, other]) => (other === reason ? [`'${path}'`] : []))
        return `${paths.join(', ')} (${reason})`
      })
      .join(', ')
  }

  return {
    /** Returns the forwarder for a service, or `undefined` if Fastify can answer it. */
    forwarderFor(service: FeathersService, path: string): Forwarder | undefined {
      const names = reasonsFor(service, path, middlewareAtMount, ignoreList)
      const reason = isOAuth(service) ? 'OAuth' : names.length > 0 ? `middleware: ${names.join(', ')}` : undefined
      if (reason === undefined) {
        served.add(service)
        return undefined
      }
      reasons.set(path, reason)
      return forwarder
    },

    /**
     * Returns whether the framework answers a service without routes here: a service that is
     * registered after the server was ready, or that replaces one which the framework answers.
     * @throws if it can't
     */
    needsNoRoute(service: FeathersService, path: string): boolean {
      // The framework looks up the service at each request, so a service that is configured again,
      // as OAuth may be, needs nothing else.
      if (reasons.has(path)) return true
      if (!host.isReady) return false
      const url = `/${joinPath(fastify.prefix, path).replace(/:[^/]+/g, 'x')}`
      if (![url, `${url}/x`].some(host.serviceAt)) return true
      served.add(service)
      throw new Error(
        `The service '${path}' of the Feathers application comes too late, as the server is ready, and another service takes its URLs: register it before`
      )
    },

    /** Keeps the framework from answering a service that could not be mounted. */
    refuse(service: FeathersService, path: string): void {
      served.add(service)
      reasons.delete(path)
    },

    /** Forwards requests that no route takes. */
    register: () => host.addFallback(fastify as never, forwarder),

    /**
     * Logs which services the framework answers.
     * @throws if middleware was added too late, or there are hooks of all services
     */
    async check(): Promise<void> {
      const middleware = await readMiddleware()
      checkIgnoreList(application, ignoreList, middleware)
      refuseLateMiddleware(middleware)
      if (host.hasHooks)
        throw new Error(
          `With the option \`fallback\`, ${framework} may call services of the Feathers application, and hooks of all services would not run there, such as those of the options \`hooks\` of fastify-services and \`guard\` of authentication. Add them by theirs.hooks() instead`
        )
      if (reasons.size > 0)
        fastify.log.info(`${framework} answers services of the Feathers application: ${describeReasons()}`)
      // Services that the framework answers have all of its middleware, and files are no services.
      const plugins = middleware.replacements.filter((name) => served.size > 0 && name !== '@fastify/static')
      warnOfReplacements(plugins, fastify)
    }
  }
}

/** Returns the name of the framework of an application, `undefined` for a bare `feathers()`. */
export function frameworkOf(application: MountedApplication): 'Koa' | 'Express' | undefined {
  if (typeof application.callback === 'function') return 'Koa'
  return typeof application === 'function' ? 'Express' : undefined
}

/** @throws if the framework of an application can't answer requests of this server */
function checkFramework(application: MountedApplication, { initialConfig }: FastifyInstance): void {
  const framework = frameworkOf(application)
  if (framework === undefined)
    throw new Error(
      'The option `fallback` of fastify-services/feathers needs an application of koa(feathers()) or express(feathers()), which answers requests. This one has neither: leave the option out'
    )
  if (framework === 'Express' && initialConfig.http2)
    throw new Error(
      'The option `fallback` of fastify-services/feathers lets Express answer requests, which can not do so over HTTP/2. Leave the option `http2` of Fastify out, or put a proxy before it'
    )
}
