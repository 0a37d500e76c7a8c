import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ConstraintStrategy, Handler, HTTPVersion } from 'find-my-way'
import { custom } from '../../core/methods.js'
import { fallbackMark, rootOf } from '../../core/plugin-state.js'

/** Adds routes of services, except where the application has a route of the same method and URL. */
export class Precedence {
  /**
   * The URLs of added routes for POST. Routes of custom methods may have the same ones, and a
   * constraint.
   */
  readonly #added = new Set<string>()

  add(instance: FastifyInstance, route: RouteOptions & { method: string }): void {
    const { method } = route
    const url = patternOf(instance.prefix + route.url)
    const isConstrained = route.constraints !== undefined && this.#added.has(url)
    if (!isConstrained && instance.hasRoute({ method, url })) return
    instance.route(route)
    if (method === custom.verb) this.#added.add(url)
  }
}

const strategy = 'beforeFallback'

/**
 * Lets the application add routes for `*`, as `@fastify/cors` does, although a fallback has such a
 * route already: they get a constraint that every request meets, so that the router prefers them.
 * @param urls of the fallback, under the prefix of the instance
 */
export function registerBeforeCatchAll(instance: FastifyInstance, urls: readonly string[]): void {
  const root = rootOf(instance)
  const patterns = urls.map((url) => patternOf(instance.prefix + url))
  onEveryRoute(instance, (route) => {
    // The router prefers a route with any constraint.
    if (Object.keys(route.constraints ?? {}).length > 0 || !patterns.includes(patternOf(route.url))) return
    if (Object(route.config)[fallbackMark] === true) return
    if (!root.hasConstraintStrategy(strategy)) root.addConstraintStrategy(everyRequest)
    route.constraints = { [strategy]: true }
  })
}

/** Returns a URL as the router stores it: `*` and `/*` are the same. */
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
