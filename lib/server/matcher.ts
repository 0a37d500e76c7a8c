import type { ExposedService } from './exposed.js'
import type { Registry } from './registry.js'
import type { Router } from './router.js'

/** A service that stands at a URL, with its own path or with that of a record. */
export interface Match {
  readonly entry: ExposedService
  readonly hasId: boolean
}

/** Tells which service stands at a URL, whatever the method. It is asked where the router can't tell, not for each request. */
export class Matcher {
  readonly #patterns = new Map<ExposedService, RegExp>()

  constructor(
    readonly registry: Registry,
    readonly router: Router
  ) {}

  /** The service at a URL; of several the more specific one, as with the router's own routes. */
  match(url: string): Match | undefined {
    const path = decode(this.router.path(url))
    const matches = this.registry.entries.flatMap((entry) => {
      const found = this.#patternOf(entry).exec(path)
      return found === null ? [] : [{ entry, hasId: found[1] !== undefined }]
    })
    return matches.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0]
  }

  /** Whether another service may stand at a URL of this one. */
  hasRivals(entry: ExposedService): boolean {
    const own = segmentsOf(entry.path)
    const meets = (a: string | undefined, b: string | undefined) =>
      a === undefined || b === undefined || isPlaceholder(a) || isPlaceholder(b) || this.#toKey(a) === this.#toKey(b)
    return this.registry.entries.some((other) => {
      const segments = segmentsOf(other.path)
      return (
        other !== entry &&
        Math.abs(own.length - segments.length) < 2 &&
        own.every((segment, i) => meets(segment, segments[i]))
      )
    })
  }

  #toKey(text: string): string {
    return this.router.caseSensitive ? text : text.toLowerCase()
  }

  #patternOf(entry: ExposedService): RegExp {
    const known = this.#patterns.get(entry)
    if (known !== undefined) return known
    const slash = this.router.ignoreDuplicateSlashes ? '/+' : '/'
    const own = segmentsOf(entry.path).map((segment) => slash + (isPlaceholder(segment) ? '[^/]+' : literal(segment)))
    const flags = this.router.caseSensitive ? '' : 'i'
    const pattern = new RegExp(`^${own.join('')}(?:${slash}([^/]+)?)?$`, flags)
    this.#patterns.set(entry, pattern)
    return pattern
  }
}

// What is malformed is no path of a service.
function decode(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

const segmentsOf = (path: string) => path.split('/').filter(Boolean)
const isPlaceholder = (segment: string) => segment.includes(':')
const literal = (segment: string) => segment.replace(/[^\w-]/g, '\\$&')

// What is fixed comes before a placeholder, from left to right; the id of a record is a placeholder.
const rank = ({ entry, hasId }: Match) =>
  [...segmentsOf(entry.path), ...(hasId ? [':'] : [])].map((segment) => (isPlaceholder(segment) ? 1 : 0)).join('')
