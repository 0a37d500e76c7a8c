import findMyWay from 'find-my-way'
import { toServiceError } from '../../core/errors.js'
import type { Endpoint } from '../../core/methods.js'
import { joinPath } from '../../core/path.js'
import { routePath } from '../request/arguments.js'
import { queryVerb } from '../request/query-body.js'
import type { Router } from '../request/router.js'
import { type ExposedService, endpointsOfService } from './exposed.js'

/** A URL pattern of a service, of its records, or of a custom method. */
export interface ServiceUrl {
  readonly entry: ExposedService
  /** Under the path of the service: `''`, `:id`, `:id/publish`. */
  readonly path: string
  /** The methods that are called at this URL. */
  readonly names: readonly string[]
  /** The verbs that the service answers at this URL. */
  readonly verbs: readonly string[]
}

/**
 * The URL patterns of all services, in a router with the options of the application's. It finds
 * services with the same URLs at the start, and says which service a request is for: the
 * application's router can't if no route matches, or a route of a less specific service does.
 */
export class RouteConflicts {
  readonly #appRouter: Router
  readonly #router
  /** The paths above those of services and of their methods. */
  readonly #parents = new Set<string>()

  constructor(appRouter: Router) {
    this.#appRouter = appRouter
    this.#router = findMyWay({ ...appRouter.options, querystringParser: () => ({}) })
  }

  /** @throws if another service answers at one of its URLs, or the router refuses one */
  add(entry: ExposedService): void {
    const servicePath = entry.path === '' ? '' : `/${entry.path}`
    // Nothing can follow an optional placeholder.
    const parent = servicePath.replace(/\?$/, '')
    const endpoints = endpointsOfService(entry)
    const target = toServiceUrl(entry, '', endpoints)
    const paths = pathsOf(endpoints)
    const added = [
      { url: servicePath || '/', target },
      { url: `${servicePath}/`, target },
      ...paths.map((path) => ({
        url: `${parent}/${routePath(servicePath, path)}`,
        target: toServiceUrl(entry, path, endpoints)
      }))
    ]
    for (const { url, target } of added) {
      const other = this.#slotOf(url)?.target
      if (target.verbs.length > 0 && other !== undefined && other.verbs.length > 0)
        throw new Error(
          `The services '${other.entry.path}' and '${entry.path}' have the same URLs (${url}): choose another path for one of them, or make one service of both`
        )
    }
    for (const { url, target } of added) this.#put(url, target)
    const path = canonical(entry.path)
    for (const parent of parentsOf(path)) this.#parents.add(parent)
    for (const entryPath of paths)
      for (const parent of parentsOf(canonical(entryPath)).slice(1)) this.#parents.add(joinPath(path, parent))
  }

  /**
   * Whether no other route can be more specific at the URLs of a path of a service: the router
   * prefers fixed segments, no service is below the fixed path of this one, and none of its methods
   * has a path that matches the same URLs. Call it when all services are registered.
   */
  isUnrivalled(entry: ExposedService, path: string): boolean {
    const isFixed = !/[:*%]/.test(entry.path) && !this.#parents.has(canonical(entry.path))
    return isFixed && pathsOf(endpointsOfService(entry)).every((other) => other === path || !overlap(other, path))
  }

  /** Returns the most specific service at a URL. */
  serviceAt(url: string): ServiceUrl | undefined {
    const match = this.#router.find('GET', url)
    // For the router, a placeholder matches an empty segment, too.
    const isComplete = Object.values(match?.params ?? {}).every(Boolean)
    return isComplete ? targetOf(match) : undefined
  }

  /**
   * Returns the service for a URL with a trailing slash: the one at that URL, or the one without
   * the slash, unless an empty placeholder follows the slash.
   */
  serviceAtSlash(url: string, bare: string, verb: string): ServiceUrl | undefined {
    const isEmpty = () => targetOf(this.#router.find('GET', url))?.verbs.includes(verb)
    return this.serviceAt(url) ?? (isEmpty() ? undefined : this.serviceAt(bare))
  }

  /**
   * Returns a URL without its trailing slash. `undefined` if it has none, is only a slash, or has
   * more slashes than the router ignores.
   */
  withoutSlash(url: string): string | undefined {
    const { options, pathEnd } = this.#appRouter
    const end = pathEnd(url)
    let length = end
    while (length > 1 && url[length - 1] === '/') length--
    const isSingle = length === end - 1 || (length < end && options.ignoreDuplicateSlashes)
    return isSingle ? url.slice(0, length) + url.slice(end) : undefined
  }

  /** Whether a URL belongs to a service, even if a placeholder is empty. */
  isTaken(url: string): boolean {
    return this.#router.find('GET', url) !== null
  }

  /** @throws the error of the router, with the service in its message */
  #put(url: string, target: ServiceUrl): void {
    try {
      const slot = this.#slotOf(url)
      // A route needs a handler, which nothing calls.
      if (slot === undefined) this.#router.on('GET', url, Boolean, { target })
      // If the other service answers no verb here, this one may.
      else if (target.verbs.length > 0) slot.target = target
    } catch (cause) {
      const { path } = target.entry
      throw new Error(
        `The service '${path}' can't be at ${url}: choose another path. ${toServiceError(cause).message}`,
        { cause }
      )
    }
  }

  /** Returns the slot of a URL pattern, however that is spelt. */
  #slotOf(url: string): Slot | undefined {
    const { ignoreDuplicateSlashes, ignoreTrailingSlash } = this.#appRouter.options
    const single = ignoreDuplicateSlashes ? findMyWay.removeDuplicateSlashes(url) : url
    const bare = ignoreTrailingSlash ? findMyWay.trimLastSlash(single) : single
    return this.#router.findRoute('GET', bare)?.store
  }
}

interface Slot {
  target: ServiceUrl
}

const targetOf = (match: { store: unknown } | null) => (match?.store as Slot | undefined)?.target

// For the router, paths that differ in these may be equal.
const canonical = (path: string) => path.toLowerCase().replace(/\/+/g, '/')

/**
 * Returns the paths of a service below its own. Every service has URLs of records: a method that it
 * lacks is 405 there.
 */
function pathsOf(endpoints: readonly Endpoint[]): string[] {
  return [...new Set([':id', ...endpoints.map(({ path }) => path)])].filter(Boolean)
}

const parentsOf = (path: string) =>
  path.split('/').map((_segment, index, segments) => segments.slice(0, index).join('/'))

/** Whether a URL can match both paths. */
function overlap(pattern: string, other: string): boolean {
  const [segments, others] = [pattern.split('/'), other.split('/')]
  return (
    segments.length === others.length &&
    segments.every((segment, index) => [segment, others[index]].some(isPlaceholder) || segment === others[index])
  )
}

const isPlaceholder = (segment?: string) => segment?.startsWith(':')

/** Returns the URL pattern of a service at one of its paths. */
export function toServiceUrl(entry: ExposedService, path: string, all = endpointsOfService(entry)): ServiceUrl {
  const endpoints = all.filter((endpoint) => endpoint.path === path)
  const verbs = new Set(endpoints.flatMap(({ verb }) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])))
  // QUERY is new, so it comes after the well-known verbs.
  if (verbs.delete(queryVerb)) verbs.add(queryVerb)
  return { entry, path, names: endpoints.map(({ name }) => name), verbs: [...verbs] }
}
