import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import findMyWay, { type ConstraintStrategy, type HTTPVersion } from 'find-my-way'
import { markOf } from '../../core/description.js'
import { attempt } from '../../core/errors.js'
import { ownPluginState, rootOf } from '../../core/host.js'
import { methods } from '../../core/methods.js'
import { metaOf } from '../../core/service-meta.js'
import type { Router } from '../request/router.js'
import { placesOf } from './exposed.js'
import type { Locations } from './locations.js'
import { onEveryRoute } from './precedence.js'

const strategy = 'leadingSlash'

/** The URL that is meant by one with a slash too many; `undefined` where it is meant as it is. */
type Rewrite = (url: string, verb: string) => string | undefined

/**
 * Lets `//path` and `/path/` reach the service at `/path`: clients ask so whose base address, or
 * path, ends in a slash. URLs of routes of the application, and those with an empty placeholder,
 * stay as they are. Routes of their own would make a third more of them.
 */
export function takeSlashes(app: FastifyInstance, locations: Locations, router: Router): void {
  const { ignoreDuplicateSlashes, ignoreTrailingSlash } = router.options
  const root = rootOf(app)
  // Such a router takes them for the same anyway.
  const rewrites = [
    ...(ignoreDuplicateSlashes ? [] : [leadingSlash(app, locations, router)]),
    ...(ignoreTrailingSlash ? [] : [trailingSlash(root, locations)])
  ]
  // Several plugins of one application may have services.
  const facts = ownPluginState(root)
  facts.slashRewrites ??= []
  facts.slashRewrites.push(...rewrites)
  if (!root.hasConstraintStrategy(strategy)) root.addConstraintStrategy(createStrategy(facts.slashRewrites))
}

function leadingSlash(app: FastifyInstance, locations: Locations, { options }: Router): Rewrite {
  const hostRoutes = findMyWay({ ...options, querystringParser: () => ({}) })
  onEveryRoute(app, (route) => {
    // Several verbs of one URL are one, and a URL that can't be is refused by the router of the
    // application.
    if (/^\/(\/|:[^/]*\/)/.test(route.url) && markOf(route) === undefined)
      attempt(() => hostRoutes.on('GET', route.url, Boolean))
  })
  return (url) => {
    if (!/^\/\/[^/?#;]/.test(url)) return undefined
    const single = url.slice(1)
    const isService = locations.at(single) !== undefined && !locations.isTaken(url)
    return isService && hostRoutes.find('GET', url) === null ? single : undefined
  }
}

function trailingSlash(root: FastifyInstance, locations: Locations): Rewrite {
  return (url, verb) => {
    const bare = locations.withoutSlash(url)
    const location = bare === undefined ? undefined : locations.atSlash(url, bare, verb)
    if (location?.path !== '') return undefined
    const { entry } = location
    const { path, object } = entry
    // At the URL of many records, an id is not to be forgotten.
    const isCalled = placesOf(entry).some(
      (place) =>
        place.path === '' &&
        place.verb === (verb === 'HEAD' ? 'GET' : verb) &&
        methods.get(place.name)?.id !== 'optional'
    )
    if (!isCalled || metaOf(object).foreign?.handover !== undefined) return undefined
    return root.hasRoute({ method: verb as HTTPMethods, url: `/${path}/` }) ? undefined : bare
  }
}

const hasSlash = /^\/\/|.\/(?:[?#;]|$)/

/**
 * A constraint that no route has. The router asks for its value before it reads the URL, which is
 * the only place to change that.
 */
function createStrategy(rewrites: readonly Rewrite[]): ConstraintStrategy<HTTPVersion.V1, unknown> {
  return {
    name: strategy,
    mustMatchWhenDerived: true,
    storage: () => new Map(),
    deriveConstraint(request) {
      // No trace of the slash is left: a guard may compare the beginning of `originalUrl`.
      if (hasSlash.test(request.url as string))
        for (const rewrite of rewrites)
          (request as IncomingMessage).url = rewrite(request.url as string, request.method as string) ?? request.url
      return undefined
    }
  }
}
