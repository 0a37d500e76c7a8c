import type { FastifyInstance, HTTPMethods } from 'fastify'
import findMyWay from 'find-my-way'
import { rewriteUrls } from '../../compat/rewrite-url.js'
import { markOf } from '../../core/description.js'
import { attempt } from '../../core/errors.js'
import { ownPluginState, rootOf } from '../../core/host.js'
import { methods } from '../../core/methods.js'
import { metaOf } from '../../core/service-meta.js'
import type { Router } from '../request/router.js'
import { placesOf } from './exposed.js'
import type { Locations } from './locations.js'
import { onEveryRoute } from './precedence.js'

const extraSlash = /^\/\/|.\/(?:[?#;]|$)/

/** Returns a URL without its extra slash; `undefined` if it has none. */
type Rewrite = (url: string, verb: string) => string | undefined

/**
 * Lets `//path` and `/path/` reach the service at `/path`: clients send them if their base address,
 * or the path, ends in a slash. URLs of routes of the application, and those with an empty
 * placeholder, stay as they are. Routes for these URLs would make a third more routes.
 */
export function acceptExtraSlashes(app: FastifyInstance, locations: Locations, router: Router): void {
  const { ignoreDuplicateSlashes, ignoreTrailingSlash } = router.options
  const root = rootOf(app)
  // A router with these options ignores the slashes anyway.
  const rewrites = [
    ...(ignoreDuplicateSlashes ? [] : [leadingSlash(app, locations, router)]),
    ...(ignoreTrailingSlash ? [] : [trailingSlash(root, locations)])
  ]
  // Several plugins of one application may have services.
  const facts = ownPluginState(root)
  facts.slashRewrites ??= []
  facts.slashRewrites.push(...rewrites)
  const all = facts.slashRewrites
  rewriteUrls(root, extraSlash, (url, verb) => all.reduce((current, rewrite) => rewrite(current, verb) ?? current, url))
}

function leadingSlash(app: FastifyInstance, locations: Locations, { options }: Router): Rewrite {
  const hostRoutes = findMyWay({ ...options, querystringParser: () => ({}) })
  onEveryRoute(app, (route) => {
    // Fails for the second verb of a URL, and for a URL that the application's router refuses, too.
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
    // A call without an id is for many records: the slash may mean a forgotten id.
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
