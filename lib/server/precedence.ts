import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ConstraintStrategy, Handler, HTTPVersion } from 'find-my-way'
import { rootOf } from '../core/root.js'
import type { Locations } from './locations.js'

const strategy = 'beforeServices'

/**
 * Gives the application's routes precedence over those of services at the same method and path. If one was defined
 * earlier, the service adds none. One that is defined later would be a duplicate: it gets a constraint that every
 * request meets, so that the router takes it first.
 */
export class Precedence {
  readonly #locations: Locations
  readonly #root: FastifyInstance
  /** The verbs of routes that belong to no location, by their URLs: those for whatever no other route takes. */
  readonly #others = new Map<string, string[]>()

  constructor(app: FastifyInstance, locations: Locations) {
    this.#locations = locations
    this.#root = rootOf(app)
    onEveryRoute(app, (route) => this.#putFirst(route))
  }

  /** Adds a route of a service, unless the application has one at its method and URL. */
  add(instance: FastifyInstance, route: RouteOptions & { method: string }): void {
    const { method } = route
    const url = patternOf(instance.prefix + route.url)
    const routed = this.#routedAt(url)
    if (!routed.includes(method) && instance.hasRoute({ method, url })) return
    instance.route(route)
    routed.push(method)
    if (route.exposeHeadRoute) routed.push('HEAD')
  }

  #putFirst(route: RouteOptions): void {
    const { method, url, constraints = {} } = route
    const routed = this.#routedAt(url)
    const meets = [method].flat().some((verb) => routed.includes(verb))
    // A route with a constraint of its own comes first as well.
    if (!meets || Object.keys(constraints).length > 0) return
    if (!this.#root.hasConstraintStrategy(strategy)) this.#root.addConstraintStrategy(everyRequest)
    route.constraints = { [strategy]: true }
  }

  #routedAt(url: string): string[] {
    const pattern = patternOf(url)
    const routed = this.#locations.of(url)?.routed ?? this.#others.get(pattern)
    if (routed !== undefined) return routed
    const verbs: string[] = []
    if (pattern.endsWith('*')) this.#others.set(pattern, verbs)
    return verbs
  }
}

/** A URL as the router keeps it: it takes both for the same, and finds a route by this one alone. */
const patternOf = (url: string) => (url === '*' ? '/*' : url)

/** Calls a listener with each route that the application adds from now on, in whatever instance. */
export function onEveryRoute(app: FastifyInstance, listen: (route: RouteOptions) => void): void {
  const end = Object.getPrototypeOf(rootOf(app))
  // An instance copies the hooks of its parent when it is created: no hook runs twice.
  for (let instance = app; instance !== end; instance = Object.getPrototypeOf(instance))
    instance.addHook('onRoute', listen)
}

const everyRequest: ConstraintStrategy<HTTPVersion.V1, unknown> = {
  name: strategy,
  storage() {
    let handler: Handler<HTTPVersion.V1> | null = null
    return {
      get: () => handler,
      set(_value, added) {
        handler = added
      }
    }
  },
  deriveConstraint: () => true
}
