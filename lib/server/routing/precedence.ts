import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ConstraintStrategy, Handler, HTTPVersion } from 'find-my-way'
import { fallbackMark, rootOf } from '../../core/host.js'

/**
 * Adds routes of services, but for those that the application has at the same method and URL: these
 * stay its own.
 */
export class Precedence {
  /**
   * The methods and URLs of routes of services. Those of custom methods may have the same, and a
   * constraint beside.
   */
  readonly #added = new Set<string>()

  add(instance: FastifyInstance, route: RouteOptions & { method: string }): void {
    const { method } = route
    const url = patternOf(instance.prefix + route.url)
    const name = `${method} ${url}`
    const isBeside = route.constraints !== undefined && this.#added.has(name)
    if (!isBeside && instance.hasRoute({ method, url })) return
    instance.route(route)
    this.#added.add(name)
  }
}

const strategy = 'beforeFallback'

/**
 * Lets the application add routes for `*` after a fallback has its own there, as `@fastify/cors`
 * does: they get a constraint that every request meets, so that the router takes them first.
 * @param urls of the fallback, under the prefix of the instance
 */
export function comeBeforeFallback(instance: FastifyInstance, urls: readonly string[]): void {
  const root = rootOf(instance)
  const patterns = urls.map((url) => patternOf(instance.prefix + url))
  onEveryRoute(instance, (route) => {
    // A route with a constraint of its own comes first as well.
    if (Object.keys(route.constraints ?? {}).length > 0 || !patterns.includes(patternOf(route.url))) return
    if (Object(route.config)[fallbackMark] === true) return
    if (!root.hasConstraintStrategy(strategy)) root.addConstraintStrategy(everyRequest)
    route.constraints = { [strategy]: true }
  })
}

/**
 * A URL as the router keeps it: it takes both for the same, and finds a route by this one alone.
 */
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
