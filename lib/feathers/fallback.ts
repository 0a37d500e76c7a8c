import type { FastifyInstance } from 'fastify'
import { joinPath } from '../core/path.js'
import { type ServiceHost, serviceHostOf } from '../core/plugin-state.js'
import type { Forwarder } from '../core/service-meta.js'
import { restFormatter } from './formatter.js'
import { createForwarder, type KoaMiddleware, refuseForwarded } from './forward.js'
import type { IgnoreList } from './ignore-middleware.js'
import {
  checkIgnoreList,
  noMiddleware,
  reasonsFor,
  type SortedMiddleware,
  sortMiddleware,
  warnOfReplacements,
  withoutAllowedMethods
} from './middleware.js'
import { type FeathersService, isOAuth, type MountedApplication } from './mounted.js'
import { reachesService } from './stack.js'

/** Decides which requests the framework of a mounted application answers: the option `fallback`. */
export class Fallback {
  readonly #application: MountedApplication
  readonly #fastify: FastifyInstance
  readonly #host: ServiceHost
  readonly #ignoreList: IgnoreList
  readonly #forwarder: Forwarder
  /** The services that Fastify answers. */
  readonly #served: Set<FeathersService>
  /** Why the framework answers a service, by its path. */
  readonly #reasons = new Map<string, string>()
  /** The middleware and the services at the time of the mount. */
  readonly #middlewareAtMount: SortedMiddleware
  readonly #servicesAtMount: ReadonlySet<FeathersService>

  private constructor(
    application: MountedApplication,
    fastify: FastifyInstance,
    ignoreList: IgnoreList,
    middleware: SortedMiddleware,
    errorHandler: KoaMiddleware | undefined
  ) {
    this.#application = application
    this.#fastify = fastify
    this.#host = serviceHostOf(fastify)
    this.#ignoreList = ignoreList
    this.#served = new Set()
    this.#forwarder = createForwarder(application, fastify, this.#served, errorHandler)
    this.#middlewareAtMount = middleware
    this.#servicesAtMount = new Set(Object.values(application.services))
  }

  /**
   * Reads the middleware of an application.
   * @param ignoreList middleware in spite of which Fastify answers services
   * @throws if the framework can't answer requests of this server
   */
  static async create(
    application: MountedApplication,
    fastify: FastifyInstance,
    ignoreList: IgnoreList
  ): Promise<Fallback> {
    checkFramework(application, fastify)
    const errorHandler =
      frameworkOf(application) === 'Koa' ? (await import('@feathersjs/koa')).errorHandler() : undefined
    const middleware = await relevantMiddleware(application, ignoreList)
    return new Fallback(application, fastify, ignoreList, middleware, errorHandler as KoaMiddleware | undefined)
  }

