import type { FastifyInstance } from 'fastify'
import { joinPath } from '../core/path.js'
import { type ServiceHost, serviceHostOf } from '../core/plugin-state.js'
import type { Forwarder } from '../core/service-meta.js'
import { createForwarder, type KoaMiddleware } from './forward.js'
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
export class Fallback {
  readonly #application: MountedApplication
  readonly #fastify: FastifyInstance
  readonly #host: ServiceHost
  readonly #ignoreList: IgnoreList
  readonly #forwarder: Forwarder
  /** The services that Fastify answers. */
  readonly #served = new Set<FeathersService>()
  /** Why the framework answers a service, by its path. */
  readonly #reasons = new Map<string, string>()
  readonly #middlewareAtMount: SortedMiddleware

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
    this.#forwarder = createForwarder(application, fastify, this.#served, errorHandler)
    this.#middlewareAtMount = middleware
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
    const names = reasonsFor(service, path, this.#middlewareAtMount, this.#ignoreList)
    const reason = isOAuth(service) ? 'OAuth' : names.length > 0 ? `middleware: ${names.join(', ')}` : undefined
    if (reason !== undefined) {
      this.#reasons.set(path, reason)
      return this.#forwarder
    }
    this.#served.add(service)
    return undefined
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
    if (![url, `${url}/x`].some(this.#host.serviceAt)) return true
    this.#served.add(service)
    throw new Error(
      `The service '${path}' of the Feathers application comes too late, as the server is ready, and another service takes its URLs: register it before`
    )
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
   * @throws if middleware was added too late, or there are hooks of all services
   */
  async check(): Promise<void> {
    const middleware = await relevantMiddleware(this.#application, this.#ignoreList)
    checkIgnoreList(this.#application, this.#ignoreList, middleware)
    this.#refuseLateMiddleware(middleware)
    const framework = frameworkOf(this.#application)
    if (this.#host.hasHooks)
      throw new Error(
        `With the option \`fallback\`, ${framework} may call services of the Feathers application, and hooks of all services would not run there, such as those of the options \`hooks\` of fastify-services and \`guard\` of authentication. Add them by theirs.hooks() instead`
      )
    if (this.#reasons.size > 0)
      this.#fastify.log.info(`${framework} answers services of the Feathers application: ${this.#describeReasons()}`)
    // Services that the framework answers have all of its middleware, and files are no services.
    const plugins = middleware.replacements.filter((name) => this.#served.size > 0 && name !== '@fastify/static')
    warnOfReplacements(plugins, this.#fastify)
  }

  #refuseLateMiddleware({ aroundServices, formatter }: SortedMiddleware): void {
    const { aroundServices: layers, formatter: formatterAtMount } = this.#middlewareAtMount
    const handles = new Set([...layers, ...formatterAtMount].map(({ handle }) => handle))
    const late = this.#ignoreList.remaining(
      [...aroundServices, ...formatter].filter(({ handle }) => !handles.has(handle))
    )
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
  return ignoreList.isAll ? noMiddleware : sortMiddleware(application)
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
