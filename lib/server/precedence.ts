import type { FastifyInstance, RouteOptions } from 'fastify'
import { type Router, rootOf } from './router.js'

const strategy = 'beforeServices'

/**
 * Keeps the application's routes before those of services at the same method and path. One that is defined earlier stands in the
 * router already. One that is defined later would be a duplicate: it gets a constraint that every request meets, so that the router
 * takes it first.
 */
export class Precedence {
  readonly #ours = new Set<string>()
  readonly #root: FastifyInstance
  readonly #router: Router
  #isAdding = false

  constructor(app: FastifyInstance, router: Router) {
    this.#root = rootOf(app)
    this.#router = router
    // An instance copies the hooks of the one above it when it is created: none of them runs twice.
    for (
      let instance = app;
      instance !== Object.getPrototypeOf(this.#root);
      instance = Object.getPrototypeOf(instance)
    ) {
      instance.addHook('onRoute', (route) => this.#putFirst(route))
    }
  }

  /** Adds a route of a service, unless the application has one at its method and URL. */
  add(instance: FastifyInstance, route: RouteOptions & { method: string }): void {
    const url = instance.prefix + route.url
    const key = this.#keyOf(route.method, url)
    if (!this.#ours.has(key) && instance.hasRoute({ method: route.method, url })) return
    this.#isAdding = true
    instance.route(route)
    this.#isAdding = false
    this.#ours.add(key)
    if (route.exposeHeadRoute) this.#ours.add(this.#keyOf('HEAD', url))
  }

  #putFirst(route: RouteOptions): void {
    const { method, url, constraints = {} } = route
    const meets = [method].flat().some((verb) => this.#ours.has(this.#keyOf(verb, url)))
    // A constraint of its own puts a route first as well.
    if (this.#isAdding || !meets || Object.keys(constraints).length > 0) return
    if (!this.#root.hasConstraintStrategy(strategy)) this.#root.addConstraintStrategy(everyRequest as never)
    route.constraints = { [strategy]: true }
  }

  /** Two routes with one key are one route to the router. */
  #keyOf(verb: string, url: string): string {
    const { caseSensitive, ignoreDuplicateSlashes, ignoreTrailingSlash } = this.#router
    const single = ignoreDuplicateSlashes ? url.replace(/\/+/g, '/') : url
    const bare = ignoreTrailingSlash ? single.replace(/(?<=.)\/$/, '') : single
    const path = bare.replace(/:\w+/g, ':')
    return `${verb} ${caseSensitive ? path : path.toLowerCase()}`
  }
}

const everyRequest = {
  name: strategy,
  storage() {
    let handler: unknown = null
    return {
      get: () => handler,
      set(_value: unknown, added: unknown) {
        handler = added
      }
    }
  },
  deriveConstraint: () => true
}
