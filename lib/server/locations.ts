import findMyWay from 'find-my-way'
import { toServiceError } from '../core/errors.js'
import { definitionOf, type MethodDefinition } from '../core/methods.js'
import { idName } from './call.js'
import type { ExposedService } from './exposed.js'
import type { Router } from './router.js'

/** A URL pattern of a service: that of the service itself, or that of its records. */
export interface Location {
  readonly entry: ExposedService
  readonly hasId: boolean
  /** The verbs that the service answers here. */
  readonly verbs: readonly string[]
  /** The verbs for which it has added a route. The application has its own for the others. */
  readonly routed: string[]
}

/**
 * The URL patterns of all services, in a router like that of the application. The application's router knows routes, not services: it
 * can't tell which service a request is meant for when no route takes it, or when a route of a less specific service does.
 */
export class Locations {
  readonly #options: Router['options']
  readonly #router
  /** The paths of services under which others stand. */
  readonly #parents = new Set<string>()

  constructor({ options }: Router) {
    this.#options = options
    this.#router = findMyWay({ ...options, querystringParser: () => ({}) })
  }

  /** @throws when another service answers at one of its URLs, or the router can't have them */
  add(entry: ExposedService): void {
    const own = entry.path === '' ? '' : `/${entry.path}`
    const added = [
      { url: own || '/', location: toLocation(entry, false) },
      { url: `${own}/`, location: toLocation(entry, false) },
      // Nothing can follow an optional placeholder.
      { url: `${own.replace(/\?$/, '')}/:${idName(own)}`, location: toLocation(entry, true) }
    ]
    for (const { url, location } of added) {
      const other = this.of(url)
      if (location.verbs.length > 0 && other !== undefined && other.verbs.length > 0)
        throw new Error(
          `The services '${other.entry.path}' and '${entry.path}' have the same URLs (${url}): choose another path for one of them, or make one service of both`
        )
    }
    for (const { url, location } of added) {
      const place = this.#placeOf(url)
      if (place === undefined) this.#addRoute(url, location)
      // Where the other service answers nothing, this one may.
      else if (location.verbs.length > 0) place.location = location
    }
    const segments = canonical(entry.path).split('/')
    for (const [index] of segments.entries()) this.#parents.add(segments.slice(0, index).join('/'))
  }

  /**
   * Whether no other service can be more specific at the URLs of a service's records: the router prefers what is fixed to placeholders, and
   * no service stands under the fixed path of this one. When all services are there.
   */
  isAlone({ path }: ExposedService): boolean {
    return !/[:*%]/.test(path) && !this.#parents.has(canonical(path))
  }

  /** The service at a URL, the more specific one of several. */
  at(url: string): Location | undefined {
    const found = this.#router.find('GET', url)
    // The router lets a placeholder stand for an empty segment.
    const isComplete = Object.values(found?.params ?? {}).every(Boolean)
    return isComplete ? (found?.store as Place | undefined)?.location : undefined
  }

  /** The service with the URL pattern of a route, however that is spelt. */
  of(url: string): Location | undefined {
    return this.#placeOf(url)?.location
  }

  #addRoute(url: string, location: Location): void {
    try {
      // A route needs a handler, which nothing calls.
      this.#router.on('GET', url, Boolean, { location })
    } catch (cause) {
      const path = location.entry.path
      throw new Error(
        `The service '${path}' can't be at ${url}: choose another path. ${toServiceError(cause).message}`,
        { cause }
      )
    }
  }

  #placeOf(url: string): Place | undefined {
    const single = this.#options.ignoreDuplicateSlashes ? findMyWay.removeDuplicateSlashes(url) : url
    const bare = this.#options.ignoreTrailingSlash ? findMyWay.trimLastSlash(single) : single
    return this.#router.findRoute('GET', bare)?.store
  }
}

interface Place {
  location: Location
}

// The router may take paths that differ in these for the same.
const canonical = (path: string) => path.toLowerCase().replace(/\/+/g, '/')

/** Whether a method is called at the URL of a record (`hasId`), or else at that of its service. */
export const isAt = ({ id }: MethodDefinition, hasId: boolean) => id === 'optional' || id === hasId

/** The location of a service, or of its records. */
export function toLocation(entry: ExposedService, hasId: boolean): Location {
  const rows = entry.exposed.map(definitionOf).filter((row) => isAt(row, hasId))
  const verbs = rows.flatMap(({ verb }) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb]))
  return { entry, hasId, verbs: [...new Set(verbs)], routed: [] }
}
