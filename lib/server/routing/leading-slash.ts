import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import findMyWay, { type ConstraintStrategy, type HTTPVersion } from 'find-my-way'
import { markOf } from '../../core/description.js'
import { attempt } from '../../core/errors.js'
import { ownInstanceFacts, rootOf } from '../../core/host.js'
import type { Router } from '../request/router.js'
import type { Locations } from './locations.js'
import { onEveryRoute } from './precedence.js'

const strategy = 'leadingSlash'

type IsService = (url: string) => boolean

/**
 * Lets `//path` reach the service at `/path`: clients with a slash at the end of their base address ask so. URLs of routes of the
 * application, and those with an empty placeholder, stay as they are.
 */
export function takeLeadingSlashes(app: FastifyInstance, locations: Locations, { options }: Router): void {
  // Such a router takes them for the same anyway.
  if (options.ignoreDuplicateSlashes) return
  const root = rootOf(app)
  const hostRoutes = findMyWay({ ...options, querystringParser: () => ({}) })
  onEveryRoute(app, (route) => {
    // Several verbs of one URL are one, and a URL that can't be is refused by the router of the application.
    if (/^\/(\/|:[^/]*\/)/.test(route.url) && markOf(route) === undefined)
      attempt(() => hostRoutes.on('GET', route.url, Boolean))
  })
  const isService: IsService = (url) =>
    locations.at(url.slice(1)) !== undefined && !locations.isTaken(url) && hostRoutes.find('GET', url) === null
  // Several plugins of one application may have services.
  const facts = ownInstanceFacts(root)
  facts.leadingSlashChecks ??= []
  facts.leadingSlashChecks.push(isService)
  if (!root.hasConstraintStrategy(strategy)) root.addConstraintStrategy(createStrategy(facts.leadingSlashChecks))
}

/** A constraint that no route has. The router asks for its value before it reads the URL, which is the only place to change that. */
function createStrategy(serviceChecks: readonly IsService[]): ConstraintStrategy<HTTPVersion.V1, unknown> {
  return {
    name: strategy,
    mustMatchWhenDerived: true,
    storage: () => new Map(),
    deriveConstraint(request) {
      const { url } = request
      // No trace of the first slash is left: a guard may compare the beginning of `originalUrl`.
      if (url?.startsWith('//') && /^\/\/[^/?#;]/.test(url) && serviceChecks.some((isService) => isService(url)))
        (request as IncomingMessage).url = url.slice(1)
      return undefined
    }
  }
}