  /** Returns the forwarder for a service, or `undefined` if Fastify can answer it. */
  forwarderFor(service: FeathersService, path: string): Forwarder | undefined {
    const names = this.#namesFor(service, path)
    const reason = isOAuth(service) ? 'OAuth' : names.length > 0 ? `middleware: ${names.join(', ')}` : undefined
    if (reason !== undefined) {
      this.#reasons.set(path, reason)
      return this.#forwarder
    }
    if (!this.#served.has(service)) refuseForwarded(service, () => this.#host.hasHooks)
    this.#served.add(service)
    return undefined
  }

  /**
   * Returns the names of the middleware for which the framework must answer a service. A service at
   * several paths has one answer for all, since the framework finds it by the service.
   */
  #namesFor(service: FeathersService, path: string): readonly string[] {
    const { formatted } = this.#middlewareAtMount
    const entries = Object.entries(this.#application.services).filter(([, other]) => other === service)
    const paths = new Set([path, ...entries.map(([other]) => other)])
    // `rest(formatter)` applies to all services that are registered after it.
    const isFormatted = this.#servicesAtMount.has(service) ? formatted.has(service) : formatted.size > 0
    const formatter = this.#ignoreList.remaining(isFormatted ? [restFormatter] : [])
    const names = [...paths].flatMap((servicePath) =>
      reasonsFor(service, servicePath, this.#middlewareAtMount, this.#ignoreList)
    )
    return [...new Set([...formatter.map(({ name }) => name), ...names])]
  }

  /**
   * Returns whether the framework answers a service without routes here: a service that is
   * registered after the server was ready, or that replaces one which the framework answers.
   * @throws if it can't
   */
  needsNoRoute(service: FeathersService, path: string): boolean {
    // The framework looks up the service at each request, so a service that is configured again, as
    // OAuth may be, needs nothing else.
    if (this.#reasons.has(path)) return true
    if (!this.#host.isReady) return false
    const url = `/${joinPath(this.#fastify.prefix, path).replace(/:[^/]+/g, 'x')}`
    const problem = [url, `${url}/x`].some(this.#host.serviceAt)
      ? 'another service takes its URLs'
      : this.#host.hasHooks && 'the option `hooks` of fastify-services would not run for it'
    if (problem) {
      this.#served.add(service)
      throw new Error(
        `The service '${path}' of the Feathers application comes too late, as the server is ready, and ${problem}: register it before`
      )
    }
    this.#host.markForwarded(joinPath(this.#fastify.prefix, path))
    return true
  }

  /** Keeps the framework from answering a service that could not be mounted. */
  refuse(service: FeathersService, path: string): void {
    this.#served.add(service)
    this.#reasons.delete(path)
  }

  /** Forwards requests that no route takes. */
  register(): void {
    this.#host.addFallback(this.#fastify as never, this.#forwarder)
  }

  /**
   * Logs which services the framework answers.
   * @throws if middleware was added too late, or hooks of all services would not run
   */
  async check(): Promise<void> {
    const middleware = await relevantMiddleware(this.#application, this.#ignoreList)
    checkIgnoreList(this.#application, this.#ignoreList, middleware)
    this.#refuseLateMiddleware(middleware)
    const framework = frameworkOf(this.#application)
    if (this.#host.hasHooks && this.#reasons.size > 0)
      throw new Error(
        `${framework} answers services of the Feathers application: ${this.#describeReasons()}. The option \`hooks\` of fastify-services would not run for them: make hooks of the application of these, by theirs.hooks()`
      )
    if (this.#reasons.size > 0)
      this.#fastify.log.info(`${framework} answers services of the Feathers application: ${this.#describeReasons()}`)
    // Services that the framework answers have all of its middleware, and files are no services.
    const plugins = middleware.replacements.filter((name) => this.#served.size > 0 && name !== '@fastify/static')
    warnOfReplacements(plugins, this.#fastify)
  }

  #refuseLateMiddleware({ aroundServices, formatted }: SortedMiddleware): void {
    const handles = new Set(this.#middlewareAtMount.aroundServices.map(({ handle }) => handle))
    // A router may have new routes.
    const paths = Object.entries(this.#application.services).flatMap(([path, service]) =>
      this.#served.has(service) ? path : []
    )
    const isLate = (layer: SortedMiddleware['all'][number]) =>
      !handles.has(layer.handle) || paths.some((path) => reachesService(layer, path))
    const hasFormatter = [...formatted].some((service) => this.#served.has(service))
    const late = [
      ...this.#ignoreList.remaining(aroundServices).filter(isLate),
      ...this.#ignoreList.remaining(hasFormatter ? [restFormatter] : [])
    ]
    if (late.length > 0)
      throw new Error(
        `The Feathers application has got middleware after it was mounted: ${late.map(({ name }) => name).join(', ')}. Mount it when it has all of its middleware`
      )
  }

  /** Returns each reason with the paths of its services. */
  #describeReasons(): string {
    return [...new Set(this.#reasons.values())]
      .map((reason) => {
        const paths = [...this.#reasons].flatMap(([path, other]) => (other === reason ? [`'${path}'`] : []))
        return `${paths.join(', ')} (${reason})`
      })
      .join(', ')
  }
}

async function relevantMiddleware(application: MountedApplication, ignoreList: IgnoreList): Promise<SortedMiddleware> {
  return ignoreList.isAll ? noMiddleware : withoutAllowedMethods(await sortMiddleware(application))
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
