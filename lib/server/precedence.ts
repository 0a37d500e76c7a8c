import type { FastifyInstance, RouteOptions } from 'fastify'
import { methods } from '../core/methods.js'
import { type Router, routerOf } from './router.js'

export const SERVICE_METHOD = 'x-service-method'

const strategy = 'service'

/** What a route of a service is constrained by: the custom method that it is for, and whether it still counts. */
class Claim {
  isGivenUp = false
  constructor(readonly method: string) {}

  /** How the router prints it. */
  toJSON(): string {
    return this.method || 'any'
  }
}

/**
 * The routes of services, as constraints of Fastify's router: one leads `POST` with an `X-Service-Method` to the route of a custom
 * method, which so has a schema of its own. And since routes of the application have no such constraint, they are never duplicates
 * of ours: where the application defines a route at one of our URLs later, ours gives up its claim.
 */
export class Claims {
  readonly #claims = new Map<string, Claim[]>()
  /** Where the application has routes with constraints of its own: those come first beside a route without any. */
  readonly #constrained = new Set<string>()
  readonly #router: Router

  constructor(root: FastifyInstance) {
    this.#router = routerOf(root)
    if (!root.hasConstraintStrategy(strategy)) root.addConstraintStrategy(createStrategy() as never)
    const claims = this
    root.addHook('onRoute', function (route) {
      const { method, constraints = {} } = route
      if (!(strategy in constraints)) claims.#giveUp(route)
      // Fastify adds HEAD beside GET: it is claimed by itself.
      else if (method === 'HEAD') route.constraints = { [strategy]: claims.#claim('HEAD', route.url, '', this) }
    })
  }

  /** The constraints of a route for a method of a service, `undefined` where the application has a route already. */
  add(instance: FastifyInstance, verb: string, url: string, name: string): Record<string, unknown> | undefined {
    const method = methods.has(name) ? '' : name
    const claim = this.#claim(verb, url, method, instance)
    if (claim.isGivenUp) return undefined
    return method === '' && this.#constrained.has(this.#keyOf(verb, url)) ? {} : { [strategy]: claim }
  }

  #claim(verb: string, url: string, method: string, instance: FastifyInstance): Claim {
    const claim = new Claim(method)
    claim.isGivenUp = instance.hasRoute({ method: verb, url })
    const key = this.#keyOf(verb, url)
    this.#claims.set(key, [...(this.#claims.get(key) ?? []), claim])
    return claim
  }

  #giveUp({ method, url, routePath, constraints }: RouteOptions & { routePath: string }): void {
    // A route at the prefix of its plugin stands at the prefix with a slash, too.
    const urls = routePath === '' ? [url, `${url}/`] : [url]
    for (const key of [method].flat().flatMap((verb) => urls.map((url) => this.#keyOf(verb, url)))) {
      if (Object.keys(constraints ?? {}).length > 0) this.#constrained.add(key)
      else for (const claim of this.#claims.get(key) ?? []) claim.isGivenUp = true
    }
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

function createStrategy() {
  return {
    name: strategy,
    // The router fills a store anew whenever a route is added to those at its URL.
    storage() {
      const handlers = new Map<string, unknown>()
      return {
        get: (value: Claim | string) => handlers.get(typeof value === 'string' ? value : value.method) ?? null,
        set(claim: Claim, handler: unknown) {
          if (!claim.isGivenUp) handlers.set(claim.method, handler)
        }
      }
    },
    deriveConstraint: ({ method, headers }: { method: string; headers: Record<string, unknown> }) =>
      method === 'POST' ? (headers[SERVICE_METHOD] ?? '') : ''
  }
}
