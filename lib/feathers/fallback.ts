import type { FastifyInstance } from 'fastify'
import { serviceHostOf } from '../core/host.js'
import type { Handover } from '../core/object-facts.js'
import { joinPath } from '../core/path.js'
import { restFormatter } from './formatter.js'
import { bar, createHandover, type KoaMiddleware } from './handover.js'
import type { Ignored } from './ignored.js'
import { checkIgnored, noMiddleware, reasonsFor, type Sorted, sortMiddleware, warnOfMissed } from './middleware.js'
import { type FeathersService, isOAuth, type Mounted } from './mounted.js'
import { meetsService } from './stack.js'

/** What the framework of a mounted application answers. */
export interface Fallback {
  /** Who answers a service in place of Fastify: `undefined` where nothing needs to. */
  handoverOf(service: FeathersService, path: string): Handover | undefined
  /**
   * Whether the framework answers a service at a path without routes here: one that comes after the
   * server was ready, or in place of one that it answers already. @throws where it can not
   */
  takesAlone(service: FeathersService, path: string): boolean
  /**
   * Keeps the framework from answering a service that could not be mounted: it knows it already.
   */
  refuse(service: FeathersService, path: string): void
  /** Gives it the requests that no route takes. */
  register(): void
  /**
   * Tells what it answers.
   * @throws when middleware has come too late, or hooks of all services would not run
   */
  check(): Promise<void>
}

/**
 * Looks at the middleware of an application, and decides who answers each service.
 * @param ignored is middleware in spite of which Fastify answers services
 * @throws when the framework can't answer requests of this server
 */
export async function createFallback(
  application: Mounted,
  fastify: FastifyInstance,
  ignored: Ignored
): Promise<Fallback> {
  checkFallback(application, fastify)
  const framework = frameworkOf(application)
  const host = serviceHostOf(fastify)
  const ours = new Set<FeathersService>()
  const errorHandler = framework === 'Koa' ? (await import('@feathersjs/koa')).errorHandler() : undefined
  const handover = createHandover(application, fastify, ours, errorHandler as KoaMiddleware | undefined)
  const reasons = new Map<string, string>()
  const sort = async (): Promise<Sorted> => (ignored.isAll ? noMiddleware : sortMiddleware(application))
  const atMount = await sort()
  const knownServices = new Set(Object.values(application.services))
  const shown = () =>
    [...new Set(reasons.values())].map((reason) => `${pathsFor(reason).join(', ')} (${reason})`).join(', ')
  const pathsFor = (wanted: string) =>
    [...reasons].flatMap(([path, reason]) => (reason === wanted ? [`'${path}'`] : []))

  /**
   * A service at several paths has one who answers: the framework tells by the service whom it
   * looks for.
   */
  function namesFor(service: FeathersService, path: string): readonly string[] {
    const all = Object.entries(application.services).filter(([, other]) => other === service)
    const paths = new Set([path, ...all.map(([other]) => other)])
    // The formatter of `rest()` is that of all services that come after it.
    const isFormatted = knownServices.has(service) ? atMount.formatted.has(service) : atMount.formatted.size > 0
    const names = [...paths].flatMap((servicePath) => reasonsFor(service, servicePath, atMount, ignored))
    return [...new Set([...ignored.without(isFormatted ? [restFormatter] : []).map(({ name }) => name), ...names])]
  }

  function refuseHooks(): void {
    if (host.hasHooks && reasons.size > 0)
      throw new Error(
        `${framework} answers services of the Feathers application: ${shown()}. The option \`hooks\` of fastify-services would not run for them: make hooks of the application of these, by theirs.hooks()`
      )
  }
  return {
    handoverOf(service, path) {
      const names = namesFor(service, path)
      const reason = isOAuth(service) ? 'OAuth' : names.length > 0 ? `middleware: ${names.join(', ')}` : undefined
      if (reason === undefined) {
        if (!ours.has(service)) bar(service, () => host.hasHooks)
        ours.add(service)
        return undefined
      }
      reasons.set(path, reason)
      return handover
    },
    takesAlone(service, path) {
      // The fallback asks the application anew who stands there: a service that is configured
      // again, as that of OAuth may be, needs nothing else.
      if (reasons.has(path)) return true
      if (!host.isReady) return false
      const url = `/${joinPath(fastify.prefix, path).replace(/:[^/]+/g, 'x')}`
      const problem = [url, `${url}/x`].some(host.isAt)
        ? 'another service takes its URLs'
        : host.hasHooks && 'the option `hooks` of fastify-services would not run for it'
      if (problem) {
        ours.add(service)
        throw new Error(
          `The service '${path}' of the Feathers application comes too late, as the server is ready, and ${problem}: register it before`
        )
      }
      host.noteHanded(joinPath(fastify.prefix, path))
      return true
    },
    refuse(service, path) {
      ours.add(service)
      reasons.delete(path)
    },
    register: () => host.addFallback(fastify as never, handover),
    async check() {
      const sorted = await sort()
      const { around, missed, formatted } = sorted
      checkIgnored(application, ignored, sorted)
      // A router may have got routes since.
      const paths = Object.entries(application.services).flatMap(([path, service]) => (ours.has(service) ? path : []))
      const late = ignored
        .without(around)
        .filter(
          (layer) =>
            !atMount.around.some(({ handle }) => handle === layer.handle) ||
            paths.some((path) => meetsService(layer, path))
        )
        .concat(ignored.without([...formatted].some((service) => ours.has(service)) ? [restFormatter] : []))
      if (late.length > 0)
        throw new Error(
          `The Feathers application has got middleware after it was mounted: ${late.map(({ name }) => name).join(', ')}. Mount it when it has all of its middleware`
        )
      refuseHooks()
      if (reasons.size > 0) fastify.log.info(`${framework} answers services of the Feathers application: ${shown()}`)
      // What the framework answers has all of it, and files are no services.
      const ofServices = missed.filter((name) => ours.size > 0 && name !== '@fastify/static')
      warnOfMissed(ofServices, fastify)
    }
  }
}

/**
 * The name of the framework of an application, for messages. `undefined` for a bare `feathers()`.
 */
export function frameworkOf(application: Mounted): 'Koa' | 'Express' | undefined {
  if (typeof application.callback === 'function') return 'Koa'
  return typeof application === 'function' ? 'Express' : undefined
}

/** @throws when the framework of an application can't answer requests of this server */
export function checkFallback(application: Mounted, { initialConfig }: FastifyInstance): void {
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
