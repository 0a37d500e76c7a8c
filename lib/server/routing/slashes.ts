import type { FastifyInstance, HTTPMethods } from 'fastify'
import findMyWay from 'find-my-way'
import { rewriteUrls } from '../../compat/rewrite-url.js'
import { markOf } from '../../core/description.js'
import { attempt } from '../../core/errors.js'
import { methods } from '../../core/methods.js'
import { ownPluginState, rootOf } from '../../core/plugin-state.js'
import { metaOf } from '../../core/service-meta.js'
import type { Router } from '../request/router.js'
import { endpointsOfService } from './exposed.js'
import { onEveryRoute } from './precedence.js'
import type { RouteConflicts } from './route-conflicts.js'

const extraSlash = /^\/\/|.\/(?:[?#;]|$)/

/** Returns a URL without its extra slash; `undefined` if it has none. */
type Rewrite = (url: string, verb: string) => string | undefined

/**
 * Lets `//path` and `/path/` reach the service at `/path`: clients send them if their base address,
 * or the path, ends in a slash. URLs of routes of the application, and those with an empty
 * placeholder, stay as they are. Routes for these URLs would make a third more routes.
 */
export function acceptExtraSlashes(app: FastifyInstance, conflicts: RouteConflicts, router: Router): void {
  const { ignoreDuplicateSlashes, ignoreTrailingSlash } = router.options
  const root = rootOf(app)
  // A router with these options ignores the slashes anyway.
  const rewrites = [
    ...(ignoreDuplicateSlashes ? [] : [leadingSlash(app, conflicts, router)]),
    ...(ignoreTrailingSlash ? [] : [trailingSlash(root, conflicts)])
  ]
  // Several plugins of one application may have services.
  const facts = ownPluginState(root)
  facts.slashRewrites ??= []
  facts.slashRewrites.push(...rewrites)
  const all = facts.slashRewrites
  rewriteUrls(root, extraSlash, (url, verb) => all.reduce((current, rewrite) => rewrite(current, verb) ?? current, url))
}

function leadingSlash(app: FastifyInstance, conflicts: RouteConflicts, { options }: Router): Rewrite {
  const hostRoutes = findMyWay({ ...options, querystringParser: () => ({}) })
  onEveryRoute(app, (route) => {
    // Fails for the second verb of a URL, and for a URL that the application's router refuses, too.
    if (/^\/(\/|:[^/]*\/)/.test(route.url) && markOf(route) === undefined)
      attempt(() => hostRoutes.on('GET', route.url, Boolean))
  })
  return (url) => {
    if (!/^\/\/[^/?#;]/.test(url)) return undefined
    const single = url.slice(1)
    const isService = conflicts.serviceAt(single) !== undefined && !conflicts.isTaken(url)
    return isService && hostRoutes.find('GET', url) === null ? single : undefined
  }
}

function trailingSlash(root: FastifyInstance, conflicts: RouteConflicts): Rewrite {
  return (url, verb) => {
    const bare = conflicts.withoutSlash(url)
    const target = bare === undefined ? undefined : conflicts.serviceAtSlash(url, bare, verb)
    if (target?.path !== '') return undefined
    const { entry } = target
    const { path, object } = entry
    // A call without an id is for many records: the slash may mean a forgotten id.
    const isCalled = endpointsOfService(entry).some(
      (endpoint) =>
        endpoint.path === '' &&
        endpoint.verb === (verb === 'HEAD' ? 'GET' : verb) &&
        methods.get(endpoint.name)?.id !== 'optional'
    )
    if (!isCalled || metaOf(object).mounted?.forwarder !== undefined) return undefined
    return root.hasRoute({ method: verb as HTTPMethods, url: `/${path}/` }) ? undefined : bare
  }
}
