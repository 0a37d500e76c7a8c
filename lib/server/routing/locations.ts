import findMyWay from 'find-my-way'
import { toServiceError } from '../../core/errors.js'
import { joinPath } from '../../core/path.js'
import { routePath } from '../request/arguments.js'
import { queryVerb } from '../request/query-body.js'
import type { Router } from '../request/router.js'
import { type ExposedService, placesOf } from './exposed.js'

/**
 * A URL pattern of a service: that of the service itself, of its records, or of a custom method.
 */
export interface Location {
  readonly entry: ExposedService
  /** Under the path of the service: `''`, `:id`, `:id/publish`. */
  readonly path: string
  /** The methods that are called here. */
  readonly names: readonly string[]
  /** The verbs that the service answers here. */
  readonly verbs: readonly string[]
}

/**
 * The URL patterns of all services, in a router like that of the application. The application's
 * router knows routes, not services: it can't tell which service a request is meant for when no
 * route takes it, or when a route of a less specific service does.
 */
export class Locations {
  readonly #urls: Router
  readonly #router
  /** The paths under which other services stand, or custom methods of others. */
  readonly #parents = new Set<string>()

  constructor(urls: Router) {
    this.#urls = urls
    this.#router = findMyWay({ ...urls.options, querystringParser: () => ({}) })
  }

  /** @throws when another service answers at one of its URLs, or the router can't have them */
  add(entry: ExposedService): void {
    const servicePath = entry.path === '' ? '' : `/${entry.path}`
    // Nothing can follow an optional placeholder.
    const parent = servicePath.replace(/\?$/, '')
    const ofService = toLocation(entry, '')
    const paths = pathsOf(entry)
    const added = [
      { url: servicePath || '/', location: ofService },
      { url: `${servicePath}/`, location: ofService },
      ...paths.map((path) => ({
        url: `${parent}/${routePath(servicePath, path)}`,
        location: toLocation(entry, path)
      }))
    ]
    for (const { url, location } of added) {
      const other = this.of(url)
      if (location.verbs.length > 0 && other !== undefined && other.verbs.length > 0)
        throw new Error(
          `The services '${other.entry.path}' and '${entry.path}' have the same URLs (${url}): choose another path for one of them, or make one service of both`
        )
    }
    for (const { url, location } of added) this.#put(url, location)
    const path = canonical(entry.path)
    for (const parent of parentsOf(path)) this.#parents.add(parent)
    for (const entryPath of paths)
      for (const parent of parentsOf(canonical(entryPath)).slice(1)) this.#parents.add(joinPath(path, parent))
  }

  /**
   * Whether nothing else can be more specific at the URLs of a path of a service: the router
   * prefers what is fixed to placeholders, no service stands under the fixed path of this one, and
   * none of its methods has a path that fits the same URLs. When all services are there.
   */
  isAlone(entry: ExposedService, path: string): boolean {
    const isOwn = !/[:*%]/.test(entry.path) && !this.#parents.has(canonical(entry.path))
    return isOwn && pathsOf(entry).every((other) => other === path || !overlap(other, path))
  }

  /** The service at a URL, the more specific one of several. */
  at(url: string): Location | undefined {
    const match = this.#router.find('GET', url)
    // The router lets a placeholder stand for an empty segment.
    const isComplete = Object.values(match?.params ?? {}).every(Boolean)
    return isComplete ? locationOf(match) : undefined
  }

  /**
   * The service that is meant by a URL with a slash at its end: the one at it, or else at the URL
   * without the slash, unless the slash is that before an empty placeholder.
   */
  atSlash(url: string, bare: string, verb: string): Location | undefined {
    const isEmpty = () => locationOf(this.#router.find('GET', url))?.verbs.includes(verb)
    return this.at(url) ?? (isEmpty() ? undefined : this.at(bare))
  }

  /**
   * A URL without the slash at the end of its path. `undefined` where it has none, nothing else, or
   * more of them than the router takes for one.
   */
  withoutSlash(url: string): string | undefined {
    const { options, pathEnd } = this.#urls
    const end = pathEnd(url)
    let length = end
    while (length > 1 && url[length - 1] === '/') length--
    const isSingle = length === end - 1 || (length < end && options.ignoreDuplicateSlashes)
    return isSingle ? url.slice(0, length) + url.slice(end) : undefined
  }

  /**
   * Whether a URL is that of some service, also where a placeholder stands for an empty segment.
   */
  isTaken(url: string): boolean {
    return this.#router.find('GET', url) !== null
  }

  /** The service with the URL pattern of a route, however that is spelt. */
  of(url: string): Location | undefined {
    return this.#placeOf(url)?.location
  }

  /** @throws what the router says of the URL, with the service that would be there */
  #put(url: string, location: Location): void {
    try {
      const place = this.#placeOf(url)
      // A route needs a handler, which nothing calls.
      if (place === undefined) this.#router.on('GET', url, Boolean, { location })
      // Where the other service answers nothing, this one may.
      else if (location.verbs.length > 0) place.location = location
    } catch (cause) {
      const { path } = location.entry
      throw new Error(
        `The service '${path}' can't be at ${url}: choose another path. ${toServiceError(cause).message}`,
        { cause }
      )
    }
  }

  #placeOf(url: string): Place | undefined {
    const { ignoreDuplicateSlashes, ignoreTrailingSlash } = this.#urls.options
    const single = ignoreDuplicateSlashes ? findMyWay.removeDuplicateSlashes(url) : url
    const bare = ignoreTrailingSlash ? findMyWay.trimLastSlash(single) : single
    return this.#router.findRoute('GET', bare)?.store
  }
}

interface Place {
  location: Location
}

const locationOf = (match: { store: unknown } | null) => (match?.store as Place | undefined)?.location

// The router may take paths that differ in these for the same.
const canonical = (path: string) => path.toLowerCase().replace(/\/+/g, '/')

/**
 * The paths of a service below its own. Records have their URLs in every service: what it lacks
 * there is 405.
 */
function pathsOf(entry: ExposedService): string[] {
  const paths = placesOf(entry).map(({ path }) => path)
  return [...new Set([':id', ...paths])].filter(Boolean)
}

const parentsOf = (path: string) =>
  path.split('/').map((_segment, index, segments) => segments.slice(0, index).join('/'))

/** Whether there are URLs that fit both of two paths. */
function overlap(pattern: string, other: string): boolean {
  const [segments, others] = [pattern.split('/'), other.split('/')]
  return (
    segments.length === others.length &&
    segments.every((segment, index) => [segment, others[index]].some(isPlaceholder) || segment === others[index])
  )
}

const isPlaceholder = (segment?: string) => segment?.startsWith(':')

/** The location of a service at one of its paths. */
export function toLocation(entry: ExposedService, path: string): Location {
  const places = placesOf(entry).filter((place) => place.path === path)
  const verbs = new Set(places.flatMap(({ verb }) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])))
  // The newest verb stands behind those that everybody knows.
  if (verbs.delete(queryVerb)) verbs.add(queryVerb)
  return { entry, path, names: places.map(({ name }) => name), verbs: [...verbs] }
}
